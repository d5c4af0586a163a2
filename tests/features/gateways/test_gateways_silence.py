"""A run in lockstep that is silent for a while: no tick is passed on twice, and none is left out."""

import asyncio
from types import SimpleNamespace
from typing import Any, Self

import pytest

from coopsim.client.stream_base import State
from coopsim.errors import BadArgument, NoReply
from coopsim.features.gateways import table
from coopsim.features.gateways.codec import Codec, FollowedRun
from coopsim.features.gateways.gateway import MiddlewareGateway
from coopsim.features.gateways.options import GatewayOptions


class ClockReader(Codec):
    """A middleware whose only program reads the time."""

    kind = "clock"

    def __init__(self) -> None:
        super().__init__()
        self.ticks: list[int] = []

    async def open(self, run: FollowedRun) -> str:
        return f"reading {run.time}"

    async def close(self) -> None:
        self.ticks.clear()

    def wants(self, topic: str) -> bool:
        return topic == table.CLOCK_TOPIC

    def publish(self, topic: str, kind: str, message: dict[str, Any]) -> None:
        assert (topic, kind) == (table.CLOCK_TOPIC, table.CLOCK_TYPE)
        self.ticks.append(message["clock"]["secs"])


class SilentRun:
    """A run that sends some states and answers no more; a tick lasts a second."""

    def __init__(self, ticks: list[int], mode: str) -> None:
        self._ticks, self._mode = ticks, mode
        self.clock = self
        self.is_conflating: bool | None = None

    async def call(self, command: str) -> Any:
        assert command == "status"
        return SimpleNamespace(mode=self._mode)

    async def offer(self, *_: Any, **__: Any) -> None:
        raise BadArgument("nothing is offered here")

    def stream(self, *, timeout: float, conflate: bool) -> Self:
        assert timeout > 0.0
        self.is_conflating = conflate
        return self

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._ticks = []

    async def latest(self) -> Any:
        if not self._ticks:
            self.clock = SimpleNamespace(call=silence)
            raise NoReply("no state")
        tick = self._ticks.pop(0)
        return SimpleNamespace(time=float(tick), tick=tick, raw=SimpleNamespace(run=7, generation=1))


async def silence(_: str) -> None:
    raise NoReply("no answer")


@pytest.mark.parametrize(
    ("mode", "parts", "passed"),
    [
        ("lockstep", ([1, 2, 3], [3, 4]), [1, 2, 3, 4]),  # it goes on after the tick that was passed on before
        ("lockstep", ([1, 2], [5]), [1, 2, 5]),
        ("lockstep", ([2, 2], [2, 2]), [2, 2, 2]),  # an edit between two ticks is news, a new connection is none
        ("real-time", ([1, 2, 3], [3, 4]), [1, 2, 3, 3, 4]),
    ],
)
def test_a_silent_run_goes_on_with_its_next_tick(mode: str, parts: tuple[list[int], ...], passed: list[int]) -> None:
    reader = ClockReader()
    gateway = MiddlewareGateway(GatewayOptions(rate=0.0), reader, str)
    gateway._generation = (7, 1)  # its topics are known already

    async def follow(run: Any) -> None:
        with pytest.raises(NoReply):
            await gateway._follow(run)

    for ticks in parts:
        run = SilentRun(list(ticks), mode)
        asyncio.run(follow(run))
        assert run.is_conflating == (mode != "lockstep")
    assert reader.ticks == passed
    assert gateway.is_lockstep == (mode == "lockstep")


def test_a_state_of_robots_that_went_is_left_out_and_the_run_is_kept() -> None:
    reader = ClockReader()
    gateway = MiddlewareGateway(GatewayOptions(rate=0.0), reader, str)
    gateway._generation = (7, 2)  # its topics are known already
    raw = SimpleNamespace(run=7, generation=1, tick=1, time=1.0)
    of_those_that_went: Any = State(raw, None)  # type: ignore[arg-type]
    of_those_that_are_there: Any = SimpleNamespace(time=2.0, tick=2, raw=SimpleNamespace(run=7, generation=2))

    async def follow() -> None:
        sim: Any = object()
        for state in (of_those_that_went, of_those_that_are_there):
            await gateway._pass_on(sim, state)
        assert gateway.sim is sim

    asyncio.run(follow())
    assert reader.ticks == [2]
