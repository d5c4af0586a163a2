"""Real messages with their meaning, and bytes that must be refused: what every implementation is examined with."""

import struct
from dataclasses import replace
from typing import Any

import msgpack

from coopsim.message import VERSION, Message, encode

MOTORS = "/robot1/motors"
PING = Message(MOTORS, id=1)
GOOD = {
    "ping": PING,
    "ping answered": Message(MOTORS, params=("differential_drive",), data=(120.0, 1.2), tick=120, id=1),
    "set velocity": Message(MOTORS, 10, data=(0.3, 0.1), id=2),
    "set velocity answered": Message(MOTORS, 10, tick=121, id=2),
    "set velocity for tick 42": Message(MOTORS, 10, data=(0.3, -0.1), tick=42, id=3),
    "ranges asked": Message("/robot1/sonars", 10, id=4),
    "ranges": Message("/robot1/sonars", 10, data=(3.0, 3.0, 1.25, 0.5, 1.25, 3.0, 3.0), tick=121, id=4),
    "parameter asked": Message("/robot1/sonars", 2, params=("reach",), id=5),
    "parameter": Message("/robot1/sonars", 2, params=(3.0,), tick=121, id=5),
    "no such name": Message("/robotX/motors", 10, error=201, text="there is no /robotX", id=6),
    "claim two robots": Message("/sim/step", 13, params=("robot1", "robot2"), id=7),
    "claimed": Message("/sim/step", 13, params=("kq3v",), tick=121, id=7),
    "step two robots": Message("/sim/step", 11, (1, "robot1", "robot2"), (0.3, 0.0, 0.2, 0.1), tick=42, id=8),
    "binary data": Message(MOTORS, 10, data=(0.3, 0.1), id=8, binary=True),
    "binary data, none": Message("/robot1/sonars", 10, id=9, binary=True),
    "largest id and tick": Message(MOTORS, 10, tick=2**64 - 1, id=2**64 - 1),
    "integers of all sizes": Message(
        "/sim/names", 10, params=(0, 127, 128, 255, 256, 65536, 2**32, 2**63, 2**64 - 1, -1, -32, -33, -129, -(2**63))
    ),
    "empty and non-ASCII text": Message("/sim/names", 10, params=("", "Größe", "机器人", "🤖"), text="übrigens"),
    "long text": Message("/sim/world", 11, params=("[TARGET]\nred 4 3 0\n" + "# " + "x" * 300,)),
    "set velocity for one run": Message(MOTORS, 10, data=(0.3, 0.1), id=2, run=4_503_599_627_370_497),
    "largest run": Message(MOTORS, 10, data=(0.3, 0.1), id=2, run=2**64 - 1),
    "another run": Message(MOTORS, 10, (4_503_599_627_370_498,), error=208, text="another run", id=2),
    "subscribe to every fifth state": Message("/sim/info", 11, ("/robot1@5",), id=10),
    "a state of one robot": Message(
        "/robot1@5",
        11,
        (4_503_599_627_370_497, 1, 125, "real-time", 0, 0, 1, 1, "robot1", "robot1", 2),
        (1.2, 0.5, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.3, 0.1),
        tick=120,
    ),
    "publish an event": Message("/sim/events", 10, ("/game/score", "1:0"), (1.0, 0.0), id=11),
    "an event": Message("/sim/events", 12, (7, "/game/score", "client 3", "1:0", 120, 2), (1.0, 0.0), tick=121),
    "subnormal, huge and negative zero": Message(MOTORS, 10, data=(5e-324, 1.7976931348623157e308, -0.0)),
}


def _array(*fields: Any) -> bytes:
    """Return fields as an array; `bytes` stand for msgpack that is already made."""
    packed = [field if isinstance(field, bytes) else msgpack.packb(field) for field in fields]
    return bytes([0x90 | len(packed)]) + b"".join(packed)


def _request(data: Any = (), params: Any = (), *more: Any) -> bytes:
    return _array(VERSION, 7, MOTORS, 0, 0, "", 10, params, data, *more)


def _float32(*values: float) -> bytes:
    return bytes([0x90 | len(values)]) + b"".join(b"\xca" + struct.pack(">f", value) for value in values)


