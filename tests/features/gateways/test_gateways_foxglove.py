"""The gateway to Foxglove, asked by a client that speaks its protocol by hand."""

import contextlib
import json
import signal
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bridged import LIMIT, GatewayProcess
from foxglove_app import TIME, App
from foxglove_schemas_protobuf.FrameTransforms_pb2 import FrameTransforms
from foxglove_schemas_protobuf.LaserScan_pb2 import LaserScan
from foxglove_schemas_protobuf.SceneUpdate_pb2 import SceneUpdate
from ros2_programs import JAZZY
from rosbags.typesys import get_types_from_msg
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidStatus

from coopsim.app.main import run
from coopsim.client import connect
from coopsim.testkit import Run


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("vee", "--no-controllers", "--duration", "3600") as live:
        yield live


@pytest.fixture(scope="module")
def gateway(simulation: Run) -> Iterator[GatewayProcess]:
    with GatewayProcess("--endpoint", simulation.endpoint, kind="foxglove") as process:
        process.wait_for("serving")
        yield process
        process.process.send_signal(signal.SIGINT)
        process.process.wait(LIMIT)


@pytest.fixture
def app(gateway: GatewayProcess) -> Iterator[App]:
    with App(gateway.url) as program:
        yield program


def test_scene_transforms_and_scans_are_messages_of_foxglove(app: App) -> None:
    assert {"time", "clientPublish", "parameters", "services"} <= set(app.info["capabilities"])
    assert app.channels["/tf"]["schemaName"] == "foxglove.FrameTransforms"
    scene = SceneUpdate.FromString(app.read("/scene"))
    assert {"floor", "robot1"} <= {entity.id for entity in scene.entities}
    transforms = FrameTransforms.FromString(app.read("/tf")).transforms
    assert {"robot1", "robot5"} <= {transform.child_frame_id for transform in transforms}
    scan = LaserScan.FromString(app.read("/robot1/scan"))
    assert (scan.frame_id, len(scan.ranges)) == ("robot1", 11)
    assert 0.25 <= min(scan.ranges) <= max(scan.ranges) <= 3.25
    assert {"robot1/base_link", "robot1/odom"} <= {transform.child_frame_id for transform in transforms}


def test_other_readings_are_types_of_ros_with_their_definitions(app: App) -> None:
    for topic, kind in (("/robot1/odom", "nav_msgs/msg/Odometry"), ("/tf_static", "tf2_msgs/msg/TFMessage")):
        channel = app.channels[topic]
        assert (channel["encoding"], channel["schemaEncoding"], channel["schemaName"]) == ("cdr", "ros2msg", kind)
        types = get_types_from_msg(channel["schema"], kind)
        assert types[kind] == JAZZY.fielddefs[kind]
    assert JAZZY.deserialize_cdr(app.read("/robot1/odom"), "nav_msgs/msg/Odometry").child_frame_id == "robot1/base_link"
    late = JAZZY.deserialize_cdr(app.read("/robot1/robot_description"), "std_msgs/msg/String")
    assert '<link name="robot1/base_link">' in late.data


def test_a_robot_that_drives_leaves_a_trail(app: App, simulation: Run) -> None:
    assert app.channels["/trails"]["schemaName"] == "foxglove.SceneUpdate"
    with connect(simulation.endpoint) as sim:
        sim.module("/robot2/motors").call("set_velocity", 0.2, 0.0)
        trails: dict[str, Any] = {}
        while "robot2_trail" not in trails:
            trails = {entity.id: entity for entity in SceneUpdate.FromString(app.read("/trails")).entities}
        sim.module("/robot2/motors").call("stop")
        sim.step.call("release", "robot2")
    (line,) = trails["robot2_trail"].lines
    assert len(line.points) >= 2
    assert line.color.a == 1.0


def test_the_graph_has_robots_and_programs(app: App) -> None:
    assert "connectionGraph" in app.info["capabilities"]
    app.read("/robot1/scan")
    app.advertise("/robot1/cmd_vel")
    app.socket.send(json.dumps({"op": "subscribeConnectionGraph"}))
    published: dict[str, list[str]] = {}
    subscribed: dict[str, list[str]] = {}

    def is_whole(message: Any) -> bool:
        if isinstance(message, dict) and message["op"] == "connectionGraphUpdate":
            published.update({topic["name"]: topic["publisherIds"] for topic in message["publishedTopics"]})
            subscribed.update({topic["name"]: topic["subscriberIds"] for topic in message["subscribedTopics"]})
        return bool(published.get("/robot1/cmd_vel")) and len(subscribed.get("/robot1/scan", ())) > 0

    app.hear(is_whole)
    assert published["/robot1/scan"] == ["robot1"]
    assert published["/clock"] == ["coopsim"]
    assert published["/robot1/cmd_vel"][0].startswith("program ")
    assert subscribed["/robot1/cmd_vel"] == ["robot1"]
    assert subscribed["/robot1/scan"][0].startswith("program ")


def test_programs_come_to_the_graph_and_leave_it_while_it_is_published(app: App) -> None:
    """The SDK holds its lock and waits for Python when a first reader comes, whoever publishes has Python and waits."""
    for _ in range(200):
        number = app.advertise("/robot1/cmd_vel")
        app.socket.send(json.dumps({"op": "subscribeConnectionGraph"}))
        app.socket.send(json.dumps({"op": "unadvertise", "channelIds": [number]}))
        app.hear(lambda message: isinstance(message, dict) and message["op"] == "connectionGraphUpdate")
        app.socket.send(json.dumps({"op": "unsubscribeConnectionGraph"}))
    app.read("/robot1/scan")


def test_time_is_told(app: App) -> None:
    assert app.hear(lambda message: message[0] == TIME if isinstance(message, tuple) else False)


