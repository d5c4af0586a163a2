"""Messages of ROS 1: the sums of real ROS, values to bytes and back, and what is no message."""

import struct
from typing import Any

import pytest

from coopsim.errors import BadArgument
from coopsim.features.ros1 import MessageTypes

SUMS = {  # as the headers of ROS have them
    "std_msgs/Header": "2176decaecbce78abc3b96ef049fabed",
    "std_msgs/Float64": "fdb28210bfa9d7c91146260178d9a584",
    "std_msgs/String": "992ce8a1687cec8c8bd883ec73ca41d1",
    "std_msgs/Float64MultiArray": "4b7d974086d4060e7db4613a7e6c3ba4",
    "rosgraph_msgs/Clock": "a9c97c1d230cfc112e270351a944ee47",
    "geometry_msgs/Twist": "9f195f881246fdfa2798d1d3eebca84a",
    "geometry_msgs/PoseStamped": "d3812c3cbc69362b77dc0b19b345f8f5",
}
LOG = """# rosgraph_msgs/Log
byte DEBUG=1 #debug level
byte INFO=2  #general level
byte WARN=4  #warning level
byte ERROR=8 #error level
byte FATAL=16 #fatal/critical level
Header header
byte level
string name # name of the node
string msg # message
string file # file the message came from
string function # function the message came from
uint32 line # line the message came from
string[] topics # topic names that the node publishes
"""


@pytest.fixture
def types() -> MessageTypes:
    return MessageTypes()


@pytest.mark.parametrize(("name", "wanted"), SUMS.items())
def test_sums_are_those_of_ros(types: MessageTypes, name: str, wanted: str) -> None:
    assert types.sum(name) == wanted


def test_a_type_is_added_by_its_definition(types: MessageTypes) -> None:
    types.add("rosgraph_msgs/Log", LOG)
    assert types.sum("rosgraph_msgs/Log") == "acffd30cd6b6de30f120938c17c593fb"
    raw = types.encoded("rosgraph_msgs/Log", {"level": 4, "msg": "héllo", "topics": ["/a", "/b"]})
    assert types.decoded("rosgraph_msgs/Log", raw)["topics"] == ["/a", "/b"]
    assert types.decoded("rosgraph_msgs/Log", raw)["msg"] == "héllo"


def test_values_come_back(types: MessageTypes) -> None:
    types.add("a/Pair", "int8[2] small\nstd_msgs/Bool[] flags\nduration d")
    values = {"small": [-3, 4], "flags": [{"data": True}, {"data": False}], "d": -0.25}
    assert types.decoded("a/Pair", types.encoded("a/Pair", values)) == values
    twist = types.encoded("geometry_msgs/Twist", {"linear": {"x": 0.5}})
    assert twist == struct.pack("<6d", 0.5, 0, 0, 0, 0, 0)
    stamp = types.encoded("rosgraph_msgs/Clock", {"clock": 1.75})
    assert stamp == struct.pack("<II", 1, 750_000_000)


def test_the_text_of_a_type_has_all_that_it_is_made_of(types: MessageTypes) -> None:
    first, *parts = types.text("geometry_msgs/Twist").split("\n" + "=" * 80 + "\n")
    assert first == "Vector3 linear\nVector3 angular"
    assert parts == ["MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z"]


@pytest.mark.parametrize(
    ("name", "values", "said"),
    [
        ("geometry_msgs/Twist", {"linear": {"X": 1.0}}, "geometry_msgs/Vector3 has no field 'X'; it has x, y, z"),
        ("geometry_msgs/Twist", {"linear": 3}, "linear of geometry_msgs/Twist is a geometry_msgs/Vector3, got 3"),
        ("std_msgs/Float64", {"data": "fast"}, "data of std_msgs/Float64 is a float64, got 'fast'"),
        ("std_msgs/Int32", {"data": 1 << 40}, "data of std_msgs/Int32 is a int32"),
        ("std_msgs/Header", {"stamp": -1.0}, "stamp of std_msgs/Header is a time, got -1.0"),
        ("std_msgs/Char", {}, "no message type 'std_msgs/Char' is known here"),
        ("a/Three", {"of": [1]}, "of of a/Three takes 3 values, got 1"),
    ],
)
def test_values_that_do_not_fit_are_refused(types: MessageTypes, name: str, values: dict[str, Any], said: str) -> None:
    types.add("a/Three", "int8[3] of")
    with pytest.raises(BadArgument) as refused:
        types.encoded(name, values)
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "0 bytes are too few for a message std_msgs/Float64MultiArray"),
        (struct.pack("<III", 0, 0, 1 << 31), "data has 2147483648 elements, more than came"),
        (struct.pack("<II", 1, 1 << 30), "a text has 1073741824 bytes, more than came"),
        (struct.pack("<III", 0, 0, 0) + b"x", "has 12 bytes, got 13"),
        (struct.pack("<III", 0, 0, 3) + bytes(8), "20 bytes are too few"),
    ],
)
def test_bytes_that_are_no_message_are_refused(types: MessageTypes, raw: bytes, said: str) -> None:
    with pytest.raises(BadArgument, match=said):
        types.decoded("std_msgs/Float64MultiArray", raw)


@pytest.mark.parametrize("line", ["float64", "Nothing it", "other_msgs/It it", "float64 1x y"])
def test_a_line_that_is_no_field_is_refused(types: MessageTypes, line: str) -> None:
    with pytest.raises(BadArgument):
        types.add("a/B", line)
