"""The vocabulary interfaces are written in."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

from coopsim.errors import BadArgument, NoSuchCommand

Value: TypeAlias = float | int | str
_SHOWN = 80
_INT64 = 1 << 63


class Effect(Enum):
    """What answering a command does."""

    READ = "read"
    """Gives readings out of the record of the last tick."""
    SET = "set"
    """Writes the robot's command row; the newest wins, physics latches it at the next tick."""
    EDIT = "edit"
    """Is carried out by the physics process between two ticks, exactly once, then answered."""
    SERVE = "serve"
    """Is answered by the server itself (modules under `/sim`)."""


@dataclass(frozen=True, slots=True)
class Field:
    """One value, or one run of values, that a command takes or gives.

    A field with a unit is a physical value and travels in `data`; without one it travels in `params`.

    Attributes:
        name: Its name in clients, `v`.
        unit: SI unit ("1" for a pure number, "robot" for an index into the layout's robots), or "" for `params`.
        count: How many values: a number, or the name of what fixes it ("count"); 0 = any number.
        default: What a client may leave out of `params`; None = required.
        low: Least value that is taken.
        high: Largest value that is taken.
        choices: All values that are taken; empty = any within `low` and `high`.
    """

    name: str
    unit: str = ""
    summary: str = ""
    count: int | str = 1
    default: Value | None = None
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[Value, ...] = ()

    @property
    def is_limited(self) -> bool:
        """Whether some values are refused."""
        return bool(self.choices) or math.isfinite(self.low) or math.isfinite(self.high)

    def check(self, value: Value) -> Value:
        """Return `value`, which is one of the choices, or lies within the limits.

        Raises:
            BadArgument: It is not.
        """
        return _checked(self, value)

    @property
    def place(self) -> str:
        """Where it travels: "data" or "params"."""
        return "data" if self.unit else "params"


@dataclass(frozen=True, slots=True)
class Command:
    """One numbered request that a module answers."""

    number: int
    name: str
    summary: str = ""
    takes: tuple[Field, ...] = ()
    gives: tuple[Field, ...] = ()
    effect: Effect = Effect.READ

    @property
    def takes_data(self) -> bool:
        """Whether there are data in a request."""
        return any(field.unit for field in self.takes)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A typed, ranged setting of a device, program or controller.

    Source: AMSA, section III (parameters of components: type, description, default, minimum, maximum).

    Attributes:
        kind: `float`, `int` or `str`.
        fixed: Whether it is given in files alone and never changes while running.
        choices: All values that are taken; empty = any within `low` and `high`.
    """

    name: str
    kind: type[float] | type[int] | type[str]
    default: Value
    unit: str = "1"
    low: float = -math.inf
    high: float = math.inf
    summary: str = ""
    fixed: bool = False
    choices: tuple[Value, ...] = ()

    def check(self, value: Value) -> Value:
        """Return `value` in the parameter's type.

        Raises:
            BadArgument: It has the wrong type or lies outside `low` to `high`.
        """
        if self.kind is str:
            if not isinstance(value, str):
                raise BadArgument(f"{self.name} must be text, got {value!r}").bring(self.name)
            return _checked(self, value)
        if isinstance(value, str | bool) or not math.isfinite(value):
            raise BadArgument(f"{self.name} must be a finite number, got {value!r}").bring(self.name)
        if self.kind is int and value != int(value):
            raise BadArgument(f"{self.name} must be a whole number, got {value!r}").bring(self.name)
        if self.kind is int and not -_INT64 <= value < _INT64:
            raise BadArgument(f"{self.name} must fit 64 bits, got {value!r}").bring(self.name)
        return self.kind(_checked(self, value))


@dataclass(frozen=True, slots=True)
class Interface:
    """Everything one kind of module answers."""

    kind: str
    summary: str
    commands: tuple[Command, ...] = ()
    parameters: tuple[Parameter, ...] = ()

    def command(self, name_or_number: str | int) -> Command:
        """Return the command of this name or number.

        Raises:
            NoSuchCommand: There is none.
        """
        for command in self.commands:
            if name_or_number in (command.name, command.number):
                return command
        known = ", ".join(f"{command.number} {command.name}" for command in self.commands) or "none"
        raise NoSuchCommand(f"{self.kind} has no command {name_or_number}; it has: {known}").bring(name_or_number)

    def parameter(self, name: str) -> Parameter:
        """Return the parameter of this name.

        Raises:
            NoSuchCommand: There is none.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        known = ", ".join(parameter.name for parameter in self.parameters) or "none"
        raise NoSuchCommand(f"{self.kind} has no parameter {name!r}; it has: {known}").bring(name)

    @property
    def setting(self) -> Command | None:
        """The command that a STEP writes: the first one that sets."""
        return next((command for command in self.commands if command.effect is Effect.SET), None)

    @property
    def setting_width(self) -> int:
        """The largest number of data values that a setting takes."""
        return max((width(command.takes, {}) for command in self.commands if command.effect is Effect.SET), default=0)

    @property
    def readings(self) -> tuple[Field, ...]:
        """The data fields of all READ commands, in order: the module's part of a robot's readings row."""
        return tuple(
            field
            for command in self.commands
            if command.effect is Effect.READ
            for field in command.gives
            if field.place == "data"
        )

    def to_json(self, counts: Mapping[str, int] | None = None) -> str:
        """Return what DESCRIBE answers.

        Args:
            counts: Numbers for the counts that are given by name.
        """
        return json.dumps({"kind": self.kind, "summary": self.summary, **_plain(self, counts or {})})


