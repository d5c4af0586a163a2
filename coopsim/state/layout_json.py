"""Layouts as JSON: the one form in which processes, recordings and other programs get them.

It is readable without coopsim, and without the plugins whose devices were there. What `/sim/step` answers to LAYOUT is
another one, made of the same layout: it is older, and says what a client needs for a STEP alone.
"""

import json
import math
from dataclasses import fields
from functools import cache
from typing import Any, TypeVar

from coopsim.interfaces import Command, Effect, Field, Input, Interface, Output, Parameter
from coopsim.state.layout import Layout, ModuleLayout, RobotPlace, TypeLayout
from coopsim.state.plain_entities import entities_from_plain, entities_to_plain, joints_from_plain

_Made = TypeVar("_Made")
_KINDS: dict[str, type[float] | type[int] | type[str]] = {"float": float, "int": int, "str": str}
_LEFT_OUT = ("low", "high", "choices", "columns", "encoding", "steps")


def layout_to_json(layout: Layout) -> str:
    """Return a layout as JSON text."""
    interfaces: list[Interface] = []
    for module in (module for kind in layout.types for module in kind.modules):
        # a thousand robots share a few interfaces: each is written once and named by its number
        if module.interface not in interfaces:
            interfaces.append(module.interface)
    plain = {
        "generation": layout.generation,
        "interfaces": [_interface(interface) for interface in interfaces],
        "types": [_type(kind, interfaces) for kind in layout.types],
        "robots": [_robot(robot) for robot in layout.robots],
        **entities_to_plain(layout.entities, layout.joints),
        "bodies": layout.bodies,
        "command_size": layout.command_size,
        "reading_size": layout.reading_size,
    }
    return json.dumps(plain, separators=(",", ":"), default=_number)


def _number(value: Any) -> Any:
    """Return a number of NumPy as one of Python: an interface of a plugin may hold some."""
    # a type json does not know is refused by the encoder itself; numbers of NumPy must not be
    return value.item()


def layout_of(plain: dict[str, Any]) -> Layout:
    """Return the layout that a text of `layout_to_json` says, read already.

    It trusts what it reads: `coopsim.recording` validates foreign texts before.

    Raises:
        ValueError: A robot, a module or a parameter names something that is not there.
    """
    interfaces = [_interface_of(interface) for interface in plain["interfaces"]]
    types = {kind["name"]: _type_of(kind, interfaces) for kind in plain["types"]}
    for robot_type in plain["robots"]:
        # checked by hand, since a KeyError would name no robot
        if robot_type["type"] not in types:
            raise ValueError(
                f"the robot {robot_type['name']!r} is a {robot_type['type']!r}, which is no type of the layout"
            )
    return Layout(
        generation=plain["generation"],
        types=tuple(types.values()),
        robots=tuple(_robot_of(robot, types) for robot in plain["robots"]),
        entities=entities_from_plain(plain),
        bodies=tuple(plain["bodies"]),
        command_size=plain["command_size"],
        reading_size=plain["reading_size"],
        joints=joints_from_plain(plain),
    )


# robots and types


def _slots(thing: Any) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in thing.__slots__}


def _robot(place: RobotPlace) -> dict[str, Any]:
    return {**_slots(place), "type": place.type.name}


def _robot_of(plain: dict[str, Any], types: dict[str, TypeLayout]) -> RobotPlace:
    links = tuple(plain.get("links", ()))
    return _made(RobotPlace, {**plain, "type": types[plain["type"]], "links": links})


def _type(kind: TypeLayout, interfaces: list[Interface]) -> dict[str, Any]:
    return {**_slots(kind), "modules": [_module(module, interfaces) for module in kind.modules]}


def _module(module: ModuleLayout, interfaces: list[Interface]) -> dict[str, Any]:
    plain = {**_slots(module), "interface": interfaces.index(module.interface)}
    # older readers know no `body`: a text without it stays the same, byte for byte
    return plain if module.body else {name: value for name, value in plain.items() if name != "body"}


def _type_of(plain: dict[str, Any], interfaces: list[Interface]) -> TypeLayout:
    modules = tuple(_module_of(module, interfaces) for module in plain["modules"])
    return _made(TypeLayout, {**plain, "modules": modules})


