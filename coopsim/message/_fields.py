"""The nine fields of a message out of its bytes, at a cost that its length bounds: what is nested is never built."""

import struct
from typing import Any, TypeAlias

import msgpack
import numpy as np

from coopsim.errors import BadArgument, MalformedMessage, MessageTooLarge, WrongVersion
from coopsim.message._message import MAX_BYTES, MAX_DATA, MAX_PARAMS, MAX_TARGET_BYTES, MAX_TEXT_BYTES, VERSION

FIELDS = 9  # of a message; more come from newer clients and are ignored
_ENVELOPE = (int, int, str, int, int, str, int)
_NAMES = ("version", "id", "target", "tick", "error", "text", "command")
_SMALL, _SHORT = 4096, 1024
"""Bytes, and length of an array, up to which a message is built as a whole: it can cost no more than honest ones."""
_BIN_16, _BIN_32, _EMPTY_BIN = b"\xc5", b"\xc6", b"\xc4\x00"
_BIN_16_MOST = 0xFFFF  # bytes; msgpack writes longer ones with four bytes of length
_FLOAT64 = 0xCB  # msgpack's first byte of a double
_PACKED_FLOAT = np.dtype([("kind", "u1"), ("value", ">f8")])
_ARRAY_32 = struct.Struct(">BI")
Params: TypeAlias = tuple[float | int | str, ...]
_LEAST = 256
"""Params from which on a look at what came before costs less than reading them."""
_MOST, _MOST_BYTES = 64, 1 << 20
"""What is kept at most: forgotten all at once, so that who sends others in every message keeps nobody waiting."""
_BEGIN = 64
"""Bytes that tell most arrays from one another."""


class RepeatedParams:
    """The newest long arrays of params that were found in order, by how they begin.

    Params that come again are compared byte by byte: the names of a thousand robots in every step are read once.

    Any thread may ask and add: what another one forgets meanwhile is read once more.
    """

    def __init__(self) -> None:
        self._kept: dict[bytes, tuple[bytes, Params]] = {}
        self._size = 0

    def find(self, raw: bytes, start: int) -> tuple[Params, int] | None:
        """Return the params that are packed in `raw` from `start` on, and where they end; None = not kept."""
        kept = self._kept.get(raw[start : start + _BEGIN])
        if kept is None or not raw.startswith(kept[0], start):
            return None
        return kept[1], start + len(kept[0])

    def keep(self, packed: bytes, params: Params) -> None:
        """Keep params, if they are many and not too long."""
        if len(params) < _LEAST or len(packed) > _MOST_BYTES // 4:
            return
        if len(self._kept) >= _MOST or self._size + len(packed) > _MOST_BYTES:
            self._kept, self._size = {}, 0
        self._kept[packed[:_BEGIN]] = packed, params
        self._size += len(packed)


REPEATED = RepeatedParams()
"""Those of all connections: what comes again is the same bytes, whoever sends them."""


def read_fields(raw: bytes, fields: list[Any]) -> bytes:
    """Fill `fields` with the nine fields of a message, and a tenth that is a uint; those after them may be anything.

    Args:
        raw: The message.
        fields: Where they go; after an error it holds what could be read of a whole message. Params that came before
            and were in order are a tuple.

    Returns:
        The bytes of params that may be long, and were not found among those that came before; else none.

    Raises:
        MalformedMessage: `raw` is empty, cut short, not msgpack, or a field has the wrong type.
        WrongVersion: The message speaks another version.
        MessageTooLarge: A field, or the whole, is over its limit.
        BadArgument: Something is nested in params or data.
    """
    size = len(raw)
    if size > MAX_BYTES:
        raise MessageTooLarge(f"a message is at most {MAX_BYTES} bytes, this one has {size}")
    value = _read_small(raw) if size <= _SMALL else _read_binary(raw)
    if value is not None:
        fields += value
        _check_envelope(fields)
        return b""
    reader = _FieldReader(raw)
    try:
        reader.read(fields)
    except (MalformedMessage, WrongVersion, MessageTooLarge, BadArgument):
        raise
    except Exception as problem:  # msgpack raises six unrelated kinds; all mean the same here
        fields.clear()
        raise MalformedMessage(f"not a msgpack array: {type(problem).__name__} {problem}"[:200].rstrip()) from None
    return reader.packed