def _checked(it: "Field | Parameter", value: Value) -> Value:
    """Return `value`, which is one of the choices of `it`, or lies within its limits.

    Raises:
        BadArgument: It is not; the params say what would be.
    """
    if it.choices and value not in it.choices and value != it.default:
        choices = ", ".join(map(str, it.choices))
        came = repr(value[:_SHOWN] if isinstance(value, str) else value)
        raise BadArgument(f"{it.name} must be one of {choices}, got {came}").bring(it.name, *it.choices)
    if isinstance(value, str) or it.low <= value <= it.high:
        return value
    limits = [limit for limit in (it.low, it.high) if math.isfinite(limit)]
    within = f"lie within {it.low:g} and {it.high:g}" if len(limits) == 2 else f"be at least {it.low:g}"
    raise BadArgument(f"{it.name} must {within} {it.unit}, got {value:g}").bring(it.name, *limits)


def width(fields: tuple[Field, ...], counts: Mapping[str, int]) -> int:
    """Return how many data values `fields` hold, counts by name taken from `counts`."""
    return sum(count(field, counts) for field in fields if field.place == "data")


def count(field: Field, counts: Mapping[str, int]) -> int:
    """Return how many values `field` holds; 0 = any number."""
    return field.count if isinstance(field.count, int) else counts.get(field.count, 0)


def _plain(interface: Interface, counts: Mapping[str, int]) -> dict[str, Any]:
    def field(it: Field) -> dict[str, Any]:
        plain = {"name": it.name, "unit": it.unit, "summary": it.summary, "in": it.place, "count": count(it, counts)}
        limits = {name: limit for name, limit in (("low", it.low), ("high", it.high)) if math.isfinite(limit)}
        plain |= limits | ({"choices": list(it.choices)} if it.choices else {})
        return plain if it.default is None else {**plain, "default": it.default}

    commands = [
        {
            "number": command.number,
            "name": command.name,
            "summary": command.summary,
            "effect": command.effect.value,
            "takes": [field(it) for it in command.takes],
            "gives": [field(it) for it in command.gives],
        }
        for command in interface.commands
    ]
    parameters = [
        {
            "name": it.name,
            "type": it.kind.__name__,
            "unit": it.unit,
            "default": it.default,
            "low": it.low if math.isfinite(it.low) else None,
            "high": it.high if math.isfinite(it.high) else None,
            "summary": it.summary,
            "fixed": it.fixed,
            **({"choices": list(it.choices)} if it.choices else {}),
        }
        for it in interface.parameters
    ]
    return {"commands": commands, "parameters": parameters}
