"""Bottles, the lists that YARP sends: as text that people type, and as bytes.

A value is a number, a text, bytes, a truth value, a `Vocab`, or a list of values.

Source: YARP's documentation of its wire protocol and of the class Bottle; little-endian throughout.
"""

import math
import re
import struct
from collections.abc import Sequence
from typing import Final, TypeAlias, Union

from coopsim.errors import BadArgument

# codes of YARP's wire; a list of one kind adds its code to that of lists
INT8, INT16, INT32, INT64, VOCAB32, VOCAB64 = 32, 64, 1, 17, 9, 18
FLOAT32, FLOAT64, STRING, BLOB, LIST, DICT = 10, 20, 4, 12, 256, 512  # codes of YARP's wire, as above
_CODES = INT8 | INT16 | INT32 | INT64 | FLOAT32 | FLOAT64 | VOCAB32 | VOCAB64 | STRING | BLOB
_FORMATS: Final = {INT8: "<b", INT16: "<h", INT32: "<i", INT64: "<q", FLOAT32: "<f", FLOAT64: "<d"}
_TRUE = ord("1")
DEEPEST = 32
"""Lists within lists that are read."""
MOST_BYTES = 1 << 20
"""Largest bottle that is read [bytes]."""
_WHOLE = re.compile(r"[+-]?(0[xX][0-9a-fA-F]{1,16}|\d{1,20})$")
_REAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$|[+-]?inf$|nan$")
_BARE = re.compile(r"[A-Za-z_][A-Za-z_0-9.\-]*$")
_ESCAPES: Final = {"n": "\n", "r": "\r", "0": "\0"}
_SPACES = " \t\r\n,"


class Vocab(str):
    """A word of at most four letters (of eight in 64 bits), which YARP sends as one number: `[ok]`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"[{self}]"


Value: TypeAlias = Union[int, float, str, bytes, bool, "list[Value]"]


def packed(values: Sequence[Value]) -> bytes:
    """Return a bottle as bytes; a list of numbers of one kind is told its kind once.

    Raises:
        BadArgument: A whole number has more than 64 bits.
    """
    kind, body = _list(values)
    return struct.pack("<i", LIST + kind) + body


def unpacked(raw: bytes) -> list[Value]:
    """Return a bottle out of bytes.

    Raises:
        BadArgument: They are none, or go on behind it.
    """
    reader = _BottleReader(raw)
    values = reader.bottle()
    if reader.at != len(raw):
        raise BadArgument(f"a bottle of {reader.at} bytes came in {len(raw)}")
    return values


def text(values: Sequence[Value]) -> str:
    """Return a bottle as a line of text."""
    return " ".join(_word(value) for value in values)


def parsed(line: str) -> list[Value]:
    """Return a bottle that somebody typed.

    Raises:
        BadArgument: A bracket or a quotation mark is left open, or lists are too deep.
    """
    return _Parser(line).values("", 0)


def is_open(line: str) -> bool:
    """Return whether a text goes on in the next line: a bracket or a quotation mark is open, or a backslash ends it."""
    depth, is_quoted, is_escaped = 0, False, False
    for letter in line:
        if is_escaped:
            is_escaped = False
        elif letter == "\\":
            is_escaped = True
        elif letter == '"':
            is_quoted = not is_quoted
        elif not is_quoted:
            depth += (letter in "({") - (letter in ")}")
    return is_quoted or is_escaped or depth > 0


# bytes


def _code(value: Value) -> int:
    if isinstance(value, Vocab):
        return VOCAB32 if len(value) <= 4 else VOCAB64
    if isinstance(value, bool):
        return VOCAB32
    if isinstance(value, int):
        return INT32 if -(1 << 31) <= value < 1 << 31 else INT64
    if isinstance(value, float):
        return FLOAT64
    return STRING if isinstance(value, str) else BLOB if isinstance(value, bytes) else LIST


def _list(values: Sequence[Value]) -> tuple[int, bytes]:
    codes = {_code(value) for value in values}
    # lists of lists are never specialised: each of them says its own kind
    kind = codes.pop() if len(codes) == 1 and LIST not in codes else 0
    head = struct.pack("<i", len(values))
    if kind == FLOAT64:
        return kind, head + struct.pack(f"<{len(values)}d", *values)
    parts = [head]
    for value in values:
        if isinstance(value, list):
            inner, body = _list(value)
            parts += [struct.pack("<i", LIST + inner), body]
        else:
            parts += [b"" if kind else struct.pack("<i", _code(value)), _plain(value)]
    return kind, b"".join(parts)


def _plain(value: Value) -> bytes:
    if isinstance(value, Vocab):
        size = 4 if len(value) <= 4 else 8
        return value.encode("latin-1", "replace")[:size].ljust(size, b"\0")
    if isinstance(value, bool):
        return struct.pack("<i", _TRUE if value else 0)
    if isinstance(value, int | float):
        try:
            return struct.pack(_FORMATS[_code(value)], value)
        except struct.error:
            raise BadArgument(f"{value} has more than the 64 bits that YARP knows") from None
    raw = value.encode() if isinstance(value, str) else bytes(value)  # type: ignore[arg-type]  # no list comes here
    return struct.pack("<i", len(raw)) + raw


class _BottleReader:
    """Reads values from the front of some bytes."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self.at = raw, 0

    def bottle(self) -> list[Value]:
        code = self._number()
        if not code & (LIST | DICT) or code < 0:
            raise BadArgument(f"expected a bottle, got a value with the code {code}")
        return self._items(code & _CODES, 0)

    def _bytes(self, count: int) -> bytes:
        end = self.at + count
        if count < 0 or end > len(self._raw):
            raise BadArgument(f"a bottle of {len(self._raw)} bytes says that {count} more follow at {self.at}")
        part, self.at = self._raw[self.at : end], end
        return part

    def _number(self) -> int:
        number: int = struct.unpack("<i", self._bytes(4))[0]
        return number

    def _items(self, kind: int, depth: int) -> list[Value]:
        if depth >= DEEPEST:
            raise BadArgument(f"lists within lists are deeper than {DEEPEST}")
        count = self._number()
        # each item takes a byte at least: a count alone makes no memory
        if not 0 <= count <= len(self._raw) - self.at:
            raise BadArgument(f"a list says that it has {count} items, in {len(self._raw) - self.at} bytes")
        if kind == FLOAT64:
            return list(struct.unpack(f"<{count}d", self._bytes(8 * count)))
        return [self._value(kind or self._number(), depth) for _ in range(count)]

    def _value(self, code: int, depth: int) -> Value:
        if code in _FORMATS:
            number: int | float = struct.unpack(_FORMATS[code], self._bytes(struct.calcsize(_FORMATS[code])))[0]
            return number
        if code in (VOCAB32, VOCAB64):
            word = self._bytes(4 if code == VOCAB32 else 8).rstrip(b"\0")
            return True if word == b"1" else False if not word else Vocab(word.decode("latin-1"))
        if code == STRING:
            # peers of YARP 2 count the zero at the end
            return self._bytes(self._number()).rstrip(b"\0").decode("utf-8", "replace")
        if code == BLOB:
            return self._bytes(self._number())
        if code > 0 and code & (LIST | DICT):
            return self._items(code & _CODES, depth + 1)
        raise BadArgument(f"no value has the code {code}")


