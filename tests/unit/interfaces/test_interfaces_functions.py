"""Parameters out of functions and classes, and those that sensors share."""

from typing import Any

import pytest

from coopsim.errors import BadArgument
from coopsim.features.sensors.interfaces import GPS
from coopsim.interfaces import CLOCK, Parameter, columns, command_numbers, number_names, parameters_of_function
from coopsim.interfaces.ports import Input
from coopsim.interfaces.sampling import BUFFER, FIX_FIELDS, TIMING, receiver_parameters, sampling_parameters


def follow(robot: Any, gain: float = 0.5, tries: int = 3, side: str = "left", *rest: Any, **more: Any) -> None:
    """Follow somebody."""


class Follower:
    def __init__(self, gain: float = 0.5, *, side: str = "left") -> None:
        self.gain, self.side = gain, side


def test_a_law_takes_what_stands_behind_its_robot() -> None:
    assert parameters_of_function(follow) == (
        Parameter("gain", float, 0.5),
        Parameter("tries", int, 3),
        Parameter("side", str, "left"),
    )


def test_a_class_takes_all_that_its_constructor_does() -> None:
    assert [parameter.name for parameter in parameters_of_function(Follower)] == ["gain", "side"]


def test_what_says_nothing_of_its_arguments_has_no_parameters() -> None:
    assert parameters_of_function(dict) == ()
    assert parameters_of_function(lambda robot: None) == ()


def _without(robot: Any, gain: float) -> None: ...


def _flag(robot: Any, fast: bool = True) -> None: ...


def _nothing(robot: Any, name: str | None = None) -> None: ...


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (_without, "_without: parameter gain has no default; a law takes numbers and texts with defaults, as gain=0.3"),
        (_flag, "_flag: parameter fast has the default True; a law takes"),
        (_nothing, "_nothing: parameter name has the default None; a law takes"),
    ],
)
def test_an_argument_that_is_no_number_and_no_text_is_refused(law: Any, says: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        parameters_of_function(law)
    assert says in str(refusal.value)


def test_a_port_reads_what_it_is_called_unless_it_says_what() -> None:
    assert Input("heading").source == "heading"
    assert Input("direction", field="heading").source == "heading"


def test_sensors_share_rate_delay_and_loss_in_one_order() -> None:
    for parameters in (sampling_parameters(), receiver_parameters(rate=4.0)):
        assert tuple(parameter.name for parameter in parameters) == (*TIMING, "buffer")
        assert [parameter.fixed for parameter in parameters] == [False, False, False, True]


def test_only_measurements_that_always_have_a_time_need_a_buffer() -> None:
    plain, received = sampling_parameters(otherwise="one a lap"), receiver_parameters(rate=4.0)
    assert (plain[0].default, plain[0].summary) == (0.0, "measurements per second, 0 = one a lap")
    assert (received[0].default, received[3].default, received[3].low) == (4.0, BUFFER, 1)
    assert (plain[3].default, plain[3].low) == (0, 0)
    for name, unlike in (("rate", -0.1), ("delay", 60.1), ("loss", 1.1)):
        parameter = next(parameter for parameter in plain if parameter.name == name)
        with pytest.raises(BadArgument):
            parameter.check(unlike)


def test_a_fix_says_whether_it_is_one_and_how_old() -> None:
    assert [field.name for field in FIX_FIELDS] == ["valid", "age"]
    assert GPS.readings[-2:] == FIX_FIELDS


def test_texts_have_no_column_and_no_number() -> None:
    assert number_names(CLOCK) == ("patience",)
    assert columns(CLOCK)._asdict() == {"patience": 0}


def test_a_command_that_is_called_as_a_keyword_has_the_name_that_it_has_in_clients() -> None:
    assert (command_numbers(CLOCK).continue_, command_numbers(CLOCK).robot_policy) == (15, 18)
