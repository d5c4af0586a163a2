"""Bytes of ROS 2 messages: CDR with the alignment of its first version, to and from nested dictionaries.

Each type is compiled once into a few steps. Numbers that follow each other are packed in one go, whatever messages they
belong to; the padding before them depends on where they begin, so each of eight beginnings has its own packer.

Source: OMG CORBA 3, section 9.3 (CDR); OMG DDSI-RTPS 2.5, section 10 (encapsulation header).
"""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from coopsim.errors import BadArgument
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.ros2.types import PRIMITIVES, RosTypes, TypeField

_LITTLE: Final = b"\x00\x01\x00\x00"
_ORDERS: Final = {b"\x00\x01": "<", b"\x00\x00": ">"}
MOST_BYTES: Final = 1 << 26
"""The largest message that is read."""
_NUMBERS = "bool ? byte B int8 b uint8 B int16 h uint16 H int32 i uint32 I int64 q uint64 Q float32 f float64 d"
_LETTERS: Final = dict(zip(_NUMBERS.split()[::2], _NUMBERS.split()[1::2], strict=True))
"""Letters of `struct` by type."""
_SIZES: Final = {letter: struct.calcsize(f"<{letter}") for letter in _LETTERS.values()}
_STAMPS: Final = {"builtin_interfaces/msg/Time", "builtin_interfaces/msg/Duration"}
_OTHERWISE: Final = {"sec": "secs", "nanosec": "nsecs"}
"""Fields of times as the house's messages call them."""
_Path = tuple[str, ...]


class _NumberField(NamedTuple):
    """A single number: the message that has it, its name there, and its name in the house's messages."""

    parent: _Path
    name: str
    otherwise: str


class _NumberRun:
    """Numbers that follow each other."""

    def __init__(self, leaves: Sequence[_NumberField], letters: str) -> None:
        self.leaves, self.letters = tuple(leaves), letters
        self._packers: dict[tuple[str, int], struct.Struct] = {}

    def packer(self, order: str, at: int) -> struct.Struct:
        """Return the packer of these numbers for where they begin."""
        key = order, at % 8
        packer = self._packers.get(key)
        if packer is None:
            form, place = order, at % 8
            for letter in self.letters:
                padding = -place % _SIZES[letter]
                form += f"{padding}x{letter}" if padding else letter
                place += padding + _SIZES[letter]
            packer = self._packers[key] = struct.Struct(form)
        return packer


class _LongField(NamedTuple):
    """A text, many of something, or a message that is not flattened: where it is, and its field."""

    parent: _Path
    field: TypeField


