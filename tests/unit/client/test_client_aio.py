"""The asyncio client: the same names, any number of requests at a time, and cancellation that spoils nothing."""

import asyncio
import inspect
import subprocess
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import msgpack
import pytest
from client_fakes import FakeServer, hasten, nobody, serving, serving_plainly

import coopsim.client
from coopsim.client import aio
from coopsim.errors import (
    BadArgument,
    Evicted,
    Late,
    MalformedMessage,
    MessageTooLarge,
    NoReply,
    NoSuchCommand,
    NoSuchName,
    OwnedByAnother,
    SimulationEnded,
    StaleLayout,
)
from coopsim.message import Message, encode

Use = Callable[[aio.Simulation], Awaitable[Any]]
GARBAGE = [b"\xc1", b"GET / HTTP/1.1\r\n", msgpack.packb({"a": 1}), b"\x00" * 100]


def using(server: FakeServer, use: Use, *, plainly: bool = False, timeout: float = 5.0) -> Any:
    """Run `use` with a client of the server."""

    async def main(endpoint: str) -> Any:
        async with aio.connect(endpoint, timeout=timeout) as sim:
            return await use(sim)

    with serving_plainly(server) if plainly else serving(server) as endpoint:
        return asyncio.run(main(endpoint), debug=True)


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


# the same names


def test_both_clients_offer_the_same_names() -> None:
    assert aio.__all__ == coopsim.client.__all__


@pytest.mark.parametrize("name", ["Simulation", "Robot", "Module", "Call", "Parameters", "Stepper", "Stream"])
def test_the_classes_of_both_clients_have_the_same_public_names(name: str) -> None:
    assert public(getattr(aio, name)) == public(getattr(coopsim.client, name))


@pytest.mark.parametrize("name", ["Simulation", "Robot", "Module", "Stepper", "Stream"])
def test_their_methods_take_the_same_arguments(name: str) -> None:
    kinds = getattr(aio, name), getattr(coopsim.client, name)
    for method in sorted(public(kinds[0])):
        ours, theirs = (getattr(kind, method) for kind in kinds)
        if inspect.isfunction(ours):
            shapes = [[(it.name, it.kind, it.default) for it in _parameters(each)] for each in (ours, theirs)]
            assert shapes[0] == shapes[1], method


def test_connect_takes_the_same_arguments() -> None:
    assert inspect.signature(aio.connect).parameters == inspect.signature(coopsim.client.connect).parameters


def _parameters(function: Any) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())


