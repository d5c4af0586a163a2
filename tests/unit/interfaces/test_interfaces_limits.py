"""Limits of commands: each value in the range of its field, each step a command of its own."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument
from coopsim.interfaces import Command, Effect, Field, Interface, check_steps, check_values, is_limited

TURN = Command(11, "turn", takes=(Field("angle", "rad", low=-3.0, high=3.0),), effect=Effect.SET)
GO = Command(
    12, "go", takes=(Field("place", "m", count=2), Field("speed", "m/s", low=0.0, high=1.0)), effect=Effect.SET
)
WAIT = Command(13, "wait", effect=Effect.SET)
STEPS = Field("steps", "1", count=12, steps=(11, 12, 13))
PLAN = Command(16, "plan", takes=(STEPS,), effect=Effect.SET)
WALKER = Interface("walker", "Walks.", (TURN, GO, WAIT, PLAN))
"""A row of its steps is a number and three values, as `go` takes most."""


def test_a_command_is_limited_where_one_of_its_fields_is() -> None:
    assert [is_limited(command) for command in WALKER.commands] == [True, True, False, True]
    assert not is_limited(Command(1, "x", takes=(Field("place", "m"),)))
    assert is_limited(Command(1, "x", takes=(Field("place", "m"), Field("mode", "1", choices=(0, 1)))))


@given(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.floats(0.0, 1.0))
def test_values_within_the_limits_of_their_own_fields_pass(x: float, y: float, speed: float) -> None:
    check_values(WALKER, GO, (x, y, speed))


@pytest.mark.parametrize("values", [(0.5, 0.5, 1.01), (0.5, 0.5, -0.01), (0.0, 0.0, float("nan"))])
def test_a_value_beyond_the_limits_of_its_own_field_is_refused(values: Sequence[float]) -> None:
    with pytest.raises(BadArgument, match="speed must lie within 0 and 1 m/s"):
        check_values(WALKER, GO, values)


def test_a_value_is_held_to_its_own_field_and_to_no_other() -> None:
    check_values(WALKER, GO, (7.0, -7.0, 0.5))
    with pytest.raises(BadArgument, match="angle"):
        check_values(WALKER, TURN, (7.0,))


def test_every_value_of_a_field_with_several_is_held_to_its_limits() -> None:
    lamps = Command(10, "light", takes=(Field("levels", "1", count=3, low=0.0, high=1.0),), effect=Effect.SET)
    check_values(Interface("lamp", "", (lamps,)), lamps, (0.0, 0.5, 1.0))
    for place in range(3):
        levels = [0.5] * 3
        levels[place] = 1.5
        with pytest.raises(BadArgument, match=r"levels must lie within 0 and 1, got 1\.5"):
            check_values(Interface("lamp", "", (lamps,)), lamps, levels)


def test_steps_are_commands_with_as_many_values_as_the_longest_one_takes() -> None:
    check_steps(WALKER, STEPS, (12, 4.0, 5.0, 0.5, 11, -1.0, 0, 0, 13, 0, 0, 0))


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ((14, 0, 0, 0), "step 1 of steps must be 11 turn, 12 go, 13 wait or 0 for the end, got 14"),
        ((11, 0, 0, 0, 11.5, 0, 0, 0), "step 2 of steps must be 11 turn, 12 go, 13 wait or 0 for the end, got 11.5"),
        ((16, 0, 0, 0), "step 1 of steps must be"),
        ((11, 4.0, 0, 0), "step 1 of steps, turn: angle must lie within -3 and 3 rad, got 4"),
        ((13, 0, 0, 0, 13, 0, 0, 0, 12, 0, 0, 2.0), "step 3 of steps, go: speed must lie within 0 and 1 m/s, got 2"),
    ],
)
def test_what_is_no_step_is_refused_with_its_number(values: Sequence[float], says: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        check_values(WALKER, PLAN, values)
    assert says in str(refusal.value)
    assert refusal.value.params[0] == "steps"


def test_values_that_a_step_does_not_use_may_be_anything() -> None:
    check_values(WALKER, PLAN, (11, 1.0, 99.0, 99.0, 13, 99.0, 99.0, 99.0))


def test_nothing_counts_behind_the_end() -> None:
    check_values(WALKER, PLAN, (13, 0, 0, 0, 0, 0, 0, 0, 99, 0, 0, 0))
    check_values(WALKER, PLAN, (0,) * 12)
    check_values(WALKER, PLAN, ())


def test_a_field_whose_steps_no_command_of_the_interface_has_refuses_all_but_the_end() -> None:
    strange = Field("steps", "1", count=2, steps=(99,))
    check_steps(WALKER, strange, (0.0,))
    with pytest.raises(BadArgument, match="step 1 of steps must be"):
        check_steps(WALKER, strange, (99.0,))