# text


def _word(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Vocab):
        return f"[{value}]"
    if isinstance(value, str):
        return value if _BARE.match(value) and value not in ("true", "false", "inf", "nan") else _quoted(value)
    if isinstance(value, bytes):
        return "{" + " ".join(str(byte) for byte in value) + "}"
    if isinstance(value, float):
        digits = repr(value)
        return digits if "." in digits or "e" in digits or not math.isfinite(value) else f"{digits}.0"
    return str(value) if isinstance(value, int) else f"({text(value)})"


def _quoted(value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    for letter, sign in _ESCAPES.items():
        escaped = escaped.replace(sign, f"\\{letter}")
    return f'"{escaped}"'


class _Parser:
    """Reads values from a line."""

    def __init__(self, line: str) -> None:
        self._line, self._at = line, 0

    def values(self, end: str, depth: int) -> list[Value]:
        if depth > DEEPEST:
            raise BadArgument(f"lists within lists are deeper than {DEEPEST}")
        values: list[Value] = []
        while self._at < len(self._line):
            letter = self._line[self._at]
            self._at += 1
            if letter == end:
                return values
            if letter == "(":
                values.append(self.values(")", depth + 1))
            elif letter == "{":
                values.append(self._blob(depth))
            elif letter == '"':
                values.append(self._string())
            elif letter not in _SPACES:
                values.append(self._atom(end))
        if end:
            raise BadArgument(f"{end!r} is missing at the end of {self._line:.60}")
        return values

    def _blob(self, depth: int) -> bytes:
        numbers = self.values("}", depth + 1)
        if not all(isinstance(number, int) and 0 <= number <= 255 for number in numbers):
            raise BadArgument("a blob {...} takes numbers from 0 to 255")
        return bytes(number for number in numbers if isinstance(number, int))

    def _string(self) -> str:
        letters: list[str] = []
        while self._at < len(self._line):
            letter = self._line[self._at]
            self._at += 1
            if letter == '"':
                return "".join(letters)
            if letter == "\\" and self._at < len(self._line):
                escaped = self._line[self._at]
                letter, self._at = _ESCAPES.get(escaped, escaped), self._at + 1
            letters.append(letter)
        raise BadArgument(f"a quotation mark is left open in {self._line:.60}")

    def _atom(self, end: str) -> Value:
        begin = self._at - 1
        stops = _SPACES + "(){" + '"' + end
        while self._at < len(self._line) and self._line[self._at] not in stops:
            self._at += 1
        word = self._line[begin : self._at]
        if word.startswith("[") and word.endswith("]"):
            return Vocab(word[1:-1][:8])
        if word in ("true", "false"):
            return word == "true"
        if _WHOLE.match(word):
            return int(word, 16 if "x" in word.lower() else 10)
        return float(word) if _REAL.match(word) else word
