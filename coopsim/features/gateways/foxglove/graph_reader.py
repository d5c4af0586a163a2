"""A reader of the connection graph that stays, so that there never is a first or a last one.

The SDK calls its listener, which waits for Python, while it holds the lock of the graph: when the first program
subscribes to the graph, and when the last one leaves. Whoever publishes the graph in that instant holds Python and
waits for the lock, and the process stands still for ever. With a reader of our own there is neither instant.
"""

import asyncio
import contextlib
import json
from typing import Any, Final

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Subprotocol

_PROTOCOL: Final = Subprotocol("foxglove.sdk.v1")
_PATIENCE: Final = 5.0
"""How long the server of this process has for an answer [s]."""


class GraphReader:
    """A program of our own that subscribes to the connection graph and reads whatever comes."""

    def __init__(self) -> None:
        self._reading: asyncio.Task[None] | None = None

    @property
    def is_subscribed(self) -> bool:
        """Whether the graph has this reader: only then it may be published."""
        return self._reading is not None and not self._reading.done()

    async def open(self, host: str, port: int) -> bool:
        """Subscribe at a server; return whether that worked. Nothing may publish the graph meanwhile."""
        await self.close()
        try:
            async with asyncio.timeout(_PATIENCE):
                # whoever answers is this process: no proxy, it may be busy for longer than pings wait, and the graph of
                # thousands of robots is longer than what strangers may send
                options: dict[str, Any] = {"proxy": None, "ping_interval": None, "compression": None, "max_size": None}
                socket = await connect(f"ws://{host}:{port}", subprotocols=[_PROTOCOL], **options)
                try:
                    await _subscribe(socket)
                except BaseException:  # also where the gateway ends meanwhile
                    socket.transport.abort()
                    raise
        except (OSError, TimeoutError, WebSocketException):
            return False
        self._reading = asyncio.create_task(_read(socket))
        return True

    async def close(self) -> None:
        """Leave. Nothing may publish the graph from now on."""
        reading, self._reading = self._reading, None
        if reading is not None:
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)


async def _subscribe(socket: ClientConnection) -> None:
    """Subscribe to the graph; return when it came: the server counts this reader then."""
    await socket.send(json.dumps({"op": "subscribeConnectionGraph"}))
    while "connectionGraphUpdate" not in str(await socket.recv()):
        pass


async def _read(socket: ClientConnection) -> None:
    """Read to the end: a program that does not read makes the server keep its messages."""
    try:
        with contextlib.suppress(WebSocketException):
            async for _ in socket:
                pass
    finally:
        socket.transport.abort()
