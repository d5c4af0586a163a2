"""One law, in each of the five worlds in lockstep: the states are those of a stepper, bit by bit."""

import asyncio
import contextlib
import json
import math
import queue
import re
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bridged import LIMIT, Bridge, GatewayProcess
from foxglove_app import App
from ros1_program import TWIST, Program
from ros2_programs import JAZZY, DdsProgram, RosProgram, ZenohProgram, free_domain
from ros_master import roscore
from test_gateways_ros1 import needs_ros
from test_gateways_ros2 import is_logged

from coopsim.client import connect
from coopsim.features.gateways.codec import GatewayCounts
from coopsim.features.gateways.yarp import bottle, wire
from coopsim.features.gateways.yarp.names import NameClient
from coopsim.features.gateways.yarp.port import YarpPort
from coopsim.recording import Recording
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

TICKS = 30
FIRST = (0.2, 0.0)
_MOTORS = "/robot1/motors/rpc:i"
ODOMETRY = "nav_msgs/msg/Odometry"
Step = Callable[[tuple[float, float]], tuple[float, float]]
"""Commands a velocity, and returns where odometry sees the robot a tick later."""


def law(place: tuple[float, float]) -> tuple[float, float]:
    """Return forward and turning speed: a curve by numbers that all worlds have with 64 bits."""
    x, y = place
    return 0.2 + 0.1 * y, 0.4 - 0.5 * x


def drive(step: Step) -> None:
    command = FIRST
    for _ in range(TICKS):
        command = law(step(command))


def flat(message: Any) -> tuple[float, float]:
    """Return where odometry sees a robot, of a message that is a dictionary or an object."""
    if isinstance(message, dict):
        position = message["pose"]["pose"]["position"]
        return position["x"], position["y"]
    return message.pose.pose.position.x, message.pose.pose.position.y


@contextlib.contextmanager
def gateway(endpoint: str, *arguments: str, kind: str, **more: Any) -> Iterator[GatewayProcess]:
    with GatewayProcess("--endpoint", endpoint, "--rate", "0", *arguments, kind=kind, **more) as process:
        yield process
        process.process.send_signal(signal.SIGINT)
        process.process.wait(LIMIT)


def drive_by_rosbridge(endpoint: str) -> None:
    with gateway(endpoint, kind="rosbridge") as process:
        process.wait_for("serving")
        with Bridge(process.url) as program:
            program.send(op="subscribe", topic="/robot1/odom")

            def step(command: tuple[float, float]) -> tuple[float, float]:
                program.drive("robot1", *command)
                return flat(program.receive("publish", topic="/robot1/odom")["msg"])

            drive(step)


def drive_by_foxglove(endpoint: str) -> None:
    with gateway(endpoint, kind="foxglove") as process:
        process.wait_for("serving")
        with App(process.url) as app:
            channel = app.advertise("/robot1/cmd_vel")
            app.subscribe("/robot1/odom")
            # what is asked behind the subscription is answered behind it
            app.ask("getParameters", parameterNames=["robot1.sonars.noise"])

            def step(command: tuple[float, float]) -> tuple[float, float]:
                words = {"linear": {"x": command[0]}, "angular": {"z": command[1]}}
                app.publish(channel, json.dumps(words).encode())
                return flat(JAZZY.deserialize_cdr(app.read("/robot1/odom"), ODOMETRY))

            drive(step)


def drive_by_ros1(endpoint: str, folder: Path) -> None:
    with roscore(folder) as ros:
        env = {"ROS_MASTER_URI": ros["ROS_MASTER_URI"]}
        with gateway(endpoint, kind="ros1", env=env) as process, Program(ros) as node:
            process.wait_for("serving")
            commands = node.commands("/robot1/cmd_vel", TWIST)
            places: queue.Queue[dict[str, Any]] = queue.Queue()
            node.node.subscribe("/robot1/odom", "nav_msgs/Odometry", places.put)
            while not node.node.publishers("/robot1/odom"):
                pass

            def step(command: tuple[float, float]) -> tuple[float, float]:
                node.drive(commands, *command)
                return flat(places.get(timeout=LIMIT))

            drive(step)


def drive_by_ros2(endpoint: str, arguments: list[str], program: Callable[[], RosProgram]) -> None:
    with gateway(endpoint, *arguments, kind="ros2") as process:
        process.wait_for("serving")
        with program() as node:
            places: queue.Queue[Any] = queue.Queue()
            node._subscribe("/robot1/odom", ODOMETRY, places.put)
            commands = node.commands("/robot1/cmd_vel")
            # endpoints become known in the order of their making: once a refusal is heard, odometry has its reader, too
            assert is_logged("finite", node, lambda: node.drive(commands, math.nan, 0.0))

            def step(command: tuple[float, float]) -> tuple[float, float]:
                node.drive(commands, *command)
                return flat(places.get(timeout=LIMIT))

            drive(step)


