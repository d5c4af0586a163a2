"""The carrier `udp`: a connection begins over TCP, and messages then leave as datagrams that nobody acknowledges.

Source: UdpCarrier and DgramTwoWayStream of YARP; each datagram begins with its checksum and its place in the message.
"""

import asyncio
import contextlib
import errno
import socket
import struct
import zlib

from coopsim.features.gateways.yarp import wire

UDP = "udp"
_HEAD = 8  # bytes of checksum and place
_LARGEST = 65_507 - _HEAD
"""Bytes of a message in one datagram, as many as UDP carries."""


def datagrams(raw: bytes) -> list[bytes]:
    """Return the datagrams of a message."""
    parts = [raw[begin : begin + _LARGEST] for begin in range(0, len(raw), _LARGEST)]
    return [struct.pack("<Ii", zlib.crc32(part), place) + part for place, part in enumerate(parts)]


class DatagramConnection:
    """A connection to a port that listens for datagrams.

    Args:
        sending: Connected to it.

    Attributes:
        carrier: `udp`.
        peer: Name of the port at the other end.
    """

    carrier = UDP

    def __init__(self, sending: socket.socket) -> None:
        self._sending, self.peer = sending, ""

    async def send(self, body: bytes, envelope: str = "") -> None:
        """Send a packed bottle.

        Raises:
            OSError: Nobody listens there any more.
        """
        for raw in datagrams(wire.framed(body, wire.DATA, envelope)):
            await asyncio.get_running_loop().sock_sendall(self._sending, raw)

    def close(self) -> None:
        """Part: the other port would not notice it otherwise."""
        with contextlib.suppress(OSError):
            self._sending.send(datagrams(wire.FAREWELL)[0])
        self._sending.close()


async def connect(host: str, port: int, name: str, patience: float) -> DatagramConnection:
    """Return a connection to a port, opened in the name of another one; raises one of `wire.PROBLEMS`."""
    async with asyncio.timeout(patience):
        reader, writer = await asyncio.open_connection(host, port)
        try:
            raw = name.encode() + b"\0"
            writer.write(wire.number(wire.DATAGRAMS) + struct.pack("<i", len(raw)) + raw)
            number = wire.number_in(await reader.readexactly(8))
            # YARP with ACE takes datagrams from the address of this connection alone; without it, on the same machine,
            # it listens at that very port itself, and asks not where they come from
            sending = socket.socket(writer.get_extra_info("socket").family, socket.SOCK_DGRAM)
            try:
                sending.setblocking(False)
                try:
                    sending.bind(writer.get_extra_info("sockname"))
                except OSError as problem:
                    if problem.errno != errno.EADDRINUSE:
                        raise
                sending.connect((writer.get_extra_info("peername")[0], number))
            except (OSError, OverflowError):
                sending.close()
                raise
        finally:
            writer.close()
    return DatagramConnection(sending)
