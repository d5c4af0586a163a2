"""Who listens to events finds out that the simulation was started again, also if it never waits for them."""

import asyncio
import time
from contextlib import ExitStack

import pytest
from client_aio import using
from client_fakes import FakeServer, serving

from coopsim.client import aio, connect, events
from coopsim.errors import WrongRun
from coopsim.interfaces import EVENTS, Interface
from coopsim.message import Message

SUBSCRIBE = EVENTS.command("subscribe").number
LONGEST = 20.0


class EventServer(FakeServer):
    """A server where nothing happens; a run that is 41."""

    def __init__(self) -> None:
        super().__init__()
        self.run = 41

    def interface(self, target: str) -> Interface:
        return EVENTS if target == events.MODULE else super().interface(target)

    def events_subscribe(self, request: Message) -> Message:
        return request.reply((1,), tick=self.tick)

    @property
    def subscriptions(self) -> int:
        return sum(request.target == events.MODULE and request.command == SUBSCRIBE for request in self.requests)


def poll_until(heard: events.EventStream, deadline: float, timeout: float) -> None:
    while time.monotonic() < deadline:
        heard.hear(timeout)


async def poll_for_ever(heard: aio.EventStream) -> None:
    while True:
        await heard.hear(0.0)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> EventServer:
    monkeypatch.setattr(events, "RENEWED", 0.02)
    return EventServer()


@pytest.mark.parametrize("timeout", [0.0, 0.001])
def test_who_only_looks_for_events_hears_that_another_run_is_there(server: EventServer, timeout: float) -> None:
    deadline = time.monotonic() + LONGEST
    with ExitStack() as client:
        with serving(server) as endpoint:
            heard = client.enter_context(client.enter_context(connect(endpoint, timeout=5.0)).listen("/a"))
            while server.subscriptions < 3 and time.monotonic() < deadline:
                assert heard.hear(timeout) is None
            assert server.subscriptions >= 3  # it is asked again and again whether it still knows us
        server.run = 42  # it was stopped, and another one started on the same port
        with serving(server, endpoint), pytest.raises(WrongRun):
            poll_until(heard, deadline, timeout)


def test_with_asyncio_who_only_looks_for_events_hears_it_too(server: EventServer) -> None:
    async def use(sim: aio.Client) -> None:
        async with sim.listen("/a") as heard, asyncio.timeout(LONGEST):
            while server.subscriptions < 3:
                assert await heard.hear(0.0) is None
            server.run = 42
            with pytest.raises(WrongRun):
                await poll_for_ever(heard)

    using(server, use)


def test_who_hears_events_does_not_ask_for_them_again(server: EventServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "RENEWED", 3600.0)
    with serving(server) as endpoint, connect(endpoint, timeout=5.0) as sim, sim.listen("/a") as heard:
        for _ in range(50):
            assert heard.hear(0.0) is None
        assert server.subscriptions == 1