def drive_by_yarp(endpoint: str) -> None:
    with gateway(endpoint, kind="yarp") as process:
        server = re.search(r"name server at (.*):(\d+)", process.wait_for("name server"))
        assert server is not None
        process.wait_for("serving")
        asyncio.run(asyncio.wait_for(drive_ports(NameClient(server[1], int(server[2]))), 4 * LIMIT))


async def drive_ports(names: NameClient) -> None:
    """Command by a port, and read another one."""
    places: asyncio.Queue[list[Any]] = asyncio.Queue()

    class Odometer(YarpPort):
        async def _answer(self, connection: wire.PortConnection, message: wire.PortMessage) -> None:
            assert connection.carrier == wire.TCP
            places.put_nowait(message.values or [])

    reader = Odometer("/law/odometry:i", GatewayCounts())
    await reader.open(names, "127.0.0.1")
    async with (
        connected(names, "/robot1/odometry/data:o") as source,
        connected(names, "/robot1/motors/rpc:i") as motors,
    ):
        answer = await asked(source, "[add] tcp://law/odometry:i", wire.ADMIN)
        assert answer[0] == 0, answer
        command = FIRST
        for _ in range(TICKS):
            answer = await asked(motors, f"set_velocity {command[0]!r} {command[1]!r}", wire.ASKS)
            assert answer[0] == bottle.Vocab("ok")
            x, y, *_ = await asyncio.wait_for(places.get(), LIMIT)
            command = law((x, y))
    await reader.close()


@contextlib.asynccontextmanager
async def connected(names: NameClient, port: str) -> AsyncIterator[wire.PortConnection]:
    while (address := await names.query(port)) is None:
        pass
    connection = await wire.connect(address.host, address.port, wire.TEXT, "/law", LIMIT)
    yield connection
    connection.writer.close()


async def asked(connection: wire.PortConnection, line: str, command: str) -> list[Any]:
    """Return the answer to a bottle that is typed as text."""
    connection.writer.write(f"{command}\r\n{line}\r\n".encode())
    return bottle.parsed((await connection._reader.readline()).decode())


ARGUMENTS = ("single", "--no-controllers", "--mode", "lockstep", "--wait-for", "robot1", "--record")


def track(file: Path) -> list[Any]:
    """Return the hashes of the states that a recording has."""
    with Recording.open(file) as recording:
        return [key for _, block in recording.blocks() for key in block.hashes.tolist()][: TICKS - 1]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    """Return the hashes of the states that a stepper with the same law has."""
    file = tmp_path_factory.mktemp("stepper") / "stepper.mcap"
    with Run(*ARGUMENTS, str(file)) as live, connect(live.endpoint) as sim, sim.stepper() as stepper:

        def step(command: tuple[float, float]) -> tuple[float, float]:
            odometry = stepper.step([command])["robot1"].odometry
            return float(odometry.x), float(odometry.y)

        drive(step)
    return track(file)


def drive_by(world: str, endpoint: str, folder: Path) -> None:
    port, domain = lasting_port(), free_domain()
    zenoh = ["--rmw", "zenoh", "--domain", "0", "--port", str(port)]
    match world:
        case "rosbridge":
            drive_by_rosbridge(endpoint)
        case "yarp":
            drive_by_yarp(endpoint)
        case "ros1":
            drive_by_ros1(endpoint, folder)
        case "foxglove":
            drive_by_foxglove(endpoint)
        case "zenoh":
            drive_by_ros2(endpoint, zenoh, lambda: ZenohProgram(port))
        case "dds":
            drive_by_ros2(endpoint, ["--rmw", "dds", "--domain", str(domain)], lambda: DdsProgram(domain))


@pytest.mark.parametrize(
    "world", ["rosbridge", "yarp", pytest.param("ros1", marks=needs_ros), "foxglove", "dds", "zenoh"]
)
def test_one_law_makes_the_same_states_in_every_world(world: str, tmp_path: Path, expected: list[Any]) -> None:
    film = tmp_path / "film.mcap"
    with Run(*ARGUMENTS, str(film)) as live:
        drive_by(world, live.endpoint, tmp_path)
    assert track(film) == expected
    assert len(expected) == TICKS - 1
