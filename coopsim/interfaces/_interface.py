"""The vocabulary interfaces are written in."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, TypeAlias

from coopsim.errors import BadArgument, NoSuchCommand
from coopsim.interfaces.ports import Input, Output

Value: TypeAlias = float | int | str
ROBOT = "robot"
"""What an index into the layout's robots refers to."""
_SHOWN = 80  # letters of a wrong word; a stranger may send a megabyte
_INT64 = 1 << 63  # msgpack and other languages hold no larger integers


class Effect(Enum):
    """Effect of answering a command."""

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
    """A value, or one run of values, that a command takes or gives.

    Attributes:
        name: Its name in clients, `v`.
        unit: SI unit, "1" for a pure number, "" for text and counts.
        count: How many values: a number, or the name of what fixes it ("count"); 0 = any number.
        default: What a client may leave out of `params`; None = required.
        low: Least value that is taken.
        high: Largest value that is taken.
        choices: All values that are taken; empty = any within `low` and `high`.
        place: Where it travels: "data" or "params"; by default a field with a unit travels in `data`.
        refers_to: What its values are indices of: "robot" = the layout's robots, -1 = none of them.
        columns: Names of the values of each row, where the values form a table; its rows follow each other.
        encoding: What the texts hold that are no text: base64, put together, of `rgb8`, `depth16` or `png`.
        steps: Numbers of the commands that its values are made of, each step a number and as many values as the
            longest one takes; a step 0 ends them. Empty = its values are no steps.
    """

    name: str
    unit: str = ""
    summary: str = ""
    count: int | str = 1
    default: Value | None = None
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[Value, ...] = ()
    place: str = ""
    refers_to: str = ""
    columns: tuple[str, ...] = ()
    encoding: str = ""
    steps: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Fill in the place; older recordings and modules say what an index refers to in the place of its unit."""
        if self.unit == ROBOT:
            object.__setattr__(self, "unit", "1")
            object.__setattr__(self, "refers_to", ROBOT)
        if not self.place:
            object.__setattr__(self, "place", "data" if self.unit else "params")

    @property
    def is_limited(self) -> bool:
        """Whether some values are refused."""
        return bool(self.choices or self.steps) or math.isfinite(self.low) or math.isfinite(self.high)

    def check(self, value: Value) -> Value:
        """Return `value`, which is one of the choices, or lies within the limits.

        Raises:
            BadArgument: It is not.
        """
        return _checked(self, value)

    @property
    def wire_unit(self) -> str:
        """The unit as messages write it, which for an index is what it refers to."""
        return self.refers_to or self.unit

    def shape(self, counts: Mapping[str, int]) -> tuple[int, ...]:
        """Return (rows, columns) of a table, else (values,); counts by name are taken from `counts`."""
        length = count(self, counts)
        return (length // len(self.columns), len(self.columns)) if self.columns else (length,)


@dataclass(frozen=True, slots=True)
class Command:
    """A numbered request that a module answers."""

    number: int
    name: str
    summary: str = ""
    takes: tuple[Field, ...] = ()
    gives: tuple[Field, ...] = ()
    effect: Effect = Effect.READ

    @property
    def takes_data(self) -> bool:
        """Whether there are data in a request."""
        return any(field.place == "data" for field in self.takes)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A typed, ranged setting of a device, program or controller.

    Source: AMSA, section III (parameters of components: type, description, default, minimum, maximum).

    Attributes:
        kind: `float`, `int` or `str`.
        fixed: Whether it is given in files alone and never changes while running.
        choices: All values that are taken; empty = any within `low` and `high`.
        each: Of a text of numbers, the parameter with their number; one counts for all; "" = any text.
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
    each: str = ""

    def check(self, value: Value) -> Value:
        """Return `value` in the parameter's type.

        Raises:
            BadArgument: It has the wrong type or lies outside `low` to `high`.
        """
        if self.kind is str:
            if not isinstance(value, str):
                raise BadArgument(f"{self.name} must be text, got {value!r}").bring(self.name)
            if self.each:
                self._numbers(value)
            return _checked(self, value)
        if isinstance(value, str | bool) or not math.isfinite(value):
            raise BadArgument(f"{self.name} must be a finite number, got {value!r}").bring(self.name)
        if self.kind is int and value != int(value):
            raise BadArgument(f"{self.name} must be a whole number, got {value!r}").bring(self.name)
        if self.kind is int and not -_INT64 <= value < _INT64:
            raise BadArgument(f"{self.name} must fit 64 bits, got {value!r}").bring(self.name)
        return self.kind(_checked(self, value))

    def spread(self, settings: Mapping[str, Value]) -> tuple[float, ...]:
        """Return the numbers of a text, one for each of what `each` counts, from all settings of a device.

        Raises:
            BadArgument: Some is no number or out of range, or there are neither one nor as many as needed.
        """
        numbers = self._numbers(str(settings.get(self.name, self.default)))
        length = int(settings[self.each])
        if len(numbers) not in (1, length):
            raise BadArgument(
                f"{self.name} takes 1 value, or {length}, as many as {self.each} says, got {len(numbers)}"
            ).bring(self.name, length)
        return numbers * length if len(numbers) == 1 else numbers

    def _numbers(self, text: str) -> tuple[float, ...]:
        single = replace(self, kind=float, each="")
        return tuple(float(single.check(_number(self.name, word))) for word in text.split())


@dataclass(frozen=True, slots=True)
class FileParameter(Parameter):
    """A text that names a file, which lies beside the file that gives the parameter, or is built in."""


@dataclass(frozen=True, slots=True)
class WordsParameter(Parameter):
    """All words of a line, as `input x gps.x 10, y gps.y 10` of `[CONTROLLER_n]`; the value is text with blanks."""


@dataclass(frozen=True, slots=True)
class Preset:
    """Values of parameters by the datasheet of a product; a `.robot` file chooses one by the parameter `preset`.

    Attributes:
        values: Names and values, in the units of the interface.
    """

    name: str
    summary: str
    values: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Interface:
    """Interface of one kind of module: all that it answers.

    Attributes:
        inputs: What it reads of the other devices of its robot.
        outputs: Which of them it commands.
        signals: Arrays for other devices that are no readings: no client sees them.
        is_stepped: Whether a STEP brings the values of its setting, as it does for actuators.
        presets: What its parameter `preset` can name.
        largest: Names of parameters and the largest product of their values.
        is_of_chain: Whether it sits on a link of an articulated robot, and reads 0 elsewhere.
        is_driver: Whether its device is a driver, of which an artifact has at most one.
    """

    kind: str
    summary: str
    commands: tuple[Command, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    inputs: tuple[Input, ...] = ()
    outputs: tuple[Output, ...] = ()
    signals: tuple[Field, ...] = ()
    is_stepped: bool = True
    # of files alone: an interface that comes back from a layout is the same without them
    presets: tuple[Preset, ...] = field(default=(), compare=False)
    largest: tuple[tuple[tuple[str, ...], int], ...] = field(default=(), compare=False)
    is_of_chain: bool = field(default=False, compare=False)
    is_driver: bool = field(default=False, compare=False)

    def command(self, name_or_number: str | int) -> Command:
        """Return the command of this name or number.

        Raises:
            NoSuchCommand: There is none.
        """
        for command in self.commands:
            if name_or_number in (command.name, command.number):
                return command
        command_words = ", ".join(f"{command.number} {command.name}" for command in self.commands) or "none"
        raise NoSuchCommand(f"{self.kind} has no command {name_or_number}; it has: {command_words}").bring(
            name_or_number
        )

    def parameter(self, name: str) -> Parameter:
        """Return the parameter of this name.

        Raises:
            NoSuchCommand: There is none.
        """
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        parameter_words = ", ".join(parameter.name for parameter in self.parameters) or "none"
        raise NoSuchCommand(f"{self.kind} has no parameter {name!r}; it has: {parameter_words}").bring(name)

    def preset(self, name: str) -> Mapping[str, Value]:
        """Return the values of a preset by parameter, nothing where there is none of this name."""
        return next((dict(preset.values) for preset in self.presets if preset.name == name), {})

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


def _number(name: str, word: str) -> float:
    try:
        return float(word)
    except ValueError:
        raise BadArgument(f"{name} expects numbers, got {word[:_SHOWN]!r}").bring(name) from None


def _checked(spec: "Field | Parameter", value: Value) -> Value:
    """Return `value`, which is one of the choices of `spec`, or lies within its limits.

    Raises:
        BadArgument: It is not; the params say what would be.
    """
    if spec.choices and value not in spec.choices and value != spec.default:
        choices = ", ".join(map(str, spec.choices))
        received = repr(value[:_SHOWN] if isinstance(value, str) else value)
        raise BadArgument(f"{spec.name} must be one of {choices}, got {received}").bring(spec.name, *spec.choices)
    if isinstance(value, str) or spec.low <= value <= spec.high:
        return value
    limits = [limit for limit in (spec.low, spec.high) if math.isfinite(limit)]
    within = f"lie within {spec.low:g} and {spec.high:g}" if len(limits) == 2 else f"be at least {spec.low:g}"
    unit = "" if spec.unit == "1" else f" {spec.unit}"
    raise BadArgument(f"{spec.name} must {within}{unit}, got {value:g}").bring(spec.name, *limits)


def width(fields: tuple[Field, ...], counts: Mapping[str, int]) -> int:
    """Return how many data values `fields` hold, counts by name taken from `counts`."""
    return sum(count(field, counts) for field in fields if field.place == "data")


def count(field: Field, counts: Mapping[str, int]) -> int:
    """Return how many values `field` holds; 0 = any number."""
    return field.count if isinstance(field.count, int) else counts.get(field.count, 0)


def _plain(interface: Interface, counts: Mapping[str, int]) -> dict[str, Any]:
    def field(spec: Field) -> dict[str, Any]:
        plain = {
            "name": spec.name,
            "unit": spec.wire_unit,
            "summary": spec.summary,
            "in": spec.place,
            "count": count(spec, counts),
        }
        limits = {name: limit for name, limit in (("low", spec.low), ("high", spec.high)) if math.isfinite(limit)}
        plain |= limits | ({"choices": list(spec.choices)} if spec.choices else {})
        more = {"default": spec.default, "columns": list(spec.columns) or None, "encoding": spec.encoding or None}
        return plain | {name: value for name, value in more.items() if value is not None}

    commands = [
        {
            "number": command.number,
            "name": command.name,
            "summary": command.summary,
            "effect": command.effect.value,
            "takes": [field(taken) for taken in command.takes],
            "gives": [field(given) for given in command.gives],
        }
        for command in interface.commands
    ]
    parameters = [
        {
            "name": parameter.name,
            "type": parameter.kind.__name__,
            "unit": parameter.unit,
            "default": parameter.default,
            "low": parameter.low if math.isfinite(parameter.low) else None,
            "high": parameter.high if math.isfinite(parameter.high) else None,
            "summary": parameter.summary,
            "fixed": parameter.fixed,
            **({"choices": list(parameter.choices)} if parameter.choices else {}),
        }
        for parameter in interface.parameters
    ]
    ports = {
        name: [{"name": port.name, "module": port.module, "summary": port.summary} for port in ports]
        for name, ports in (("inputs", interface.inputs), ("outputs", interface.outputs))
        if ports
    }
    return {"commands": commands, "parameters": parameters, **ports}
