"""Connections that carry whole messages while others wait: ZeroMQ and plain TCP behind one small contract."""

import asyncio
import struct
from collections.abc import Callable
from typing import Protocol, TypeAlias

import zmq

from coopsim.client.certificates import SERVER_NAME
from coopsim.client.endpoints import Endpoint
from coopsim.client.keys import ConnectionKeys
from coopsim.client.link import Link, NotifiesReplies
from coopsim.client.socket_links import TcpEnd, ZmqLink
from coopsim.errors import CoopsimError, KeyRefused, NoReply

_LENGTH = struct.Struct(">I")
_BURST = 64  # messages in a row before other tasks of the event loop get their turn
_RETRY = 0.01  # s; a full socket empties at the speed of the network, asking faster only costs

Came: TypeAlias = Callable[[bytes], None]
Failed: TypeAlias = Callable[[CoopsimError], None]


class Transport(Protocol):
    """A connection to one server; what comes is handed over as it comes."""

    async def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message; False if there was no connection within `timeout` [s]."""
        ...

    def reset(self) -> None:
        """Begin a new connection: what was not sent yet, because the server is gone, must not reach the next one."""
        ...

    def close(self) -> None:
        """Close the connection; what was not sent yet is dropped."""
        ...


class LinkTransport:
    """A link to a server in this process.

    Args:
        link: Carries the messages.
        receive: Called with each message.
    """

    def __init__(self, link: Link, receive: Came, _failed: Failed) -> None:
        self._link, self._came, self._is_told = link, receive, False
        self.reset, self.close = link.reset, link.close

    async def send(self, raw: bytes, timeout: float) -> bool:
        """Pass the request to the server."""
        if not self._is_told and isinstance(self._link, NotifiesReplies):
            self._is_told, loop = True, asyncio.get_running_loop()
            self._link.on_reply(lambda: loop.call_soon_threadsafe(self._drain))
        is_sent = self._link.send(raw, timeout)
        self._drain()
        return is_sent

    def _drain(self) -> None:
        while (reply := self._link.receive(0.0)) is not None:
            self._came(reply)


class ZmqTransport(ZmqLink):
    """A DEALER socket that the event loop looks after.

    Args:
        context: Where it is made.
        endpoint: Where the server listens.
        keys: The keys of both sides; None = in the clear.
        receive: Called with each message.
        failed: Called when no reply can come any more.
    """

    def __init__(
        self,
        context: "zmq.Context[zmq.Socket[bytes]]",
        endpoint: Endpoint,
        keys: ConnectionKeys | None,
        receive: Came,
        failed: Failed,
    ) -> None:
        super().__init__(context, endpoint, keys)
        self._came, self._failed = receive, failed
        self._loop = asyncio.get_running_loop()
        self._room = asyncio.Event()
        self._watched: list[int] = []
        self._watch()

    async def send(self, raw: bytes, timeout: float) -> bool:  # type: ignore[override]  # the same, awaited
        """Send one message; False if there was no room for it within `timeout` [s]."""
        deadline = self._loop.time() + timeout
        while True:
            try:
                self._socket.send(raw, zmq.NOBLOCK)
            except zmq.Again:
                self._room.clear()
                try:
                    async with asyncio.timeout_at(deadline):
                        await self._room.wait()
                except TimeoutError:
                    return False
            else:
                # the descriptor reports an event once, and sending may have used it up
                self._loop.call_soon(self._serve_socket)
                return True

    def reset(self) -> None:
        """Begin anew with another socket."""
        self._forget()
        super().reset()
        self._watch()

    def close(self) -> None:
        """Close the socket."""
        self._forget()
        super().close()

    def _watch(self) -> None:
        self._watched = [self._socket.FD]
        if self._handshake is not None:
            self._watched.append(self._handshake.monitor.FD)
        for descriptor in self._watched:
            self._loop.add_reader(descriptor, self._serve_socket)
        self._loop.call_soon(self._serve_socket)

    def _forget(self) -> None:
        for descriptor in self._watched:
            self._loop.remove_reader(descriptor)
        self._watched = []

    def _serve_socket(self) -> None:
        if not self._watched:
            return  # closed meanwhile
        try:
            if self._handshake is not None and self._handshake.has_succeeded():
                self._loop.remove_reader(self._watched.pop())
                self._end_handshake()
        except CoopsimError as problem:
            self._failed(problem)
        self._receive_burst()

    def _receive_burst(self) -> None:
        for _ in range(_BURST):
            try:
                raw = self._socket.recv(zmq.NOBLOCK)
            except zmq.Again:
                break
            self._came(raw)
            if not self._watched:
                return
        else:
            self._loop.call_soon(self._serve_socket)
        if not self._room.is_set() and int(self._socket.getsockopt(zmq.EVENTS)) & zmq.POLLOUT:
            self._room.set()


class PlainTransport(TcpEnd):
    """Messages with their length in four bytes, big-endian, before them; connects anew when the server went away.

    Args:
        endpoint: Where the server listens.
        keys: The keys of both sides, for TLS.
        receive: Called with each message.
        failed: Called when the connection is over.
    """

    def __init__(self, endpoint: Endpoint, keys: ConnectionKeys | None, receive: Came, failed: Failed) -> None:
        super().__init__(endpoint, keys)
        self._came, self._failed = receive, failed
        self._opening = asyncio.Lock()
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None

    async def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message; False if there was no connection within `timeout` [s]."""
        try:
            async with asyncio.timeout(timeout):
                while True:
                    try:
                        writer = await self._connected()
                        writer.write(_LENGTH.pack(len(raw)) + raw)
                        await writer.drain()
                    except OSError as problem:
                        self.reset()
                        self._raise_refusal(problem)
                        await asyncio.sleep(_RETRY)
                    else:
                        return True
        except TimeoutError:
            return False

    def reset(self) -> None:
        """Close the socket; the next message opens another."""
        self.close()

    def close(self) -> None:
        """Close the socket and forget a half-received message."""
        reading, writer, self._reading, self._writer = self._reading, self._writer, None, None
        if reading is not None:
            reading.cancel()
        if writer is not None and self._tls is not None:
            writer.transport.abort()  # a goodbye by TLS would outlive the event loop
        elif writer is not None:
            writer.close()

    async def _connected(self) -> asyncio.StreamWriter:
        async with self._opening:
            if self._writer is None:
                host = self._endpoint.host.strip("[]")
                name = SERVER_NAME if self._tls is not None else None
                reader, self._writer = await asyncio.open_connection(
                    host, self._endpoint.port, ssl=self._tls, server_hostname=name
                )
                if self._tls is not None:
                    self._check_certificate(self._writer.get_extra_info("ssl_object").getpeercert(True))
                self._reading = asyncio.create_task(self._read(reader))
            return self._writer

    async def _read(self, reader: asyncio.StreamReader) -> None:
        problem: CoopsimError
        try:
            while True:
                length = self._length(await reader.readexactly(_LENGTH.size))
                self._came(await reader.readexactly(length))
        except (asyncio.IncompleteReadError, OSError) as end:
            problem = NoReply(f"the server at {self._endpoint} closed the connection")
            try:
                self._raise_refusal(end if isinstance(end, OSError) else OSError())
            except KeyRefused as refused:
                problem = refused
        except CoopsimError as oversized:
            problem = oversized
        self._reading = None
        self.close()
        self._failed(problem)
