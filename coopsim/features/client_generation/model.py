"""The model of a typed client: what modules take and give, with a type and a place for each value."""

import inspect
import math
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from coopsim.errors import all_errors
from coopsim.features.client_generation.naming import check_names
from coopsim.features.client_generation.types import TEXT, type_of
from coopsim.interfaces import COMMON, Command, Effect, Field, Interface, Parameter, Value


@dataclass(frozen=True, slots=True)
class Place:
    """Position of a value, or of a run of values, in the data.

    Attributes:
        start: Index of the first value; below 0 = counted from the end.
        count: How many values there are; 0 = all up to `end`.
        end: How many values stand behind a run of any number.
        part: Which part it is of what such a run is divided into.
        parts: How many equal parts there are.
    """

    start: int
    count: int
    end: int = 0
    part: int = 0
    parts: int = 1

    @property
    def is_single(self) -> bool:
        """Whether it is one value by itself."""
        return self.count == 1


def places(fields: Sequence[Field]) -> list[Place]:
    """Return where each field stands; fields of one unknown count share what the others leave, in equal parts.

    Where their counts differ nobody can tell them apart: each gets all that the others leave.
    """
    counts = [_count(field) for field in fields]
    open_ones = [index for index, count in enumerate(counts) if count == 0]
    if not open_ones:
        return [Place(sum(counts[:index]), count) for index, count in enumerate(counts)]
    first, last = open_ones[0], open_ones[-1]
    before, behind = sum(counts[:first]), sum(counts[last + 1 :])
    share = len({fields[index].count for index in open_ones}) == 1 and last - first + 1 == len(open_ones)
    places = []
    for index, count in enumerate(counts):
        if index < first:
            places.append(Place(sum(counts[:index]), count))
        elif index > last:
            places.append(Place(-sum(counts[index:]), count))
        else:
            places.append(Place(before, 0, behind, *((index - first, len(open_ones)) if share else (0, 1))))
    return places


def _count(field: Field) -> int:
    """Return how many values a field has; 0 = only the simulation knows."""
    return field.count if isinstance(field.count, int) else 0


BASE: Final = "module"
"""Kind of what every module answers."""
_PARAMETER_COMMANDS: Final = ("get_parameter", "set_parameter")
_COMMON_NAMES: Final = frozenset(command.name for command in COMMON)


@dataclass(frozen=True, slots=True)
class Argument:
    """A value, or a run of values, that a command takes.

    Attributes:
        type: One of `types`.
        about: Unit, limits and meaning, for people.
        default: What stands for it where nothing is given; None = it must be given.
    """

    name: str
    type: str
    in_data: bool
    about: str
    default: Value | tuple[()] | None = None


@dataclass(frozen=True, slots=True)
class Result:
    """A value, or a run of values, that a command gives.

    Attributes:
        place: Where in the params or data of the reply it stands.
        column: What a step calls it.
    """

    name: str
    type: str
    in_data: bool
    about: str
    place: Place
    column: str

    @property
    def is_single(self) -> bool:
        """Whether it is one value."""
        return self.place.is_single


@dataclass(frozen=True, slots=True)
class CommandModel:
    """A numbered request.

    Attributes:
        arguments: In the order of the message.
        has_tick: Whether the tick of the reply is a result of its own.
    """

    number: int
    name: str
    summary: str
    arguments: tuple[Argument, ...]
    results: tuple[Result, ...]
    has_tick: bool

    @property
    def ordered(self) -> list[Argument]:
        """The arguments, those that must be given first."""
        return sorted(self.arguments, key=lambda argument: argument.default is not None)

    @property
    def required(self) -> tuple[Argument, ...]:
        """The arguments without those that may be left out."""
        return tuple(argument for argument in self.arguments if argument.default is None)

    @property
    def params(self) -> tuple[Argument, ...]:
        """The arguments that travel as params."""
        return tuple(argument for argument in self.arguments if not argument.in_data)

    @property
    def data(self) -> tuple[Argument, ...]:
        """The arguments that travel as data."""
        return tuple(argument for argument in self.arguments if argument.in_data)


@dataclass(frozen=True, slots=True)
class ParameterModel:
    """A setting of a module; one that is fixed can only be read."""

    name: str
    type: str
    about: str
    is_fixed: bool
    getter: str
    setter: str


@dataclass(frozen=True, slots=True)
class InterfaceModel:
    """All of one kind of module.

    Attributes:
        target: Name of the one module of this kind, "" = there may be many.
        usual: What modules of this kind are called in most robots.
        setting: The command whose values a step brings, None = it brings none.
        readings: What a step gives of such a module.
    """

    kind: str
    summary: str
    target: str
    usual: str
    commands: tuple[CommandModel, ...]
    parameters: tuple[ParameterModel, ...]
    setting: CommandModel | None
    readings: tuple[Result, ...]


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """A number with which requests are refused."""

    number: int
    name: str
    summary: str


