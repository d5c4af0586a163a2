"""Positions on the Earth, cameras, contacts, trajectories, descriptions: what the newer rows of the table say."""

import asyncio
import math
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ros2_programs import JAZZY

from coopsim.client.images import Image
from coopsim.errors import BadArgument
from coopsim.features.gateways import messages
from coopsim.features.gateways.cameras import image_message
from coopsim.features.gateways.georeference import Georeference
from coopsim.features.gateways.lasting import lasting_topics
from coopsim.features.gateways.messages import Words
from coopsim.features.gateways.ros1.types import gateway_types
from coopsim.features.gateways.ros2.cdr import CdrCodec
from coopsim.features.gateways.ros2.codec import all_types
from coopsim.features.gateways.rosbridge.wording import as_json
from coopsim.features.gateways.table import FOLLOW, TOPICS, Measured
from coopsim.features.gateways.trajectories import JointMotion, TrajectoryFollower, joint_names, read_trajectory
from coopsim.features.gateways.urdf import urdf
from coopsim.state import EntityRow, Visual

GENOA = Georeference(44.4056, 8.9463, 20.0)


def seen(kind: str, parameters: dict[str, Any] | None = None, **readings: float) -> Measured:
    """Return readings of a robot with a module of a kind."""
    kinds = {"sensor": kind}
    return Measured(1.5, "ann", "sensor", np.zeros(7), {"sensor": readings}, parameters or {}, kinds, GENOA)


def built(topic: str, measured: Measured) -> Words:
    return next(row for row in TOPICS if row.topic == topic).build(measured)


@given(st.floats(-5e3, 5e3), st.floats(-5e3, 5e3), st.floats(-100, 1e3), st.floats(-89, 89), st.floats(-179, 179))
def test_a_position_on_the_earth_is_as_far_away_as_in_the_world(
    x: float, y: float, z: float, latitude: float, longitude: float
) -> None:
    origin = Georeference(latitude, longitude, 20.0)
    place = origin.geodetic(x, y, z)
    distance = math.dist(on_earth(origin), on_earth(place))
    assert distance == pytest.approx(math.hypot(x, y, z), abs=2e-3)


def on_earth(place: Georeference) -> tuple[float, float, float]:
    """Return a geodetic position in the frame of the Earth [m]."""
    phi, lam = math.radians(place.latitude), math.radians(place.longitude)
    squared = 6.69437999014e-3  # first eccentricity of WGS 84
    normal = 6378137.0 / math.sqrt(1.0 - squared * math.sin(phi) ** 2)
    radial = (normal + place.altitude) * math.cos(phi)
    return radial * math.cos(lam), radial * math.sin(lam), (normal * (1 - squared) + place.altitude) * math.sin(phi)


def test_axes_of_a_world_point_east_and_north() -> None:
    east, north = GENOA.geodetic(100.0, 0.0, 0.0), GENOA.geodetic(0.0, 100.0, 0.0)
    assert east.longitude > GENOA.longitude
    assert east.latitude == pytest.approx(GENOA.latitude, abs=1e-7)
    assert north.latitude > GENOA.latitude
    assert north.longitude == pytest.approx(GENOA.longitude, abs=1e-9)
    assert GENOA.geodetic(0.0, 0.0, 5.0).altitude == pytest.approx(25.0, abs=1e-6)
    assert Georeference(90.0, 0.0, 0.0).geodetic(0.0, 0.0, 7.0).altitude == pytest.approx(7.0, abs=1e-6)


def test_a_fix_knows_its_noise() -> None:
    fix = built("fix", seen("gps", {"noise": 0.5, "noise_height": 2.0}, x=0.0, y=0.0, z=0.0))
    assert (fix["latitude"], fix["longitude"]) == (pytest.approx(44.4056), pytest.approx(8.9463))
    assert (fix["position_covariance"][0], fix["position_covariance"][8]) == (0.25, 4.0)
    assert built("position", seen("gps", x=1.0, y=2.0, z=3.0))["point"] == {"x": 1.0, "y": 2.0, "z": 3.0}


def test_a_camera_is_a_pinhole_that_looks_along_z() -> None:
    info = built("camera_info", seen("camera", width=320.0, height=240.0, fov=math.pi / 2))
    focal, _, x, _, focal_y, y, *_ = info["K"]
    assert (focal, focal_y, x, y) == (pytest.approx(160.0), pytest.approx(160.0), 160.0, 120.0)
    assert info["header"]["frame_id"] == "ann/sensor_optical"
    assert len(info["P"]) == 12


