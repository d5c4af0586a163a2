"""The gateway to rosbridge as its programs use it: live, in lockstep, on a replay, killed and started again."""

import base64
import json
import math
import re
import signal
from collections.abc import Iterator
from pathlib import Path

import cbor2
import pytest
import roslibpy
from bridged import LIMIT, Bridge, GatewayProcess
from websockets.exceptions import InvalidStatus

from coopsim.app.main import run
from coopsim.client import connect
from coopsim.recording import Recording
from coopsim.testkit import Run
from coopsim.testkit.conformance.restart import lasting_port

WORKSHOP = """
[ROBOT_1]
type     reacher
name     arm
position 0 0 0

[ROBOT_2]
type     observer
name     eye
position -3 0 0

[ROBOT_3]
type     rover
name     rover
position 3 0 0
"""
FREE = ("--no-controllers", "--no-gui")


@pytest.fixture(scope="module")
def simulation() -> Iterator[Run]:
    with Run("vee", "--no-controllers", "--duration", "3600") as live:
        yield live


@pytest.fixture(scope="module")
def gateway(simulation: Run) -> Iterator[GatewayProcess]:
    with GatewayProcess("--endpoint", simulation.endpoint) as process:
        process.wait_for("serving vee")
        yield process


@pytest.fixture
def bridge(gateway: GatewayProcess) -> Iterator[Bridge]:
    with Bridge(gateway.url) as program:
        yield program


def test_a_velocity_moves_the_robot_and_its_odometry_comes_back(bridge: Bridge) -> None:
    bridge.send(op="advertise", topic="/robot1/cmd_vel", type="geometry_msgs/msg/Twist")
    bridge.send(op="subscribe", topic="/robot1/odom")
    bridge.drive("robot1", 0.2, 0.0)
    while bridge.receive("publish", topic="/robot1/odom")["msg"]["twist"]["twist"]["linear"]["x"] < 0.1:
        pass


def test_robots_are_given_back_when_the_program_parts(simulation: Run, gateway: GatewayProcess) -> None:
    robots = ("robot2", "robot3")
    with Bridge(gateway.url) as program, connect(simulation.endpoint) as sim:
        for robot in robots:
            program.drive(robot, 0.1, 0.0)
        while not {*robots} <= {*sim.step.owners(robots).owners}:
            pass
    with connect(simulation.endpoint) as sim:
        while sim.step.owners(robots).owners:
            pass
        assert sim.robot("robot2").motors.set_velocity(0.0, 0.0) is None


def test_another_owner_is_told_in_a_status(simulation: Run, bridge: Bridge) -> None:
    with connect(simulation.endpoint) as sim, sim.stepper(["robot3"]):
        bridge.drive("robot3", 0.1, 0.0)
        status = bridge.receive("status", level="error")
    assert "robot3" in status["msg"]


def test_services_step_spawn_move_and_delete(bridge: Bridge) -> None:
    step = bridge.call("/coopsim/step", count=5)["values"]
    assert bridge.call("/coopsim/step", count=5)["values"]["tick"] == step["tick"] + 5
    assert bridge.call("/gazebo/unpause_physics")["result"] is True
    section = "[ROBOT_9]\ntype single\nname newcomer\nposition 4 -4 0\n"
    assert bridge.call("/coopsim/spawn", section=section)["values"] == {"names": ["newcomer"]}
    state = {"model_name": "newcomer", "pose": {"position": {"x": 4.2, "y": -4.0}, "orientation": {"z": 1.0}}}
    assert bridge.call("/gazebo/set_model_state", model_state=state)["values"]["success"] is True
    answer = bridge.call("/gazebo/get_model_state", model_name="newcomer")
    assert answer["result"] is True, answer
    place = answer["values"]["pose"]
    assert place["position"]["x"] == pytest.approx(4.2, abs=0.05)
    assert abs(place["orientation"]["z"]) == pytest.approx(1.0, abs=1e-6)
    while "/newcomer/scan" not in bridge.call("/rosapi/topics")["values"]["topics"]:
        pass
    assert bridge.call("/gazebo/delete_model", model_name="newcomer")["values"]["success"] is True
    again = bridge.call("/gazebo/delete_model", model_name="newcomer")["values"]
    assert (again["success"], "newcomer" in again["status_message"]) == (False, True)


