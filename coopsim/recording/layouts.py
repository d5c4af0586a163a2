"""Layouts as JSON: readable without coopsim, and without the plugins whose devices were there."""

import json
import math
from typing import Any

from coopsim.errors import DamagedRecording
from coopsim.interfaces import Command, Effect, Field, Interface, Parameter
from coopsim.state import EntityRow, Layout, ModuleLayout, RobotPlace, TypeLayout

_KINDS: dict[str, type[float] | type[int] | type[str]] = {"float": float, "int": int, "str": str}


def layout_to_json(layout: Layout) -> str:
    """Return a layout as JSON text."""
    interfaces: list[Interface] = []
    for module in (module for kind in layout.types for module in kind.modules):
        if module.interface not in interfaces:
            interfaces.append(module.interface)
    plain = {
        "generation": layout.generation,
        "interfaces": [_interface(each) for each in interfaces],
        "types": [_type(each, interfaces) for each in layout.types],
        "robots": [_robot(each) for each in layout.robots],
        "entities": [_slots(each) for each in layout.entities],
        "bodies": layout.bodies,
        "command_size": layout.command_size,
        "reading_size": layout.reading_size,
    }
    return json.dumps(plain, separators=(",", ":"))


def layout_from_json(text: str | bytes) -> Layout:
    """Return the layout that `layout_to_json` wrote.

    Raises:
        DamagedRecording: The text is no layout.
    """
    try:
        return _layout(json.loads(text))
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as problem:
        raise DamagedRecording(f"a layout of the recording cannot be read: {problem!r}") from None


def generation_of(text: str | bytes) -> int:
    """Return the generation of a layout without reading the rest of it.

    Raises:
        DamagedRecording: The text is no layout.
    """
    try:
        return int(json.loads(text)["generation"])
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        raise DamagedRecording(f"a layout of the recording cannot be read: {problem!r}") from None


def _layout(plain: dict[str, Any]) -> Layout:
    interfaces = [_interface_of(each) for each in plain["interfaces"]]
    types = {each["name"]: _type_of(each, interfaces) for each in plain["types"]}
    return Layout(
        generation=plain["generation"],
        types=tuple(types.values()),
        robots=tuple(RobotPlace(**{**each, "type": types[each["type"]]}) for each in plain["robots"]),
        entities=tuple(_entity_of(each) for each in plain["entities"]),
        bodies=tuple(plain["bodies"]),
        command_size=plain["command_size"],
        reading_size=plain["reading_size"],
    )


# robots, types and entities


def _slots(thing: Any) -> dict[str, Any]:
    return {name: getattr(thing, name) for name in thing.__slots__}


def _robot(place: RobotPlace) -> dict[str, Any]:
    return {**_slots(place), "type": place.type.name}


def _type(kind: TypeLayout, interfaces: list[Interface]) -> dict[str, Any]:
    modules = [{**_slots(each), "interface": interfaces.index(each.interface)} for each in kind.modules]
    return {**_slots(kind), "modules": modules}


def _type_of(plain: dict[str, Any], interfaces: list[Interface]) -> TypeLayout:
    modules = tuple(
        ModuleLayout(**{**each, "interface": interfaces[each["interface"]], "labels": tuple(each["labels"])})
        for each in plain["modules"]
    )
    return TypeLayout(**{**plain, "modules": modules})


def _entity_of(plain: dict[str, Any]) -> EntityRow:
    return EntityRow(**{**plain, **{name: tuple(plain[name]) for name in ("pose", "size", "color")}})


# interfaces


def _interface(interface: Interface) -> dict[str, Any]:
    return {
        "kind": interface.kind,
        "summary": interface.summary,
        "commands": [_command(each) for each in interface.commands],
        "parameters": [_parameter(each) for each in interface.parameters],
    }


def _interface_of(plain: dict[str, Any]) -> Interface:
    commands = tuple(map(_command_of, plain["commands"]))
    return Interface(plain["kind"], plain["summary"], commands, tuple(map(_parameter_of, plain["parameters"])))


def _command(command: Command) -> dict[str, Any]:
    fields = {name: [_without_defaults(each) for each in getattr(command, name)] for name in ("takes", "gives")}
    return {**_slots(command), "number": int(command.number), "effect": command.effect.value, **fields}


def _command_of(plain: dict[str, Any]) -> Command:
    fields = {name: tuple(Field(**_with_choices(each)) for each in plain[name]) for name in ("takes", "gives")}
    return Command(**{**plain, "effect": Effect(plain["effect"]), **fields})


def _parameter(parameter: Parameter) -> dict[str, Any]:
    ends = {name: end if math.isfinite(end := getattr(parameter, name)) else None for name in ("low", "high")}
    return {**_without_defaults(parameter), **ends, "kind": parameter.kind.__name__}


def _without_defaults(thing: Field | Parameter) -> dict[str, Any]:
    """Return what is said of a value; limits and choices only where it has some."""
    return {name: value for name, value in _slots(thing).items() if value not in (-math.inf, math.inf, ())}


def _with_choices(plain: dict[str, Any]) -> dict[str, Any]:
    return {**plain, "choices": tuple(plain.get("choices", ()))}


def _parameter_of(plain: dict[str, Any]) -> Parameter:
    low = -math.inf if plain["low"] is None else plain["low"]
    high = math.inf if plain["high"] is None else plain["high"]
    return Parameter(**{**_with_choices(plain), "kind": _KINDS[plain["kind"]], "low": low, "high": high})