@pytest.mark.parametrize(
    ("pixels", "encoding", "step"),
    [(np.arange(18, dtype=np.uint8).reshape(2, 3, 3), "rgb8", 9), (np.ones((2, 3), np.float32), "32FC1", 12)],
)
def test_images_reach_all_worlds_of_ros(pixels: Any, encoding: str, step: int) -> None:
    words = image_message(Image.of(pixels, 3, 0.03), "ann/sensor_optical")
    assert (words["encoding"], words["step"], words["height"], words["width"]) == (encoding, step, 2, 3)
    kind = "sensor_msgs/msg/Image"
    read = JAZZY.deserialize_cdr(CdrCodec(all_types()).encoded(kind, words), kind)
    assert read.data.tobytes() == words["data"] == pixels.tobytes()
    types = gateway_types()
    assert bytes(types.decoded("sensor_msgs/Image", types.encoded("sensor_msgs/Image", words))["data"]) == words["data"]
    assert '"data":"' in as_json(words)


def test_depths_beyond_the_range_are_infinite() -> None:
    words = image_message(Image.of(np.array([[0.0, 1.5]], np.float32), 3, 0.03), "lens")
    assert np.frombuffer(words["data"], "<f4").tolist() == [math.inf, 1.5]


def test_infos_of_cameras_are_read_by_others_under_the_names_of_ros_2() -> None:
    kind = "sensor_msgs/msg/CameraInfo"
    words = messages.camera_info(1.0, "lens", 320, 240, 1.0)
    read = JAZZY.deserialize_cdr(CdrCodec(all_types()).encoded(kind, words), kind)
    assert (read.k.tolist(), read.p.tolist(), read.d.tolist()) == (words["K"], words["P"], words["D"])


def test_a_state_of_contact_names_the_half_that_is_touched() -> None:
    contacts = built("contacts", seen("bumpers", front=0.0, rear=1.0))
    assert [state["collision1_name"] for state in contacts["states"]] == ["ann/rear"]
    assert built("contacts", seen("bumpers", front=0.0, rear=0.0))["states"] == []


def points(*rows: tuple[Any, list[Any]]) -> Words:
    return {"joint_names": ["a", "b"], "points": [{"time_from_start": time, "positions": row} for time, row in rows]}


def test_a_trajectory_leads_from_where_the_joints_are_and_leaves_others_alone() -> None:
    message = points(({"secs": 1, "nsecs": 0}, [1.0, 2.0]), ({"sec": 2, "nanosec": 500_000_000}, [1.0, 0.0]))
    motion = JointMotion(read_trajectory(message), ["b", "c", "a"], [0.0, 7.0, 0.5], 10.0)
    assert motion.positions(10.0) == [0.0, 7.0, 0.5]
    assert motion.positions(10.5) == [1.0, 7.0, 0.75]
    assert motion.positions(11.0) == [2.0, 7.0, 1.0]
    assert motion.positions(99.0) == [0.0, 7.0, 1.0]
    assert [motion.is_over(time) for time in (12.4, 12.5)] == [False, True]


