"""The asyncio client offers the same names as the other one, and its modules and streams are awaited."""

import asyncio
import inspect
import subprocess
import sys
from typing import Any

import pytest
from client_aio import using
from client_fakes import FakeServer, hasten

import coopsim.client
from coopsim.client import aio
from coopsim.errors import (
    BadArgument,
    NoReply,
    NoSuchCommand,
    NoSuchName,
)


def public(thing: object) -> set[str]:
    return {name for name in dir(thing) if not name.startswith("_")}


# the same names


def test_both_clients_offer_the_same_names() -> None:
    assert aio.__all__ == coopsim.client.__all__


@pytest.mark.parametrize("name", ["Client", "Robot", "Module", "Call", "Parameters", "Stepper", "Stream"])
def test_the_classes_of_both_clients_have_the_same_public_names(name: str) -> None:
    assert public(getattr(aio, name)) == public(getattr(coopsim.client, name))


@pytest.mark.parametrize("name", ["Client", "Robot", "Module", "Stepper", "Stream"])
def test_their_methods_take_the_same_arguments(name: str) -> None:
    kinds = getattr(aio, name), getattr(coopsim.client, name)
    for method in sorted(public(kinds[0])):
        ours, theirs = (getattr(kind, method) for kind in kinds)
        if inspect.isfunction(ours):
            shapes = [
                [(parameter.name, parameter.kind, parameter.default) for parameter in _parameters(kind)]
                for kind in (ours, theirs)
            ]
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

    async def use(sim: aio.Client) -> None:
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
        assert [module.target async for module in robot] == sorted(f"/robot1/{module}" for module in _modules())
        assert await sim.clock.continue_() is None

    using(server, use, plainly=plainly)


def test_commands_to_many_modules_have_their_own_answers() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        calls = [("/robot1/motors", "set_velocity", (0.3, 0.1)), ("/robot3/motors", "stop", ())]
        done, missing, pose = await sim.call_all([*calls, ("/robot2/odometry", "pose", ())])
        assert (done, type(missing), pose.x) == (None, NoSuchName, pytest.approx(1000.53))
        assert server.commands == {"robot1": [0.3, 0.1]}
        server.silent.add("/robot1/motors")
        hasten(sim, 0.2)
        with pytest.raises(NoReply):
            await sim.call_all(calls)

    using(server, use)


def _modules() -> list[str]:
    return ["motors", "odometry", "sonars", "target"]


def test_what_a_module_said_of_itself_is_asked_once_by_all() -> None:
    server = FakeServer()

    async def use(sim: aio.Client) -> None:
        await asyncio.gather(*(sim.robot("robot1").odometry.pose() for _ in range(20)))

    using(server, use)
    described = [request for request in server.requests if request.command == 1]
    assert [request.target for request in described] == ["/robot1/odometry"]


def test_wrong_names_are_errors_as_soon_as_they_are_awaited() -> None:
    async def use(sim: aio.Client) -> None:
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
    async def use(sim: aio.Client) -> None:
        motors = sim.robot("robot1").motors
        with pytest.raises(AttributeError, match="was not asked yet"):
            _ = motors.set_velocity.command
        await motors.interface
        assert motors.set_velocity.command.number == 10
        assert list(inspect.signature(motors.set_velocity).parameters) == ["v", "w", "timeout", "tick"]
        assert sim.clock.continue_.__name__ == "continue_"

    using(FakeServer(), use)


def test_names_info_and_robots_are_asked() -> None:
    async def use(sim: aio.Client) -> None:
        assert await sim.robots() == ("robot1", "robot2")
        assert "/robot1/motors" in await sim.names("/robot1")
        assert (await sim.info())["version"] == "0"
        assert sim.robot("/robot1/") is sim.robot("robot1")
        assert sim.module("/sim/clock") is sim.clock

    using(FakeServer(), use)


# streams


def test_a_stream_of_what_cannot_be_is_refused_before_it_begins() -> None:
    async def use(sim: aio.Client) -> None:
        with pytest.raises(BadArgument, match="every at least 1"):
            sim.stream("/robot1", every=0)
        with pytest.raises(NoReply, match="has no state stream"):
            await sim.stream("/robot1").latest()

    using(FakeServer(), use)
