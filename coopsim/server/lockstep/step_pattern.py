"""What STEPs of a connection have in common that come again and again."""

from dataclasses import replace

import numpy as np

from coopsim.geometry import Floats, all_finite
from coopsim.message import Message, MessageTemplate, TemplateParts
from coopsim.server.lockstep.groups import RobotGroup


class StepPattern:
    """What the STEPs of a connection have in common.

    Args:
        request: One of them, with binary data.
        group: Its robots.

    Attributes:
        group: The robots.
        names_none: Whether it is for all robots that the client owns.
    """

    __slots__ = ("_reply", "_request", "group", "names_none")

    def __init__(self, request: Message, group: RobotGroup) -> None:
        self.group, self.names_none = group, len(request.params) == 1
        self._request = MessageTemplate(request)
        self._reply = MessageTemplate(request.reply((group.generation,), np.zeros(group.gives)))

    @property
    def request_parts(self) -> TemplateParts:
        """What the requests have in common."""
        return self._request.parts

    @property
    def reply_parts(self) -> TemplateParts:
        """What their answers have in common."""
        return self._reply.parts

    def read(self, raw: bytes) -> tuple[int, int, Floats] | None:
        """Return id, tick and commands of a request, None if it is not one of these."""
        return self._request.numbers(raw)

    def read_message(self, request: Message) -> tuple[int, int, Floats] | None:
        """Return the same of a request that is no bytes."""
        like, data = self._request.sample, request.data
        if (request.target, request.command, request.run, request.binary) != _form(
            like
        ) or request.params != like.params:
            return None
        if not isinstance(data, np.ndarray) or data.size != self.group.takes or not all_finite(data):
            return None
        return request.id, request.tick, data

    def request(self, number: int, tick: int) -> Message:
        """Return a request with such an id and tick, without its commands."""
        return replace(self._request.sample, id=number, tick=tick)

    def reply(self, number: int, tick: int, readings: Floats) -> bytes | None:
        """Return the bytes of an answer, None where a reading is no number that a message can carry."""
        return self._reply.pack(number, tick, readings) if all_finite(readings) else None

    def reply_message(self, number: int, tick: int, readings: Floats) -> Message | None:
        """Return the same as no bytes."""
        if not all_finite(readings):
            return None
        like = self._reply.sample
        return Message(like.target, like.command, like.params, readings, tick, id=number, binary=True)


def _form(message: Message) -> tuple[str, int, int, bool]:
    return message.target, message.command, message.run, message.binary
