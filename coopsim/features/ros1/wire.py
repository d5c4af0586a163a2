"""TCPROS: headers and messages between two nodes of ROS 1.

Source: wiki.ros.org/ROS/TCPROS and wiki.ros.org/ROS/Connection Header.
"""

import socket
import struct
from collections.abc import Mapping

from coopsim.errors import MalformedMessage

LARGEST = 16 << 20
"""Larger messages end the connection [B]."""
_LARGEST_HEADER = 1 << 20  # bytes; a header has a definition in it, a stranger's length has no bound


def send_header(link: socket.socket, fields: Mapping[str, str]) -> None:
    """Say who speaks and about what.

    Raises:
        OSError: The other end is gone.
    """
    lines = [f"{name}={value}".encode() for name, value in fields.items()]
    whole = b"".join(struct.pack("<I", len(line)) + line for line in lines)
    link.sendall(struct.pack("<I", len(whole)) + whole)


def read_header(link: socket.socket) -> dict[str, str]:
    """Return what the other end says of itself.

    Raises:
        OSError: It is gone.
        MalformedMessage: It is no header.
    """
    raw, fields, at = read_block(link, _LARGEST_HEADER), dict[str, str](), 0
    while at < len(raw):
        if at + 4 > len(raw):
            raise MalformedMessage("a header of ROS ends within a field")
        (size,) = struct.unpack_from("<I", raw, at)
        name, _, value = raw[at + 4 : at + 4 + size].partition(b"=")
        fields[name.decode(errors="replace")] = value.decode(errors="replace")
        at += 4 + size
    return fields


def read_block(link: socket.socket, largest: int = LARGEST) -> bytes:
    """Return what comes with its length before it.

    Raises:
        OSError: The other end is gone.
        MalformedMessage: It is larger than may be.
    """
    (size,) = struct.unpack("<I", _exactly(link, 4))
    if size > largest:
        raise MalformedMessage(f"{size} bytes come in one message of ROS; at most {largest} are read")
    return _exactly(link, size)


def _exactly(link: socket.socket, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        part = link.recv(min(size - len(received), 1 << 16))
        if not part:
            raise ConnectionResetError("the other node is gone")
        received += part
    return bytes(received)
