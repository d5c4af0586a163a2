"""Values of parameters and fields: what is taken, in which type, and what is refused with its limits."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.errors import BadArgument, NoSuchCommand
from coopsim.interfaces import MOTORS, ODOMETRY, SONARS, TARGET, Command, Effect, Field, Interface, Parameter
from coopsim.interfaces._interface import count, width

SPEED = Parameter("speed", float, 0.5, "m/s", 0.0, 2.0)
COUNT = Parameter("count", int, 3, low=1)
STYLE = Parameter("style", str, "trot", choices=("trot", "gallop"))
ANGLES = Parameter("angles", str, "0", "deg", -90.0, 90.0, each="count")


@given(st.floats(0.0, 2.0))
def test_a_number_within_the_limits_is_taken_as_it_is(value: float) -> None:
    assert SPEED.check(value) == value


@given(st.one_of(st.floats(max_value=-1e-9), st.floats(min_value=2.0 + 1e-9)).filter(math.isfinite))
def test_a_number_beyond_them_is_refused_with_both(value: float) -> None:
    with pytest.raises(BadArgument, match="speed must lie within 0 and 2 m/s, got") as caught:
        SPEED.check(value)
    assert caught.value.params == ("speed", 0.0, 2.0)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, True, "fast", ""])
def test_what_is_no_finite_number_is_refused(value: Any) -> None:
    for parameter in (SPEED, COUNT):
        with pytest.raises(BadArgument, match=f"{parameter.name} must be a finite number, got"):
            parameter.check(value)


@given(st.integers(1, 2**63 - 1))
def test_whole_numbers_stay_whole_however_they_are_written(value: int) -> None:
    taken = COUNT.check(value)
    assert (taken, type(taken)) == (value, int)
    if value < 2**53:
        assert COUNT.check(float(value)) == value
        assert isinstance(COUNT.check(float(value)), int)


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (2.5, "count must be a whole number, got 2.5"),
        (0, "count must be at least 1, got 0"),
        (2**63, "count must fit 64 bits"),
        (-(2**63) - 1, "count must fit 64 bits"),
    ],
)
def test_whole_numbers_have_limits(value: float, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        COUNT.check(value)


def test_a_text_is_one_of_the_choices_or_the_default() -> None:
    assert STYLE.check("gallop") == "gallop"
    assert Parameter("style", str, "as before", choices=("trot",)).check("as before") == "as before"
    with pytest.raises(BadArgument, match="style must be one of trot, gallop, got 'fly'") as caught:
        STYLE.check("fly")
    assert caught.value.params == ("style", "trot", "gallop")
    with pytest.raises(BadArgument, match="style must be text, got 3"):
        STYLE.check(3)


def test_a_long_text_is_not_repeated_whole_in_a_refusal() -> None:
    with pytest.raises(BadArgument) as caught:
        STYLE.check("x" * 10_000)
    assert len(str(caught.value)) < 300


@given(st.lists(st.floats(-90.0, 90.0), min_size=1, max_size=9))
def test_a_text_of_numbers_has_one_for_all_or_one_for_each(numbers: list[float]) -> None:
    text = " ".join(map(repr, numbers))
    assert ANGLES.check(text) == text
    assert ANGLES.spread({"angles": text, "count": len(numbers)}) == tuple(numbers)
    assert ANGLES.spread({"angles": repr(numbers[0]), "count": 5}) == (numbers[0],) * 5
    assert ANGLES.spread({"count": 2}) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1 two", "angles expects numbers, got 'two'"),
        ("91", "angles must lie within -90 and 90 deg"),
        ("nan", "finite"),
    ],
)
def test_a_text_of_numbers_is_held_to_their_limits(text: str, says: str) -> None:
    with pytest.raises(BadArgument, match=says):
        ANGLES.check(text)


@pytest.mark.parametrize("text", ["1 2", "", "1 2 3 4"])
def test_as_many_numbers_as_there_are_or_one(text: str) -> None:
    with pytest.raises(BadArgument, match="angles takes 1 value, or 3, as many as count says, got"):
        ANGLES.spread({"angles": text, "count": 3})


def test_fields_hold_a_number_of_values_or_as_many_as_a_count_says() -> None:
    (ranges,) = SONARS.readings
    assert (count(ranges, {"count": 7}), ranges.shape({"count": 7})) == (7, (7,))
    assert count(ranges, {}) == 0
    table = Field("places", "m", count="values", columns=("x", "y"))
    assert table.shape({"values": 6}) == (3, 2)
    assert width((ranges, table, Field("name")), {"count": 7, "values": 6}) == 13


def test_a_field_refuses_what_lies_outside_and_says_whether_it_is_limited() -> None:
    field = Field("v", "m/s", low=-1.0, high=1.0)
    assert (field.is_limited, Field("v", "m/s").is_limited) == (True, False)
    assert field.check(-1.0) == -1.0
    with pytest.raises(BadArgument, match=r"v must lie within -1 and 1 m/s, got 1\.5"):
        field.check(1.5)


def test_commands_are_found_by_name_and_number_and_others_are_told_with_those_that_there_are() -> None:
    assert MOTORS.command("set_velocity") is MOTORS.command(MOTORS.command("set_velocity").number)
    with pytest.raises(NoSuchCommand, match=r"differential_drive has no command fly; it has: .*set_velocity") as caught:
        MOTORS.command("fly")
    assert caught.value.params == ("fly",)
    with pytest.raises(NoSuchCommand, match=r"differential_drive has no parameter 'colour'; it has: .*max_speed"):
        MOTORS.parameter("colour")
    with pytest.raises(NoSuchCommand, match="it has: none"):
        Interface("empty", "").command(1)


def test_the_setting_of_a_step_is_the_first_command_that_sets() -> None:
    setting = MOTORS.setting
    assert setting is not None
    assert (setting.name, setting.effect) == ("set_velocity", Effect.SET)
    assert MOTORS.setting_width == 2
    assert (ODOMETRY.setting, ODOMETRY.setting_width) == (None, 0)


@pytest.mark.parametrize("interface", [MOTORS, SONARS, TARGET, ODOMETRY], ids=lambda interface: interface.kind)
def test_a_description_says_every_command_and_parameter_and_only_limits_that_there_are(interface: Interface) -> None:
    said = json.loads(interface.to_json({"count": 7}))
    assert [command["name"] for command in said["commands"]] == [command.name for command in interface.commands]
    for plain, parameter in zip(said["parameters"], interface.parameters, strict=True):
        assert (plain["name"], plain["default"], plain["fixed"]) == (parameter.name, parameter.default, parameter.fixed)
        assert plain["low"] == (parameter.low if math.isfinite(parameter.low) else None)
        assert ("choices" in plain) == bool(parameter.choices)
    for plain, command in zip(said["commands"], interface.commands, strict=True):
        assert plain["effect"] == command.effect.value
        assert [field["unit"] for field in plain["takes"]] == [field.wire_unit for field in command.takes]


def test_an_index_of_robots_is_called_so_on_the_wire() -> None:
    field = Field("target", "robot")
    assert (field.unit, field.refers_to, field.wire_unit, field.place) == ("1", "robot", "robot", "data")
    assert Command(1, "shoot", takes=(field,)).takes_data
    assert not Command(1, "say", takes=(Field("text"),)).takes_data
