"""Messages and their bytes, and what stands where in a reply."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgpack

from coopsim_client.errors import Malformed, Value

VERSION = 1
Asked = tuple[str, int, Sequence[Value], Sequence[float], int]
"""Target, command, params, data and tick of a request."""
_FIELDS = (int, int, str, int, int, str, int, list)


class Message(NamedTuple):
    """One message, its fields in the order of the protocol."""

    version: int
    id: int
    target: str
    tick: int
    error: int
    text: str
    command: int
    params: list[Value]
    data: list[float]


def encode(
    number: int, target: str, command: int, params: Sequence[Value], data: Sequence[float], tick: int = 0, run: int = 0
) -> bytes:
    """Return the bytes of a request; without a `run` it is for whichever is there."""
    fields = [VERSION, number, target, tick, 0, "", command, list(params), [float(value) for value in data]]
    return bytes(msgpack.packb(fields + [run] * (run > 0)))


def decode(raw: bytes) -> Message:
    """Return the message of some bytes; Malformed when they are none."""
    try:
        fields = msgpack.unpackb(raw, unicode_errors="surrogateescape", strict_map_key=False)
        message = Message(*fields[:9])  # later versions append fields
        data: Any = message.data
        if isinstance(data, bytes):
            data = struct.unpack(f"<{len(data) // 8}d", data)
        elif not isinstance(data, list) or any(type(value) not in (float, int) for value in data):
            raise TypeError("data that are no numbers")
        message = message._replace(data=[float(value) for value in data])
    except (ValueError, TypeError, struct.error) as problem:
        raise Malformed(f"the server sent no message: {problem}") from None
    fits = all(type(field) is kind for field, kind in zip(message, _FIELDS, strict=False))
    fits = fits and min(message.id, message.tick, message.error, message.command) >= 0
    if not fits or message.version != VERSION or any(type(value) not in (int, float, str) for value in message.params):
        raise Malformed(f"the server sent no message of version {VERSION}: {message[:8]}")
    return message


def number_at(reply: Message, place: int) -> float:
    """Return a value of the data; a negative place counts from the end."""
    if not -len(reply.data) <= place < len(reply.data):
        raise Malformed(f"{reply.target} gave {len(reply.data)} values, fewer than its description says")
    return reply.data[place]


def numbers(reply: Message, start: int, count: int, end: int = 0, part: int = 0, parts: int = 1) -> tuple[float, ...]:
    """Return a run of the data: `count` values, or one of equal parts of all but `end` values (0)."""
    return tuple(reply.data[_run(reply, len(reply.data), start, count, end, part, parts)])


def whole_at(reply: Message, place: int) -> int:
    """Return an integer among the params."""
    value = value_at(reply, place)
    if isinstance(value, str) or value != math.floor(value):
        raise Malformed(f"{reply.target} gave {value!r} where an integer was expected")
    return int(value)


def float_at(reply: Message, place: int) -> float:
    """Return a number among the params."""
    value = value_at(reply, place)
    if isinstance(value, str):
        raise Malformed(f"{reply.target} gave {value!r} where a number was expected")
    return float(value)


def text_at(reply: Message, place: int) -> str:
    """Return a text among the params."""
    value = value_at(reply, place)
    if not isinstance(value, str):
        raise Malformed(f"{reply.target} gave {value!r} where a text was expected")
    return value


def value_at(reply: Message, place: int) -> Value:
    """Return one of the params."""
    if not -len(reply.params) <= place < len(reply.params):
        raise Malformed(f"{reply.target} gave {len(reply.params)} params, fewer than its description says")
    return reply.params[place]


def texts(reply: Message, start: int, count: int, end: int = 0, part: int = 0, parts: int = 1) -> tuple[str, ...]:
    """Return a run of texts among the params."""
    texts = values(reply, start, count, end, part, parts)
    return tuple(text for text in texts if isinstance(text, str))


def values(reply: Message, start: int, count: int, end: int = 0, part: int = 0, parts: int = 1) -> tuple[Value, ...]:
    """Return a run of the params."""
    return tuple(reply.params[_run(reply, len(reply.params), start, count, end, part, parts)])


def _run(reply: Message, length: int, start: int, count: int, end: int, part: int, parts: int) -> slice:
    first = start if start >= 0 else length + start
    size = count or (length - end - first) // parts
    first += part * size
    if first < 0 or size < 0 or first + size > length:
        raise Malformed(f"{reply.target} gave {length} values, fewer than its description says")
    return slice(first, first + size)