def _module_of(plain: dict[str, Any], interfaces: list[Interface]) -> ModuleLayout:
    number = plain["interface"]
    if number >= len(interfaces):
        raise ValueError(f"the module {plain['name']!r} has interface {number} of {len(interfaces)}")
    return _made(ModuleLayout, {**plain, "interface": interfaces[number], "labels": tuple(plain["labels"])})


def _made(kind: type[_Made], content: dict[str, Any]) -> _Made:
    """Return a dataclass; what this version does not know is left out."""
    return kind(**{name: content[name] for name in _names(kind) if name in content})  # type: ignore[arg-type]


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


# interfaces


def _interface(interface: Interface) -> dict[str, Any]:
    return {
        "kind": interface.kind,
        "summary": interface.summary,
        "commands": [_command(command) for command in interface.commands],
        "parameters": [_parameter(parameter) for parameter in interface.parameters],
        **_ports(interface),
        # written only where it is not as usual, so that texts of older versions stay equal
        **({} if interface.is_stepped else {"is_stepped": False}),
    }


def _interface_of(plain: dict[str, Any]) -> Interface:
    outputs = ({**output, "commands": tuple(output["commands"])} for output in plain.get("outputs", ()))
    return Interface(
        plain["kind"],
        plain["summary"],
        tuple(map(_command_of, plain["commands"])),
        tuple(map(_parameter_of, plain["parameters"])),
        inputs=tuple(_made(Input, port) for port in plain.get("inputs", ())),
        outputs=tuple(_made(Output, output) for output in outputs),
        signals=tuple(_made(Field, _with_tuples(signal)) for signal in plain.get("signals", ())),
        is_stepped=bool(plain.get("is_stepped", True)),
    )


def _ports(interface: Interface) -> dict[str, Any]:
    """Return its ports and signals, if it has any."""
    ports = {
        "inputs": [_port(port) for port in interface.inputs],
        "outputs": [_port(output) for output in interface.outputs],
        "signals": [_without_defaults(signal) for signal in interface.signals],
    }
    return {name: port for name, port in ports.items() if port}


def _port(port: Input | Output) -> dict[str, Any]:
    # older readers know no `kinds`: a text without them stays the same, byte for byte
    return {name: value for name, value in _slots(port).items() if name != "kinds" or value}


def _command(command: Command) -> dict[str, Any]:
    values = {name: [_without_defaults(field) for field in getattr(command, name)] for name in ("takes", "gives")}
    return {**_slots(command), "number": int(command.number), "effect": command.effect.value, **values}


def _command_of(plain: dict[str, Any]) -> Command:
    values = {name: tuple(_made(Field, _with_tuples(field)) for field in plain[name]) for name in ("takes", "gives")}
    return _made(Command, {**plain, "effect": Effect(plain["effect"]), **values})


def _parameter(parameter: Parameter) -> dict[str, Any]:
    ends = {name: end if math.isfinite(end := getattr(parameter, name)) else None for name in ("low", "high")}
    return {**_without_defaults(parameter), **ends, "kind": parameter.kind.__name__}


def _without_defaults(thing: Field | Parameter) -> dict[str, Any]:
    """Return the description of a value; limits and the like only if it has any."""
    return {name: slot for name, slot in _slots(thing).items() if name not in _LEFT_OUT or not _is_none(slot)}


def _is_none(slot: Any) -> bool:
    """Return whether a limit, a text or a list says nothing; a number of NumPy is equal to no list."""
    return not slot if isinstance(slot, str | tuple) else math.isinf(slot)


def _with_tuples(plain: dict[str, Any]) -> dict[str, Any]:
    return {**plain, **{name: tuple(plain.get(name, ())) for name in ("choices", "columns", "steps")}}


def _parameter_of(plain: dict[str, Any]) -> Parameter:
    low = -math.inf if plain["low"] is None else plain["low"]
    high = math.inf if plain["high"] is None else plain["high"]
    if plain["kind"] not in _KINDS:
        raise ValueError(f"the parameter {plain['name']!r} is a {plain['kind']!r}; expected {', '.join(_KINDS)}")
    return _made(Parameter, {**_with_tuples(plain), "kind": _KINDS[plain["kind"]], "low": low, "high": high})
