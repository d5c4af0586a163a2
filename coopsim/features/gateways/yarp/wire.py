"""Connections between ports of YARP: how one begins, and messages in its four carriers over TCP; `datagrams` has udp.

Source: YARP's page "yarp_protocol"; bytes were compared with those of real ports.
"""

import asyncio
import struct
from collections.abc import Sequence
from typing import Final, NamedTuple

from coopsim.errors import BadArgument
from coopsim.features.gateways.yarp import bottle
from coopsim.features.gateways.yarp.bottle import Value
from coopsim.features.gateways.yarp.structures import Structure

TCP, FAST_TCP, TEXT, TEXT_ACK = "tcp", "fast_tcp", "text", "text_ack"
CARRIERS = (TCP, FAST_TCP, TEXT, TEXT_ACK)
DATAGRAMS = 7777
"""A connection begins with this and the number of its carrier, which is 0 for datagrams."""
_STREAM, _ACKS = 3, 128
"""Number of TCP as a carrier; 128 more says that messages are acknowledged."""
_INDEX = 10  # bytes of the index that follows, by YARP's protocol
LONGEST_LINE = 1 << 16  # bytes; text mode has no length before a line
_LONGEST_NAME = 1000  # letters of a name that a stranger tells
_MOST_BLOCKS = 255  # their number is one byte
DATA, ASKS, ADMIN = "D", "d", "a"
"""Letters of commands between ports: data, data that want a reply, and administration."""
NO_PROTOCOL = b"* Error. Protocol not found.\r\n* Hello. You appear to be trying to communicate with a YARP Port.\r\n"
_PROBLEMS: Final = (OSError, EOFError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError)
"""What reading from, and writing to, a connection may raise; all of them end it."""
PROBLEMS = (*_PROBLEMS, BadArgument)


class PortMessage(NamedTuple):
    """A message between ports.

    Attributes:
        command: `d` asks, `D` is data, `a` is administration; others are commands without a bottle.
        text: What stands behind the command: the envelope of data, the name of a port.
        values: The bottle, None = there is none.
    """

    command: str
    text: str
    values: list[Value] | None


def number(value: int) -> bytes:
    """Return a number as ports greet and acknowledge with it, 8 bytes."""
    return b"YA" + struct.pack("<i", value) + b"RP"


def number_in(raw: bytes) -> int:
    """Return the number of 8 such bytes.

    Raises:
        BadArgument: They are none.
    """
    if len(raw) != 8 or raw[:2] != b"YA" or raw[6:] != b"RP":
        raise BadArgument(f"expected a number of YARP, got {raw!r:.40}")
    value: int = struct.unpack("<i", raw[2:6])[0]
    return value


def packed(values: Structure | Sequence[Value]) -> bytes:
    """Return a bottle or a structure as bytes."""
    return values.raw if isinstance(values, Structure) else bottle.packed(values)


def framed(body: bytes, command: str, envelope: str = "") -> bytes:
    """Return a message of the binary carriers: its index, the command, the bottle.

    Args:
        body: The bottle as bytes.
        command: One of DATA, ASKS, ADMIN, or `q` with an empty body.
        envelope: Text beside data: usually a count and a time.
    """
    if envelope:
        words = f"{command} {envelope}".encode() + b"\0"
        head = struct.pack("<i", len(words)) + b"~\0\0\1" + words
    else:
        head = struct.pack("<i", 0) + b"~" + command.encode() + b"\0\1"
    lengths = struct.pack("<iii", len(head), len(body), 0)
    return number(_INDEX) + bytes([2, 1]) + b"\xff" * 8 + lengths + head + body


FAREWELL = number(_INDEX) + bytes([1, 1]) + b"\xff" * 8 + struct.pack("<iii", 10, 0, 2) + b"~\0\0\1q\0"
"""Message with which a port parts."""


