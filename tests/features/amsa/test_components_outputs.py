"""Results of behaviors as values of a leaf's outputs: every form that says which is which, and nothing else."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import PluginFailed
from coopsim.features.amsa.components.model import Leaf, LeafKind, Port, Template
from coopsim.features.amsa.components.outputs import outputs_of


def leaf(**ports: str) -> Leaf:
    """Return a leaf whose outputs have these types."""
    template = Template("Source", outputs=tuple(Port(name, type_name) for name, type_name in ports.items()))
    return Leaf("source", template, LeafKind.SENSOR, Fraction(10))


TWO = leaf(speed="double", count="int")


@pytest.mark.parametrize(
    "returned",
    [
        {"speed": 0.5, "count": 3},
        {"count": 3, "speed": 0.5},
        (0.5, 3),
        [0.5, 3],
        (0.5, 3.0),
        (np.float64(0.5), np.int64(3)),
    ],
)
def test_values_come_by_name_or_in_the_order_of_the_template(returned: Any) -> None:
    values = outputs_of(TWO, returned)
    assert values == [0.5, 3]
    assert [type(value) for value in values] == [float, int]


def test_one_output_needs_no_name_and_none_nothing() -> None:
    assert outputs_of(leaf(speed="double"), 2) == [2.0]
    assert outputs_of(leaf(speed="double"), (2.0,)) == [2.0]
    assert outputs_of(leaf(speed="double"), {"speed": 2.0}) == [2.0]
    assert outputs_of(leaf(), None) == []
    assert outputs_of(leaf(), ()) == []


@pytest.mark.parametrize(
    ("type_name", "returned", "expected"),
    [
        ("double", True, 1.0),
        ("int", 4.0, 4),
        ("bool", 0, False),
        ("bool", "x", True),
        ("text", "", ""),
        ("text", "ß", "ß"),
    ],
)
def test_each_type_takes_what_means_one_of_its_values(type_name: str, returned: Any, expected: Any) -> None:
    (value,) = outputs_of(leaf(it=type_name), returned)
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("type_name", "returned", "wanted"),
    [
        ("double", math.nan, "a finite number"),
        ("double", math.inf, "a finite number"),
        ("double", "1.0", "a finite number"),
        ("double", None, "a finite number"),
        ("int", 1.5, "int"),
        ("int", "1", "int"),
        ("int", math.inf, "int"),
        ("text", 1, "text"),
    ],
)
def test_what_is_no_value_of_the_type_is_named_with_the_output(type_name: str, returned: Any, wanted: str) -> None:
    with pytest.raises(PluginFailed, match=f"component source: output it must be {wanted}, got"):
        outputs_of(leaf(it=type_name), returned)


@pytest.mark.parametrize(
    "returned", [None, 1.0, (1.0,), (1.0, 2, 3), {"speed": 1.0}, {"speed": 1.0, "count": 1, "more": 2}]
)
def test_other_numbers_of_values_are_refused_with_the_names_of_the_outputs(returned: Any) -> None:
    with pytest.raises(PluginFailed, match="component source: do_step must return speed, count, got"):
        outputs_of(TWO, returned)
    if returned is not None:
        with pytest.raises(PluginFailed, match="do_step must return nothing, got"):
            outputs_of(leaf(), returned)


class Rude:
    """Cannot be shown."""

    def __repr__(self) -> str:
        raise RuntimeError("no")


def test_what_cannot_be_shown_and_what_is_long_stays_short_in_the_mistake() -> None:
    with pytest.raises(PluginFailed, match=r"\(cannot be shown: RuntimeError\)"):
        outputs_of(TWO, Rude())
    with pytest.raises(PluginFailed) as caught:
        outputs_of(TWO, "x" * 10_000)
    assert len(str(caught.value)) < 250


def step() -> None:
    """Stands for the step of a behavior."""


def test_a_mistake_names_the_place_of_the_step() -> None:
    with pytest.raises(PluginFailed, match=r"test_components_outputs\.py:\d+: .*component source"):
        outputs_of(TWO, None, step)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-(2**53), 2**53))
def test_numbers_pass_unchanged(speed: float, count: int) -> None:
    assert outputs_of(TWO, (speed, count)) == [speed, count]
    assert outputs_of(TWO, {"speed": speed, "count": float(count)}) == [speed, count]