_NAN, _INF = float("nan"), float("inf")
WANTED = Message(MOTORS, 10, data=(1.0, -2.0), id=7)
OTHER_FORMS = {
    "integers where floats are meant": (_request((1, -2)), WANTED),
    "32-bit floats": (_request(_float32(1.0, -2.0)), WANTED),
    "integers beyond 2^63 as data": (
        _request((2**64 - 1, -(2**63))),
        Message(MOTORS, 10, data=(2.0**64, -(2.0**63)), id=7),
    ),
    "widest integer forms": (
        _array(
            b"\xcf" + struct.pack(">Q", VERSION), b"\xd3" + struct.pack(">q", 7), MOTORS,
            b"\xcd\0\0", b"\xd0\0", b"\xda\0\0", b"\xce\0\0\0\x0a", b"\xdd\0\0\0\0",
            b"\xdc\0\2" + msgpack.packb(1.0) + msgpack.packb(-2.0),
        ),
        WANTED,
    ),
    "later fields are ignored": (_request((1.0, -2.0), (), "later", [None, True]), WANTED),
    "a later field that is a map": (_request((1.0, -2.0), (), {"a": {"b": [1, None]}}), WANTED),
    "a later field that is an extension": (_request((1.0, -2.0), (), b"\xd4\x05\0"), WANTED),
    "a later field that is NaN": (_request((1.0, -2.0), (), _NAN), WANTED),
    "a later field that is no UTF-8": (_request((1.0, -2.0), (), b"\xa2\xff\xfe"), WANTED),
    "a later field that is nested": (_request((1.0, -2.0), (), [[[[[], {}]]]]), WANTED),
    "a run and a map": (_request((1.0, -2.0), (), 7, {"a": 1}), replace(WANTED, run=7)),
    "a run in a long message": (_request([1.0] * 200, (), 7), replace(WANTED, data=(1.0,) * 200, run=7)),
    "a run of 0 means any": (_request((1.0, -2.0), (), 0), WANTED),
    "a tenth field that is no uint names no run": (_request((1.0, -2.0), (), -1, 7), WANTED),
    "a run and later fields": (_request((1.0, -2.0), (), 7, "later", None), replace(WANTED, run=7)),
    "a run in its widest form": (
        _request((1.0, -2.0), (), b"\xcf" + struct.pack(">Q", 7)), replace(WANTED, run=7)
    ),
    "array 16 header": (b"\xdc\0\x09" + _request((1.0, -2.0))[1:], WANTED),
}  # fmt: skip
BAD: dict[str, tuple[bytes, int, int, str]] = {
    "empty": (b"", 101, 0, ""),
    "one byte that is no msgpack": (b"\xc1", 101, 0, ""),
    "text": (b"GET / HTTP/1.1\r\n\r\n", 101, 0, ""),
    "cut short": (encode(PING)[:-1], 101, 0, ""),
    "trailing bytes": (encode(PING) + b"\0", 101, 0, ""),
    "a map": (msgpack.packb({"version": 1}), 101, 0, ""),
    "an integer": (b"\x01", 101, 0, ""),
    "nil": (b"\xc0", 101, 0, ""),
    "eight fields": (_array(VERSION, 7, MOTORS, 0, 0, "", 10, ()), 101, 0, ""),
    "array header beyond the end": (b"\xdd\xff\xff\xff\xff\x01", 101, 0, ""),
    "string header beyond the end": (b"\x99\x01\x07\xdb\xff\xff\xff\xff/r", 101, 0, ""),
    "text that is not UTF-8": (_array(VERSION, 7, b"\xa2\xff\xfe", 0, 0, "", 10, (), ()), 101, 0, ""),
    "nested 10 000 deep": (b"\x91" * 10_000, 101, 0, ""),
    "an extension type": (_request(b"\x91\xd4\x05\0"), 101, 0, ""),
    "version as text": (_array("1", 7, MOTORS, 0, 0, "", 10, (), ()), 101, 7, MOTORS),
    "target as number": (_array(VERSION, 7, 5, 0, 0, "", 10, (), ()), 101, 7, ""),
    "id as float": (_array(VERSION, 7.0, MOTORS, 0, 0, "", 10, (), ()), 101, 0, MOTORS),
    "id as bool": (_array(VERSION, True, MOTORS, 0, 0, "", 10, (), ()), 101, 0, MOTORS),
    "negative id": (_array(VERSION, -7, MOTORS, 0, 0, "", 10, (), ()), 101, 0, MOTORS),
    "negative tick": (_array(VERSION, 7, MOTORS, -1, 0, "", 10, (), ()), 101, 7, MOTORS),
    "negative command": (_array(VERSION, 7, MOTORS, 0, 0, "", -1, (), ()), 101, 7, MOTORS),
    "params as text": (_request((), "reach"), 101, 7, MOTORS),
    "data as text": (_request("0.3"), 101, 7, MOTORS),
    "data as nil": (_request(None), 101, 7, MOTORS),
    "binary data of 7 bytes": (_request(b"\xc4\x07" + bytes(7)), 101, 7, MOTORS),
    "a later version": (_array(2, 7, MOTORS, 0, 0, "", 10, (), ()), 102, 7, MOTORS),
    "version 0": (_array(0, 7, MOTORS, 0, 0, "", 10, (), ()), 102, 7, MOTORS),
    "text of 1025 bytes": (_array(VERSION, 7, MOTORS, 0, 0, "x" * 1025, 10, (), ()), 103, 7, MOTORS),
    "target of 257 bytes": (_array(VERSION, 7, "/" + "x" * 256, 0, 0, "", 10, (), ()), 103, 7, ""),
    "4097 params": (_request((), [0] * 4097), 103, 7, MOTORS),
    "data with a text": (_request((0.3, "0.1")), 203, 7, MOTORS),
    "data with a bool": (_request((True, 0.1)), 203, 7, MOTORS),
    "data with nil": (_request((0.3, None)), 203, 7, MOTORS),
    "data with an array": (_request(((0.3,),)), 203, 7, MOTORS),
    "data with NaN": (_request((0.3, _NAN)), 203, 7, MOTORS),
    "data with infinity": (_request((_INF, -_INF)), 203, 7, MOTORS),
    "binary data with NaN": (_request(b"\xc4\x08" + struct.pack("<d", _NAN)), 203, 7, MOTORS),
    "a bool among params": (_request((), (True,)), 203, 7, MOTORS),
    "nil among params": (_request((), ("reach", None)), 203, 7, MOTORS),
    "an array among params": (_request((), ([],)), 203, 7, MOTORS),
    "bytes among params": (_request((), b"\x91\xc4\x01a"), 203, 7, MOTORS),
    "NaN among params": (_request((), ("reach", _NAN)), 203, 7, MOTORS),
}  # fmt: skip
