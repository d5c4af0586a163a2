"""Messages of rosbridge as bytes: JSON, CBOR, PNG, and fragments.

Source: rosbridge protocol specification, version 2.1.0 (sections 3.1 fragmentation, 3.2 PNG, 3.4.4 subscribe).
"""

import base64
import json
import math
import struct
import zlib
from typing import Any

import cbor2

from coopsim.errors import BadArgument

NONE, CBOR, PNG = "none", "cbor", "png"
COMPRESSIONS = (NONE, CBOR, PNG)
MOST_BYTES = 1 << 20
"""Largest message that is read, whole or in fragments [bytes]."""
_MOST_FRAGMENTS = 1000  # each of a message waits in memory for the last
_OPEN = 4
"""Messages in fragments that a client may have under way at once."""


def _worded(value: object) -> str:
    """Return bytes as rosbridge words them in JSON."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


_ENCODER = json.JSONEncoder(separators=(",", ":"), allow_nan=False, default=_worded)


def as_json(message: dict[str, Any]) -> str:
    """Return a message as JSON; what is not finite is null, as rosbridge does it, for JSON has no word for it."""
    try:
        return _ENCODER.encode(message)
    except ValueError:  # few messages need the walk through all their values
        return _ENCODER.encode(_finite(message))


def as_cbor(message: dict[str, Any]) -> bytes:
    """Return a message as CBOR, which has words for numbers that are not finite."""
    return cbor2.dumps(message)


def as_png(text: str) -> str:
    """Return a message whose data are a text as a picture of three bytes a pixel, in base64, as rosbridge packs it."""
    raw = text.encode()
    width = max(1, math.isqrt(len(raw) // 3))
    height = math.ceil(len(raw) / 3 / width)
    pixels = raw.ljust(width * height * 3, b"\n")
    lines = b"".join(b"\0" + pixels[at : at + 3 * width] for at in range(0, len(pixels), 3 * width))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(lines)), (b"IEND", b""))
    picture = b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in chunks)
    return json.dumps({"op": "png", "data": base64.b64encode(picture).decode()})


def read(raw: str | bytes) -> dict[str, Any]:
    """Return a message that came.

    Raises:
        BadArgument: It is no JSON object, or CBOR map, or its `id` cannot be sent back.
    """
    try:
        message = json.loads(raw) if isinstance(raw, str) else cbor2.loads(raw)
    except (ValueError, RecursionError, cbor2.CBORDecodeError) as problem:
        raise BadArgument(f"expected a JSON object, got {raw[:60]!r}: {problem}") from None
    if not isinstance(message, dict):
        raise BadArgument(f"expected a JSON object, got {message!s:.60}")
    # answers repeat it in JSON, which has no words for bytes, dates and other values of CBOR
    if not isinstance(message.get("id"), str | int | float | None):
        raise BadArgument(f"id: expected a text or a number, got a {type(message['id']).__name__}")
    return message


class Fragments:
    """Messages of one client that come in parts."""

    def __init__(self) -> None:
        self._parts: dict[str, dict[int, str]] = {}
        self._totals: dict[str, int] = {}

    def add(self, fragment: dict[str, Any]) -> dict[str, Any] | None:
        """Add a part; return the message once it is whole.

        Raises:
            BadArgument: A field does not fit, or too much is under way.
        """
        name, number, total, data = (fragment.get(key) for key in ("id", "num", "total", "data"))
        if not isinstance(number, int) or not isinstance(total, int) or not isinstance(data, str):
            raise BadArgument("fragment: expected id, num, total and data")
        if not 0 <= number < total <= _MOST_FRAGMENTS:
            raise BadArgument(f"fragment: expected num below total, at most {_MOST_FRAGMENTS}; got {number} of {total}")
        if self._totals.setdefault(str(name), total) != total:
            self._forget(str(name))
            raise BadArgument(f"fragment: the total of {name!s:.40} changed; the message is given up")
        parts = self._parts.setdefault(str(name), {})
        parts[number] = data
        if sum(len(part) for waiting in self._parts.values() for part in waiting.values()) > MOST_BYTES:
            self._parts.clear()
            self._totals.clear()
            raise BadArgument(f"fragments: more than {MOST_BYTES} bytes wait for their end; all are given up")
        if len(self._parts) > _OPEN:
            self._forget(next(iter(self._parts)))
        if len(parts) < total:
            return None
        self._forget(str(name))
        return read("".join(parts[place] for place in sorted(parts)))

    def _forget(self, name: str) -> None:
        self._parts.pop(name, None)
        self._totals.pop(name, None)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return value
