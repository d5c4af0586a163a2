"""Bottles as bytes and as text: golden bytes of real ports, round trips, and bytes that are none."""

import contextlib
import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.features.gateways.yarp import bottle
from coopsim.features.gateways.yarp.bottle import Vocab

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
VOCABS = st.text("abcdefghij", min_size=1, max_size=8).map(Vocab)
LEAVES = (
    st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | TEXTS
    | st.booleans()
    | VOCABS
    | st.binary(max_size=6)
)
VALUES = st.lists(st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4), max_leaves=8), max_size=5)
GOLDEN = {
    "1 2 3": "01010000 03000000 01000000 02000000 03000000",
    "": "00010000 00000000",
    "hello 1 2.5 (1 2) (a b) [ok] true": (
        "00010000 07000000 04000000 05000000 68656c6c6f 01000000 01000000 14000000 0000000000000440"
        " 01010000 02000000 01000000 02000000 04010000 02000000 01000000 61 01000000 62 09000000 6f6b0000"
        " 09000000 31000000"
    ),
}


@pytest.mark.parametrize("line", GOLDEN)
def test_bytes_are_those_of_real_ports(line: str) -> None:
    raw = bytes.fromhex(GOLDEN[line])
    assert bottle.packed(bottle.parsed(line)) == raw
    assert bottle.text(bottle.unpacked(raw)) == line


@given(VALUES)
def test_bytes_and_text_bring_back_what_was_said(values: list) -> None:
    for back in (bottle.unpacked(bottle.packed(values)), bottle.parsed(bottle.text(values))):
        assert back == values
        assert [type(value) for value in back] == [type(value) for value in values]


@given(st.binary(max_size=80))
def test_any_bytes_are_a_bottle_or_refused(raw: bytes) -> None:
    for candidate in (raw, struct.pack("<i", 256) + raw, struct.pack("<ii", 256 + 20, 3) + raw):
        with contextlib.suppress(BadArgument):
            bottle.unpacked(candidate)


@given(st.text(max_size=60) | st.text('(){}"\\ 1a.[]', max_size=40))
def test_any_line_is_a_bottle_or_refused(line: str) -> None:
    with contextlib.suppress(BadArgument):
        assert isinstance(bottle.parsed(line), list)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (struct.pack("<ii", 256, 2**31 - 1), "says that it has 2147483647 items"),
        (struct.pack("<ii", 256, -1), "says that it has -1 items"),
        (struct.pack("<iiii", 256, 1, 4, 2**30), "says that 1073741824 more follow"),
        (struct.pack("<iii", 256, 1, 7), "no value has the code 7"),
        (struct.pack("<i", 20), "expected a bottle"),
        (struct.pack("<ii", 256, 0) + b"x", "a bottle of 8 bytes came in 9"),
        (struct.pack("<ii", 256, 1) * 40 + struct.pack("<ii", 256, 0), "deeper than 32"),
        (b"", "says that 4 more follow"),
    ],
)
def test_what_lies_about_its_size_takes_no_memory(raw: bytes, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        bottle.unpacked(raw)


@pytest.mark.parametrize("line", ["(1 2", '"open', "{1 300}", "{a}", "(" * 50 + ")" * 50])
def test_lines_that_are_left_open_are_refused(line: str) -> None:
    with pytest.raises(BadArgument):
        bottle.parsed(line)


def test_numbers_are_read_as_yarp_writes_them() -> None:
    assert bottle.parsed("12 0x1F 1e3 -.5 inf -inf 99999999999 a.b-c") == [
        12, 31, 1000.0, -0.5, math.inf, -math.inf, 99999999999, "a.b-c",
    ]  # fmt: skip
    assert bottle.is_open("(1 2")
    assert bottle.is_open("a \\")
    assert not bottle.is_open('"(" (1)')
    assert bottle.unpacked(struct.pack("<iiii", 256, 1, 4, 3) + b"ab\0") == ["ab"]
    with pytest.raises(BadArgument, match="64 bits"):
        bottle.packed([2**64])
