"""The form of STEPs of a connection that come again and again, for `server.lane`."""

from dataclasses import replace

import numpy as np

from coopsim.message import Message, MessageTemplate, TemplateParts
from coopsim.server.lockstep.groups import RobotGroup


class StepPattern:
    """Common part of the STEPs of a connection.

    Args:
        request: One of them, with binary data.
        group: Its robots.
        parts: Patterns of the parts that go before it.

    Attributes:
        group: The robots.
        parts: Patterns of the parts that go before it.
        members: Robots of all parts.
        request_parts: What the requests have in common.
        reply_parts: What their answers have in common.
    """

    __slots__ = ("_like", "group", "members", "parts", "reply_parts", "request_parts")

    def __init__(self, request: Message, group: RobotGroup, parts: tuple["StepPattern", ...] = ()) -> None:
        template = MessageTemplate(request)
        self.group, self.parts, self._like = group, parts, template.sample
        self.members = group.members.union(*(part.group.members for part in parts))
        self.request_parts: TemplateParts = template.parts
        self.reply_parts = MessageTemplate(request.reply((group.generation,), np.zeros(group.gives))).parts

    def request(self, number: int) -> Message:
        """Return a request with such an id, without its commands."""
        return replace(self._like, id=number, tick=0)
