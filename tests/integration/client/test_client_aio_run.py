"""The asyncio client against a real simulation."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from client_runs import Arena, arena, simulation

from coopsim.client import aio
from coopsim.errors import BadArgument, NoReply, SimulationEnded

pytestmark = pytest.mark.integration
LOCKSTEP = ("--mode", "lockstep")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Arena]:
    with arena(tmp_path_factory.mktemp("arena")) as run:
        yield run


def using(endpoint: str, use: Callable[[aio.Client], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with aio.connect(endpoint, timeout=5.0) as sim:
            return await use(sim)

    return asyncio.run(main())


@pytest.mark.parametrize("is_plain", [False, True])
def test_a_robot_is_driven_and_read_by_hundreds_of_requests_at_a_time(run: Arena, is_plain: bool) -> None:
    """C-23: asynchronous control over the network."""
    run.begin("real-time")

    async def use(sim: aio.Client) -> None:
        robots = [sim.robot(name) for name in await sim.robots()]
        await asyncio.gather(*(robot.motors.set_velocity(0.3, 0.1) for robot in robots))
        readings = await asyncio.gather(*(robots[n % 2].sonars.ranges() for n in range(300)))
        assert {reading.ranges.shape for reading in readings} == {(11,)}
        with pytest.raises(BadArgument):
            await robots[0].sonars.set_parameter("reach", -1.0)
        assert await robots[0].sonars.set_parameter("reach", 1.0) == 1.0
        await sim.module("/sim/world").insert(
            "[OBJECT_1]\ntype box\nname wooden\nsize 1 1 1\nposition 0 9 0\ntexture wood\n"
        )
        (row,) = (entity for entity in (await sim.scene()).entities if entity.name == "wooden")
        assert [visual.texture for visual in row.visuals] == ["wood"]

    using(run.plain if is_plain else run.zmq, use)


def test_two_teams_of_one_client_step_together_in_lockstep(tmp_path: Path) -> None:
    """C-30: both are awaited, each by a task of its own."""

    async def drive(sim: aio.Client, robot: str) -> list[int]:
        async with sim.stepper([robot], timeout=20.0) as stepper:
            return [(await stepper.step([(0.1, 0.0)])).tick for _ in range(30)]

    async def use(endpoint: str) -> tuple[list[int], ...]:
        async with aio.connect(endpoint) as first_team, aio.connect(endpoint) as two:
            return tuple(await asyncio.gather(drive(first_team, "robot1"), drive(two, "robot2")))

    with simulation(tmp_path, *LOCKSTEP, "--wait-for", "2") as (_, endpoint, _):
        first, second = asyncio.run(use(endpoint))
    assert first == second == list(range(1, 31))


def test_a_step_that_is_cancelled_or_times_out_is_gone_on_from(run: Arena) -> None:
    before = run.begin()

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]) as stepper:
            await stepper.step([(0.1, 0.0)])
            await sim.clock.pause()
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(stepper.step(), 0.1)
            with pytest.raises(NoReply, match="the simulation is paused"):
                await stepper.step(timeout=0.1)
            await sim.clock.continue_()
            assert (await stepper.step()).tick >= before + 2

    using(run.zmq, use)


def test_states_come_as_they_are_made_and_end_with_the_run(tmp_path: Path) -> None:
    async def use(sim: aio.Client) -> list[int]:
        await sim.robot("robot1").motors.set_velocity(0.3, 0.0)
        async with sim.stream("/robot1", every=5, conflate=False) as states:
            ticks = []
            async for state in states:
                ticks.append(state.tick)
                assert state.readings["robot1"].sonars.ranges.shape == (11,)
                if len(ticks) == 11:
                    await sim.clock.set_mode("free")
            assert await states.latest() is None
            return ticks

    with simulation(tmp_path, "--duration", "60") as (_, endpoint, _):
        ticks = using(endpoint, use)
    assert ticks == sorted(ticks)
    assert len(ticks) > 10


def test_a_stream_that_is_silent_says_why(run: Arena) -> None:
    run.begin()

    async def use(sim: aio.Client) -> None:
        async with sim.stream("/robot9", timeout=0.1) as states:
            with pytest.raises(NoReply, match="there is no robot 'robot9'"):
                await states.latest()
        async with sim.stream("/robot1", timeout=0.2) as states:
            waiting = asyncio.create_task(states.latest(timeout=10.0))
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert (await states.latest(timeout=5.0)).names == ("robot1",)

    using(run.zmq, use)


@pytest.mark.parametrize("conflate", [True, False])
def test_a_state_that_came_just_before_a_cancellation_is_not_lost(
    run: Arena, monkeypatch: pytest.MonkeyPatch, *, conflate: bool
) -> None:
    run.begin()

    async def use(sim: aio.Client) -> None:
        event = asyncio.Event()

        def takes_long(*_: object) -> Iterator[object]:
            event.set()
            yield asyncio.Event().wait()

        async with sim.stream("/robot1", conflate=conflate) as states:
            with monkeypatch.context() as patch:
                patch.setattr(type(states), "_known", takes_long)
                waiting = asyncio.create_task(states.latest())
                await event.wait()
                waiting.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await waiting
            assert (await states.latest()).names == ("robot1",)
            with pytest.raises(NoReply):
                await states.latest(timeout=0.05)

    using(run.zmq, use)


def test_a_robots_own_endpoint_serves_its_modules(run: Arena) -> None:
    """C-11, C-27: each robot answers by itself."""
    run.begin("real-time")

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]):
            own = sim.robot("robot1", own_endpoint=True)
            await own.motors.set_velocity(0.2)
            async with asyncio.timeout(20.0):
                while (await own.motors.state()).v <= 0.1:
                    pass

    using(run.zmq, use)


def test_a_law_ends_with_the_run(tmp_path: Path) -> None:
    async def use(sim: aio.Client) -> int:
        async def law(seen: aio.Readings) -> list[tuple[float, float]]:
            return [(0.1, 0.0)] * len(seen)

        steps = await sim.run(law)
        with pytest.raises((SimulationEnded, NoReply)):
            await sim.robot("robot1").motors.stop()
        return int(steps)

    with simulation(tmp_path, "--duration", "0.3", *LOCKSTEP) as (run, endpoint, _):
        assert 25 <= using(endpoint, use) <= 31
        assert run.end() == 0
