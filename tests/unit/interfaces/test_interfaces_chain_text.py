"""The joints of an arm as text: what is written is read again bit by bit, what is none is refused."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.interfaces.chain_text import Chain, ChainJoint

NUMBER = st.floats(allow_nan=False)
NAME = st.text("abcdefghijklmnopqrstuvwxyz_0123456789", min_size=1, max_size=9)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER)
JOINT = st.builds(ChainJoint, NAME, st.sampled_from(("hinge", "slide")), VECTOR, VECTOR, NUMBER, NUMBER, NUMBER)
TOOL = st.tuples(*[NUMBER] * 7)
ELBOW = "elbow hinge 0.0 0.0 0.5 0.0 1.0 0.0 -1.5 1.5 2.0"
HAND = "tool 0.0 0.0 1.0 1.0 0.0 0.0 0.0"


@given(st.lists(JOINT, max_size=8).map(tuple), TOOL)
def test_what_is_written_is_read_again_bit_by_bit(joints: tuple[ChainJoint, ...], tool: tuple[float, ...]) -> None:
    chain = Chain(joints, tool)  # type: ignore[arg-type]
    assert Chain.from_text(chain.to_text()) == chain


def test_the_parts_stand_in_the_published_order() -> None:
    chain = Chain.from_text(f"{ELBOW}; {HAND}")
    assert chain.joints == (ChainJoint("elbow", "hinge", (0.0, 0.0, 0.5), (0.0, 1.0, 0.0), -1.5, 1.5, 2.0),)
    assert chain.tool == (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0)
    assert chain.to_text() == f"{ELBOW}; {HAND}"


def test_a_joint_without_limits_has_infinite_ones() -> None:
    joint = ChainJoint("lift", "slide", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    read = Chain.from_text(Chain((joint,), (0.0,) * 7).to_text()).joints[0]
    assert (read.low, read.high, read.fastest) == (-math.inf, math.inf, math.inf)


def test_an_arm_without_joints_is_its_tool() -> None:
    assert Chain.from_text(HAND).joints == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        ";",
        "tool",
        "tool 0 0 0 1 0 0",
        "tool 0 0 0 1 0 0 0 0",
        "tool 0 0 zero 1 0 0 0",
        f"{ELBOW}",
        f"elbow hinge 0 0 0.5 0 1 0 -1.5 1.5; {HAND}",
        f"{ELBOW} 3.0; {HAND}",
        f"elbow hinge 0 0 a 0 1 0 -1.5 1.5 2; {HAND}",
        f"; {HAND}",
        f"elbow; {HAND}",
    ],
)
def test_what_is_no_chain_is_refused(text: str) -> None:
    with pytest.raises(BadArgument, match="expected the joints of a chain and its tool, got"):
        Chain.from_text(text)


def test_a_long_text_is_not_repeated_whole_in_a_refusal() -> None:
    with pytest.raises(BadArgument) as refusal:
        Chain.from_text("x" * 100_000)
    assert len(str(refusal.value)) < 200