def test_importing_it_brings_no_simulator() -> None:
    code = (
        "import sys, coopsim.client.aio;"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in {'numba', 'pymunk'}"
        " or m.startswith(('coopsim.simulation', 'coopsim.server', 'coopsim.engines', 'coopsim.robots'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


# modules


@pytest.mark.parametrize("plainly", [False, True])
def test_commands_readings_and_parameters_are_awaited(plainly: bool) -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
        robot = sim.robot("robot1")
        assert await robot.motors.set_velocity(0.3, w=0.1) is None
        assert server.commands["robot1"] == [0.3, 0.1]
        assert (await robot.motors.state()).v == 0.3
        assert (await robot.sonars.ranges()).ranges.shape == (11,)
        assert await robot.motors.call("set_velocity", 0.5) is None
        assert await robot.motors.call(10, 0.4) is None
        assert await robot.sonars.parameters["reach"] == 3.0
        assert await robot.sonars.set_parameter("reach", 2.0) == 2.0
        assert dict(await robot.sonars.parameters.items())["reach"] == 2.0
        assert "reach" in await robot.sonars.parameters.keys()
        assert [name async for name in robot.sonars.parameters] == await robot.sonars.parameters.keys()
        assert await robot.sonars.parameters.get("nothing", 7) == 7
        assert (await robot.motors.interface).kind == "differential_drive"
        assert [module.target async for module in robot] == sorted(f"/robot1/{it}" for it in _modules())
        assert await sim.clock.continue_() is None

    using(server, use, plainly=plainly)


def _modules() -> list[str]:
    return ["motors", "odometry", "sonars", "target"]


def test_what_a_module_said_of_itself_is_asked_once_by_all() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
        await asyncio.gather(*(sim.robot("robot1").odometry.pose() for _ in range(20)))

    using(server, use)
    described = [each for each in server.requests if each.command == 1]
    assert [each.target for each in described] == ["/robot1/odometry"]


def test_wrong_names_are_errors_as_soon_as_they_are_awaited() -> None:
    async def use(sim: aio.Simulation) -> None:
        with pytest.raises(NoSuchName, match="/robt1/motors"):
            await sim.robot("robt1").motors.stop()
        with pytest.raises(NoSuchName, match="no robot 'robt1'; did you mean 'robot1'"):
            [module async for module in sim.robot("robt1")]
        motors = sim.robot("robot1").motors
        with pytest.raises(NoSuchCommand, match="did you mean 'stop'"):
            await motors.stopp()
        with pytest.raises(AttributeError, match="did you mean 'stop'"):
            _ = motors.stopp
        with pytest.raises(AttributeError, match="it is a parameter"):
            _ = motors.max_speed
        with pytest.raises(NoSuchCommand, match="no parameter 'reech'; did you mean 'reach'"):
            await sim.robot("robot1").sonars.parameters["reech"]
        with pytest.raises(BadArgument, match="must be a number"):
            await motors.set_velocity("fast")
        with pytest.raises(BadArgument, match="files alone"):
            await sim.robot("robot1").sonars.set_parameter("count", 3)
        with pytest.raises(TypeError, match=r"await module\.set_parameter\('reach', 2.0\)"):
            sim.robot("robot1").sonars.parameters["reach"] = 2.0

    using(FakeServer(), use)


def test_a_command_knows_its_manual_once_its_module_was_asked() -> None:
    async def use(sim: aio.Simulation) -> None:
        motors = sim.robot("robot1").motors
        with pytest.raises(AttributeError, match="was not asked yet"):
            _ = motors.set_velocity.command
        await motors.interface
        assert motors.set_velocity.command.number == 10
        assert list(inspect.signature(motors.set_velocity).parameters) == ["v", "w", "timeout", "tick"]
        assert sim.clock.continue_.__name__ == "continue_"

    using(FakeServer(), use)


def test_names_info_and_robots_are_asked() -> None:
    async def use(sim: aio.Simulation) -> None:
        assert await sim.robots() == ("robot1", "robot2")
        assert "/robot1/motors" in await sim.names("/robot1")
        assert (await sim.info())["version"] == "0"
        assert sim.robot("/robot1/") is sim.robot("robot1")
        assert sim.module("/sim/clock") is sim.clock

    using(FakeServer(), use)


# many at a time, time-outs, cancellation


def test_replies_find_their_requests_in_any_order() -> None:
    server = FakeServer(tuple(f"robot{number}" for number in range(30)))
    kept: list[bytes] = []

    def manners(request: Message, reply: bytes) -> list[bytes]:
        if request.command != 10 or not request.target.endswith("odometry"):
            return [reply]
        kept.append(reply)
        if len(kept) < 30:
            return []
        return [b"", *GARBAGE, *reversed(kept), *kept]

    async def use(sim: aio.Simulation) -> None:
        modules = [sim.robot(name).odometry for name in server.robots]
        await asyncio.gather(*(module.interface for module in modules))
        server.manners = manners
        poses = await asyncio.gather(*(module.pose() for module in modules))
        assert [pose.x for pose in poses] == [server.row(name)[53] for name in server.robots]

    using(server, use)


@pytest.mark.parametrize("plainly", [False, True])
def test_a_cancelled_request_leaves_the_connection_as_it_was(plainly: bool) -> None:
    server, late = FakeServer(), []

    async def use(sim: aio.Simulation) -> None:
        pose = sim.robot("robot1").odometry.pose
        await pose()
        server.manners = lambda request, reply: late.append(reply) or []
        waiting = asyncio.create_task(pose())
        while not late:
            await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(pose(), 0.05)
        assert sim._switchboard.main.waiting == 0
        server.tick = 9
        server.manners = lambda request, reply: [*late, reply]
        assert (await pose()).tick == 9

    using(server, use, plainly=plainly)


def test_a_cancelled_first_user_of_a_module_spoils_it_for_nobody() -> None:
    server, kept = FakeServer(), []

    async def use(sim: aio.Simulation) -> None:
        server.manners = lambda request, reply: kept.append(reply) or []
        pose = sim.robot("robot1").odometry.pose
        first, second = asyncio.create_task(pose()), asyncio.create_task(pose())
        while not kept:
            await asyncio.sleep(0)
        first.cancel()
        server.manners = lambda request, reply: [*kept, reply]
        await sim.clock.ping()  # brings the description along
        assert (await second).tick == 0
        with pytest.raises(asyncio.CancelledError):
            await first

    using(server, use)


def test_each_request_has_its_own_time_out_and_says_why() -> None:
    server = FakeServer()
    server.status = ("lockstep", 1, "{}")

    async def use(sim: aio.Simulation) -> None:
        odometry = sim.robot("robot1").odometry
        await odometry.interface
        server.silent = {"/robot1/odometry"}
        results = await asyncio.gather(
            odometry.pose(timeout=0.05), odometry.pose(timeout=0.1), sim.clock.status(), return_exceptions=True
        )
        assert [type(each) for each in results[:2]] == [NoReply, NoReply]
        assert "no reply from /robot1/odometry" in str(results[0])
        assert "within 0.05 s; the simulation is paused" in str(results[0])
        assert "within 0.1 s; the simulation is paused" in str(results[1])
        assert results[2].mode == "lockstep"

    using(server, use)


def test_a_change_of_the_simulation_is_waited_for_while_the_server_lives(server: FakeServer) -> None:
    async def use(sim: aio.Simulation) -> None:
        await sim.world.interface
        hasten(sim, 0.2)
        server.think_until_the_clock_is_asked("/sim/world")
        assert (await sim.world.insert("[OBJECT_1]")).names == ("crate",)
        with pytest.raises(NoReply, match=r"within 0\.05 s"):
            await sim.world.insert("[OBJECT_1]", timeout=0.05)
        server.silent = {"/sim/world", "/sim/clock"}
        with pytest.raises(NoReply, match=r"within 0\.2 s.*nothing answers there"):
            await sim.world.insert("[OBJECT_1]")

    using(server, use)


@pytest.mark.parametrize("form", ["tcp://", "tcp+plain://"])
def test_where_nobody_listens_it_says_so(form: str) -> None:
    async def main() -> None:
        async with aio.connect(form + nobody(), timeout=0.1):
            pass

    with pytest.raises(NoReply, match="nothing answers there"):
        asyncio.run(main())


def test_a_server_that_hangs_up_is_noticed_by_all_who_wait_and_connected_to_again() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
        pose = sim.robot("robot1").odometry.pose
        await pose()
        server.hangs_up = True
        results = await asyncio.gather(pose(), pose(), return_exceptions=True)
        assert all("closed the connection" in str(each) for each in results)
        server.hangs_up = False
        assert (await pose()).tick == 0

    using(server, use, plainly=True, timeout=2.0)


def test_what_is_no_server_of_ours_is_not_waited_for() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
        server.manners = lambda request, reply: [b"HTTP/1.1 400 Bad Request\r\n\r\n"]
        with pytest.raises(MessageTooLarge, match="is it a coopsim server"):
            await sim.clock.ping()

    async def main(endpoint: str) -> None:
        async with aio.connect(endpoint, timeout=2.0) as sim:
            await use(sim)

    with serving_plainly(server, bare=True) as endpoint, pytest.raises(MessageTooLarge):
        asyncio.run(main(endpoint))


def test_a_request_that_the_server_could_not_read_is_no_silence() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
        server.manners = lambda request, reply: [encode(Message("", error=101, text="cut short"))]
        with pytest.raises(MalformedMessage, match="cut short"):
            await sim.robot("robot1").motors.interface

    using(server, use)


def test_who_waits_while_the_client_is_closed_is_told_so() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
        server.silent = {"/sim/clock"}
        waiting = asyncio.create_task(sim.clock.status())
        while len(server.requests) < 2:
            await asyncio.sleep(0)
        await sim.close()
        with pytest.raises(NoReply, match="closed here"):
            await waiting
        with pytest.raises(NoReply, match="async with connect"):
            await sim.clock.status()

    using(server, use)


def test_a_refusal_is_the_exception_of_its_number() -> None:
    server = FakeServer()
    server.refusals["/robot1/motors"] = OwnedByAnother("robot1 belongs to matlab")

    async def use(sim: aio.Simulation) -> None:
        with pytest.raises(OwnedByAnother, match="belongs to matlab") as caught:
            await sim.robot("robot1").motors.interface
        assert caught.value.__notes__ == [OwnedByAnother.cure]

    using(server, use)


def test_a_module_that_lives_elsewhere_is_asked_there() -> None:
    server, foreign = FakeServer(), FakeServer()

    async def use(sim: aio.Simulation) -> None:
        await sim.robot("robot1").motors.set_velocity(0.2)

    with serving(foreign) as there:
        server.elsewhere = {"/robot1/motors": (there, "")}
        using(server, use)
    assert foreign.commands == {"robot1": [0.2, 0.0]}
    assert server.commands == {}


def test_a_robots_own_endpoint_is_asked_and_joined() -> None:
    server, own = FakeServer(), FakeServer()

    async def use(sim: aio.Simulation) -> None:
        async with sim.stepper(["robot1"]):
            await sim.robot("robot1", own_endpoint=True).motors.set_velocity(0.2)

    with serving(own) as there:
        server.addresses = (there, "")
        using(server, use)
    assert own.commands == {"robot1": [0.2, 0.0]}
    assert len(own.asked("/sim/step", "claim_with")) == 1


# stepping


def test_a_stepper_claims_steps_and_gives_back() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
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
    async def use(sim: aio.Simulation) -> None:
        with pytest.raises(BadArgument, match="has not begun"):
            await sim.stepper(["robot1"]).step()
        stepper = await sim.stepper("robot1")
        await stepper.step([(0.1, 0.0)])
        await stepper.release()

    using(FakeServer(), use)


def test_a_cancelled_step_is_gone_on_from() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
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
    async def use(sim: aio.Simulation) -> None:
        async with sim.stepper(["robot1"]) as stepper:
            seen = await asyncio.gather(*(stepper.step() for _ in range(5)))
            assert [each.tick for each in seen] == [1, 2, 3, 4, 5]

    using(FakeServer(), use)


def test_a_changed_layout_is_followed_and_a_lost_robot_said() -> None:
    server = FakeServer()

    async def use(sim: aio.Simulation) -> None:
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

    async def use(sim: aio.Simulation) -> None:
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

    async def use(sim: aio.Simulation) -> None:
        async with sim.stepper(["robot1"], timeout=float("inf")) as stepper:
            server.manners = lambda request, reply: [] if request.command == 11 and next(lost, False) else [reply]
            # the first one was done, and its reply lost: the repeated one is late
            stepper.stamp = 0
            assert (await stepper.step()).tick == 2

    using(server, use, timeout=0.05)


@pytest.mark.parametrize("is_coroutine", [False, True])
def test_a_law_may_be_a_function_or_a_coroutine_function(is_coroutine: bool) -> None:
    ticks: list[int] = []

    def law(seen: aio.Readings) -> list[tuple[float, float]] | None:
        ticks.append(seen.tick)
        return [(0.1, 0.0)] if seen.tick < 4 else None

    async def later(seen: aio.Readings) -> list[tuple[float, float]] | None:
        await asyncio.sleep(0)
        return law(seen)

    async def use(sim: aio.Simulation) -> int:
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

    async def use(sim: aio.Simulation) -> int:
        return await sim.run(law, ["robot1"])

    assert using(server, use) == 3
    assert len(server.asked("/sim/step", "claim")) == 2


def test_a_robot_of_another_is_not_driven() -> None:
    server = FakeServer()
    server.owned_by_another = {"robot2"}

    async def use(sim: aio.Simulation) -> None:
        with pytest.raises(OwnedByAnother, match="robot2 belongs"):
            async with sim.stepper():
                pass

    using(server, use)


# streams


def test_a_stream_of_what_cannot_be_is_refused_before_it_begins() -> None:
    async def use(sim: aio.Simulation) -> None:
        with pytest.raises(BadArgument, match="every at least 1"):
            sim.stream("/robot1", every=0)
        with pytest.raises(NoReply, match="has no state stream"):
            await sim.stream("/robot1").latest()

    using(FakeServer(), use)
