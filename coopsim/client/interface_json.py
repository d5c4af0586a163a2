"""Interfaces out of the JSON that answers DESCRIBE."""

import json
import math
from functools import lru_cache
from typing import Any

from coopsim.errors import MalformedMessage
from coopsim.interfaces import COMMON, Command, Effect, Field, Interface, Parameter, Value

_KINDS: dict[str, type[float] | type[int] | type[str]] = {"float": float, "int": int, "str": str}


def read(text: str, target: str) -> Interface:
    """Return the interface that the JSON `text` of module `target` describes.

    Entries the client does not know are passed over: a newer server may say more.

    Raises:
        MalformedMessage: It is not such a text.
    """
    try:
        return _interface(text)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as problem:
        raise MalformedMessage(
            f"{target}: expected its description as JSON ({type(problem).__name__}: {problem})"
        ) from None


@lru_cache(maxsize=64)
def _interface(text: str) -> Interface:
    """Return what a text describes: the modules of many robots of a type say the same."""
    plain = json.loads(text)
    commands = tuple(_command(command) for command in plain["commands"])
    parameters = tuple(_parameter(parameter) for parameter in plain["parameters"])
    return Interface(plain["kind"], plain.get("summary", ""), commands, parameters)


def every_command(interface: Interface) -> tuple[Command, ...]:
    """Return the commands all modules answer and those of this interface."""
    return COMMON + interface.commands


def _command(plain: dict[str, Any]) -> Command:
    return Command(
        number=int(plain["number"]),
        name=str(plain["name"]),
        summary=plain.get("summary", ""),
        takes=tuple(_field(field) for field in plain["takes"]),
        gives=tuple(_field(field) for field in plain["gives"]),
        effect=Effect(plain.get("effect", "read")),
    )


def _field(plain: dict[str, Any]) -> Field:
    place, unit = plain.get("in", "params"), plain.get("unit", "")
    low, high = _limits(plain)
    return Field(
        name=plain["name"],
        # a foreign module may leave the unit of a physical value out
        unit=unit or ("1" if place == "data" else ""),
        summary=plain.get("summary", ""),
        count=int(plain.get("count", 1)),
        default=plain.get("default"),
        low=low,
        high=high,
        choices=_choices(plain),
        place=place,
        columns=tuple(map(str, plain.get("columns") or ())),
        encoding=str(plain.get("encoding") or ""),
    )


def _parameter(plain: dict[str, Any]) -> Parameter:
    low, high = _limits(plain)
    return Parameter(
        name=plain["name"],
        kind=_KINDS[plain["type"]],
        default=plain["default"],
        unit=plain.get("unit", "1"),
        low=low,
        high=high,
        summary=plain.get("summary", ""),
        fixed=bool(plain.get("fixed", False)),
        choices=_choices(plain),
    )


def _limits(plain: dict[str, Any]) -> tuple[float, float]:
    low, high = plain.get("low"), plain.get("high")
    return -math.inf if low is None else float(low), math.inf if high is None else float(high)


def _choices(plain: dict[str, Any]) -> tuple[Value, ...]:
    return tuple(plain.get("choices") or ())
