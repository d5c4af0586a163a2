"""The gateway to ROS 2 over both middlewares: topics, owners, rubbish, lockstep, replay, killed and started again."""

import contextlib
import math
import queue
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bridged import GatewayProcess
from ros2_programs import CLOCK, DISCOVERY, JAZZY, LIMIT, LOG, SCAN, DdsProgram, RosProgram, ZenohProgram, free_domain

from coopsim.app.main import run
from coopsim.client import connect
from coopsim.recording import Recording
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

Ros = tuple[list[str], Callable[[], RosProgram]]
MIDDLEWARES = pytest.mark.parametrize("rmw", ["dds", "zenoh"])


def middleware(rmw: str) -> Ros:
    """Return the arguments of a gateway, and what makes a program that finds it."""
    if rmw == "dds":
        domain = free_domain()
        return ["--rmw", "dds", "--domain", str(domain)], lambda: DdsProgram(domain)
    port = lasting_port()
    return ["--rmw", "zenoh", "--domain", "0", "--port", str(port)], lambda: ZenohProgram(port)


@contextlib.contextmanager
def gateway_to(endpoint: str, arguments: list[str], *more: str) -> Iterator[GatewayProcess]:
    with GatewayProcess("--endpoint", endpoint, *arguments, *more, kind="ros2") as process:
        process.wait_for("serving")
        yield process
        process.process.send_signal(signal.SIGINT)
        process.process.wait(LIMIT)


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("vee", "--no-controllers", "--duration", "3600") as live:
        yield live


@pytest.fixture(scope="module", params=["dds", "zenoh"])
def gateway(simulation: Run, request: pytest.FixtureRequest) -> Iterator[Ros]:
    arguments, program = middleware(request.param)
    with gateway_to(simulation.endpoint, arguments):
        yield arguments, program


@pytest.fixture
def program(gateway: Ros) -> Iterator[RosProgram]:
    with gateway[1]() as node:
        yield node


def test_readings_come_with_frames_and_simulated_time(program: RosProgram, simulation: Run) -> None:
    scan = program.read("/robot1/scan", SCAN)
    assert (scan.header.frame_id, len(scan.ranges), scan.range_max) == ("robot1/sonars", 11, 3.0)
    odometry = program.read("/robot1/odom", "nav_msgs/msg/Odometry")
    assert (odometry.header.frame_id, odometry.child_frame_id) == ("robot1/odom", "robot1/base_link")
    clocks = [program.read("/clock", CLOCK).clock for _ in range(2)]
    seconds = [clock.sec + 1e-9 * clock.nanosec for clock in clocks]
    assert seconds[1] > seconds[0]
    frames = {
        (transform.header.frame_id, transform.child_frame_id)
        for transform in program.read("/tf", "tf2_msgs/msg/TFMessage").transforms
    }
    assert {("world", "robot1/odom"), ("robot1/odom", "robot1/base_link")} <= frames
    with connect(simulation.endpoint) as sim:
        while sim.module("/gateway/ros2").read().clients < 1:
            pass


def test_late_readers_get_what_lasts(program: RosProgram) -> None:
    frames = program.read("/tf_static", "tf2_msgs/msg/TFMessage").transforms
    assert {"robot1/sonars", "robot5/sonars"} <= {frame.child_frame_id for frame in frames}
    description = program.read("/robot1/robot_description", "std_msgs/msg/String").data
    assert '<link name="robot1/base_link">' in description


def test_a_robot_is_driven_and_given_back_when_its_program_parts(gateway: Ros, simulation: Run) -> None:
    with connect(simulation.endpoint) as sim:
        motors = sim.module("/robot1/motors")
        assert "robot1" not in sim.step.owners("robot1").owners
        with gateway[1]() as node:
            send = node.commands("/robot1/cmd_vel")
            while motors.call("state")[0] < 0.15:
                node.drive(send, 0.2, 0.1)
            assert "robot1" in sim.step.owners("robot1").owners
        while "robot1" in sim.step.owners("robot1").owners or motors.call("state")[0] > 0.01:
            pass


def test_what_is_refused_is_said_in_the_log_of_ros(program: RosProgram, simulation: Run) -> None:
    with connect(simulation.endpoint) as sim:
        sim.step.claim("robot2")
        commands = program.commands("/robot2/cmd_vel")
        for velocity, reason in ((0.2, "robot2"), (math.nan, "finite")):
            assert is_logged(reason, program, lambda velocity=velocity: program.drive(commands, velocity, 0.0))
        sim.step.call("release", "robot2")


def is_logged(reason: str, node: RosProgram, send: Callable[[], None]) -> bool:
    """Return whether the log of ROS gives a reason; the message is sent until the log is heard."""
    errors: queue.Queue[Any] = queue.Queue()
    node._subscribe("/rosout", LOG, errors.put)
    for _ in range(round(LIMIT / 0.1)):
        send()
        with contextlib.suppress(queue.Empty):
            error = errors.get(timeout=0.1)
            assert (error.level, error.name) == (40, "coopsim")
            if reason in error.msg:
                return True
    return False