@dataclass(frozen=True, slots=True)
class ClientModel:
    """Contents of the client for one language.

    Attributes:
        base: What every module answers.
    """

    base: InterfaceModel
    interfaces: tuple[InterfaceModel, ...]
    errors: tuple[ErrorModel, ...]


def client_model(interfaces: Iterable[Interface]) -> ClientModel:
    """Return the model of a client that knows these interfaces."""
    common = [command for command in COMMON if command.name not in _PARAMETER_COMMANDS]
    base = Interface(BASE, "What every module answers.", tuple(common))
    ordered = sorted(interfaces, key=lambda interface: interface.kind)
    return ClientModel(_interface(base), tuple(map(_interface, ordered)), tuple(_errors()))


def _errors() -> Iterable[ErrorModel]:
    for number, error in all_errors().items():
        if number % 100:
            yield ErrorModel(number, error.__name__, inspect.cleandoc(error.__doc__ or "").splitlines()[0])


def _interface(interface: Interface) -> InterfaceModel:
    check_names(interface)
    commands = tuple(_command(interface.kind, command) for command in interface.commands)
    taken = {command.name for command in commands}
    read = [command for command in interface.commands if command.effect is Effect.READ]
    stepped = interface.setting if interface.is_stepped else None
    return InterfaceModel(
        kind=interface.kind,
        summary=interface.summary,
        target=f"/sim/{interface.kind}" if interface.kind in _SERVICES else "",
        usual=_USUAL.get(interface.kind, interface.kind),
        commands=commands,
        parameters=tuple(_parameter(parameter, taken) for parameter in interface.parameters),
        setting=next((command for command in commands if stepped and command.number == stepped.number), None),
        readings=_results(interface.kind, Command(0, "readings", gives=_data(read))) if read else (),
    )


_SERVICES: Final = frozenset(
    {"clock", "controllers", "events", "info", "names", "playback", "recorder", "renderer", "step", "world"}
)
_USUAL: Final = {"differential_drive": "motors", "omni_drive": "motors", "car_drive": "motors", "joints": "arm"}


def _data(commands: Sequence[Command]) -> tuple[Field, ...]:
    return tuple(field for command in commands for field in command.gives if field.place == "data")


def _command(kind: str, command: Command) -> CommandModel:
    results = _results(kind, command)
    return CommandModel(
        number=int(command.number),
        name=f"{command.name}_command" if kind != BASE and command.name in _COMMON_NAMES else command.name,
        summary=command.summary or f"Command {int(command.number)}.",
        arguments=tuple(_argument(kind, command, field) for field in command.takes),
        results=results,
        has_tick=bool(results) and all(result.name != "tick" for result in results),
    )


def _argument(kind: str, command: Command, field: Field) -> Argument:
    type_name = type_of(kind, command.name, field)
    is_open = field.count == 0 or (field.count != 1 and field.default is not None)
    default: Value | tuple[()] | None = () if is_open else field.default
    return Argument(field.name, type_name, field.place == "data", about(field), default)


def _results(kind: str, command: Command) -> tuple[Result, ...]:
    results = []
    for in_data, where in ((False, "params"), (True, "data")):
        fields = [field for field in command.gives if field.place == where]
        for field, place in zip(fields, places(fields), strict=True):
            type_name = type_of(kind, command.name, field)
            results.append(Result(field.name, type_name, in_data, about(field), place, field.name))
    return tuple(results)


def _parameter(parameter: Parameter, taken: Container[str]) -> ParameterModel:
    """Return a setting; where a command has the name of what gets or sets it, its own gets longer."""
    names = {float: "float", int: "int", str: TEXT}
    getter, setter = f"get_{parameter.name}", f"set_{parameter.name}"
    if getter in taken or setter in taken:
        getter, setter = f"{getter}_parameter", f"{setter}_parameter"
    return ParameterModel(parameter.name, names[parameter.kind], about(parameter), parameter.fixed, getter, setter)


def about(field: Field | Parameter) -> str:
    """Return unit, meaning, limits and default of a value in words."""
    unit = "" if field.unit in {"", "1"} else f"[{field.unit}] "
    words = [f"{unit}{field.summary}".strip()]
    words += [_limits(field)] if _limits(field) else []
    if field.default not in {None, ""}:
        words.append(f"default {field.default}")
    columns = getattr(field, "columns", ())
    if columns:
        words.append(f"rows of {', '.join(columns)}")
    return "; ".join(word for word in words if word)


def _limits(field: Field | Parameter) -> str:
    if field.choices:
        return f"one of {', '.join(map(str, field.choices))}"
    low, high = (f"{limit:g}" if math.isfinite(limit) else "" for limit in (field.low, field.high))
    return f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}" if high else ""
