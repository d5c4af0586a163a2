"""The gateway to ROS 1 under a real roscore: topics, services, lockstep, replay, killed and started again."""

import contextlib
import json
import math
import queue
import signal
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from bridged import LIMIT, GatewayProcess
from ros1_program import TWIST, Program
from ros_master import roscore

from coopsim.app.main import run
from coopsim.client import connect
from coopsim.errors import BadArgument
from coopsim.features.gateways.ros1.types import gateway_types
from coopsim.features.ros1.wire import read_header, send_header
from coopsim.recording import Recording
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

_TOOLS = ("roscore", "rostopic", "rosservice", "rosparam")
needs_ros = pytest.mark.skipif(
    not all(Path(f"/usr/bin/{tool}").exists() for tool in _TOOLS),
    reason="needs ROS 1: apt-get install python3-roslaunch python3-rostopic python3-rosservice python3-rosparam",
)
_SUMS = {
    "sensor_msgs/NavSatFix": "2d3a8cd499b9b4a0249fb98fd05cfa48",
    "sensor_msgs/CameraInfo": "c9a58c1b0b154e0e6da7578cb991d214",
    "sensor_msgs/Image": "060021388200f6f0f447d0fcd9c64743",
    "trajectory_msgs/JointTrajectory": "65b4f94a94d1ed67169da35a02f33d3f",
    "gazebo_msgs/ContactsState": "acbcb1601a8e525bf72509f18e6f668d",
    "sensor_msgs/LaserScan": "90c7ef2dc6895d81024acba2ac42f369",
    "sensor_msgs/Imu": "6a62c6daae103f4ff57a132d6f95cec2",
    "sensor_msgs/JointState": "3066dcd76a6cfaef579bd0f34173e9fd",
    "nav_msgs/Odometry": "cd5e73d190d741a2f92e81eda573aca7",
    "tf2_msgs/TFMessage": "94810edda583a504dfda3829e70d7eec",
    "geometry_msgs/TwistStamped": "98d34b0043a2093cf9d9345ab6eef12e",
    "geometry_msgs/WrenchStamped": "d78d3cb249ce23087ade7e7d0c40cfa7",
    "geometry_msgs/PointStamped": "c63aecb41bfdfd6b7e1fac37c7cbe7bf",
    "geometry_msgs/PoseStamped": "d3812c3cbc69362b77dc0b19b345f8f5",
    "geometry_msgs/Twist": "9f195f881246fdfa2798d1d3eebca84a",
    "rosgraph_msgs/Log": "acffd30cd6b6de30f120938c17c593fb",
    "rosgraph_msgs/Clock": "a9c97c1d230cfc112e270351a944ee47",
    "std_msgs/Float64MultiArray": "4b7d974086d4060e7db4613a7e6c3ba4",
    "std_msgs/Float64": "fdb28210bfa9d7c91146260178d9a584",
}
"""As the packages of Debian have them."""
_SERVICE_SUMS = {
    "std_srvs/Empty": "d41d8cd98f00b204e9800998ecf8427e",
    "gazebo_msgs/DeleteModel": "9ce56b4e9e54616de25d796dc972a262",
    "gazebo_msgs/GetWorldProperties": "36bb0f2eccf4d8be971410c22818ba3f",
    "gazebo_msgs/GetModelState": "4c515e936d3319c9610c559c60bfc3d4",
    "gazebo_msgs/SetModelState": "5b3ab0281d4f5445def017e3a2e4a07b",
}
"""As genmsg computes them."""


