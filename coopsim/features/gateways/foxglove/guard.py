"""A door before the server of Foxglove's SDK, which looks at no origin: pages of others stay outside."""

import asyncio
import contextlib
import re
import secrets
import socket
import sys
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final
from urllib.parse import urlencode

_LOCAL: Final = re.compile(r"https?://(localhost|127\.0\.0\.1|\[::1\])(:\d+)?")
_APP: Final = "https://app.foxglove.dev"
_ANYWHERE = ("0.0.0.0", "::")  # noqa: S104 - addresses to listen at, which nobody connects to


def app_link(host: str, port: int) -> str:
    """Return the link that opens the app with a server."""
    place = "localhost" if host in _ANYWHERE else host
    return f"{_APP}?{urlencode({'ds': 'foxglove-websocket', 'ds.url': f'ws://{place}:{port}'})}"


"""Where the app of Foxglove lives in a browser."""
_LONGEST_HEAD: Final = 1 << 14  # bytes; the usual limit of web servers, cookies are the longest part of a request
_PATIENCE: Final = 5.0
"""How long a program has for its request, and the server for a connection [s]."""
_FAREWELL: Final = 1.0
"""How long bytes that are under way may take once one side has ended [s]."""
_MOST_CLIENTS: Final = 64  # each holds two buffers and a thread's work in the server
_CHUNK: Final = 1 << 16
_END: Final = b"\r\n\r\n"


def hidden_address() -> str:
    """Return a loopback address for a server that programs reach by the door alone.

    Linux has all of 127.0.0.0/8: a page can try every port of 127.0.0.1, but not of 2**24 addresses. Elsewhere there is
    that one address, and a free port.
    """
    if not sys.platform.startswith("linux"):
        return "127.0.0.1"
    return "127." + ".".join(str(1 + secrets.randbelow(254)) for _ in range(3))


class OriginGuard:
    """Passes WebSockets of permitted origins on to a server, byte by byte.

    Args:
        target: Returns the host and the port of the server now.
        origins: Web pages that may connect, `https://example.org`; none = pages of this machine and the app in a
            browser. Programs that are no web pages name no origin, and may always.
        refused: Called with the origin of a page that was refused.
    """

    def __init__(
        self, target: Callable[[], tuple[str, int]], origins: Sequence[str], refused: Callable[[str], None]
    ) -> None:
        self._target, self._origins, self._refused = target, {origin.rstrip("/") for origin in origins}, refused
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def open(self, host: str, port: int) -> int:
        """Listen from now on; return the port.

        Raises:
            OSError: The address cannot be listened at.
        """
        self._server = await asyncio.start_server(self._serve, host, port, limit=_LONGEST_HEAD)
        return int(self._server.sockets[0].getsockname()[1])

    async def close(self) -> None:
        """Part from all programs."""
        if self._server is not None:
            self._server.close()
        for connection in list(self._connections):
            connection.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - asyncio runs it as a task
        self._connections.add(task)
        # a program that breaks off, stalls or sends no request ends its own connection alone
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                if len(self._connections) > _MOST_CLIENTS:
                    await _refuse(writer, "503 Service Unavailable", f"{_MOST_CLIENTS} programs are connected already")
                    return
                head = await asyncio.wait_for(reader.readuntil(_END), _PATIENCE)
                await self._admit(head, reader, writer)
        except asyncio.CancelledError:
            pass  # the gateway ends
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _admit(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # after an upgrade no second request can follow in the same connection, so one look at its head is enough
        if "websocket" not in (value.lower() for value in _values(head, "upgrade")):
            await _refuse(writer, "426 Upgrade Required", "this is a WebSocket for the app of Foxglove")
            return
        for origin in _values(head, "origin"):
            if not self._permits(origin):
                self._refused(origin)
                await _refuse(writer, "403 Forbidden", "pages of this origin may not connect; --origin permits one")
                return
        inner_reader, inner_writer = await asyncio.wait_for(asyncio.open_connection(*self._target()), _PATIENCE)
        try:
            inner_writer.write(head)
            acknowledge = partial(_acknowledge, inner_writer.get_extra_info("socket"))
            await _pipe_both(_pipe(reader, inner_writer), _pipe(inner_reader, writer, acknowledge))
        finally:
            inner_writer.transport.abort()

    def _permits(self, origin: str) -> bool:
        if self._origins:
            return origin in self._origins
        return origin == _APP or _LOCAL.fullmatch(origin) is not None


def _values(head: bytes, name: str) -> list[str]:
    """Return all values of a field of a request; a field that is repeated counts each time."""
    lines = head.decode("latin-1").split("\r\n")[1:]
    fields = [line.split(":", 1) for line in lines if ":" in line]
    return [value.strip() for key, value in fields if key.strip().lower() == name]


async def _refuse(writer: asyncio.StreamWriter, status: str, reason: str) -> None:
    body = (reason + "\n").encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + body)
    await asyncio.wait_for(writer.drain(), _PATIENCE)
    writer.close()
    await asyncio.wait_for(writer.wait_closed(), _PATIENCE)


async def _pipe_both(*ways: Coroutine[Any, Any, None]) -> None:
    """Pass bytes on in both directions until one of them ends, and the other had time to say farewell."""
    pipes = [asyncio.create_task(way) for way in ways]
    try:
        await asyncio.wait(pipes, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(pipes, timeout=_FAREWELL)
    finally:
        for pipe in pipes:
            pipe.cancel()
        await asyncio.gather(*pipes, return_exceptions=True)


async def _pipe(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, came: Callable[[], None] = lambda: None
) -> None:
    """Pass bytes on until they end; call `came` whenever there were some."""
    while chunk := await reader.read(_CHUNK):
        came()
        writer.write(chunk)
        await writer.drain()  # a program that does not read stops the server's writing, which drops the oldest
    writer.write_eof()


def _acknowledge(inner: Any) -> None:
    """Have the system acknowledge at once what the server sent: it keeps small messages back until then, for 40 ms."""
    if hasattr(socket, "TCP_QUICKACK"):
        inner.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
