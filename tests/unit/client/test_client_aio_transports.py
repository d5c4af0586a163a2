"""A socket that the event loop looks after: messages for which there is no room at once."""

import asyncio
from typing import Any

import pytest
import zmq

from coopsim.client.aio.transports import ZmqTransport
from coopsim.client.endpoints import Endpoint


class Full:
    """A socket that has room after a while, or never."""

    def __init__(self, real: Any, refusals: int) -> None:
        self._real, self._left, self.sent = real, refusals, list[bytes]()

    def send(self, raw: bytes, _flags: int) -> None:
        if self._left:
            self._left -= 1
            raise zmq.Again
        self.sent.append(raw)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


def sent_to(refusals: int, timeout: float) -> tuple[bool, list[bytes]]:
    """Return whether a message was sent to such a socket, and what the socket took."""

    async def work() -> tuple[bool, list[bytes]]:
        with zmq.Context() as context:
            transport = ZmqTransport(context, Endpoint("127.0.0.1", 1), None, lambda _: None, lambda _: None)
            full = Full(transport._socket, refusals)
            transport._socket = full  # type: ignore[assignment]
            asyncio.get_running_loop().call_later(0.01, transport._room.set)
            is_sent = await transport.send(b"message", timeout)
            await asyncio.sleep(0)
            transport._socket = full._real
            transport.close()
            return is_sent, full.sent

    return asyncio.run(work())


def test_a_message_waits_for_room() -> None:
    assert sent_to(1, 10.0) == (True, [b"message"])


def test_where_there_is_room_it_is_sent_at_once() -> None:
    assert sent_to(0, 0.0) == (True, [b"message"])


@pytest.mark.parametrize("timeout", [0.0, 0.02])
def test_where_there_is_no_room_in_time_it_is_not_sent(timeout: float) -> None:
    assert sent_to(99, timeout) == (False, [])
