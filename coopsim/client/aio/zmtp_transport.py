"""Messages by ZeroMQ's protocol on a plain socket that the event loop looks after."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import cast

from coopsim.client.aio.transports import Came, Failed, Transport
from coopsim.client.endpoints import Endpoint
from coopsim.client.zmtp_link import FIRST_PAUSE, LONGEST_PAUSE, OPTIONS, UNREACHABLE, is_loop
from coopsim.message.zmtp import Dialog, frame, whole_message

_MOST_UNSENT = 1000  # as ZeroMQ's own high-water mark
MakeOther = Callable[[Came, Failed], Transport]


class ZmtpTransport:
    """A DEALER socket: it queues, connects, and connects anew until there is a server.

    Args:
        endpoint: Where the server listens.
        make_other: Makes what carries the messages to a server that wants keys or another version.
        receive: Called with each message.
        failed: Called when no reply can come any more.
    """

    def __init__(self, endpoint: Endpoint, make_other: MakeOther, receive: Came, failed: Failed) -> None:
        self._endpoint, self._make_other, self._came, self._failed = endpoint, make_other, receive, failed
        self._loop = asyncio.get_running_loop()
        self._other: Transport | None = None
        self._wire: _Wire | None = None
        self._unsent: list[bytes] = []
        self._pause = FIRST_PAUSE
        self._attempt = 0
        self._connecting = self._loop.create_task(self._connect(0.0))

    async def send(self, raw: bytes, timeout: float) -> bool:
        """Send one message, or keep it until there is a server; False if there is no room within `timeout` [s]."""
        if self._other is not None:
            return await self._other.send(raw, timeout)
        wire = self._wire
        if wire is None or not wire.dialog.is_open or wire.transport.is_closing():
            if len(self._unsent) >= _MOST_UNSENT:
                return False
            self._unsent.append(raw)
            return True
        if not wire.has_room.is_set():
            try:
                async with asyncio.timeout(timeout):
                    await wire.has_room.wait()
            except TimeoutError:
                return False
        wire.transport.write(frame(raw))
        return True

    def reset(self) -> None:
        """Begin anew; what was not sent yet is forgotten."""
        if self._other is not None:
            self._other.reset()
            return
        self._end()
        self._connecting = self._loop.create_task(self._connect(0.0))

    def close(self) -> None:
        """Close the connection; what was not sent yet is forgotten."""
        if self._other is not None:
            self._other.close()
        self._end()

    def _end(self) -> None:
        self._attempt += 1
        self._unsent.clear()
        self._connecting.cancel()
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.transport.abort()

    async def _connect(self, pause: float) -> None:
        host, opened = self._endpoint.host.strip("[]"), partial(self.opened, self._attempt)
        while True:
            await asyncio.sleep(pause)
            try:
                await self._loop.create_connection(
                    lambda: _Wire(opened, self.came, self.lost), host, self._endpoint.port
                )
            except UNREACHABLE:
                pause = self._longer_pause()
            else:
                return

    def _longer_pause(self) -> float:
        pause, self._pause = self._pause, min(2.0 * self._pause, LONGEST_PAUSE)
        return pause

    def opened(self, attempt: int, wire: "_Wire") -> None:
        """Begin to talk over a new connection."""
        if attempt != self._attempt:  # given up meanwhile
            wire.transport.abort()
            return
        self._wire = wire
        if is_loop(wire.transport.get_extra_info("socket")):
            wire.transport.abort()
            return
        self._send_waiting(wire)

    def came(self, wire: "_Wire", raw: bytes) -> None:
        """Take in what came."""
        dialog = wire.dialog
        message = whole_message(raw) if raw and dialog.is_empty else None
        if message is not None:
            self._came(message)
            return
        dialog.feed(raw)
        is_open = dialog.is_open
        while self._wire is wire and (message := dialog.next_message()) is not None:
            self._came(message)
        if self._wire is not wire:
            return
        if dialog.is_foreign:
            self._leave_to_other(wire)
        elif dialog.is_broken:
            wire.transport.abort()
        else:
            self._send_waiting(wire)
            if not is_open and dialog.is_open:
                self._pause = FIRST_PAUSE
                self.came(wire, b"")

    def lost(self, wire: "_Wire") -> None:
        """Connect anew unless that is what we wanted."""
        if self._wire is wire:
            self._wire = None
            self._connecting = self._loop.create_task(self._connect(self._longer_pause()))

    def _send_waiting(self, wire: "_Wire") -> None:
        unsent = self._unsent if wire.dialog.is_open else []
        raw = b"".join((wire.dialog.outgoing, *map(frame, unsent)))
        wire.dialog.outgoing.clear()
        unsent.clear()
        if raw:
            wire.transport.write(raw)

    def _leave_to_other(self, wire: "_Wire") -> None:
        self._wire = None
        wire.transport.abort()
        self._other = transport = self._make_other(self._came, self._failed)
        unsent, self._unsent = self._unsent, []

        async def hand_over() -> None:
            for raw in unsent:
                await transport.send(raw, LONGEST_PAUSE)

        self._connecting = self._loop.create_task(hand_over())


class _Wire(asyncio.Protocol):
    """A connection.

    Attributes:
        transport: Where it goes out.
        dialog: What was said so far.
        has_room: Set while the kernel takes what is sent.
    """

    transport: asyncio.Transport

    def __init__(
        self,
        opened: Callable[["_Wire"], None],
        receive: Callable[["_Wire", bytes], None],
        lost: Callable[["_Wire"], None],
    ) -> None:
        self._opened, self._came, self._lost = opened, receive, lost
        self.dialog = Dialog()
        self.has_room = asyncio.Event()
        self.has_room.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Set the options of the socket, and begin."""
        self.transport = cast("asyncio.Transport", transport)
        for (level, option), value in OPTIONS.items():
            transport.get_extra_info("socket").setsockopt(level, option, value)
        self._opened(self)

    def data_received(self, data: bytes) -> None:
        """Pass on what came."""
        self._came(self, bytes(data))

    def connection_lost(self, _problem: Exception | None) -> None:
        """Pass on that it is over."""
        self.has_room.set()
        self._lost(self)

    def pause_writing(self) -> None:
        """Let senders wait."""
        self.has_room.clear()

    def resume_writing(self) -> None:
        """Let them go on."""
        self.has_room.set()
