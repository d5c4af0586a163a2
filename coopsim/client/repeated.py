"""Requests that are made again and again: packed, and their replies read, by what the last ones looked like."""

from typing import NamedTuple, TypeAlias

from coopsim.geometry import Floats
from coopsim.message import Message, MessageTemplate

_LESSONS = 16
"""How often a reply of a new form is remembered: where each one has another form there is nothing to learn."""


class ReplyPattern:
    """What the replies to one kind of request look like, learned from the last one that looked otherwise."""

    __slots__ = ("_lessons", "_template")

    def __init__(self) -> None:
        self._lessons = 0
        self._template: MessageTemplate | None = None

    def read(self, raw: bytes, number: int, at: int) -> Message | None:
        """Return the reply in `raw`, None if it does not look as expected; see `MessageTemplate.read`."""
        return self._template.read(raw, number, at) if self._template is not None else None

    def learn(self, reply: Message) -> None:
        """Expect replies such as this one from now on; refusals are no examples."""
        if reply.error == 0 and self._lessons < _LESSONS:
            self._lessons += 1
            self._template = MessageTemplate(reply)


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
    pattern: ReplyPattern

    @property
    def target(self) -> str:
        """Name of the module."""
        return self.template.sample.target


Request: TypeAlias = Message | RepeatedRequest