class CdrCodec:
    """Turns messages into bytes and back.

    Args:
        types: All types.
    """

    def __init__(self, types: RosTypes) -> None:
        self._types = types
        self._steps: dict[str, list[_NumberRun | _LongField]] = {}

    def encoded(self, name: str, words: Mapping[str, Any]) -> bytes:
        """Return a message as bytes; what is left out is 0, empty, or all its parts so.

        Raises:
            BadArgument: There is no such type, or a value does not fit.
        """
        out = bytearray()
        self._encode(name, words, out)
        return _LITTLE + out

    def decoded(self, name: str, raw: bytes) -> Words:
        """Return a message by field.

        Raises:
            BadArgument: It is not one of this type.
        """
        order = _ORDERS.get(raw[:2])
        if order is None or len(raw) > MOST_BYTES:
            raise BadArgument(f"{name}: expected CDR of at most {MOST_BYTES} bytes, got {len(raw)}: {raw[:4].hex()}")
        try:
            words, _ = self._decode(name, _CdrInput(raw[4:], order), 0)
        except struct.error:
            raise BadArgument(f"{name}: {len(raw)} bytes are too few") from None
        return words

    # encoding

    def _encode(self, name: str, words: Mapping[str, Any], out: bytearray) -> None:
        messages: dict[_Path, Mapping[str, Any]] = {(): words}
        for step in self._compiled(name):
            if isinstance(step, _NumberRun):
                values = [_number(_message(messages, leaf.parent, name), leaf) for leaf in step.leaves]
                try:
                    out += step.packer("<", len(out)).pack(*values)
                except (struct.error, TypeError) as problem:
                    raise _unfit(name, step, values, problem) from None
            else:
                message = _message(messages, step.parent, name)
                # ROS 1 called the matrices of a camera by capitals
                value = message.get(step.field.name, message.get(step.field.name.upper()))
                self._encode_part(name, step.field, value, out)

    def _encode_part(self, name: str, field: TypeField, value: Any, out: bytearray) -> None:
        if field.many is None:
            _encode_text(name, field, value, out)
            return
        items = value if value is not None else [None] * field.many if field.many > 0 else ()
        if (field.many > 0 and len(items) != field.many) or (field.many < 0 and len(items) > -field.many):
            raise BadArgument(f"{name}.{field.name}: expected {abs(field.many)} values, got {len(items)}")
        if field.many <= 0:
            out += bytes(-len(out) % 4) + struct.pack("<I", len(items))
        if field.type in _LETTERS:
            _encode_numbers(name, field, items, out)
        elif field.type == "string":
            for item in items:
                _encode_text(name, field, item, out)
        else:
            for item in items:
                self._encode(field.type, item or {}, out)

    # decoding

    def _decode(self, name: str, raw: "_CdrInput", at: int) -> tuple[Words, int]:
        words: Words = {}
        messages: dict[_Path, Words] = {(): words}
        for step in self._compiled(name):
            if isinstance(step, _NumberRun):
                packer = step.packer(raw.order, at)
                values = packer.unpack_from(raw.content, at)
                at += packer.size
                for leaf, value in zip(step.leaves, values, strict=True):
                    _nested(messages, leaf.parent)[leaf.name] = value
            else:
                value, at = self._decode_part(name, step.field, raw, at)
                _nested(messages, step.parent)[step.field.name] = value
        return words, at

    def _decode_part(self, name: str, field: TypeField, raw: "_CdrInput", at: int) -> tuple[Any, int]:
        if field.many is None:
            return raw.text(name, field, at)
        count = field.many
        if count <= 0:
            count, at = raw.length(at)
        if count > raw.left(at) or 0 < -field.many < count:  # whatever it is, it has at least a byte
            raise BadArgument(f"{name}.{field.name}: {count} values are more than came")
        letter = _LETTERS.get(field.type)
        if letter is not None:
            return raw.numbers(letter, count, at)
        items = []
        for _ in range(count):
            item, at = raw.text(name, field, at) if field.type == "string" else self._decode(field.type, raw, at)
            items.append(item)
        return items, at

    # compiling

    def _compiled(self, name: str) -> list[_NumberRun | _LongField]:
        steps = self._steps.get(name)
        if steps is None:
            steps = self._steps[name] = _joined(self._flattened(name, ()))
        return steps

    def _flattened(self, name: str, parent: _Path) -> list[_NumberRun | _LongField]:
        steps: list[_NumberRun | _LongField] = []
        for field in self._types.fields(name):
            if field.many is not None or field.type == "string":
                steps.append(_LongField(parent, field))
            elif field.type in PRIMITIVES:
                otherwise = _OTHERWISE.get(field.name, "") if name in _STAMPS else ""
                steps.append(
                    _NumberRun([_NumberField(parent, field.name, otherwise or field.name)], _LETTERS[field.type])
                )
            else:
                steps += self._flattened(field.type, (*parent, field.name))
        return steps


