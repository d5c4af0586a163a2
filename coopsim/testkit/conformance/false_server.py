"""A server without manners: it accepts one client and sends whatever a dialog says, when the dialog says it."""

import select
import socket
import struct
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import msgpack

from coopsim.message import VERSION, Message, decode, encode

SECONDS = 20.0  # s; a client that has not connected by then never will
_LOOK = 0.05  # s; how late a stop is noticed
RUN = 4_503_599_627_370_497  # above 2^52: a client that keeps it in a float of 32 bits fails


class FalseServer:
    """Listens on a port of the loopback interface; one connection at a time.

    Args:
        port: Where to listen, 0 = a free one.
        run: The number that it tells as that of its run.
        host: An address of the loopback interface.

    Attributes:
        run: The number that it tells as that of its run.
    """

    def __init__(self, port: int = 0, run: int = RUN, host: str = "127.0.0.1") -> None:
        self.run = run
        self._host = host
        self._listener = socket.create_server((host, port))
        self._listener.settimeout(SECONDS)
        self._end: socket.socket | None = None

    @property
    def port(self) -> int:
        """Port of the server."""
        return int(self._listener.getsockname()[1])

    @property
    def address(self) -> str:
        """Address of the server, as host:port."""
        return f"{self._host}:{self.port}"

    def accept(self, is_over: Callable[[], bool] = lambda: False) -> bool:
        """Wait for the next connection, unless it is over before one comes; an earlier one is closed."""
        self.cut()
        deadline = time.monotonic() + SECONDS
        while not select.select([self._listener], [], [], _LOOK)[0]:
            if is_over():
                return False
            if time.monotonic() > deadline:
                raise TimeoutError("the client did not connect")
        self._end, _ = self._listener.accept()
        self._end.settimeout(SECONDS)
        self._end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    def next_request(self) -> Message:
        """Return the next request.

        Raises:
            OSError: None came.
            CoopsimError: It is no message.
        """
        (length,) = struct.unpack(">I", self._received(4))
        return decode(self._received(length))

    def has_request(self, is_over: Callable[[], bool]) -> bool:
        """Wait until a request comes, and return whether one did before it was over."""
        assert self._end is not None  # noqa: S101 - a dialog begins with a connection
        while not select.select([self._end], [], [], _LOOK)[0]:
            if is_over():
                return False
        return True

    def answer(self, request: Message, *later: Any, **fields: Any) -> None:
        """Answer a request.

        Args:
            request: The id and target that are echoed.
            later: More fields of the reply.
            fields: Of the reply.
        """
        self.send(replied(request, *later, **fields))

    def send(self, *raws: bytes) -> None:
        """Send messages in one segment."""
        self.send_bytes(b"".join(framed(raw) for raw in raws))

    def send_bytes(self, raw: bytes) -> None:
        """Send bytes as they are."""
        assert self._end is not None  # noqa: S101 - a dialog begins with a connection
        self._end.sendall(raw)

    def cut(self) -> None:
        """Close the connection."""
        if self._end is not None:
            self._end.close()
            self._end = None

    def close(self) -> None:
        """Close the connection and listen no longer."""
        self.cut()
        self._listener.close()

    def _received(self, size: int) -> bytes:
        assert self._end is not None  # noqa: S101 - a dialog begins with a connection
        raw = b""
        while len(raw) < size:
            part = self._end.recv(size - len(raw))
            if not part:
                raise ConnectionError("the client closed the connection")
            raw += part
        return raw

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def framed(raw: bytes) -> bytes:
    """Return a message behind its length."""
    return struct.pack(">I", len(raw)) + raw


def replied(request: Message, *later: Any, **fields: Any) -> bytes:
    """Return the bytes of a reply to a request, with later fields if there are any."""
    reply = replace(
        Message(request.target, request.command, id=request.id, binary=request.binary), **{"tick": 1, **fields}
    )
    if not later:
        return encode(reply)
    head = (VERSION, reply.id, reply.target, reply.tick, reply.error, reply.text, reply.command)
    return _array(*head, list(reply.params), [float(value) for value in reply.data], *later)


def _array(*fields: Any) -> bytes:
    packed: Iterable[bytes] = (field if isinstance(field, bytes) else msgpack.packb(field) for field in fields)
    return bytes([0x90 | len(fields)]) + b"".join(packed)
