"""Messages that come again and again with another id, tick and values: the bytes they have in common are made once."""

import struct
from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import NamedTuple

import msgpack
import numpy as np

from coopsim.geometry import Floats, all_finite
from coopsim.message._message import VERSION, Message

_FLOAT64 = np.dtype("<f8")
_BEGIN, _BEGIN_WITH_RUN = bytes((0x99, VERSION)), bytes((0x9A, VERSION))
_UINT_16, _UINT_32, _UINT_64 = struct.Struct(">BH"), struct.Struct(">BI"), struct.Struct(">BQ")
_FLOAT_64 = struct.Struct(">Bd")
_WIDTHS = {0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8}
"""Bytes of an integer by the byte before it."""
_PACKED_FLOAT = 9
_FLOAT_KIND = b"\xcb"
_LESSONS = 16
"""How often a message of a new form is remembered: where each one has another form there is nothing to learn."""


class TemplateParts(NamedTuple):
    """What messages have in common, packed: between `begin` and `head` stands the id, after `head` the tick.

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
    """What messages have in common that differ in id, tick, run and the values of their data alone.

    Args:
        message: One of them, which `encode` takes or `decode` gave: its target, error, text, command, params, run, and
            number and form of its data.
    """

    __slots__ = ("_begin", "_count", "_end", "_head", "_is_binary", "_size", "_values", "sample")

    def __init__(self, message: Message) -> None:
        self.sample = replace(message, data=())
        self._count, self._is_binary = len(message.data), message.binary
        self._size = self._count * (8 if message.binary else _PACKED_FLOAT)
        values = bytes(self._size) if message.binary else [0.0] * self._count
        self._head = msgpack.packb(message.target)
        packed = map(msgpack.packb, (message.error, message.text, message.command, message.params, values))
        whole = b"".join(packed)
        self._values = whole[: len(whole) - self._size]
        self._begin = _BEGIN_WITH_RUN if message.run else _BEGIN
        self._end = _uint(message.run) if message.run else b""

    @property
    def parts(self) -> TemplateParts:
        """What all of them have in common."""
        return TemplateParts(self._begin, self._head, self._values, self._end)

    @property
    def count(self) -> int:
        """How many values each has."""
        return self._count

    def for_run(self, run: int) -> "MessageTemplate":
        """Return what requests for a run have in common; 0 = for whichever is there."""
        return MessageTemplate(replace(self.sample, run=run, data=(0.0,) * self._count))

    def pack(self, number: int, tick: int, data: Floats, run: int = 0) -> bytes:
        """Return what `encode` returns of a message with these values.

        Args:
            number: Its id.
            tick: The step that it is meant for.
            data: As many finite values as the first one had.
            run: The run that it is meant for; 0 = whichever is there.
        """
        begin = _BEGIN_WITH_RUN if run else _BEGIN
        parts = (
            begin,
            _uint(number),
            self._head,
            _uint(tick),
            self._values,
            data.tobytes() if self._is_binary else b"".join([_FLOAT_64.pack(0xCB, value) for value in data.tolist()]),
            _uint(run) if run else b"",
        )
        return b"".join(parts)

    def read(self, raw: bytes, number: int, at: int) -> Message | None:
        """Return what `decode` returns, None if the message is not one of these or its data are not finite.

        Args:
            raw: The message.
            number: Its id, as `id_in` found it.
            at: Where the id ends.
        """
        head, values, after = self._head, self._values, self._end
        if not (raw.startswith(head, at) and raw.startswith(self._begin) and raw.endswith(after)):
            return None
        tick, at = _read_uint(raw, at + len(head))
        begin = at + len(values)
        end = begin + self._size
        if tick < 0 or not raw.startswith(values, at) or len(raw) != end + len(after):
            return None
        data = self._data(raw[begin:end])
        if data is None:
            return None
        like = self.sample
        binary, run = like.binary, like.run
        return Message(like.target, like.command, like.params, data, tick, like.error, like.text, number, binary, run)

    def values(self, raw: bytes, number: int) -> tuple[int, Floats] | None:
        """Return tick and data of a message with binary data and no run, None if it is not one of these.

        Args:
            raw: The message.
            number: Its id.
        """
        head = b"".join((_BEGIN, _uint(number), self._head))
        if not raw.startswith(head) or self._end or not self._is_binary:
            return None
        tick, at = _read_uint(raw, len(head))
        begin = at + len(self._values)
        if tick < 0 or len(raw) != begin + self._size or not raw.startswith(self._values, at):
            return None
        data = np.frombuffer(raw[begin:], _FLOAT64)
        return (tick, data) if all_finite(data) else None

    def numbers(self, raw: bytes) -> tuple[int, int, Floats] | None:
        """Return id, tick and data of a message with binary data, None if it is not one of these."""
        if not self._is_binary or not raw.startswith(self._begin) or not raw.endswith(self._end):
            return None
        number, at = _read_uint(raw, len(_BEGIN))
        if number < 0 or not raw.startswith(self._head, at):
            return None
        tick, at = _read_uint(raw, at + len(self._head))
        begin = at + len(self._values)
        end = begin + self._size
        if tick < 0 or len(raw) != end + len(self._end) or not raw.startswith(self._values, at):
            return None
        data = np.frombuffer(raw, _FLOAT64, self._count, begin)
        return (number, tick, data) if all_finite(data) else None

    def _data(self, raw: bytes) -> Sequence[float] | Floats | None:
        if self._is_binary:
            values = np.frombuffer(raw, _FLOAT64)
            return values if all_finite(values) else None
        if raw[::_PACKED_FLOAT] != _FLOAT_KIND * self._count:
            return None
        numbers = [number for _, number in _FLOAT_64.iter_unpack(raw)]
        return numbers if all(map(isfinite, numbers)) else None


class MessagePattern:
    """What messages of one kind look like, learned from the last one that looked otherwise.

    Attributes:
        template: What they have in common; None = not known yet.
    """

    __slots__ = ("_lessons", "template")

    def __init__(self) -> None:
        self._lessons = 0
        self.template: MessageTemplate | None = None

    def read(self, raw: bytes, number: int, at: int) -> Message | None:
        """Return the message in `raw`, None if it does not look as expected; see `MessageTemplate.read`."""
        return self.template.read(raw, number, at) if self.template is not None else None

    def values(self, raw: bytes, number: int) -> tuple[int, Floats] | None:
        """Return tick and data, None if the message does not look as expected; see `MessageTemplate.values`."""
        return self.template.values(raw, number) if self.template is not None else None

    def learn(self, message: Message) -> None:
        """Expect messages such as this one from now on; refusals are no examples."""
        if message.error == 0 and self._lessons < _LESSONS:
            self._lessons += 1
            self.template = MessageTemplate(message)


def id_in(raw: bytes) -> tuple[int, int]:
    """Return the id of a message of nine fields, or ten, and where it ends; -1 if it begins in another way."""
    return _read_uint(raw, len(_BEGIN)) if raw.startswith((_BEGIN, _BEGIN_WITH_RUN)) else (-1, 0)


def _uint(value: int) -> bytes:
    """Return an unsigned integer as msgpack packs it."""
    if value < 0x80:
        return bytes((value,))
    if value < 0x100:
        return bytes((0xCC, value))
    if value < 0x10000:
        return _UINT_16.pack(0xCD, value)
    return _UINT_32.pack(0xCE, value) if value < 0x1_0000_0000 else _UINT_64.pack(0xCF, value)


def _read_uint(raw: bytes, at: int) -> tuple[int, int]:
    """Return the unsigned integer at a place and where it ends; -1 if there is none."""
    kind = raw[at] if at < len(raw) else 0xFF
    if kind < 0x80:
        return kind, at + 1
    width = _WIDTHS.get(kind)
    if width is None:
        return -1, at
    end = at + 1 + width
    return int.from_bytes(raw[at + 1 : end], "big"), end