def is_over(text: str, limit: int) -> bool:
    """Return whether `text` takes more than `limit` bytes."""
    return len(text) > limit // 4 and len(text.encode()) > limit


def _read_small(raw: bytes) -> list[Any] | None:
    """Return the fields of a message without anything unusual, None where a closer look is needed."""
    try:
        # an array header makes room for its whole length at once, so no array may claim more than the message holds
        fields = msgpack.unpackb(raw, max_array_len=min(len(raw), _SHORT), max_map_len=0, max_ext_len=0)
    except Exception:  # whatever it is, the closer look says it better
        return None
    return fields if type(fields) is list and len(fields) >= FIELDS else None


def _read_binary(raw: bytes) -> list[Any] | None:
    """Return the fields of a message that is small but for its binary data, None where a closer look is needed."""
    place = raw.find(_BIN_16 if len(raw) <= _BIN_16_MOST else _BIN_32, 0, _SMALL)
    if place < 0:
        return None
    start = place + (3 if raw[place] == _BIN_16[0] else 5)
    end = start + int.from_bytes(raw[place + 1 : start], "big")
    if end > len(raw) or place + len(raw) - end > _SMALL:
        return None
    fields = _read_small(raw[:place] + _EMPTY_BIN + raw[end:])
    if fields is None or fields[FIELDS - 1] != b"" or b"".join(map(msgpack.packb, fields[FIELDS:])) != raw[end:]:
        return None  # what begins at `place` is not the data
    fields[FIELDS - 1] = raw[start:end]
    return fields


