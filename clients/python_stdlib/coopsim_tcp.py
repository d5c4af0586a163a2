"""coopsim over plain TCP with nothing but Python's standard library: copy this file next to your controller.

The protocol is docs/protocol.md: every message behind its length, a message is an array of nine msgpack values."""

import math
import os
import socket
import struct
from collections.abc import Iterable, Sequence
from typing import Any

CODES: dict[int, tuple[str, Any]] = {}  # what struct reads behind the code: a number, or the length of something
for first, forms, thing in ((0xC4, "BHI", bytes), (0xCA, "fdBHIQbhiq", None), (0xD9, "BHI", str), (0xDC, "HI", list)):
    CODES |= {first + place: (form, thing) for place, form in enumerate(forms)}
FIELDS = [int, int, str, int, int, str, int, list]


def pack(value: Any) -> bytes:
    """Return an int, float, str or list as msgpack."""
    if isinstance(value, float):
        return _coded(value, [0xCB])
    if isinstance(value, str):
        return _head(len(value.encode()), 0xA0, 32, [0xD9, 0xDA, 0xDB]) + value.encode()
    if isinstance(value, list):
        return _head(len(value), 0x90, 16, [0xDC, 0xDD]) + b"".join(map(pack, value))
    if -32 <= value < 128:
        return bytes([value & 255])
    return _coded(value, range(0xCC, 0xD0) if value > 0 else range(0xD0, 0xD4))


def _head(length: int, short: int, below: int, codes: Iterable[int]) -> bytes:
    return bytes([short | length]) if length < below else _coded(length, codes)


def _coded(value: float, codes: Iterable[int]) -> bytes:
    for code in codes:
        try:
            return struct.pack(">B" + CODES[code][0], code, value)
        except struct.error:  # too large for this code
            continue
    raise ValueError(f"{value} does not fit a message")


def unpack(raw: bytes, at: int = 0, depth: int = 0) -> tuple[Any, int]:
    """Return (value, where it ends); ValueError for what no message holds."""
    kind: Any
    code, at = _unpacked(raw, at, "B")
    if code < 0x80 or code >= 0xE0:
        return (code if code < 0x80 else code - 256), at
    if code < 0xC0:
        kind, length = (str, code & 31) if code >= 0xA0 else (list, code & 15)
    else:
        form, kind = CODES.get(code, ("", None))
        length, at = _unpacked(raw, at, form)
    if kind is None:
        return length, at
    if kind is not list:
        body, at = _unpacked(raw, at, f"{length}s")
        return (body if kind is bytes else body.decode()), at
    if depth > 1:
        raise ValueError("nested too deep")
    values = []
    for _ in range(length if depth else min(length, 9)):  # later versions append fields
        value, at = unpack(raw, at, depth + 1)
        values.append(value)
    return values, at


def _unpacked(raw: bytes, at: int, form: str) -> tuple[Any, int]:
    size = struct.calcsize(form and ">" + form)
    if not form or at + size > len(raw):
        raise ValueError("cut short, or no type that messages have")
    return struct.unpack_from(">" + form, raw, at)[0], at + size


def decode(raw: bytes) -> list[Any]:
    """Return the nine fields of a message, data as floats; ValueError if it is none."""
    fields, end = unpack(raw)
    if (
        (raw[0] == 0x99 and end != len(raw))
        or not isinstance(fields, list)
        or len(fields) < 9
        or list(map(type, fields[:8])) != FIELDS
    ):
        raise ValueError("not the nine fields of a message")
    version, number, _, tick, error, _, command, params, data = fields[:9]
    if isinstance(data, bytes) and len(data) % 8 == 0:
        data = list(struct.unpack(f"<{len(data) // 8}d", data))
    if version != 1 or min(number, tick, error, command) < 0 or not isinstance(data, list):
        raise ValueError("not a message of version 1")
    if {*map(type, data)} - {int, float} or {*map(type, params)} - {int, float, str}:
        raise ValueError("params or data of a wrong type")
    if not all(math.isfinite(value) for value in data + params if isinstance(value, float)):
        raise ValueError("numbers must be finite")
    return [*fields[:8], [float(value) for value in data]]


class Refused(Exception):
    """The server refused a request: (number, text); section 11 of the protocol says what to do."""


class Coopsim:
    """A connection to a running simulation at host:port, by default what COOPSIM_TCP says, or by an open socket."""

    def __init__(self, address: str = "", timeout: float = 5.0, end: socket.socket | None = None) -> None:
        host, _, port = (address or os.environ.get("COOPSIM_TCP", "127.0.0.1:5571")).rpartition(":")
        self.socket = end or socket.create_connection((host, int(port)), timeout)
        self.id, self.tick, self.run = 0, 0, list[Any]()
        self.run = self.ask("/sim/clock", 0)[0][1:2]  # from now on another run refuses what we ask (208)

    def ask(
        self, target: str, command: int, params: Sequence[Any] = (), data: Sequence[float] = (), tick: int = 0
    ) -> tuple[list[Any], list[float]]:
        """Send a request and return (params, data) of its reply."""
        self.id, number = self.id + 1, -1
        raw = pack([1, self.id, target, tick, 0, "", command, list(params), [*map(float, data)], *self.run])
        self.socket.sendall(struct.pack(">I", len(raw)) + raw)
        while number != self.id:  # what came after its time-out is not ours any more
            length = struct.unpack(">I", self.receive(4))[0]
            _, number, _, self.tick, error, text, _, *reply = decode(self.receive(length))
        if error:
            raise Refused(error, text)
        return reply[0], reply[1]

    def receive(self, size: int) -> bytes:
        raw = self.socket.recv(size, socket.MSG_WAITALL)
        if len(raw) < size:
            raise ConnectionError("the simulation has ended")
        return raw
