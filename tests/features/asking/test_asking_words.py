import numpy as np
import pytest

from coopsim.errors import BadArgument
from coopsim.features.asking.words import parse, shown, taken_by_default
from coopsim.interfaces import COMMON, MOTORS, STEP, WORLD, Field

SET_VELOCITY = MOTORS.command("set_velocity")


def test_values_come_in_their_order_or_by_name() -> None:
    assert parse(SET_VELOCITY, ["0.3", "-0.1"]) == {"v": 0.3, "w": -0.1}
    assert parse(SET_VELOCITY, ["w=0.5"]) == {"w": 0.5}
    assert parse(SET_VELOCITY, ["w=0.5", "1"]) == {"v": 1.0, "w": 0.5}
    assert parse(SET_VELOCITY, []) == {}


def test_a_number_of_a_parameter_is_a_number_and_a_word_is_a_word() -> None:
    set_parameter = next(command for command in COMMON if command.name == "set_parameter")
    assert parse(set_parameter, ["noise", "0.05"]) == {"name": "noise", "value": 0.05}
    assert parse(set_parameter, ["robots", "robot2"]) == {"name": "robots", "value": "robot2"}
    assert parse(set_parameter, ["count", "3"])["value"] == 3


def test_a_text_with_an_equals_sign_is_a_text() -> None:
    assert parse(WORLD.command("update"), ["wall_1", "color=red"]) == {"name": "wall_1", "text": "color=red"}


def test_a_field_of_any_number_takes_what_the_others_leave() -> None:
    assert parse(STEP.command("claim"), ["robot1", "robot2"]) == {"robots": ["robot1", "robot2"]}


def test_too_many_values_say_what_the_command_takes() -> None:
    with pytest.raises(BadArgument, match=r"set_velocity takes v \[m/s\], w \[rad/s\]; remove 7"):
        parse(SET_VELOCITY, ["1", "2", "7"])


def test_a_word_where_a_number_is_due_is_refused() -> None:
    with pytest.raises(BadArgument, match=r"v \[m/s\] must be a number, got 'fast'"):
        parse(SET_VELOCITY, ["fast"])


def test_values_are_shown_with_their_units() -> None:
    assert shown(Field("v", "m/s"), 0.1 + 0.2) == "0.3 m/s"
    assert shown(Field("ranges", "m", count=3), np.array([1.0, 2.5, 3.0])) == "1 2.5 3 m"
    assert shown(Field("names", count=0), ("/robot1", "/sim")) == "/robot1 /sim"
    assert shown(Field("kind"), "sonars") == "sonars"


def test_physical_values_that_were_left_out_are_known() -> None:
    assert [field.name for field in taken_by_default(SET_VELOCITY, parse(SET_VELOCITY, ["0.3"]))] == ["w"]
    assert taken_by_default(SET_VELOCITY, parse(SET_VELOCITY, ["0.3", "w=0"])) == []
    assert taken_by_default(MOTORS.command("stop"), {}) == []
