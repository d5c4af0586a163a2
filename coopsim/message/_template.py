"""Messages that come again and again with another id, tick and values: the bytes they have in common.

The C library makes and compares messages by them; Python encodes and decodes each message.
"""

from dataclasses import replace
from typing import NamedTuple

import msgpack

from coopsim.message._message import VERSION, Message

_BEGIN, _BEGIN_WITH_RUN = bytes((0x99, VERSION)), bytes((0x9A, VERSION))
"""Head of an array of nine fields, and of ten, in MessagePack; the version is the first one."""
_LARGE = 0x80
"""From here on an integer has more bytes than one."""
_WIDTHS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
"""Bytes of an integer by the byte before it."""
_PACKED_FLOAT = 9
"""Bytes of a float64 in MessagePack: one for its type, eight for its value."""
_FLOAT = 8
"""Bytes of a float64 among binary data."""
_LESSONS = 16
"""How often a message of a new form is remembered: where each one has another form there is nothing to learn."""


class TemplateParts(NamedTuple):
    """Common parts of messages, packed: between `begin` and `head` stands the id, after `head` the tick.

    Attributes:
        begin: Number of fields and version.
        head: The target.
        values: From the error to what precedes the values.
        end: The run, or nothing.
    """

    begin: bytes
    head: bytes
    values: bytes
    end: bytes


class MessageTemplate:
    """Template of messages that differ only in id, tick and the values of their data.

    Args:
        message: One of them, which `encode` takes or `decode` gave: its target, error, text, command, params, run, and
            number and form of its data.

    Attributes:
        sample: The message without its data.
        count: How many values each has.
        parts: What all of them have in common, packed.
    """

    __slots__ = ("count", "parts", "sample")

    def __init__(self, message: Message) -> None:
        self.sample, self.count = replace(message, data=()), len(message.data)
        size = self.count * (_FLOAT if message.binary else _PACKED_FLOAT)
        values = bytes(size) if message.binary else [0.0] * self.count
        packed = map(msgpack.packb, (message.error, message.text, message.command, message.params, values))
        whole = b"".join(packed)
        begin, end = (_BEGIN_WITH_RUN, msgpack.packb(message.run)) if message.run else (_BEGIN, b"")
        self.parts = TemplateParts(begin, msgpack.packb(message.target), whole[: len(whole) - size], end)

    def is_like(self, message: Message) -> bool:
        """Return whether a message differs from the sample in id, tick and values alone."""
        like = self.sample
        return len(message.data) == self.count and replace(message, data=(), id=like.id, tick=like.tick) == like


class MessagePattern:
    """Pattern of messages of one kind, learned from the last one that looked otherwise.

    Attributes:
        template: What they have in common; None = not known yet.
    """

    __slots__ = ("_lessons", "template")

    def __init__(self) -> None:
        self._lessons = 0
        self.template: MessageTemplate | None = None

    def learn(self, message: Message) -> None:
        """Expect messages such as this one from now on; refusals are no examples."""
        if message.error or self._lessons >= _LESSONS or (self.template is not None and self.template.is_like(message)):
            return
        self._lessons += 1
        self.template = MessageTemplate(message)


def id_in(raw: bytes) -> int:
    """Return the id of a message of nine fields, or ten; 0 where it begins in another way."""
    at = len(_BEGIN)
    if not raw.startswith((_BEGIN, _BEGIN_WITH_RUN)) or len(raw) == at:
        return 0
    first = raw[at]
    return first if first < _LARGE else int.from_bytes(raw[at + 1 : at + 1 + _WIDTHS.get(first, 0)], "big")
