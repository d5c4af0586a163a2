"""Receivers of states for asyncio: what nobody reads yet wakes nobody, and the newest state is there for who reads."""

import asyncio
from collections.abc import Iterator

import pytest
import zmq

from coopsim.client.aio.receivers import ZmqStateReceiver
from coopsim.message import StateMessage, pack_names, pack_state

TURNS = 60
"""Of the loop, while nobody reads: each would wake the receiver once more if the signal stayed."""


@pytest.fixture
def sockets() -> Iterator[tuple["zmq.Socket[bytes]", "zmq.Socket[bytes]"]]:
    context = zmq.Context()
    publisher, listener = context.socket(zmq.PUB), context.socket(zmq.SUB)
    listener.setsockopt(zmq.CONFLATE, 1)
    listener.setsockopt(zmq.SUBSCRIBE, b"")
    port = publisher.bind_to_random_port("tcp://127.0.0.1")
    listener.connect(f"tcp://127.0.0.1:{port}")
    yield publisher, listener
    context.destroy(linger=0)


def state(tick: int) -> bytes:
    head = (tick, 0.01 * tick, 1, 0, "real-time", False, False, 1)
    return b"/\0" + pack_state(head, pack_names((), (), ()), b"", b"")


class CountingEvent(asyncio.Event):
    """Counts how often it is set."""

    count = 0

    def set(self) -> None:
        self.count += 1
        super().set()


def test_a_state_that_nobody_reads_wakes_the_loop_once(
    sockets: tuple["zmq.Socket[bytes]", "zmq.Socket[bytes]"],
) -> None:
    async def run() -> tuple[int, StateMessage | None]:
        publisher, listener = sockets
        receiver = ZmqStateReceiver(listener)
        receiver._news = news = CountingEvent()
        while await receiver.receive(0.0) is None:  # the subscription takes a moment
            publisher.send(state(1))
            await asyncio.sleep(0)
        publisher.send(state(2))
        # those before it are on their way still; none is, when it has come
        while (last := await receiver.receive(10.0)) is None or last.tick < 2:
            pass
        assert await receiver.receive(0.0) is None
        news.clear()
        news.count = 0
        publisher.send(state(3))
        await asyncio.wait_for(news.wait(), 10.0)
        for _ in range(TURNS):
            await asyncio.sleep(0)
        count, newest = news.count, await receiver.receive(1.0)
        receiver.close()
        return count, newest

    count, newest = asyncio.run(run())
    assert 1 <= count <= 3
    assert newest is not None
    assert newest.tick == 3


def test_who_waits_gets_the_state_that_comes(sockets: tuple["zmq.Socket[bytes]", "zmq.Socket[bytes]"]) -> None:
    async def run() -> StateMessage | None:
        publisher, listener = sockets
        receiver = ZmqStateReceiver(listener)
        waiting = asyncio.create_task(receiver.receive(10.0))
        while not waiting.done():
            publisher.send(state(7))
            await asyncio.sleep(0)
        receiver.close()
        return await waiting

    received = asyncio.run(run())
    assert received is not None
    assert received.tick == 7
