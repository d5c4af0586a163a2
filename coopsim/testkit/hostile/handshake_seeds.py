"""Beginnings of connections, as clients begin them and as nobody should: what mutants are made of, by carrier."""

import random
import struct
from collections.abc import Mapping, Sequence

from coopsim.message import Message, encode
from coopsim.message.zmtp import COMMAND, SIGNATURE_AND_VERSION, frame
from coopsim.testkit.hostile.mutations import mutated

_MOST_READ = 1 << 16  # bytes of an answer; more is never asked for
PING = encode(Message("/sim/clock", 0, id=1))
_KEY = b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: eHh4eHh4eHh4eHh4eHh4eA==\r\n"
_PAGE = b"GET / HTTP/1.1\r\nHost: x\r\n"
_GOOD = _PAGE + _KEY + b"Sec-WebSocket-Version: 13\r\n"
# a masked frame, as clients must send: its mask is zero, so it is still readable
_MASKED = b"\x82" + bytes([0x80 | len(PING)]) + bytes(4) + PING
_READY = frame(b"\x05READY\x0bSocket-Type\0\0\0\x06DEALER\x08Identity\0\0\0\0", COMMAND)


def _greeting(mechanism: bytes) -> bytes:
    return SIGNATURE_AND_VERSION + b"\0" + mechanism.ljust(20, b"\0") + bytes(32)


def _client_hello() -> bytes:
    """Return the first message of TLS 1.3 and 1.2, with numbers that are no secret."""
    extensions = b"".join(
        struct.pack(">HH", number, len(body)) + body
        for number, body in (
            (43, b"\x04\x03\x04\x03\x03"),
            (10, b"\x00\x04\x00\x1d\x00\x17"),
            (13, b"\x00\x06\x04\x03\x08\x04\x04\x01"),
            (51, b"\x00\x24\x00\x1d\x00\x20" + bytes(range(1, 33))),
        )
    )
    suites = b"\x13\x01\x13\x02\xc0\x2b\xc0\x2f"
    body = b"\x03\x03" + bytes(32) + b"\0" + struct.pack(">H", len(suites)) + suites + b"\x01\0"
    body += struct.pack(">H", len(extensions)) + extensions
    handshake = b"\x01" + len(body).to_bytes(3, "big") + body
    return b"\x16\x03\x01" + struct.pack(">H", len(handshake)) + handshake


SEEDS: Mapping[str, Sequence[bytes]] = {
    "websocket": (
        _GOOD + b"\r\n" + _MASKED,
        _GOOD + b"Origin: http://localhost\r\n\r\n" + _MASKED[:3],
        _GOOD + b"Origin: http://[\r\n\r\n",
        _GOOD + b"Origin: a\r\nOrigin: b\r\n\r\n\x88\x80\0\0\0\0",
        _PAGE + b"\r\n\xff\xff",
        _GOOD + b"Origin: https://evil.example\r\n\r\n\x82\x01x",
        _GOOD + b"Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n\xc1\x80\0\0\0\0\x89\x80\0\0\0\0",
    ),
    "tls": (
        _client_hello(),
        b"\x15\x03\x03\x00\x02\x02\x28",
        _client_hello() + b"\x14\x03\x03\x00\x01\x01",
        _PAGE + b"\r\n",
    ),
    "zmtp": (
        _greeting(b"NULL") + _READY + frame(PING),
        _greeting(b"NULL") + _READY + frame(b"a", 1) + frame(b"", 1) + frame(PING),
        _greeting(b"NULL") + _READY + frame(b"\x04PING\0\0context", COMMAND) + frame(PING),
        _greeting(b"NULL") + frame(b"\x05ERROR\x04none", COMMAND),
        _greeting(b"PLAIN") + frame(b"\x05HELLO\x01a\x01b", COMMAND),
        b"\xff" + bytes(8) + b"\x7f\x01\0",
    ),
    "framing": (
        struct.pack(">I", len(PING)) + PING,
        2 * (struct.pack(">I", len(PING)) + PING),
        struct.pack(">I", 0),
        b"\xff\xff\xff\xff",
        b"GET / HTTP/1.0\r\n\r\n",
    ),
    "curve": (
        _greeting(b"CURVE") + frame(b"\x05HELLO\x01\0" + bytes(72) + bytes(range(32)) + bytes(8) + bytes(80), COMMAND),
        _greeting(b"CURVE") + frame(b"\x08INITIATE" + bytes(248), COMMAND),
        _greeting(b"NULL") + _READY + frame(PING),
    ),
}
"""Beginnings of connections, by carrier."""

TOKENS: Sequence[bytes] = (
    *(b"\r\n\r\n", b"Origin: http://[\r\n", b"Origin: http://[::1\r\n", b"Host: \xff\r\n", b"Connection: \x1b[2J\r\n"),
    *(
        b"Sec-WebSocket-Key: x\r\n",
        b"Sec-WebSocket-Version: 12\r\n",
        b"Content-Length: 99\r\n",
        b"\r",
        b" HTTP/1.1\r\n",
    ),
    *(
        b"\x82\x01x",
        b"\x88\x82\0\0\0\0\x03\xe8",
        b"\x89\xfe\0\x80\0\0\0\0",
        b"\x82\xff\x7f" + bytes(11),
        b"\x01\x80\0\0\0\0",
    ),
    *(_READY, frame(PING), b"\x01\0", b"\x02" + b"\xff" * 8, b"\x04\x05", frame(b"", COMMAND), b"\x08"),
    *(b"\x16\x03\x01\x00\x05", b"\x17\x03\x03\xff\xff", b"\x14\x03\x03\x00\x01\x01", b"\x15\x03\x03\x00\x02\x01\x00"),
    *(struct.pack(">I", len(PING)) + PING, struct.pack(">I", 1 << 20), _MASKED),
)
"""Parts of protocols, put anywhere."""


def handshake_mutant(raw: bytes, chance: random.Random, corpus: Sequence[bytes] = ()) -> bytes:
    """Return the beginning of a connection with some damage, or with a part of a protocol put anywhere."""
    if chance.random() < 0.5:
        raw = mutated(raw, chance, corpus)
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        place = chance.randrange(len(raw) + 1)
        raw = raw[:place] + chance.choice(TOKENS) + raw[place + chance.choice((0, 0, 1, 8)) :]
    return raw[:_MOST_READ]
