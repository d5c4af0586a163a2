"""What clients do on the wire."""

import socket
import struct

import zmq

from coopsim.message import Message, decode, encode


def call(client: zmq.Socket[bytes], request: Message) -> Message:
    """Send a request and return the next reply that is not a probe."""
    client.send(encode(request))
    return receive(client)


def receive(client: zmq.Socket[bytes]) -> Message:
    """Return the next reply that is not a probe."""
    raw = client.recv()
    while not raw:
        raw = client.recv()
    return decode(raw)


def send_tcp(client: socket.socket, raw: bytes) -> None:
    """Send one message behind its length."""
    client.sendall(struct.pack(">I", len(raw)) + raw)


def receive_tcp(client: socket.socket) -> Message:
    """Return the next message."""
    (length,) = struct.unpack(">I", _exactly(client, 4))
    return decode(_exactly(client, length))


def _exactly(client: socket.socket, count: int) -> bytes:
    raw = b""
    while len(raw) < count:
        part = client.recv(count - len(raw))
        assert part, "the host closed the connection"
        raw += part
    return raw


def is_closed(end: socket.socket) -> bool:
    """Return whether the host closes the connection; waits for it."""
    try:
        return end.recv(1) == b""
    except ConnectionResetError:
        return True