def test_any_command_and_parameter_of_any_module_can_be_reached(bridge: Bridge) -> None:
    values = bridge.call("/coopsim/call", target="/robot1/sonars", command="ranges")["values"]["values"]
    assert len(values[0]) == 11
    target = {"target": "/robot1/sonars", "name": "noise"}
    assert bridge.call("/coopsim/set_parameter", **target, value=0.02)["values"] == {"value": 0.02}
    assert bridge.call("/coopsim/get_parameter", **target)["values"] == {"value": 0.02}
    refused = bridge.call("/coopsim/set_parameter", **target, value=99.0)
    assert refused["result"] is False
    assert "noise" in refused["values"]


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"op": "dance"}, "op 'dance' is not offered"),
        ({"op": "publish", "topic": "/robot1/cmd_vel", "msg": {"linear": {"x": "fast"}}}, "expected a number"),
        ({"op": "publish", "topic": "/nobody/cmd_vel", "msg": {}}, "no robot is commanded by '/nobody/cmd_vel'"),
        ({"op": "publish", "topic": "/robot1/cmd_vel", "msg": 3}, "expected a message, got 3"),
        ({"op": "subscribe", "topic": "/nobody/scan"}, "no topic '/nobody/scan' is published"),
        ({"op": "subscribe", "topic": "/robot1/scan", "compression": "zip"}, "expected none, cbor, png"),
        ({"op": "subscribe", "topic": "/robot1/scan", "throttle_rate": "often"}, "throttle_rate: expected a number"),
        ({"op": "subscribe", "topic": "/robot1/scan", "throttle_rate": math.nan}, "throttle_rate: expected a number"),
        ({"op": "subscribe"}, "topic: expected a name"),
        ({"op": "advertise", "topic": "/robot1/cmd_vel", "type": "std_msgs/String"}, "takes geometry_msgs/Twist"),
        ([], "expected a JSON object"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_status_and_the_program_stays(
    bridge: Bridge, message: object, says: str
) -> None:
    bridge.socket.send(json.dumps(message))
    assert says in bridge.receive("status", level="error")["msg"]
    assert bridge.call("/rosapi/topic_type", topic="/robot1/scan")["values"] == {"type": "sensor_msgs/LaserScan"}


def test_a_name_in_bytes_is_refused_and_the_program_stays(bridge: Bridge) -> None:
    bridge.socket.send(cbor2.dumps({"op": "dance", "id": b"a"}))
    assert "id: expected a text or a number, got a bytes" in bridge.receive("status", level="error")["msg"]
    assert bridge.call("/rosapi/nodes")["result"] is True


def test_a_service_that_is_not_there_is_refused(bridge: Bridge) -> None:
    assert bridge.call("/coopsim/fly")["result"] is False


@pytest.mark.parametrize("compression", ["cbor", "png"])
def test_compressed_topics_come_as_the_program_asked(bridge: Bridge, compression: str) -> None:
    bridge.send(op="subscribe", topic="/robot1/scan", compression=compression)
    raw = bridge.socket.recv(timeout=LIMIT)
    assert isinstance(raw, bytes) == (compression == "cbor")
    if isinstance(raw, str):
        assert json.loads(raw)["op"] == "png"


def test_throttled_topics_come_less_often_than_others(bridge: Bridge) -> None:
    bridge.send(op="subscribe", topic="/clock", throttle_rate=60_000)
    bridge.send(op="subscribe", topic="/tf")
    topics = [bridge.receive("publish")["topic"] for _ in range(20)]
    assert topics.count("/clock") == 1


def test_pages_of_other_machines_are_refused_and_those_of_this_one_are_not(gateway: GatewayProcess) -> None:
    with pytest.raises(InvalidStatus), Bridge(gateway.url, origin="https://example.org"):
        pass
    with Bridge(gateway.url, origin="http://localhost:8000") as page:
        assert page.call("/rosapi/nodes")["values"] == {"nodes": ["/coopsim"]}


def test_a_program_that_does_not_read_is_dropped_from_not_waited_for(gateway: GatewayProcess, bridge: Bridge) -> None:
    with Bridge(gateway.url, max_queue=1, close_timeout=0.1) as lazy:
        for topic in ("/tf", "/robot1/scan", "/robot1/odom", "/robot2/scan"):
            lazy.send(op="subscribe", topic=topic)
        bridge.send(op="subscribe", topic="/clock")
        for _ in range(50):
            bridge.receive("publish", topic="/clock")


def test_its_numbers_are_a_module_of_the_run(simulation: Run, bridge: Bridge) -> None:
    bridge.call("/rosapi/nodes")
    with connect(simulation.endpoint) as sim:
        # they are told once in a second: those of before may have no program that is connected
        while (numbers := sim.module("/gateway/rosbridge").read()).received < 1.0 or numbers.clients < 1.0:
            pass


def test_what_is_refused_is_counted(simulation: Run, bridge: Bridge) -> None:
    with connect(simulation.endpoint) as sim:
        module = sim.module("/gateway/rosbridge")
        before = module.read().refused
        bridge.send(op="dance")
        bridge.receive("status", level="error")
        while module.read().refused == before:
            bridge.call("/rosapi/nodes")
        assert module.read().refused == before + 1.0


def test_roslibpy_drives_a_robot(gateway: GatewayProcess) -> None:
    host, port = re.match(r"ws://(.*):(\d+)", gateway.url).groups()  # type: ignore[union-attr]
    ros = roslibpy.Ros(host=host, port=int(port))
    ros.run(timeout=LIMIT)
    try:
        assert "/robot1/scan" in ros.get_topics()
        speeds: list[float] = []
        odometry = roslibpy.Topic(ros, "/robot1/odom", "nav_msgs/Odometry")
        odometry.subscribe(lambda message: speeds.append(message["twist"]["twist"]["linear"]["x"]))
        driving = roslibpy.Topic(ros, "/robot1/cmd_vel", "geometry_msgs/Twist")
        driving.publish(roslibpy.Message({"linear": {"x": -0.2}, "angular": {"z": 0.0}}))
        pause = roslibpy.Service(ros, "/gazebo/get_world_properties", "gazebo_msgs/GetWorldProperties")
        while not speeds or speeds[-1] > -0.1:
            assert "robot1" in pause.call(roslibpy.ServiceRequest({}), timeout=LIMIT)["model_names"]
    finally:
        ros.close()


def test_killed_and_started_again_it_goes_on_while_the_robot_drives() -> None:
    with Run("single", "--no-controllers", "--duration", "3600") as live:
        with GatewayProcess("--endpoint", live.endpoint) as first, Bridge(first.url) as program:
            first.wait_for("serving")
            program.drive("robot1", 0.1, 0.0)
            program.send(op="subscribe", topic="/robot1/odom")
            while program.receive("publish")["msg"]["twist"]["twist"]["linear"]["x"] < 0.05:
                pass
            first.process.kill()
        with GatewayProcess("--endpoint", live.endpoint) as second, Bridge(second.url) as program:
            second.wait_for("serving")
            program.send(op="subscribe", topic="/robot1/odom")
            program.drive("robot1", -0.1, 0.0)
            while program.receive("publish")["msg"]["twist"]["twist"]["linear"]["x"] > -0.05:
                pass
        assert live.is_alive


def test_it_waits_for_a_run_and_for_the_next_one(tmp_path: Path) -> None:
    port = str(lasting_port())
    arguments = ("--no-controllers", "--port", port)
    with Run("single", *arguments) as live, GatewayProcess("--endpoint", live.endpoint) as process:
        process.wait_for("serving")
        assert live.stop() == 130
        with Run("vee", *arguments) as _, Bridge(process.url) as program:
            process.wait_for("serving vee")
            while "/robot3/scan" not in program.call("/rosapi/topics")["values"]["topics"]:
                pass
        process.process.send_signal(signal.SIGTERM)
        assert process.process.wait(LIMIT) == 0


def test_in_lockstep_a_program_has_every_tick_and_the_states_of_a_stepper(tmp_path: Path) -> None:
    def law(ranges: list[float]) -> tuple[float, float]:
        return 0.2, 0.3 * (min(ranges[6:]) - min(ranges[:5]))

    ticks, files = 40, [tmp_path / "bridge.mcap", tmp_path / "stepper.mcap"]
    arguments = ("single", "--no-controllers", "--mode", "lockstep", "--wait-for", "robot1", "--record")
    bridging = Run(*arguments, str(files[0]))
    with (
        bridging as live,
        GatewayProcess("--endpoint", live.endpoint, "--rate", "0") as process,
        Bridge(process.url) as program,
    ):
        process.wait_for("serving")
        program.send(op="subscribe", topic="/robot1/scan")
        command = (0.2, 0.0)
        for _ in range(ticks):
            program.drive("robot1", *command)
            scan = program.receive("publish", topic="/robot1/scan")["msg"]
            command = law([3.0 if distance is None else distance for distance in scan["ranges"]])
    with Run(*arguments, str(files[1])) as live, connect(live.endpoint) as sim, sim.stepper() as stepper:
        command = (0.2, 0.0)
        for _ in range(ticks):
            command = law(stepper.step([command])["robot1"].sonars.ranges.tolist())
    tracks = []
    for file in files:
        with Recording.open(file) as recording:
            tracks.append([key for _, block in recording.blocks() for key in block.hashes.tolist()][: ticks - 1])
    assert tracks[0] == tracks[1]


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return where a gateway listens to a run with a camera, an arm and a receiver."""
    file = tmp_path_factory.mktemp("workshop") / "workshop.scenario"
    file.write_text(WORKSHOP)
    where = ("--georeference", "44.4", "8.9", "20")
    with Run(str(file)) as live, GatewayProcess("--endpoint", live.endpoint, *where) as process:
        process.wait_for("serving")
        yield process.url


def test_images_and_what_the_lens_is_come_in_the_frame_of_its_optics(workshop: str) -> None:
    with Bridge(workshop) as program:
        for topic, kind, depth in (("image_raw", "rgb8", 3), ("depth", "32FC1", 4)):
            program.send(op="subscribe", topic=f"/eye/{topic}")
            image = program.receive("publish", topic=f"/eye/{topic}")["msg"]
            assert (image["encoding"], image["header"]["frame_id"]) == (kind, "eye/camera_optical")
            assert len(base64.b64decode(image["data"])) == image["height"] * image["width"] * depth
        program.send(op="subscribe", topic="/eye/camera_info")
        info = program.receive("publish", topic="/eye/camera_info")["msg"]
        assert (info["width"], info["height"]) == (image["width"], image["height"])
        program.send(op="subscribe", topic="/tf_static")
        frames = program.receive("publish", topic="/tf_static")["msg"]["transforms"]
        assert {"eye/camera", "eye/camera_optical"} <= {frame["child_frame_id"] for frame in frames}


def test_an_arm_follows_a_trajectory_until_it_is_stopped(workshop: str) -> None:
    with Bridge(workshop) as program:
        program.send(op="subscribe", topic="/arm/joint_states")
        state = program.receive("publish", topic="/arm/joint_states")["msg"]
        goal = [position + 0.2 for position in state["position"]]
        point = {"positions": goal, "time_from_start": {"secs": 0, "nsecs": 500_000_000}}
        message = {"joint_names": state["name"], "points": [point]}
        program.send(op="publish", topic="/arm/joint_trajectory", msg=message)
        while max(abs(a - b) for a, b in zip(state["position"], goal, strict=True)) > 0.01:
            state = program.receive("publish", topic="/arm/joint_states")["msg"]
        point = {"positions": [0.0] * len(goal), "time_from_start": {"secs": 60, "nsecs": 0}}
        program.send(op="publish", topic="/arm/joint_trajectory", msg={**message, "points": [point]})
        program.send(op="publish", topic="/arm/joint_trajectory", msg={"joint_names": ["elbow"], "points": [point]})
        assert "there is no joint 'elbow'" in program.receive("status", level="error")["msg"]
        program.send(op="publish", topic="/arm/joint_trajectory", msg={})
        state = program.receive("publish", topic="/arm/joint_states")["msg"]
        while max(map(abs, state["velocity"])) > 1e-3:
            state = program.receive("publish", topic="/arm/joint_states")["msg"]
        assert min(state["position"]) > 0.1


def test_a_receiver_tells_where_on_the_earth_it_is(workshop: str) -> None:
    with Bridge(workshop) as program:
        program.send(op="subscribe", topic="/rover/fix")
        fix = program.receive("publish", topic="/rover/fix")["msg"]
        assert (fix["latitude"], fix["longitude"]) == (pytest.approx(44.4, abs=1e-3), pytest.approx(8.9, abs=1e-3))


def test_a_replay_is_seen_as_if_it_were_live(tmp_path: Path) -> None:
    film = tmp_path / "film.mcap"
    assert (
        run(["run", "vee", "--mode", "free", "--duration", "30", "--record", str(film), "--no-gui", "--port", "0"]) == 0
    )
    with Run(str(film), command="replay") as live, GatewayProcess("--endpoint", live.endpoint) as process:
        process.wait_for("serving")
        with Bridge(process.url) as program:
            program.send(op="subscribe", topic="/robot1/scan")
            assert len(program.receive("publish")["msg"]["ranges"]) == 11
            program.drive("robot1", 0.1, 0.0)
            assert program.receive("status", level="error")["msg"]
