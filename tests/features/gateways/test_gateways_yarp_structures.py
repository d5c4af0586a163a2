"""Bytes of YARP's frames, and structures as its generated code writes them, taken from its sources and its ports."""

import asyncio
import math
import struct

import pytest

from coopsim.features.gateways import messages
from coopsim.features.gateways.yarp import bottle, datagrams, devices, structures, wire
from coopsim.features.gateways.yarp.bottle import Vocab
from coopsim.features.gateways.yarp.structures import OK, Structure

ONE = "01000000"
LIST_OF_ONE = "00010000" + ONE
INDEX = "59410a0000005250"


def raw(text: str) -> bytes:
    return bytes.fromhex(text)


def written(carrier: str, *, answer: Structure | list | None = None, values: list | None = None) -> bytes:
    """Return what a connection writes: an answer and its acknowledgement, or data with an envelope."""

    async def writing() -> bytes:
        reader, sink = asyncio.StreamReader(), Sink()
        reader.feed_data(wire.number(0) if carrier == wire.TCP else b"<ACK>\r\n")
        connection = wire.PortConnection(reader, sink, carrier, "/peer")  # type: ignore[arg-type]
        if values is not None:
            await connection.send(bottle.packed(values), "17 1.7")
        else:
            connection.reply(answer or [])
            connection.acknowledge()
        return sink.raw

    return asyncio.run(writing())


class Sink:
    """What is written to a connection."""

    def __init__(self) -> None:
        self.raw = b""

    def write(self, raw: bytes) -> None:
        self.raw += raw

    async def drain(self) -> None:
        pass


BINARY = raw(
    INDEX + "0201" + "ff" * 8 + "11000000" + "0c000000" + "00000000"
    "09000000" "7e000001" "44203137 20312e37 00" "01010000" + ONE + "05000000"
)  # fmt: skip
"""`5` with the envelope `17 1.7`."""


@pytest.mark.parametrize(
    ("carrier", "sent"),
    [(wire.TCP, BINARY), (wire.FAST_TCP, BINARY), (wire.TEXT, b"D 17 1.7\r\n5\r\n"),
     (wire.TEXT_ACK, b"D 17 1.7\r\n5\r\n")],
)  # fmt: skip
def test_data_leave_with_their_envelope_in_each_carrier(carrier: str, sent: bytes) -> None:
    assert written(carrier, values=[5]) == sent


@pytest.mark.parametrize(
    ("carrier", "sent"),
    [(wire.TCP, raw("09010000 01000000 6f6b0000 5941000000005250")),
     (wire.FAST_TCP, raw("09010000 01000000 6f6b0000")), (wire.TEXT, b"[ok]\r\n"),
     (wire.TEXT_ACK, b"[ok]\r\n<ACK>\r\n")],
)  # fmt: skip
def test_answers_are_bare_bottles_before_their_acknowledgement(carrier: str, sent: bytes) -> None:
    assert written(carrier, answer=[Vocab("ok")]) == sent


def test_a_port_parts_as_real_ones_do() -> None:
    assert raw(INDEX + "0101" + "ff" * 8 + "0a000000 00000000 02000000 7e000001 7100") == wire.FAREWELL


def test_datagrams_tell_their_checksum_and_their_place() -> None:
    (only,) = datagrams.datagrams(b"123456789")
    assert only == raw("2639f4cb00000000") + b"123456789"  # the checksum that all tables of CRC-32 give
    first, second = datagrams.datagrams(bytes(70_000))
    assert len(first) == 65_507
    assert struct.unpack("<i", second[4:8]) == (1,)
    assert len(first) + len(second) == 70_000 + 16


def test_results_of_calls_tell_the_kind_of_each_item() -> None:
    word = LIST_OF_ONE + "09000000" + "6f6b0000"
    assert structures.result(OK).raw == raw(word)
    double = "14000000" + struct.pack("<d", 0.5).hex()
    assert structures.result(OK, 0.5).raw == raw("0001000002000000" + word + double)
    assert written(wire.TEXT, answer=structures.result(OK, 0.5)) == b"([ok]) 0.5\r\n"


def test_the_version_of_a_protocol_is_four_short_numbers() -> None:
    assert written(wire.FAST_TCP, answer=structures.PROTOCOL_VERSION) == raw(LIST_OF_ONE + "00" * 8)
    assert written(wire.TEXT, answer=structures.PROTOCOL_VERSION) == b"0 0 0 0\r\n"


def test_a_scan_is_a_structure_whose_end_is_one_ray_behind_the_last() -> None:
    message = messages.laser_scan(1.0, "scanner", [1.0, math.inf, 3.0], math.pi, 4.0)
    scan = devices.streamed("sensor_msgs/LaserScan", message)
    assert isinstance(scan, Structure)
    numbers = b"".join(b"\x14\0\0\0" + struct.pack("<d", value) for value in (-90.0, 180.0, 0.0, 4.0))
    vector = raw("1401000003000000") + struct.pack("<3d", 1.0, math.inf, 3.0)
    assert scan.raw == raw("0001000006000000") + numbers + vector + raw("0100000001000000")
    assert bottle.unpacked(scan.raw) == scan.values


def test_odometry_turns_into_degrees_and_into_the_frame_of_the_start() -> None:
    place = messages.flat_pose(1.0, 2.0, math.pi / 2.0)
    speeds = messages.twist((0.3, 0.1, 0.0), (0.0, 0.0, math.pi))
    odometry = devices.streamed("nav_msgs/Odometry", messages.odometry(0.0, ("odom", "base"), place, speeds))
    assert isinstance(odometry, Structure)
    assert odometry.values == pytest.approx([1.0, 2.0, 90.0, 0.3, 0.1, 180.0, -0.1, 0.3, 180.0])
    assert odometry.raw[:8] == raw("0001000009000000")