class _FieldReader:
    """Reads one message field by field.

    Attributes:
        packed: The bytes of params that were read, empty for those that had come before.
    """

    def __init__(self, raw: bytes) -> None:
        self._raw, self.packed = raw, b""
        self._parts = _unpacker(raw)

    def read(self, fields: list[Any]) -> None:
        """Fill `fields`."""
        count = self._length()
        fields.extend(self._part() for _ in _ENVELOPE)
        _check_envelope(fields)
        fields.append(self._params())
        fields.append(self._data())
        later = count - FIELDS
        if later and self._is_uint():
            fields.append(self._parts.unpack())
            later -= 1
        self._skip(later)

    def _params(self) -> Any:
        """Return the params; a tuple are those that came before and were in order."""
        start = self._parts.tell()
        repeated = REPEATED.find(self._raw, start)
        if repeated is None:
            params = self._array("params", MAX_PARAMS)
            self.packed = self._raw[start : self._parts.tell()]
            return params
        rest = self._raw[repeated[1] :]
        self._parts, self._raw, self.packed = _unpacker(rest), rest, b""
        return repeated[0]

    def _length(self) -> int:
        count = self._parts.read_array_header() if self._is_array() else -1
        if count < FIELDS:
            kind_came = f"an array of {count}" if count >= 0 else type(self._part()).__name__
            raise MalformedMessage(f"expected an array of {FIELDS} fields, got {kind_came}")
        return count

    def _is_array(self) -> bool:
        kind = self._byte()
        return kind & 0xF0 == 0x90 or kind in (0xDC, 0xDD)

    def _is_uint(self) -> bool:
        kind = self._byte()
        return kind < 0x80 or 0xCC <= kind <= 0xCF

    def _byte(self) -> int:
        place: int = self._parts.tell()
        return self._raw[place]

    def _part(self) -> Any:
        """Return the next part; an empty one of its kind in the place of an array or a map."""
        if self._is_array():
            self._parts.skip()
            return []
        if self._byte() & 0xF0 == 0x80 or self._byte() in (0xDE, 0xDF):
            self._parts.skip()
            return {}
        return self._parts.unpack()

    def _array(self, name: str, most: int) -> Any:
        """Return an array of parts that are not nested; what is there instead of an array."""
        if not self._is_array():
            return self._part()
        count = self._parts.read_array_header()
        if count > most:
            raise MessageTooLarge(f"at most {most} {name}{' values' if name == 'data' else ''}, got {count}")
        parts: list[Any] = []
        unpack = self._parts.unpack
        at = self._parts.tell()
        try:
            parts.extend(unpack() for _ in range(count))
        except ValueError:
            self._refuse_nested(name, at, len(parts))
            raise
        return parts

    def _refuse_nested(self, name: str, start: int, place: int) -> None:
        """Raise BadArgument if the part at `place` of an array, whose parts begin at `start`, is an array itself."""
        again = self._parts = _unpacker(self._raw[start:])
        self._raw = self._raw[start:]
        for _ in range(place):
            again.skip()
        if self._is_array():
            raise BadArgument(f"{name}[{place}] must be a single value, got list")

    def _data(self) -> Any:
        if not self._is_array():
            return self._part()
        start = self._parts.tell()
        values = self._floats(start)
        return self._array("data", MAX_DATA) if values is None else values

    def _floats(self, start: int) -> list[float] | None:
        """Return the data if they are float64 all of them, read at once."""
        header = _header_size(self._raw[start])
        count = int.from_bytes(self._raw[start + 1 : start + header], "big")
        end = start + header + 9 * count
        if header == 1 or count > MAX_DATA or end > len(self._raw):
            return None
        packed = np.frombuffer(self._raw, _PACKED_FLOAT, count, start + header)
        if (packed["kind"] != _FLOAT64).any():
            return None
        rest = self._raw[end:]
        self._parts, self._raw = _unpacker(rest), rest
        values: list[float] = packed["value"].tolist()
        return values

    def _skip(self, count: int) -> None:
        """Pass over the last `count` parts without building them."""
        rest = self._raw[self._parts.tell() :]
        whole = _ARRAY_32.pack(0xDD, count) + rest
        parts = _unpacker(whole)
        parts.skip()
        if parts.tell() != len(whole):
            raise ValueError(f"{len(whole) - parts.tell()} bytes are left behind the end")


def _header_size(kind: int) -> int:
    """Return how many bytes the header of an array takes that begins with `kind`."""
    return {0xDC: 3, 0xDD: 5}.get(kind, 1)


def _unpacker(raw: bytes) -> msgpack.Unpacker:
    # without a read size it would make room for the largest message each time
    size = max(len(raw), 1)
    parts = msgpack.Unpacker(
        max_buffer_size=size, read_size=size, max_array_len=0, max_map_len=0, max_ext_len=0, strict_map_key=False
    )
    parts.feed(raw)
    return parts


def _check_envelope(fields: list[Any]) -> None:
    kinds = tuple(map(type, fields[:7]))
    if kinds != _ENVELOPE:
        place = next(i for i, kind in enumerate(_ENVELOPE) if kinds[i] is not kind)
        wanted, received = _ENVELOPE[place].__name__, kinds[place].__name__
        raise MalformedMessage(f"field {place} ({_NAMES[place]}) must be {wanted}, got {received}")
    version, number, target, tick, error, text, command = fields[:7]
    if version != VERSION:
        raise WrongVersion(f"this side speaks version {VERSION}, the message is version {version}").bring(VERSION)
    if number < 0 or tick < 0 or error < 0 or command < 0:
        raise MalformedMessage("id, tick, error and command are never negative")
    if is_over(text, MAX_TEXT_BYTES) or is_over(target, MAX_TARGET_BYTES):
        raise MessageTooLarge(f"text is at most {MAX_TEXT_BYTES} bytes, a target at most {MAX_TARGET_BYTES}")