@pytest.fixture(scope="module")
def ros(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    with roscore(tmp_path_factory.mktemp("ros")) as variables:
        yield variables


@contextlib.contextmanager
def gateway_to(endpoint: str, ros: dict[str, str], *more: str) -> Iterator[GatewayProcess]:
    env = {"ROS_MASTER_URI": ros["ROS_MASTER_URI"]}
    with GatewayProcess("--endpoint", endpoint, *more, kind="ros1", env=env) as process:
        process.wait_for("serving")
        yield process
        process.process.send_signal(signal.SIGINT)
        process.process.wait(LIMIT)


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("vee", "--no-controllers", "--duration", "3600") as live:
        yield live


@pytest.fixture(scope="module")
def gateway(simulation: Run, ros: dict[str, str]) -> Iterator[GatewayProcess]:
    with gateway_to(simulation.endpoint, ros) as process:
        yield process


@pytest.fixture
def program(gateway: GatewayProcess, ros: dict[str, str]) -> Iterator[Program]:
    assert gateway.process.poll() is None
    with Program(ros) as node:
        yield node


def said(ros: dict[str, str], *words: str) -> str:
    """Return what a program of ROS prints."""
    command = ["/usr/bin/python3", f"/usr/bin/{words[0]}", *words[1:]]
    done = subprocess.run(command, env=ros, capture_output=True, text=True, timeout=4 * LIMIT, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(("kind", "digest"), _SUMS.items())
def test_types_are_those_of_ros(kind: str, digest: str) -> None:
    assert gateway_types().sum(kind) == digest


@pytest.mark.parametrize(("kind", "digest"), _SERVICE_SUMS.items())
def test_services_are_those_of_ros(kind: str, digest: str) -> None:
    assert gateway_types().service_sum(kind) == digest


@needs_ros
def test_the_tools_of_ros_see_topics_services_and_readings(gateway: GatewayProcess, ros: dict[str, str]) -> None:
    assert gateway.process.poll() is None
    listed = said(ros, "rostopic", "list").split()
    assert {"/clock", "/tf", "/robot1/scan", "/robot1/odom", "/robot1/cmd_vel", "/robot1/pose"} <= set(listed)
    assert "nav_msgs/Odometry" in said(ros, "rostopic", "info", "/robot1/odom")
    scan = said(ros, "rostopic", "echo", "-n", "1", "/robot1/scan")
    assert "range_max: 3.0" in scan
    assert 'frame_id: "robot1/sonars"' in scan
    assert "/gazebo/pause_physics" in said(ros, "rosservice", "list").split()
    assert said(ros, "rosservice", "type", "/gazebo/get_model_state").strip() == "gazebo_msgs/GetModelState"
    assert said(ros, "rosparam", "get", "/use_sim_time").strip() == "true"


@needs_ros
def test_late_readers_get_what_lasts(program: Program) -> None:
    frames = program.read("/tf_static", "tf2_msgs/TFMessage")["transforms"]
    assert {"robot1/sonars", "robot5/sonars"} <= {frame["child_frame_id"] for frame in frames}
    assert '<link name="robot1/base_link">' in program.read("/robot1/robot_description", "std_msgs/String")["data"]


@needs_ros
def test_a_tool_of_ros_drives_a_robot_that_is_given_back(
    gateway: GatewayProcess, ros: dict[str, str], simulation: Run
) -> None:
    assert gateway.process.poll() is None
    message = "{linear: {x: 0.2}, angular: {z: 0.1}}"
    command = ["/usr/bin/python3", "/usr/bin/rostopic", "pub", "-r", "10", "/robot1/cmd_vel", TWIST, message]
    with connect(simulation.endpoint) as sim, subprocess.Popen(command, env=ros, stdout=subprocess.DEVNULL) as tool:
        while sim.module("/robot1/motors").call("state")[0] < 0.15:
            pass
        assert "robot1" in sim.step.owners("robot1").owners
        tool.send_signal(signal.SIGINT)
        tool.wait(LIMIT)
        while "robot1" in sim.step.owners("robot1").owners or sim.module("/robot1/motors").call("state")[0] > 0.01:
            pass


@needs_ros
def test_a_service_of_ros_stops_time_and_lets_it_go_on(
    gateway: GatewayProcess, ros: dict[str, str], simulation: Run
) -> None:
    assert gateway.process.poll() is None
    with connect(simulation.endpoint) as sim:
        said(ros, "rosservice", "call", "/gazebo/pause_physics")
        assert sim.clock.call("status").paused
        said(ros, "rosservice", "call", "/gazebo/unpause_physics")
        assert not sim.clock.call("status").paused


@needs_ros
def test_services_reach_everything_and_say_what_they_refuse(program: Program) -> None:
    node = program.node
    spawned = node.call(
        "/coopsim/spawn", "coopsim_msgs/Spawn", {"section": "[ROBOT_9]\ntype single\nname guest\nposition 3 3 0"}
    )
    assert spawned == {"names": ["guest"]}
    assert program.read("/guest/scan", "sensor_msgs/LaserScan")["header"]["frame_id"] == "guest/sonars"
    state = node.call("/gazebo/get_model_state", "gazebo_msgs/GetModelState", {"model_name": "guest"})
    assert state["success"]
    assert state["pose"]["position"]["x"] == pytest.approx(3.0)
    assert not node.call("/gazebo/delete_model", "gazebo_msgs/DeleteModel", {"model_name": "nobody"})["success"]
    assert node.call("/gazebo/delete_model", "gazebo_msgs/DeleteModel", {"model_name": "guest"})["success"]
    answer = node.call(
        "/coopsim/call", "coopsim_msgs/Call", {"target": "/robot1/sonars", "command": "ranges", "values": []}
    )
    assert len(json.loads(answer["values"][0])) == 11
    noise = {"target": "/robot1/sonars", "name": "noise"}
    node.call("/coopsim/set_parameter", "coopsim_msgs/SetParameter", {**noise, "value": "0.02"})
    assert float(node.call("/coopsim/get_parameter", "coopsim_msgs/GetParameter", noise)["value"]) == 0.02
    with pytest.raises(BadArgument, match="count: expected a whole number"):
        node.call("/coopsim/step", "coopsim_msgs/Step", {"count": 0})
    with pytest.raises(BadArgument, match="refuses lookupService"):
        node.call("/gazebo/dance", "std_srvs/Empty", {})
    with pytest.raises(BadArgument, match="of this type"):
        node.call("/gazebo/pause_physics", "coopsim_msgs/Step", {"count": 1})


@needs_ros
def test_a_robot_that_another_client_owns_is_refused_in_the_log_of_ros(program: Program, simulation: Run) -> None:
    with connect(simulation.endpoint) as sim:
        sim.step.claim("robot2")
        commands = program.commands("/robot2/cmd_vel")
        program.node.subscribe("/rosout", "rosgraph_msgs/Log", (errors := queue.Queue[dict[str, Any]]()).put)
        for velocity, reason in ((0.2, "robot2"), (math.nan, "finite")):
            assert is_logged(reason, errors, lambda velocity=velocity: program.drive(commands, velocity, 0.0))


def is_logged(reason: str, errors: "queue.Queue[dict[str, Any]]", send: Callable[[], None]) -> bool:
    """Return whether the log gives a reason; the message is sent until then, and may be refused several times."""
    for _ in range(round(LIMIT / 0.1)):
        send()
        with contextlib.suppress(queue.Empty):
            error = errors.get(timeout=0.1)
            assert error["level"] == 8
            if reason in error["msg"]:
                return True
    return False


@needs_ros
def test_who_does_not_keep_to_the_protocol_disturbs_nobody(program: Program, simulation: Run) -> None:
    uri = program.node._ask("lookupService", "/gazebo/pause_physics")
    host, port = uri.removeprefix("rosrpc://").split(":")
    for rubbish in (b"", b"\xff" * 4, struct.pack("<I", 5) + b"abcde", b"GET / HTTP/1.1\r\n\r\n"):
        with socket.create_connection((host, int(port)), LIMIT) as link:
            link.sendall(rubbish)
    with socket.create_connection((host, int(port)), LIMIT) as link:
        send_header(link, {"callerid": "/x", "topic": "/robot1/scan", "type": TWIST, "md5sum": "0" * 32})
        assert "of this type" in read_header(link)["error"]
    with socket.create_connection((host, int(port)), LIMIT) as link:
        send_header(link, {"callerid": "/x", "service": "/gazebo/pause_physics", "md5sum": "*"})
        assert read_header(link)["type"] == "std_srvs/Empty"
        link.sendall(struct.pack("<I", 1 << 30))  # larger than may be: the connection ends
        assert link.recv(1) == b""
    deaf = socket.create_connection((host, int(port)), LIMIT)
    send_header(deaf, {"callerid": "/deaf", "topic": "/robot1/scan", "type": "sensor_msgs/LaserScan", "md5sum": "*"})
    with connect(simulation.endpoint) as sim, deaf:
        assert program.read("/robot1/odom", "nav_msgs/Odometry")["child_frame_id"] == "robot1/base_link"
        while sim.module("/gateway/ros1").read().clients < 1:
            pass


@needs_ros
def test_in_lockstep_a_node_has_every_tick_and_the_states_of_a_stepper(tmp_path: Path, ros: dict[str, str]) -> None:
    def law(ranges: list[float]) -> tuple[float, float]:
        return 0.2, 0.3 * (min(ranges[6:]) - min(ranges[:5]))

    ticks, files = 40, [tmp_path / "node.mcap", tmp_path / "stepper.mcap"]
    arguments = ("single", "--no-controllers", "--mode", "lockstep", "--wait-for", "robot1", "--record")
    with Run(*arguments, str(files[0])) as live, gateway_to(live.endpoint, ros, "--rate", "0"), Program(ros) as node:
        commands = node.commands("/robot1/cmd_vel")
        scans: queue.Queue[dict[str, Any]] = queue.Queue()
        node.node.subscribe("/robot1/scan", "sensor_msgs/LaserScan", scans.put)
        while not node.node.publishers("/robot1/scan"):
            pass
        command = (0.2, 0.0)
        for _ in range(ticks):
            node.drive(commands, *command)
            ranges = scans.get(timeout=LIMIT)["ranges"]
            command = law([3.0 if math.isinf(distance) else distance for distance in ranges])
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


@needs_ros
def test_a_replay_is_seen_as_if_it_were_live(tmp_path: Path, ros: dict[str, str]) -> None:
    film = tmp_path / "film.mcap"
    words = ["run", "vee", "--mode", "free", "--duration", "30", "--record", str(film), "--no-gui", "--port", "0"]
    assert run(words) == 0
    with Run(str(film), command="replay") as live, gateway_to(live.endpoint, ros), Program(ros) as node:
        assert len(node.read("/robot1/scan", "sensor_msgs/LaserScan")["ranges"]) == 11
        assert node.read("/clock", "rosgraph_msgs/Clock")["clock"] > 0.0


@needs_ros
def test_a_gateway_that_was_killed_is_started_again_while_the_robot_drives(ros: dict[str, str]) -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as live, connect(live.endpoint) as sim:
        with gateway_to(live.endpoint, ros) as first, Program(ros) as node:
            node.drive(node.commands("/robot1/cmd_vel"), 0.2, 0.0)
            while sim.module("/robot1/motors").call("state")[0] < 0.15:
                pass
            first.process.kill()
            first.process.wait(LIMIT)
        with gateway_to(live.endpoint, ros), Program(ros, "another") as node:
            commands = node.commands("/robot1/cmd_vel")
            node.drive(commands, 0.1, 0.0)
            while not 0.05 < sim.module("/robot1/motors").call("state")[0] < 0.12:
                node.drive(commands, 0.1, 0.0)


@needs_ros
def test_a_master_that_is_started_anew_is_joined(simulation: Run, tmp_path: Path) -> None:
    port = lasting_port()
    (tmp_path / "first").mkdir()
    with contextlib.ExitStack() as stack:
        with roscore(tmp_path / "first", port) as ros:
            process = stack.enter_context(gateway_to(simulation.endpoint, ros))
        process.wait_for("the node joins again when one does")
        (tmp_path / "second").mkdir()
        with roscore(tmp_path / "second", port) as ros:
            process.wait_for("joined the master that was started anew")
            with Program(ros) as node:
                assert len(node.read("/robot1/scan", "sensor_msgs/LaserScan")["ranges"]) == 11
                node.drive(node.commands("/robot1/cmd_vel"), 0.0, 0.0)
            process.process.send_signal(signal.SIGINT)
            process.process.wait(LIMIT)


def test_without_a_master_it_says_what_is_missing(simulation: Run) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        uri = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        with GatewayProcess("--endpoint", simulation.endpoint, kind="ros1", env={"ROS_MASTER_URI": uri}) as process:
            assert uri in process.wait_for("no ROS master answers")
            assert "roscore" in process.wait_for("Start")
            assert process.process.wait(LIMIT) == 1
