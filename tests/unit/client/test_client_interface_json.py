"""Interfaces out of the JSON of DESCRIBE, and how long a stepper waits before it asks again."""

import json
import math
from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.client import interface_json
from coopsim.client.stepper_base import LONGEST_WAIT, BaseStepper
from coopsim.errors import MalformedMessage
from coopsim.message import Message


def interface_of(**field: Any) -> Any:
    command = {"number": 10, "name": "read", "effect": "read", "takes": [], "gives": [{"name": "depth", **field}]}
    text = json.dumps({"kind": "gauge", "summary": "", "commands": [command], "parameters": []})
    return interface_json.read(text, "/robot1/gauge").command("read").gives[0]


@pytest.mark.parametrize(
    ("place", "unit", "expected"), [("data", "", "1"), ("data", "m", "m"), ("params", "", ""), ("params", "m", "m")]
)
def test_a_physical_value_without_a_unit_is_a_plain_number_and_a_param_stays_what_it_is(
    place: str, unit: str, expected: str
) -> None:
    assert interface_of(**{"in": place, "unit": unit}).unit == expected


def test_what_is_left_out_of_a_field_is_what_the_protocol_says() -> None:
    field = interface_of(**{"in": "data"})
    assert (field.count, field.default, field.choices, field.columns, field.encoding) == (1, None, (), (), "")
    assert field.low == -math.inf
    assert field.high == math.inf
    assert interface_of(**{"in": "data", "columns": ["x", 7]}).columns == ("x", "7")


@pytest.mark.parametrize("text", ["", "[]", "{", '{"kind": 3}', '{"commands": [1]}'])
def test_what_is_no_interface_is_refused_with_the_name_of_the_module(text: str) -> None:
    with pytest.raises(MalformedMessage, match="/robot1/gauge"):
        interface_json.read(text, "/robot1/gauge")


class SilentConnection:
    """A connection whose steps say what is waited for: nothing comes but the status."""

    def asking(self, *_: object) -> Any:
        yield from ()
        return Message("/sim/step", text="{}")

    def send(self, number: int, _request: Message, _timeout: float) -> tuple[str, float]:
        return "sent", number

    def receive(self, _number: int, patience: float) -> tuple[str, float]:
        return "waits", patience


def test_a_stepper_waits_twice_as_long_each_time_up_to_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.client.stepper_base.reason_in", lambda *_: "lockstep waits")
    stepper = SimpleNamespace(_pool=SimpleNamespace(timeout=5.0))
    steps = BaseStepper._insisting(stepper, SilentConnection(), [(3, Message("/sim/step"))], math.inf)  # type: ignore[arg-type]
    asked = [next(steps)]
    asked += [steps.send(None) for _ in range(11)]
    assert [patience for what, patience in asked if what == "waits"] == [10.0, 20.0, 40.0, *[LONGEST_WAIT] * 3]
    assert [number for what, number in asked if what == "sent"] == [3] * 6