class _CdrInput(NamedTuple):
    """Bytes of a message behind its header, in their byte order."""

    content: bytes
    order: str

    def left(self, at: int) -> int:
        return len(self.content) - at

    def length(self, at: int) -> tuple[int, int]:
        at += -at % 4
        (count,) = struct.unpack_from(f"{self.order}I", self.content, at)
        return count, at + 4

    def text(self, name: str, field: TypeField, at: int) -> tuple[str, int]:
        size, at = self.length(at)
        if size > self.left(at):
            raise BadArgument(f"{name}.{field.name}: a text of {size} bytes is longer than what came")
        return self.content[at : at + max(0, size - 1)].decode(errors="replace"), at + size

    def numbers(self, letter: str, count: int, at: int) -> tuple[Any, int]:
        size = _SIZES[letter]
        at += -at % size if count else 0
        end = at + size * count
        if letter == "B":
            if end > len(self.content):
                raise struct.error
            return self.content[at:end], end
        return list(struct.unpack_from(f"{self.order}{count}{letter}", self.content, at)), end


def _joined(steps: list[_NumberRun | _LongField]) -> list[_NumberRun | _LongField]:
    """Return the steps with runs of numbers that follow each other as one."""
    joined: list[_NumberRun | _LongField] = []
    for step in steps:
        last = joined[-1] if joined else None
        if isinstance(step, _NumberRun) and isinstance(last, _NumberRun):
            joined[-1] = _NumberRun((*last.leaves, *step.leaves), last.letters + step.letters)
        else:
            joined.append(step)
    return joined


def _message(messages: dict[_Path, Mapping[str, Any]], path: _Path, name: str) -> Mapping[str, Any]:
    """Return the message at a path; one that is left out has nothing but zeros."""
    message = messages.get(path)
    if message is None:
        value = _message(messages, path[:-1], name).get(path[-1])
        if value is not None and not isinstance(value, Mapping):
            raise BadArgument(f"{name}.{'.'.join(path)}: expected a message, got {value!r:.60}")
        message = messages[path] = value or {}
    return message


def _nested(messages: dict[_Path, Words], path: _Path) -> Words:
    """Return the message at a path, and put it into the one around it first where it is new."""
    message = messages.get(path)
    if message is None:
        message = messages[path] = {}
        _nested(messages, path[:-1])[path[-1]] = message
    return message


def _number(message: Mapping[str, Any], leaf: _NumberField) -> Any:
    value = message.get(leaf.name)
    return message.get(leaf.otherwise, 0) if value is None else value


def _unfit(name: str, run: _NumberRun, values: Sequence[Any], problem: Exception) -> BadArgument:
    """Return what is wrong with the first number that does not fit."""
    for leaf, letter, value in zip(run.leaves, run.letters, values, strict=True):
        try:
            struct.pack(letter, value)
        except (struct.error, TypeError):
            path = ".".join((name, *leaf.parent, leaf.name))
            return BadArgument(f"{path}: expected a number that fits {letter!r}, got {value!r:.60}")
    return BadArgument(f"{name}: {problem}")


def _encode_text(name: str, field: TypeField, value: Any, out: bytearray) -> None:
    if value is not None and not isinstance(value, str):
        raise BadArgument(f"{name}.{field.name}: expected a text, got {value!r:.60}")
    raw = (value or "").encode() + b"\0"
    out += bytes(-len(out) % 4) + struct.pack("<I", len(raw)) + raw


def _encode_numbers(name: str, field: TypeField, items: Any, out: bytearray) -> None:
    letter = _LETTERS[field.type]
    if not len(items):
        return
    out += bytes(-len(out) % _SIZES[letter])
    if letter == "B" and isinstance(items, bytes | bytearray | memoryview):
        out += items
    elif isinstance(items, np.ndarray):
        out += np.ascontiguousarray(items, f"<{letter if letter != '?' else '?'}").tobytes()
    else:
        try:
            out += struct.pack(f"<{len(items)}{letter}", *(0 if item is None else item for item in items))
        except (struct.error, TypeError) as problem:
            raise BadArgument(f"{name}.{field.name}: {problem}") from None
