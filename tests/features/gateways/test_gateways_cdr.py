"""Types and bytes of ROS 2 beside rosbags, which knows them from the packages of ROS; and bytes that are none."""

import contextlib
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rosbags.typesys import Stores, get_typestore

from coopsim.errors import BadArgument
from coopsim.features.gateways import messages
from coopsim.features.gateways.ros2.cdr import CdrCodec
from coopsim.features.gateways.ros2.types import RosTypes, dds_name, ros2_name

JAZZY = get_typestore(Stores.ROS2_JAZZY)
TYPES = RosTypes()
CODEC = CdrCodec(TYPES)
_WITH_CHAR = ("service_msgs", "rmw_dds_common")
"""Packages with a `char`, which rosidl describes as `uint8` and rosbags does not; the hash of a service has one."""
COMMON = [name for name in TYPES.names if name in JAZZY.fielddefs and not name.startswith(_WITH_CHAR)]
FLOATS = st.floats(allow_nan=False)


@pytest.mark.parametrize("name", COMMON)
def test_hashes_are_those_of_ros(name: str) -> None:
    assert TYPES.hash(name) == JAZZY.hash_rihs01(name)


def test_the_hash_of_a_service_is_that_of_the_documentation_of_rmw_zenoh() -> None:
    types = RosTypes()
    types.add_services("example_interfaces/srv/AddTwoInts: int64 a, int64 b --- int64 sum")
    assert types.hash("example_interfaces/srv/AddTwoInts") == (
        "RIHS01_e118de6bf5eeb66a2491b5bda11202e7b68f198d6f67922cf30364858239c81a"
    )


def test_names_are_mangled_as_both_middlewares_do() -> None:
    assert dds_name(ros2_name("geometry_msgs/Twist")) == "geometry_msgs::msg::dds_::Twist_"
    assert ros2_name("std_srvs/srv/Empty") == "std_srvs/srv/Empty"


@given(st.floats(0, 2e9), st.text(max_size=9), st.lists(st.floats(width=32, allow_nan=False), max_size=40))
def test_a_scan_is_read_by_others_and_back(time: float, frame: str, ranges: list[float]) -> None:
    scan = messages.laser_scan(time, frame.replace("\0", ""), ranges, 1.5, math.inf)
    raw = CODEC.encoded("sensor_msgs/msg/LaserScan", scan)
    read = JAZZY.deserialize_cdr(raw, "sensor_msgs/msg/LaserScan")
    assert read.header.frame_id == frame.replace("\0", "")
    assert read.ranges.tolist() == [np.float32(value) for value in ranges]
    assert (read.header.stamp.sec, read.header.stamp.nanosec) == tuple(messages.stamp(time).values())
    assert bytes(JAZZY.serialize_cdr(read, "sensor_msgs/msg/LaserScan")) == raw
    assert CODEC.encoded("sensor_msgs/msg/LaserScan", CODEC.decoded("sensor_msgs/msg/LaserScan", raw)) == raw


@given(FLOATS, FLOATS, FLOATS, st.lists(st.text(max_size=5), max_size=4), st.booleans())
def test_texts_and_messages_in_messages_are_read_by_others_and_back(
    x: float, y: float, yaw: float, names: list[str], is_big: bool
) -> None:
    names = [name.replace("\0", "") for name in names]
    state = messages.joint_state(1.5, names, [x] * len(names), [y], [yaw])
    frames = {"transforms": [messages.transform(1.0, name, "b", messages.flat_pose(x, y, 0.5)) for name in names]}
    for kind, words in (("sensor_msgs/msg/JointState", state), ("tf2_msgs/msg/TFMessage", frames)):
        raw = CODEC.encoded(kind, words)
        read = JAZZY.deserialize_cdr(raw, kind)
        reference = bytes(JAZZY.serialize_cdr(read, kind, little_endian=not is_big))
        assert is_big or reference == raw
        assert CODEC.encoded(kind, CODEC.decoded(kind, reference)) == raw


def test_what_is_left_out_is_nothing_and_what_does_not_fit_is_named() -> None:
    raw = CODEC.encoded("geometry_msgs/msg/Twist", {})
    assert CODEC.decoded("geometry_msgs/msg/Twist", raw)["linear"] == {"x": 0.0, "y": 0.0, "z": 0.0}
    for words, says in (
        ({"linear": 3}, "linear: expected a message, got 3"),
        ({"linear": {"x": "fast"}}, "linear.x: expected a number that fits 'd', got 'fast'"),
    ):
        with pytest.raises(BadArgument, match=says):
            CODEC.encoded("geometry_msgs/msg/Twist", words)
    with pytest.raises(BadArgument, match="covariance: expected 36 values, got 2"):
        CODEC.encoded("geometry_msgs/msg/PoseWithCovariance", {"covariance": [1.0, 2.0]})
    with pytest.raises(BadArgument, match="frame_id: expected a text, got 3"):
        CODEC.encoded("std_msgs/msg/Header", {"frame_id": 3})
    with pytest.raises(BadArgument, match="no type 'a/msg/B' of ROS 2 is known"):
        CODEC.encoded("a/msg/B", {})


@given(st.binary(max_size=80))
def test_rubbish_is_a_message_or_refused(rubbish: bytes) -> None:
    for raw in (rubbish, b"\0\1\0\0" + rubbish):
        for kind in (
            "tf2_msgs/msg/TFMessage",
            "sensor_msgs/msg/JointState",
            "rmw_dds_common/msg/ParticipantEntitiesInfo",
        ):
            with contextlib.suppress(BadArgument):
                assert isinstance(CODEC.decoded(kind, raw), dict)


def test_lengths_beyond_what_came_cost_nothing() -> None:
    raw = b"\0\1\0\0" + struct.pack("<I", 0xFFFFFFFF) + bytes(8)
    for kind in ("tf2_msgs/msg/TFMessage", "std_msgs/msg/String"):
        with pytest.raises(BadArgument, match=r"more than came|longer than what came"):
            CODEC.decoded(kind, raw)