@pytest.mark.parametrize(
    ("message", "says"),
    [
        ({"joint_names": "a"}, "joint_names: expected a list of texts, got 'a'"),
        ({"joint_names": ["a", "a"]}, "joint_names: a joint is named twice"),
        ({"points": 3}, "points: expected a list of at most 10000 points, got 3"),
        ({"points": [3]}, r"points\[0\]: expected a point, got 3"),
        (points((1.0, [1.0])), r"points\[0\].positions: expected 2, got 1"),
        (points((1.0, [1.0, math.nan])), r"positions\[1\]: expected a finite number, got nan"),
        (points((1.0, [1.0, 2.0]), (1.0, [1.0, 2.0])), "time_from_start: expected times from 0 that increase"),
        (points((-1.0, [1.0, 2.0])), "time_from_start: expected times from 0 that increase"),
        (points(("soon", [1.0, 2.0])), r"points\[0\].time_from_start: expected a number, got 'soon'"),
    ],
)
def test_what_is_no_trajectory_is_refused_with_the_field(message: Words, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        read_trajectory(message)


def test_joints_of_a_trajectory_are_those_of_the_module() -> None:
    trajectory = read_trajectory(points((1.0, [1.0, 2.0])))
    with pytest.raises(BadArgument, match="there is no joint 'a'; there are q1, b"):
        JointMotion(trajectory, ["q1", "b"], [0.0, 0.0], 0.0)
    unnamed = read_trajectory({"points": [{"positions": [1.0], "time_from_start": 0.0}]})
    with pytest.raises(BadArgument, match="positions: expected 2, got 1"):
        JointMotion(unnamed, ["a", "b"], [0.0, 0.0], 0.0)
    assert read_trajectory({}).is_empty
    assert next(row for row in TOPICS if row.kind == "joints").topic == "joint_states"
    assert joint_names({"joints": ""}, "arm", 2) == ["q1", "q2"]
    assert joint_names({}, "lift", 1) == ["lift"]
    assert FOLLOW == "follow"


def test_a_motion_that_is_refused_ends_and_others_go_on() -> None:
    sent: list[tuple[str, float]] = []

    class Arms:
        def module(self, target: str) -> Any:
            async def call(_: str, position: float) -> None:
                if target == "/bob/arm" and position > 0.4:
                    raise BadArgument("bob belongs to another client")
                sent.append((target, position))

            return SimpleNamespace(call=call)

    async def follow() -> list[list[str]]:
        follower, arms = TrajectoryFollower(), Arms()
        trajectory = read_trajectory({"points": [{"positions": [1.0], "time_from_start": 1.0}]})
        for target in ("/ann/arm", "/bob/arm"):
            motion = JointMotion(trajectory, ["arm"], [0.0], 0.0)
            await follower.begin(arms, target, "set_position", motion, 0.0)  # type: ignore[arg-type]
        return [await follower.advance(arms, time) for time in (0.25, 0.5, 1.0, 1.5)]  # type: ignore[arg-type]

    refusals = asyncio.run(follow())
    assert refusals[0] == refusals[2] == refusals[3] == []
    assert refusals[1][0].startswith("/bob/arm: the trajectory ends: bob belongs to another client")
    assert [position for target, position in sent if target == "/ann/arm"] == [0.0, 0.25, 0.5, 1.0]
    assert [position for target, position in sent if target == "/bob/arm"] == [0.0, 0.25]


def test_a_description_has_a_link_for_each_body_and_its_mass() -> None:
    visuals = (
        Visual("cylinder"),
        Visual("arrow"),
        Visual("sphere", size=(0.2, 0.2, 0.2), body="head"),
        Visual("mesh", size=(0.1, 0.2, 0.3), body="hand"),
    )
    row = EntityRow(
        "ann", "robot", "x", 0, (0, 0, 0, 1, 0, 0, 0), (0.4, 0.4, 0.2), 6.0, (1, 0, 0), 0.5, visuals=visuals
    )
    root = ET.fromstring(urdf(row))
    assert [link.get("name") for link in root.findall("link")] == ["ann/base_link", "ann/head", "ann/hand"]
    assert [joint.get("type") for joint in root.findall("joint")] == ["floating", "floating"]
    base = root.findall("link")[0]
    assert len(base.findall("visual")) == 1
    origin, cylinder = base.find("visual/origin"), base.find("visual/geometry/cylinder")
    assert origin is not None
    assert cylinder is not None
    assert (origin.get("xyz"), cylinder.attrib) == ("0 0 0.1", {"radius": "0.2", "length": "0.2"})
    mass, inertia = base.find("inertial/mass"), base.find("inertial/inertia")
    assert mass is not None
    assert inertia is not None
    assert (mass.get("value"), inertia.get("izz")) == ("6", "0.16")
    sphere, box = root.find("link[@name='ann/head']//sphere"), root.find("link[@name='ann/hand']//box")
    assert sphere is not None
    assert box is not None
    assert (sphere.get("radius"), box.get("size")) == ("0.1", "0.1 0.2 0.3")


@pytest.mark.parametrize(
    ("kind", "parameters", "place"),
    [
        ("sonars", {}, (0.0, 0.0, 0.15)),
        ("laser", {"x": 0.2, "y": 0.1, "height": 0.0}, (0.2, 0.1, 0.15)),
        ("laser", {"x": 0.2, "y": 0.1, "height": 0.4}, (0.2, 0.1, 0.4)),
        ("gps", {}, (0.0, 0.0, 0.0)),
    ],
)
def test_static_transforms_say_where_sensors_sit(
    kind: str, parameters: dict[str, Any], place: tuple[float, float, float]
) -> None:
    row = EntityRow("ann", "robot", "x", 0, (0, 0, 0, 1, 0, 0, 0), (0.4, 0.4, 0.3), 6.0, (1, 0, 0), 0.5)
    facts = SimpleNamespace(kind=kind, parameters=parameters)
    topics: Any = SimpleNamespace(offered={"/ann/pose": SimpleNamespace(robot="ann")}, modules={"/ann/sensor": facts})
    scene: Any = SimpleNamespace(entities=(row,))
    lasting = lasting_topics(topics, scene, SimpleNamespace(time=1.0))  # type: ignore[arg-type]
    (frame,) = lasting["/tf_static"].message["transforms"]
    assert (frame["header"]["frame_id"], frame["child_frame_id"]) == ("ann/base_link", "ann/sensor")
    assert tuple(frame["transform"]["translation"].values()) == place
    assert set(lasting) == {"/tf_static", "/ann/robot_description"}
