"""Checks of a scenario against what is installed: types, names and ranges, each at its place in the file."""

import shlex
import shutil
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from coopsim.errors import BadArgument, PluginError
from coopsim.interfaces import Interface, Parameter, Value
from coopsim.interfaces.simulation import MODES, POLICIES
from coopsim.robots.assembly import place
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.registry import Registry
from coopsim.robots.settings import read_setting
from coopsim.scene import (
    Controller,
    Entry,
    Event,
    Flaw,
    Problems,
    Settings,
    Span,
    choices,
    find_entry,
    hint,
    quoted,
    to_number,
)

_KEYS = ("run", "robots", "endpoint")
"""Keys of `[CONTROLLER_n]` that every control law knows."""


def check_settings(settings: Settings, registry: Registry, problems: Problems) -> None:
    """Note unknown modes, policies and engines."""
    for key, known in (("mode", MODES), ("policy", POLICIES), ("engine", registry.engines)):
        value = getattr(settings, key)
        entry = find_entry(settings.entries, key)
        if entry and value not in known:
            text = f"no {key} {quoted(value)}{hint(value, known)}; known: {choices(known)}"
            problems.add(entry.value_spans[0], text)


def check_controllers(
    controllers: Sequence[Controller], robots: Collection[str], registry: Registry, problems: Problems
) -> tuple[Controller, ...]:
    """Note unknown control laws and robots, and robots driven twice; return the controllers that are commands."""
    driven: set[str] = set()
    for controller in controllers:
        for name, span in zip(controller.robots, _spans(controller.entries, "robots"), strict=True):
            if problems.is_full:
                break
            if name not in robots:
                problems.add(span, f"no robot {quoted(name)}{hint(name, robots)}; known: {choices(robots)}")
            elif name in driven:
                problems.add(span, f"{quoted(name)} is named twice; one controller drives a robot")
            driven.add(name)
    commands = [controller for controller in controllers if controller.run not in registry.controllers]
    for controller in commands:
        _check_command(controller, registry, problems)
    for controller in controllers:
        if controller.run in registry.controllers:
            _check_arguments(controller, registry, problems)
    return tuple(commands)


def check_events(
    events: Sequence[Event],
    robots: Mapping[str, RobotBlueprint],
    devices: Mapping[str, Interface],
    problems: Problems,
) -> tuple[Event, ...]:
    """Note what an event cannot set; return the events with values in SI units and radians."""
    return tuple(_event(event, robots, devices, problems) for event in events)


def _event(
    event: Event, robots: Mapping[str, RobotBlueprint], devices: Mapping[str, Interface], problems: Problems
) -> Event:
    found = []
    for entry in event.entries:
        if problems.is_full:
            break
        if entry.key.lower() != "set" or len(entry.values) < 2:
            continue
        target = _parameter(entry, robots, devices, problems)
        value = read_setting(target[1], entry.values[1:]) if target else None
        if isinstance(value, Flaw):
            # the values of the parameter stand behind its path
            problems.add(place(entry, Flaw("", value.index + 1)), value.text)
        elif target and value is not None:
            found.append((target[0], _written(value)))
    return replace(event, set=tuple(found))


def _parameter(
    entry: Entry, robots: Mapping[str, RobotBlueprint], devices: Mapping[str, Interface], problems: Problems
) -> tuple[str, Parameter] | None:
    """Return path and parameter that an event's line names, None where there is none, which is noted."""
    span, parts = entry.value_spans[0], entry.values[0].split(".")
    if len(parts) != 3:
        problems.add(span, f"expects robot.module.parameter, got {quoted(entry.values[0])}")
        return None
    robot, module, name = parts
    if robot not in robots:
        problems.add(span, f"no robot {quoted(robot)}{hint(robot, robots)}; known: {choices(robots)}")
        return None
    kinds = {device.name: device.kind for device in robots[robot].devices}
    if module not in kinds:
        problems.add(span, f"{robot} has no module {quoted(module)}{hint(module, kinds)}; it has {choices(kinds)}")
        return None
    parameters = {each.name.lower(): each for each in devices[kinds[module]].parameters}
    parameter = parameters.get(name.lower())
    if parameter is None:
        names = [each.name for each in parameters.values()]
        problems.add(span, f"{module} has no parameter {quoted(name)}{hint(name, names)}; it has {choices(names)}")
    elif parameter.fixed:
        problems.add(span, f"{parameter.name} is fixed by the .robot file and cannot change while running")
        return None
    return (f"{robot}.{module}.{parameter.name}", parameter) if parameter else None


def _written(value: Value) -> str:
    return value if isinstance(value, str) else repr(value)


def _check_command(controller: Controller, registry: Registry, problems: Problems) -> None:
    span = _spans(controller.entries, "run")[0]
    try:
        words = shlex.split(controller.run)
    except ValueError as problem:
        problems.add(span, f"cannot be read as a command: {problem}")
        return
    if not words or not shutil.which(words[0]):
        names = f"{hint(controller.run, registry.controllers)}; control laws: {choices(registry.controllers)}"
        problems.add(span, f"{quoted(controller.run)} is neither a control law nor a command{names}")


def _check_arguments(controller: Controller, registry: Registry, problems: Problems) -> None:
    """Note keys that the control law does not declare, and values that it cannot take."""
    try:
        declared = registry.law_parameters(controller.run)
    except PluginError as problem:
        problems.add(_spans(controller.entries, "run")[0], f"control law {controller.run} cannot be used: {problem}")
        return
    if declared is None:
        return
    parameters = {_option(each.name): each for each in declared}
    for entry in controller.entries:
        key = _option(entry.key)
        if key in parameters:
            flaw = _unfit(parameters[key], entry.values)
            if flaw:
                problems.add(place(entry, flaw), flaw.text)
        elif key not in _KEYS:
            names = [each.name for each in declared]
            known = hint(entry.key, [*names, *_KEYS]) or f"; it knows {choices(names)}"
            problems.add(entry.span, f"control law {controller.run} knows no key {quoted(entry.key)}{known}")


def _option(name: str) -> str:
    return name.lower().replace("-", "_")


def _unfit(parameter: Parameter, words: Sequence[str]) -> Flaw | None:
    """Return why a control law, which takes SI units and radians, cannot take these words."""
    if len(words) != 1:
        return Flaw(f"{parameter.name} takes 1 value, got {len(words)}")
    value: Value | Flaw = words[0] if parameter.kind is str else to_number(words[0])
    if isinstance(value, Flaw):
        return Flaw(f"{parameter.name} {value.text}", 0)
    try:
        parameter.check(value)
    except BadArgument as problem:
        return Flaw(str(problem), 0)
    return None


def _spans(entries: tuple[Entry, ...], key: str) -> tuple[Span, ...]:
    entry = find_entry(entries, key)
    return entry.value_spans if entry else (Span(),)
