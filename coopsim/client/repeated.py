"""Requests that are made again and again, packed by what they have in common."""

from typing import NamedTuple, TypeAlias

from coopsim.geometry import Floats
from coopsim.message import Message, MessagePattern, MessageTemplate


class RepeatedRequest(NamedTuple):
    """A request that was made before with another id, tick and values.

    Attributes:
        template: What all of them have in common.
        tick: The step that it is meant for.
        data: Its values.
        pattern: What its reply looks like.
    """

    template: MessageTemplate
    tick: int
    data: Floats
    pattern: MessagePattern

    @property
    def target(self) -> str:
        """Name of the module."""
        return self.template.sample.target

    def message(self, number: int, run: int) -> Message:
        """Return it as a message, as `decode` would of its bytes."""
        like = self.template.sample
        return Message(like.target, like.command, like.params, self.data, self.tick, id=number, binary=True, run=run)


class SentRequest(NamedTuple):
    """A request that was sent, and whose reply was not what was expected.

    Attributes:
        number: Its id.
        request: What was asked.
        raw: What came first, read or not; None = nothing in time.
        deadline: Until when to wait for its reply, by the monotonic clock.
    """

    number: int
    request: RepeatedRequest
    raw: bytes | Message | None
    deadline: float


Request: TypeAlias = Message | RepeatedRequest
