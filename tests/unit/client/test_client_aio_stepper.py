"""Stepping with the asyncio client."""

import asyncio

import pytest
from client_aio import using
from client_fakes import FakeServer, hasten

from coopsim.client import aio
from coopsim.errors import (
    BadArgument,
    Evicted,
    Late,
    OwnedByAnother,
    SimulationEnded,
    StaleLayout,
)
from coopsim.message import Message


def test_a_stepper_claims_steps_and_gives_back() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot2", "robot1"]) as stepper:
            assert stepper.robots == ("robot2", "robot1")
            first = await stepper.readings
            assert first.sonars.ranges.shape == (2, 11)
            seen = await stepper.step([(0.1, 0.0), (0.2, 0.1)])
            assert (seen.tick, stepper.tick, stepper.stamp) == (1, 1, 2)
            assert (await stepper.readings) is seen
            await stepper.step({"robot1": (0.4, 0.0)})
            assert server.commands == {"robot2": [0.1, 0.0], "robot1": [0.4, 0.0]}
            assert seen["robot1"].sonars.ranges.tolist() == pytest.approx((server.row("robot1")[4:15] - 1).tolist())

    using(server, use)
    assert len(server.asked("/sim/step", "claim")) == len(server.asked("/sim/step", "release")) == 1


def test_without_a_block_a_stepper_is_awaited() -> None:
    async def use(sim: aio.Client) -> None:
        with pytest.raises(BadArgument, match="has not begun"):
            await sim.stepper(["robot1"]).step()
        stepper = await sim.stepper("robot1")
        await stepper.step([(0.1, 0.0)])
        await stepper.release()

    using(FakeServer(), use)


def test_a_cancelled_step_is_gone_on_from() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]) as stepper:
            await stepper.step([(0.1, 0.0)])
            server.manners = lambda request, reply: []
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(stepper.step(), 0.05)
            server.manners = lambda request, reply: [reply]
            assert stepper.stamp == 0
            assert (await stepper.step()).tick == 3

    using(server, use)


def test_steps_of_one_stepper_take_turns() -> None:
    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]) as stepper:
            seen = await asyncio.gather(*(stepper.step() for _ in range(5)))
            assert [readings.tick for readings in seen] == [1, 2, 3, 4, 5]

    using(FakeServer(), use)


def test_a_changed_layout_is_followed_and_a_lost_robot_said() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        async with sim.stepper() as stepper:
            await stepper.step([(0.1, 0.0), (0.2, 0.0)])
            server.generation = 2
            assert (await stepper.step()).tick == 2
            del server.robots["robot1"]
            server.generation = 3
            with pytest.raises(StaleLayout, match="robot1 left"):
                await stepper.step()
            assert stepper.robots == ("robot2",)
            await stepper.step()
            assert server.commands["robot2"] == [0.2, 0.0]

    using(server, use)


def test_a_clock_that_was_set_back_and_late_steps_are_told_as_ever() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"]) as stepper:
            for _ in range(3):
                await stepper.step()
            server.tick = 0
            assert (await stepper.step()).tick == 1
            server.tick = 9
            with pytest.raises(Late):
                await stepper.step()
            assert (await stepper.step()).tick == 10

    using(server, use)


def test_a_step_of_infinite_patience_is_asked_again_while_the_server_lives() -> None:
    server = FakeServer()
    lost = iter([True])

    async def use(sim: aio.Client) -> None:
        async with sim.stepper(["robot1"], timeout=float("inf")) as stepper:
            server.manners = lambda request, reply: [] if request.command == 11 and next(lost, False) else [reply]
            hasten(sim, 0.5)
            # the first one was done, and its reply lost: the repeated one is late
            stepper.stamp = 0
            assert (await stepper.step()).tick == 2

    using(server, use)


@pytest.mark.parametrize("is_coroutine", [False, True])
def test_a_law_may_be_a_function_or_a_coroutine_function(is_coroutine: bool) -> None:
    ticks: list[int] = []

    def law(seen: aio.Readings) -> list[tuple[float, float]] | None:
        ticks.append(seen.tick)
        return [(0.1, 0.0)] if seen.tick < 4 else None

    async def later(seen: aio.Readings) -> list[tuple[float, float]] | None:
        await asyncio.sleep(0)
        return law(seen)

    async def use(sim: aio.Client) -> int:
        return await sim.run(later if is_coroutine else law, ["robot1"])

    assert using(FakeServer(), use) == 4
    assert ticks == [0, 1, 2, 3, 4]


def test_a_run_ends_with_the_simulation_and_claims_again_after_an_eviction() -> None:
    server = FakeServer()
    problems = iter([Evicted("too slow"), SimulationEnded("over")])

    def law(seen: aio.Readings) -> list[tuple[float, float]]:
        if seen.tick == 2:
            server.refusals["/sim/step"] = next(problems)
        return [(0.1, 0.0)]

    def manners(request: Message, reply: bytes) -> list[bytes]:
        if request.command == 11:
            server.refusals.clear()
        return [reply]

    server.manners = manners

    async def use(sim: aio.Client) -> int:
        return await sim.run(law, ["robot1"])

    assert using(server, use) == 3
    assert len(server.asked("/sim/step", "claim")) == 2


def test_a_robot_of_another_is_not_driven() -> None:
    server = FakeServer()
    server.owned_by_another = {"robot2"}

    async def use(sim: aio.Client) -> None:
        with pytest.raises(OwnedByAnother, match="robot2 belongs"):
            async with sim.stepper():
                pass

    using(server, use)