class PortConnection:
    """A connection between two ports, in either direction.

    Args:
        reader: What comes.
        writer: What leaves.
        carrier: One of CARRIERS.
        peer: Name of the port at the other end.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, carrier: str, peer: str) -> None:
        self._reader, self.writer, self.carrier, self.peer = reader, writer, carrier, peer

    @property
    def is_text(self) -> bool:
        """Whether people can read it."""
        return self.carrier in (TEXT, TEXT_ACK)

    async def read(self) -> PortMessage:
        """Return the next message; raises one of PROBLEMS."""
        if self.is_text:
            return await self._read_text()
        if number_in(await self._reader.readexactly(8)) != _INDEX:
            raise BadArgument("expected the index of a message")
        counts = await self._reader.readexactly(_INDEX)
        blocks = counts[0] + counts[1]
        lengths = struct.unpack(f"<{blocks}i", await self._reader.readexactly(4 * blocks))
        total = sum(lengths)
        if min(lengths, default=0) < 0 or not 8 <= total <= bottle.MOST_BYTES:
            raise BadArgument(f"a message of {total} bytes; at most {bottle.MOST_BYTES} are read")
        return _commanded(await self._reader.readexactly(total))

    async def _read_text(self) -> PortMessage:
        line = await self._line()
        if line[:1] in (DATA, ASKS, ADMIN) and line[1:2] in ("", " ", "o"):
            command = DATA if line[:2] == "do" else line[0]
            typed = await self._line()
            while bottle.is_open(typed) and len(typed) < LONGEST_LINE:
                typed += "\n" + await self._line()
            return PortMessage(command, line[2:], bottle.parsed(typed))
        return PortMessage(line[:1], line, None)

    async def _line(self) -> str:
        raw = await self._reader.readline()
        if not raw.endswith(b"\n"):
            raise EOFError
        return raw.decode("utf-8", "replace").rstrip("\r\n")

    def reply(self, answer: Structure | Sequence[Value]) -> None:
        """Answer a message that asks: a bare bottle, or a structure."""
        values = answer.values if isinstance(answer, Structure) else answer
        self.writer.write((bottle.text(values) + "\r\n").encode() if self.is_text else packed(answer))

    def acknowledge(self) -> None:
        """Say that a message was read, where the carrier asks for it."""
        if self.carrier == TCP:
            self.writer.write(number(0))
        elif self.carrier == TEXT_ACK:
            self.writer.write(b"<ACK>\r\n")

    async def send(self, body: bytes, envelope: str = "") -> None:
        """Send a packed bottle; wait for the acknowledgement where the carrier has one. Raises one of PROBLEMS."""
        if self.is_text:
            head = f"{DATA} {envelope}".rstrip()
            self.writer.write(f"{head}\r\n{bottle.text(bottle.unpacked(body))}\r\n".encode())
        else:
            self.writer.write(framed(body, DATA, envelope))
        await self.writer.drain()
        if self.carrier == TCP:
            await self._reader.readexactly(_payload(await self._reader.readexactly(8)))
        elif self.carrier == TEXT_ACK:
            await self._line()

    async def administer(self, values: Sequence[Value]) -> None:
        """Send a command of administration in text, read its answer, and part. Raises one of PROBLEMS."""
        self.writer.write(f"{ADMIN}\r\n{bottle.text(values)}\r\n".encode())
        await self._line()
        self.close()

    def close(self) -> None:
        """Part."""
        self.writer.close()


def _payload(raw: bytes) -> int:
    size = number_in(raw)
    if not 0 <= size <= bottle.MOST_BYTES:
        raise BadArgument(f"an acknowledgement of {size} bytes")
    return size


def _commanded(raw: bytes) -> PortMessage:
    length = struct.unpack("<i", raw[:4])[0]
    if raw[4:5] != b"~":
        raise BadArgument(f"expected a command of a port, got {raw[:8]!r}")
    if raw[5:6] != b"\0":
        rest = raw[8:]
        return PortMessage(chr(raw[5]), "", bottle.unpacked(rest) if rest else None)
    words = raw[8 : 8 + max(0, length)].rstrip(b"\0").decode("utf-8", "replace")
    rest = raw[8 + max(0, length) :]
    command = words[:1]
    said = words if command in ("/", "!", "~", "*") else words[2:]
    return PortMessage(command, said, bottle.unpacked(rest) if rest else None)


async def accept(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, head: bytes, port: int
) -> PortConnection | None:
    """Return the connection that somebody opens; None = he speaks no carrier that is known, and is told so.

    Args:
        reader: What comes.
        writer: What leaves.
        head: The first 8 bytes.
        port: Number of the port that is called.
    """
    if head in (b"CONNECT ", b"CONNACK "):
        peer = (await reader.readline()).decode("utf-8", "replace").strip()[:_LONGEST_NAME]
        writer.write(f"Welcome {peer}\r\n".encode())
        return PortConnection(reader, writer, TEXT if head == b"CONNECT " else TEXT_ACK, peer)
    try:
        carrier = number_in(head) - DATAGRAMS
    except BadArgument:
        carrier = 0
    if carrier % 16 != _STREAM:
        writer.write(NO_PROTOCOL)
        return None
    length = min(max(struct.unpack("<i", await reader.readexactly(4))[0], 1), _LONGEST_NAME)
    peer = (await reader.readexactly(length)).rstrip(b"\0").decode("utf-8", "replace")
    writer.write(number(port))
    return PortConnection(reader, writer, TCP if carrier & _ACKS else FAST_TCP, peer)


async def connect(host: str, port: int, carrier: str, name: str, patience: float) -> PortConnection:
    """Return a connection to a port, opened in the name of another one; raises one of PROBLEMS."""
    async with asyncio.timeout(patience):
        reader, writer = await asyncio.open_connection(host, port, limit=LONGEST_LINE)
        if carrier in (TCP, FAST_TCP):
            raw = name.encode() + b"\0"
            code = DATAGRAMS + _STREAM + (_ACKS if carrier == TCP else 0)
            writer.write(number(code) + struct.pack("<i", len(raw)) + raw)
            number_in(await reader.readexactly(8))
        else:
            writer.write((b"CONNACK " if carrier == TEXT_ACK else b"CONNECT ") + name.encode() + b"\r\n")
            await reader.readline()  # Welcome
    return PortConnection(reader, writer, carrier, "")