def test_a_panel_drives_a_robot_that_is_given_back_and_is_told_what_is_refused(
    gateway: GatewayProcess, simulation: Run
) -> None:
    with connect(simulation.endpoint) as sim:
        motors = sim.module("/robot1/motors")
        with App(gateway.url) as app:
            panel = app.advertise("/robot1/cmd_vel")
            while motors.call("state")[0] < 0.15:
                app.publish(panel, b'{"linear": {"x": 0.2}}')
            assert "robot1" in sim.step.owners("robot1").owners
            for rubbish, says in (
                (b"[", "Expecting"),
                (b"3", "expected a message"),
                (b'{"linear": 3}', "linear.x"),
                (bytes(2 << 20), "1048576"),
            ):
                app.publish(panel, rubbish)
                status = app.hear(lambda message: isinstance(message, dict) and message["op"] == "status")
                assert says in status["message"]
        while "robot1" in sim.step.owners("robot1").owners or motors.call("state")[0] > 0.01:
            pass


def test_a_gateway_that_was_killed_is_started_again_while_the_robot_drives(simulation: Run) -> None:
    with connect(simulation.endpoint) as sim:
        state = sim.module("/robot2/motors")
        for speed in (0.1, -0.1):
            with GatewayProcess("--endpoint", simulation.endpoint, kind="foxglove") as process:
                process.wait_for("serving")
                with App(process.url) as app:
                    panel = app.advertise("/robot2/cmd_vel")
                    while state.call("state")[0] / speed < 0.5:
                        app.publish(panel, json.dumps({"linear": {"x": speed}}).encode())
                    process.process.kill()
    assert simulation.is_alive


def test_parameters_are_read_and_set_and_services_answer(app: App, simulation: Run) -> None:
    noise = "robot2.sonars.noise"
    assert app.ask("getParameters", parameterNames=[noise]) == {noise: 0.0}
    changed = app.ask("setParameters", parameters=[{"name": noise, "value": 0.02}])
    assert changed == {noise: 0.02}
    assert app.ask("setParameters", parameters=[{"name": noise, "value": "loud"}]) == {noise: 0.02}
    with connect(simulation.endpoint) as sim:
        assert sim.module("/robot2/sonars").parameters["noise"] == 0.02
        app.call("/gazebo/pause_physics")
        assert sim.clock.call("status").paused
        tick = sim.clock.call("status").tick
        assert app.call("/coopsim/step", count=3)["tick"] == tick + 3
        assert "count: expected a whole number" in app.call("/coopsim/step", count=0)["message"]
        app.call("/gazebo/unpause_physics")


def test_its_time_line_scrubs_a_replay(tmp_path: Path) -> None:
    film = tmp_path / "film.mcap"
    words = ["run", "vee", "--mode", "free", "--duration", "20", "--record", str(film), "--no-gui", "--port", "0"]
    assert run(words) == 0
    with (
        Run(str(film), "--paused", command="replay") as live,
        GatewayProcess("--endpoint", live.endpoint, kind="foxglove") as process,
        connect(live.endpoint) as sim,
    ):
        process.wait_for("serving")
        capabilities: list[str] = []
        while "playbackControl" not in capabilities:  # the server begins anew once it knows that it shows a recording
            try:
                with App(process.url) as app:
                    capabilities = app.info["capabilities"]
            except (OSError, ConnectionClosed, InvalidHandshake):
                continue
        with App(process.url) as app:
            request = struct.pack("<BBfBQI", 3, 1, 2.0, 1, 7_000_000_000, 4) + b"seek"
            app.socket.send(request)
            # it seeks, sets the speed, then pauses
            while abs((status := sim.playback.call("status")).time - 7.0) > 0.05 or status.speed != 2.0:
                pass
            assert status.playing == 0


def test_pages_of_other_machines_are_refused_and_those_of_this_one_and_the_app_are_not(simulation: Run) -> None:
    with GatewayProcess("--endpoint", simulation.endpoint, kind="foxglove") as process:
        for origin in ("https://example.org", "null", "https://app.foxglove.dev.example.org"):
            with pytest.raises(InvalidStatus, match="403"), App(process.url, origin=origin):
                pass
            assert f"a page of {origin} may not connect; --origin {origin} permits it" in process.line(origin)
        for origin in ("http://localhost:8000", "https://app.foxglove.dev"):
            with App(process.url, origin=origin) as page:
                assert page.read("/tf")
    with (
        GatewayProcess(
            "--endpoint", simulation.endpoint, "--origin", "https://example.org", kind="foxglove"
        ) as process,
        App(process.url, origin="https://example.org"),
        pytest.raises(InvalidStatus, match="403"),
        App(process.url, origin="http://localhost:8000"),
    ):
        pass


def test_requests_that_are_no_websocket_or_have_no_end_are_ended(gateway: GatewayProcess) -> None:
    host, port = gateway.url.removeprefix("ws://").split(":")
    for request, says in (
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b"426 Upgrade Required"),
        (b"GET / HTTP/1.1\r\nCookie: " + bytes(1 << 16), b""),
        (b"\x00\xff\r\n\r\n", b"426 Upgrade Required"),
        (b"GET / HTTP/1.1\r\nUpgrade: websocket\r\nORIGIN:https://evil.example\r\n\r\n", b"403 Forbidden"),
    ):
        with socket.create_connection((host, int(port)), LIMIT) as plain:
            with contextlib.suppress(OSError):
                plain.sendall(request)
            answer = b""
            with contextlib.suppress(ConnectionResetError):
                while chunk := plain.recv(1000):
                    answer += chunk
            assert says in answer
    with App(gateway.url) as app:
        assert app.read("/tf")
