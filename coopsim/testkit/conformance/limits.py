"""Messages at the limits of the protocol, from inside and one beyond, and strings that are almost UTF-8."""

import struct

import msgpack

from coopsim.message import MAX_DATA, MAX_PARAM_BYTES, MAX_PARAMS, VERSION, Message

MOTORS = "/robot1/motors"


def _array(*fields: object) -> bytes:
    packed = [field if isinstance(field, bytes) else msgpack.packb(field) for field in fields]
    return bytes([0x90 | len(packed)]) + b"".join(packed)


def _message(
    params: object = (), data: object = (), text: object = "", target: object = MOTORS, version: object = VERSION
) -> bytes:
    return _array(version, 7, target, 0, 0, text, 10, params, data)


def _bin(count: int) -> bytes:
    return bytes(msgpack.packb(b"\0" * 8 * count))


_LONG_NAME = "/" + "x" * 255  # exactly at the limit
_LONG_TEXT = "x" * 1024  # exactly at the limit
_ZEROS = (0.0,) * MAX_DATA  # exactly at the limit
INSIDE = {
    "text of 1024 bytes": (_message(text=_LONG_TEXT), Message(MOTORS, 10, text=_LONG_TEXT, id=7)),
    "target of 256 bytes": (_message(target=_LONG_NAME), Message(_LONG_NAME, 10, id=7)),
    "4096 params": (_message([0] * MAX_PARAMS), Message(MOTORS, 10, (0,) * MAX_PARAMS, id=7)),
    "65 536 data": (_message(data=_ZEROS), Message(MOTORS, 10, data=_ZEROS, id=7)),
    "65 536 data as bin": (_message(data=_bin(MAX_DATA)), Message(MOTORS, 10, data=_ZEROS, id=7, binary=True)),
    "a param of 262 144 bytes": (
        _message(["x" * MAX_PARAM_BYTES]),
        Message(MOTORS, 10, ("x" * MAX_PARAM_BYTES,), id=7),
    ),
    "str 8, 16 and 32 where shorter would do": (
        _message(b"\x93\xd9\x01a\xda\x00\x01b\xdb\x00\x00\x00\x01c"),
        Message(MOTORS, 10, ("a", "b", "c"), id=7),
    ),
    "bin 16 and array 32 where shorter would do": (
        _message(b"\xdd\x00\x00\x00\x01\x05", b"\xc5\x00\x08" + struct.pack("<d", 0.5)),
        Message(MOTORS, 10, (5,), (0.5,), id=7, binary=True),
    ),
    "bin 32 where shorter would do": (
        _message(data=b"\xc6\x00\x00\x00\x08" + struct.pack("<d", -0.5)),
        Message(MOTORS, 10, data=(-0.5,), id=7, binary=True),
    ),
    "zeros of both signs as bin": (
        _message(data=msgpack.packb(struct.pack("<2d", 0.0, -0.0))),
        Message(MOTORS, 10, data=(0.0, -0.0), id=7, binary=True),
    ),
    "a param that is a float without a fraction": (_message([3.0]), Message(MOTORS, 10, (3.0,), id=7)),
}
BEYOND: dict[str, tuple[bytes, int, int, str]] = {
    "65 537 data": (_message(data=[0.0] * (MAX_DATA + 1)), 103, 7, MOTORS),
    "65 537 data as bin": (_message(data=_bin(MAX_DATA + 1)), 103, 7, MOTORS),
    "a param of 262 145 bytes": (_message(["x" * (MAX_PARAM_BYTES + 1)]), 103, 7, MOTORS),
    "a surrogate as UTF-8": (_message(b"\x91\xa3\xed\xa0\x80"), 101, 0, ""),
    "an overlong UTF-8": (_message(b"\x91\xa2\xc0\x80"), 101, 0, ""),
    "version as float": (_message(version=1.0), 101, 7, MOTORS),
}