def test_its_node_owns_its_endpoints_in_the_graph(simulation: Run) -> None:
    domain = free_domain()
    with gateway_to(simulation.endpoint, ["--rmw", "dds", "--domain", str(domain)]), DdsProgram(domain) as node:
        entities: list[Any] = []
        while len(entities) < 1 or len(entities[0].writer_gid_seq) < 20 or len(entities[0].reader_gid_seq) < 10:
            entities = node.read("ros_discovery_info", DISCOVERY).node_entities_info_seq
        assert [entity.node_name for entity in entities] == ["coopsim"]


def test_zenoh_lists_topics_with_the_types_and_hashes_of_ros(simulation: Run) -> None:
    from zenoh_ros2_sdk import discovery

    arguments, program = middleware("zenoh")
    with gateway_to(simulation.endpoint, arguments), program():
        port = int(arguments[-1])
        topics: dict[str, list[str]] = {}
        while "/robot5/cmd_vel" not in topics:
            topics = dict(discovery.get_topic_names_and_types(domain_id=0, router_port=port))
        assert topics["/robot1/scan"] == [SCAN]
        info = discovery.get_topic_info("/robot1/scan", domain_id=0, router_port=port, verbose=True)
        assert info is not None
        assert [(end.node_name, end.type_hash) for end in info.publishers] == [("coopsim", JAZZY.hash_rihs01(SCAN))]


@MIDDLEWARES
def test_in_lockstep_a_node_has_every_tick_and_the_states_of_a_stepper(tmp_path: Path, rmw: str) -> None:
    def law(ranges: list[float]) -> tuple[float, float]:
        return 0.2, 0.3 * (min(ranges[6:]) - min(ranges[:5]))

    ticks, files = 40, [tmp_path / "node.mcap", tmp_path / "stepper.mcap"]
    arguments = ("single", "--no-controllers", "--mode", "lockstep", "--wait-for", "robot1", "--record")
    ros, program = middleware(rmw)
    with Run(*arguments, str(files[0])) as live, gateway_to(live.endpoint, ros, "--rate", "0"), program() as node:
        scans: queue.Queue[Any] = queue.Queue()
        node._subscribe("/robot1/scan", SCAN, scans.put)
        send = node.commands("/robot1/cmd_vel")
        # endpoints become known in the order of their making: once a refusal is heard, the scan has its reader, too
        assert is_logged("finite", node, lambda: node.drive(send, math.nan, 0.0))
        command = (0.2, 0.0)
        for _ in range(ticks):
            node.drive(send, *command)
            ranges = scans.get(timeout=LIMIT).ranges
            command = law([3.0 if math.isinf(distance) else float(distance) for distance in ranges])
    with Run(*arguments, str(files[1])) as live, connect(live.endpoint) as sim, sim.stepper() as stepper:
        command = (0.2, 0.0)
        for _ in range(ticks):
            ranges = stepper.step([command])["robot1"].sonars.ranges
            command = law(ranges.astype("f4").tolist())  # a LaserScan has numbers of 32 bits
    tracks = []
    for file in files:
        with Recording.open(file) as recording:
            tracks.append([key for _, block in recording.blocks() for key in block.hashes.tolist()][: ticks - 1])
    assert tracks[0] == tracks[1]


@MIDDLEWARES
def test_a_replay_is_seen_as_if_it_were_live(tmp_path: Path, rmw: str) -> None:
    film = tmp_path / "film.mcap"
    words = ["run", "vee", "--mode", "free", "--duration", "30", "--record", str(film), "--no-gui", "--port", "0"]
    assert run(words) == 0
    ros, program = middleware(rmw)
    with Run(str(film), command="replay") as live, gateway_to(live.endpoint, ros), program() as node:
        assert len(node.read("/robot1/scan", SCAN).ranges) == 11


@MIDDLEWARES
def test_a_gateway_that_was_killed_is_started_again_while_the_robot_drives(rmw: str) -> None:
    ros, program = middleware(rmw)
    with Run("single", "--no-controllers", "--duration", "3600") as live, connect(live.endpoint) as sim:
        with gateway_to(live.endpoint, ros) as first, program() as node:
            node.drive(node.commands("/robot1/cmd_vel"), 0.2, 0.0)
            while sim.module("/robot1/motors").call("state")[0] < 0.15:
                pass
            first.process.kill()
            first.process.wait(LIMIT)
        with gateway_to(live.endpoint, ros), program() as node:
            commands = node.commands("/robot1/cmd_vel")
            while not 0.05 < sim.module("/robot1/motors").call("state")[0] < 0.12:
                node.drive(commands, 0.1, 0.0)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ros2", "--origin", "https://example.org"], "--origin is for web pages"),
        (["yarp", "--domain", "3"], "--domain is no setting of the gateway yarp"),
        (["ros2", "--domain", "300"], "300 is not in the range"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["gateway", *arguments]) != 0
    assert says in capsys.readouterr().err


def test_a_domain_of_the_environment_is_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ROS_DOMAIN_ID", "many")
    assert run(["gateway", "ros2"]) != 0
    assert "ROS_DOMAIN_ID: expected a whole number from 0 to 232, got 'many'" in capsys.readouterr().err
