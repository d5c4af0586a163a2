"""Modules that programs offer to each other: what a controller tells, and parameters that others may change."""

import math
import re
from collections.abc import Mapping
from typing import Any

from coopsim.errors import BadArgument
from coopsim.interfaces._interface import Command, Effect, Field, Interface, Parameter, Value

MOST_VALUES = 16  # columns of a program's module: its row lies in each record
MOST_PARAMETERS = 32  # a form of them must fit a window
# a status line; whole texts belong into events, which hold 4096
LONGEST_TEXT = 256
"""Bytes of one text that is told."""
READ, WRITE, SETTINGS = 10, 11, 12  # numbers of every offered module; own commands begin behind them
COUNT, AGE = "count", "age"
_LONGEST_WORD = 64  # letters of a name or unit
_WORD = re.compile(r"[a-z][a-z0-9_]{0,31}")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,31}")
_KINDS: Mapping[str, type[float] | type[int] | type[str]] = {"float": float, "int": int, "str": str}


def offered(plain: Any) -> Interface:
    """Return the interface of an offered module, out of what its program says of it.

    Args:
        plain: `{"kind", "summary", "values": [{"name", "unit", "summary"}], "parameters": [...]}`, all of which may
            be left out; a value without a unit is a text, and parameters are written as DESCRIBE tells them.

    Raises:
        BadArgument: It is not of this form, or beyond a limit.
    """
    # limits first: the offer comes from any program, and each value costs room in all records
    members = _mapping(plain, "an offer")
    values = tuple(map(_value, _list(members, "values", MOST_VALUES)))
    parameters = tuple(map(_parameter, _list(members, "parameters", MOST_PARAMETERS)))
    _check_unique([value.name for value in values] + [COUNT, AGE], "values")
    _check_unique([parameter.name for parameter in parameters], "parameters")
    kind = _text(members, "kind", "message")
    if not _WORD.fullmatch(kind):
        raise BadArgument(f"kind must be a small word of letters, digits and _, got {kind!r}")
    return Interface(kind, _text(members, "summary"), _commands(values, parameters), parameters)


def values_of(interface: Interface) -> tuple[Field, ...]:
    """Return what an offered module tells, without count and age."""
    return interface.command(WRITE).takes


def packed(command: Command, values: Mapping[str, Value]) -> tuple[tuple[Value, ...], tuple[float, ...]]:
    """Return what a command gives as a message carries it: texts as params, numbers as data."""
    texts = tuple(values[field.name] for field in command.gives if field.place == "params")
    return texts, tuple(float(values[field.name]) for field in command.gives if field.place == "data")


def _commands(values: tuple[Field, ...], parameters: tuple[Parameter, ...]) -> tuple[Command, ...]:
    since = Field(COUNT, "1", "how often it was written"), Field(AGE, "s", "since it was written last")
    published = [
        Command(READ, "read", "What was written last, by the end of the last tick.", (), (*values, *since)),
        Command(WRITE, "write", "Tell something; only for the program that offers.", values, (), Effect.SET),
    ]
    if parameters:
        now = tuple(
            Field(parameter.name, "" if parameter.kind is str else parameter.unit or "1") for parameter in parameters
        )
        published.append(Command(SETTINGS, "settings", "All parameters now.", (), now))
    return tuple(published)


def _value(plain: Any) -> Field:
    members = _mapping(plain, "a value")
    return Field(_name(members), _text(members, "unit"), _text(members, "summary"))


def _parameter(plain: Any) -> Parameter:
    members = _mapping(plain, "a parameter")
    name, kind = _name(members), members.get("type", "float")
    if kind not in _KINDS:
        raise BadArgument(f"the type of {name} must be one of {', '.join(_KINDS)}, got {kind!r}"[:LONGEST_TEXT])
    low, high = (_limit(members, which, end) for which, end in (("low", -math.inf), ("high", math.inf)))
    choices = tuple(_list(members, "choices", MOST_PARAMETERS))
    # without a default a window has nothing to show before somebody sets it
    if "default" not in members or not all(isinstance(choice, str | int | float) for choice in choices):
        raise BadArgument(f"the parameter {name} needs a default, and choices that are numbers or texts")
    unit, summary = _text(members, "unit", "1"), _text(members, "summary")
    parameter = Parameter(name, _KINDS[kind], 0, unit, low, high, summary, choices=choices)
    return Parameter(name, _KINDS[kind], parameter.check(members["default"]), unit, low, high, summary, choices=choices)


def _limit(members: Mapping[str, Any], which: str, none: float) -> float:
    limit = members.get(which)
    if limit is None:
        return none
    # JSON knows true, and Python takes it for 1
    if isinstance(limit, bool) or not isinstance(limit, int | float):
        raise BadArgument(f"{which} must be a number, got {limit!r}"[:LONGEST_TEXT])
    return float(limit)


def _name(members: Mapping[str, Any]) -> str:
    name = _text(members, "name")
    if not _NAME.fullmatch(name):
        raise BadArgument(f"the name of a value or parameter is like `heading_rate`, got {name!r}")
    return name


def _text(members: Mapping[str, Any], key: str, default: str = "") -> str:
    text = members.get(key, default)
    longest = LONGEST_TEXT if key == "summary" else _LONGEST_WORD
    if not isinstance(text, str) or len(text) > longest:
        raise BadArgument(f"{key} must be text of at most {longest} characters")
    return text


def _list(members: Mapping[str, Any], key: str, most: int) -> list[Any]:
    member = members.get(key, [])
    if not isinstance(member, list) or len(member) > most:
        raise BadArgument(f"{key} must be a list of at most {most}")
    return member


def _mapping(plain: Any, what: str) -> Mapping[str, Any]:
    if not isinstance(plain, dict):
        raise BadArgument(f"{what} must be a JSON object, got {type(plain).__name__}")
    return plain


def _check_unique(names: list[str], what: str) -> None:
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise BadArgument(f"{what} must have names of their own; twice or taken: {', '.join(twice)}")
