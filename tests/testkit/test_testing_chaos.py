"""Decisions of a bad network, and where streams are cut."""

import struct

import pytest

from coopsim.errors import BadArgument
from coopsim.testkit import Chaos
from coopsim.testkit.chaos import REPLIES, REQUESTS
from coopsim.testkit.pieces import Cutter, PlainCutter, ZmtpCutter

GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"NULL".ljust(20, b"\0") + bytes(32)
READY = b"\x04\x06\x05READY"


def fates(chaos: Chaos, count: int = 2000, direction: str = REQUESTS, connection: int = 0) -> list[object]:
    return [chaos.fate(connection, direction, number) for number in range(count)]


def test_the_same_seed_decides_the_same() -> None:
    chaos = Chaos(5, drop=0.1, duplicate=0.1, reorder=0.1, cut=0.01, delay=(0.0, 0.1))
    assert fates(chaos) == fates(chaos)
    assert fates(chaos) != fates(Chaos(6, drop=0.1, duplicate=0.1, reorder=0.1, cut=0.01, delay=(0.0, 0.1)))
    assert fates(chaos) != fates(chaos, direction=REPLIES)
    assert fates(chaos) != fates(chaos, connection=1)


def test_each_probability_is_that_of_its_event_alone() -> None:
    fates = [Chaos(1, drop=0.3, reorder=0.2, cut=0.1).fate(0, REPLIES, number) for number in range(4000)]
    shares = [sum(chosen) / 4000 for chosen in zip(*((f.copies == 0, f.overtaken, f.cuts) for f in fates), strict=True)]
    assert shares == pytest.approx([0.3, 0.2, 0.1], abs=0.03)
    assert {fate.delay for fate in fates} == {0.0}


def test_raising_one_probability_leaves_the_other_decisions_as_they_were() -> None:
    few, many = Chaos(1, cut=0.1, drop=0.1), Chaos(1, cut=0.1, drop=0.6)
    pairs = [(few.fate(0, REQUESTS, number), many.fate(0, REQUESTS, number)) for number in range(500)]
    assert all(before.cuts == after.cuts for before, after in pairs)
    assert all(after.copies == 0 for before, after in pairs if before.copies == 0)


def test_delays_lie_within_their_range() -> None:
    delays = [Chaos(2, delay=(0.1, 0.3)).fate(0, REQUESTS, number).delay for number in range(500)]
    assert 0.1 <= min(delays) < 0.12
    assert 0.28 < max(delays) <= 0.3


def test_a_direction_that_is_not_named_is_spared() -> None:
    chaos = Chaos(1, drop=1.0, directions=(REPLIES,))
    assert chaos.fate(0, REQUESTS, 0).copies == 1
    assert chaos.fate(0, REPLIES, 0).copies == 0


@pytest.mark.parametrize(
    "wrong",
    [
        {"drop": 1.5},
        {"cut": -0.1},
        {"duplicate": float("nan")},
        {"delay": (0.2, 0.1)},
        {"delay": (-1.0, 0.1)},
        {"hold": -1.0},
        {"directions": ("up",)},
    ],
)
def test_impossible_settings_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadArgument):
        Chaos(**wrong)  # type: ignore[arg-type]


def cut(cutter: Cutter, stream: bytes, size: int) -> list[tuple[bytes, bool]]:
    pieces = [
        (piece.raw, piece.is_message)
        for start in range(0, len(stream), size)
        for piece in cutter.feed(stream[start : start + size])
    ]
    assert b"".join(raw for raw, _ in pieces) == stream
    return pieces


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_plain_messages_are_cut_behind_their_lengths(size: int) -> None:
    bodies = [b"", b"one", b"x" * 300]
    messages = [struct.pack(">I", len(body)) + body for body in bodies]
    assert cut(PlainCutter(), b"".join(messages), size) == [(message, True) for message in messages]


@pytest.mark.parametrize("size", [1, 11, 1000])
def test_zmtp_handshakes_pass_and_the_frames_of_a_message_stay_together(size: int) -> None:
    long = b"\x02" + struct.pack(">Q", 300) + b"y" * 300
    parts = b"\x01\x02ab" + b"\x00\x01c"
    pieces = cut(ZmtpCutter(), GREETING + READY + long + parts, size)
    assert [raw for raw, is_message in pieces if is_message] == [long, parts]
    assert b"".join(raw for raw, is_message in pieces if not is_message) == GREETING + READY


def test_a_greeting_passes_before_it_is_complete() -> None:
    assert [piece.raw for piece in ZmtpCutter().feed(GREETING[:10])] == [GREETING[:10]]


@pytest.mark.parametrize("stream", [b"GET / HTTP/1.1\r\n\r\n", b"\xff" + bytes(8) + b"\x7f\x01rest"])
@pytest.mark.parametrize("size", [1, 1000])
def test_another_protocol_passes_as_it_comes(stream: bytes, size: int) -> None:
    assert all(not is_message for _, is_message in cut(ZmtpCutter(), stream, size))
