"""What is said once: indices of columns and commands, settings and their parameters, places and tables of fields."""

import json
from dataclasses import dataclass

import pytest

from coopsim.errors import BadArgument
from coopsim.interfaces import (
    MOTORS,
    ODOMETRY,
    TARGET,
    Command,
    Field,
    Interface,
    Parameter,
    columns,
    command_numbers,
    parameters_of,
    reading_columns,
    setting,
)


@dataclass(frozen=True, slots=True)
class Walking:
    """How to walk."""

    pace: float = setting(0.5, "m/s", 0.0, 2.0, "how fast")
    steps: int = setting(3, low=0)


@dataclass(frozen=True, slots=True)
class Running(Walking):
    """How to run."""

    style: str = setting("trot", choices=("trot", "gallop"))


def test_a_settings_class_says_its_parameters_once() -> None:
    assert parameters_of(Running) == (
        Parameter("pace", float, 0.5, "m/s", 0.0, 2.0, "how fast"),
        Parameter("steps", int, 3, low=0),
        Parameter("style", str, "trot", choices=("trot", "gallop")),
    )


def test_settings_are_plain_values_with_defaults() -> None:
    assert Running() == Running(pace=0.5, steps=3, style="trot")
    with pytest.raises(BadArgument, match="lie within 0 and 2 m/s"):
        parameters_of(Walking)[0].check(3.0)


def test_columns_are_the_numbers_of_an_interface_in_its_order() -> None:
    assert columns(MOTORS)._asdict() == {parameter.name: row for row, parameter in enumerate(MOTORS.parameters)}
    assert "robots" not in columns(TARGET)._fields  # it is text
    assert command_numbers(MOTORS).set_wheel_speeds == 11


def test_the_unit_decides_the_place_unless_the_field_says_it() -> None:
    assert (Field("x", "m").place, Field("name").place) == ("data", "params")
    assert Field("key", "s", place="params").place == "params"


def test_an_index_of_robots_is_a_number_and_its_unit_on_the_wire_says_what_it_refers_to() -> None:
    occupants = TARGET.command("names").gives[1]
    assert (occupants.unit, occupants.refers_to, occupants.wire_unit) == ("1", "robot", "robot")
    assert Field("who", "robot") == Field("who", "1", refers_to="robot")


def test_a_table_has_rows_and_named_columns() -> None:
    targets = TARGET.command("targets").gives[0]
    assert targets.columns == ("distance", "angle", "seen")
    assert (targets.shape({"targets": 6}), Field("x", "m", count=4).shape({})) == ((2, 3), (4,))
    plain = json.loads(TARGET.to_json({"targets": 6}))["commands"][0]["gives"][0]
    assert list(plain)[-1] == "columns"


def test_describe_says_of_a_device_what_it_said_before_where_nothing_is_new() -> None:
    plain = json.loads(Interface("plain", "It.", (Command(10, "look", gives=(Field("x", "m"),)),)).to_json())
    assert list(plain) == ["kind", "summary", "commands", "parameters"]
    assert list(plain["commands"][0]["gives"][0]) == ["name", "unit", "summary", "in", "count"]


def test_readings_have_their_columns_by_name() -> None:
    assert reading_columns(ODOMETRY)._fields == tuple(field.name for field in ODOMETRY.readings)
    assert reading_columns(ODOMETRY).heading == 2
