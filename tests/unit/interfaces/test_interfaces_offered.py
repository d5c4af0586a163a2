"""Modules that programs offer: what becomes an interface, and what is refused with which words."""

from typing import Any

import pytest

from coopsim.errors import BadArgument
from coopsim.interfaces import columns, command_numbers, offered
from coopsim.interfaces.offered import MOST_PARAMETERS, MOST_VALUES, packed, values_of

LOAD = {
    "kind": "load",
    "summary": "What is carried.",
    "values": [{"name": "weight", "unit": "N", "summary": "all of it"}, {"name": "what"}],
    "parameters": [
        {"name": "gain", "default": 2, "low": 0, "high": 5},
        {"name": "side", "type": "str", "default": "left"},
    ],
}


def _offer(**changes: Any) -> dict[str, Any]:
    return {**LOAD, **changes}


def test_an_offer_becomes_an_interface_with_read_write_and_settings() -> None:
    interface = offered.offered(LOAD)
    assert (interface.kind, interface.summary) == ("load", "What is carried.")
    assert [(command.number, command.name) for command in interface.commands] == [
        (10, "read"),
        (11, "write"),
        (12, "settings"),
    ]
    assert [field.name for field in interface.command("read").gives] == ["weight", "what", "count", "age"]
    assert [field.name for field in values_of(interface)] == ["weight", "what"]
    assert [parameter.default for parameter in interface.parameters] == [2.0, "left"]


def test_an_offer_may_leave_everything_out() -> None:
    interface = offered.offered({})
    assert interface.kind == "message"
    assert [command.name for command in interface.commands] == ["read", "write"]


def test_texts_travel_as_params_and_numbers_as_data() -> None:
    command = offered.offered(LOAD).command("read")
    assert packed(command, {"weight": 3, "what": "a bar", "count": 7, "age": 0.5}) == (("a bar",), (3.0, 7.0, 0.5))


@pytest.mark.parametrize(
    ("plain", "words"),
    [
        ([], "an offer must be a JSON object, got list"),
        (_offer(kind="Load!"), "kind must be a small word"),
        (_offer(kind=3), "kind must be text of at most 64 characters"),
        (_offer(summary="x" * 257), "summary must be text of at most 256 characters"),
        (_offer(values={}), f"values must be a list of at most {MOST_VALUES}"),
        (_offer(values=[{"name": f"v{k}"} for k in range(MOST_VALUES + 1)]), f"at most {MOST_VALUES}"),
        (_offer(values=["weight"]), "a value must be a JSON object, got str"),
        (_offer(values=[{"name": "heading rate"}]), "is like `heading_rate`, got 'heading rate'"),
        (_offer(values=[{"name": "a"}, {"name": "a"}]), "values must have names of their own; twice or taken: a"),
        (_offer(values=[{"name": "age"}]), "twice or taken: age"),
        (_offer(parameters=[{"name": "p", "default": 1}] * (MOST_PARAMETERS + 1)), f"at most {MOST_PARAMETERS}"),
        (_offer(parameters=[{"name": "p", "default": 1}] * 2), "parameters must have names of their own"),
        (
            _offer(parameters=[{"name": "p", "type": "bool", "default": True}]),
            "type of p must be one of float, int, str",
        ),
        (_offer(parameters=[{"name": "p"}]), "the parameter p needs a default"),
        (_offer(parameters=[{"name": "p", "default": 1, "choices": [None]}]), "choices that are numbers or texts"),
        (_offer(parameters=[{"name": "p", "default": 1, "low": "0"}]), "low must be a number, got '0'"),
        (_offer(parameters=[{"name": "p", "default": 1, "high": True}]), "high must be a number, got True"),
        (_offer(parameters=[{"name": "p", "default": 9, "high": 5}]), "p"),
    ],
)
def test_what_is_no_offer_is_refused_with_its_place(plain: Any, words: str) -> None:
    with pytest.raises(BadArgument) as refusal:
        offered.offered(plain)
    assert words in str(refusal.value)


def test_compiled_code_finds_rows_and_numbers_by_name() -> None:
    interface = offered.offered(LOAD)
    assert columns(interface)._asdict() == {"gain": 0}
    assert command_numbers(interface).write == 11
