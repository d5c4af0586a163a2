"""Checks of a scenario against what is installed: types, names and ranges, each at its place in the file."""

import shlex
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from coopsim import plugins
from coopsim.errors import BadArgument, CoopsimError, PluginError
from coopsim.interfaces import Parameter, Value, WordsParameter
from coopsim.interfaces.simulation import MODES, POLICIES
from coopsim.robots.assembly import flaw_location
from coopsim.robots.catalogue import Placed
from coopsim.robots.links import body_names
from coopsim.robots.names import RobotNames
from coopsim.robots.plugging import check_plugin
from coopsim.robots.registry import TypeRegistry
from coopsim.scene import (
    Controller,
    Entry,
    Flaw,
    Joint,
    Object,
    Problems,
    Settings,
    Span,
    choices,
    find_entry,
    hint,
    quoted,
    to_number,
)
from coopsim.suggest import listed

_KEYS = ("run", "robots", "endpoint")
"""Keys of `[CONTROLLER_n]` that every control law knows."""


def check_settings(settings: Settings, registry: TypeRegistry, problems: Problems) -> None:
    """Note unknown modes, policies and engines."""
    for key, allowed in (("mode", MODES), ("policy", POLICIES), ("engine", registry.engines)):
        value = getattr(settings, key)
        entry = find_entry(settings.entries, key)
        if entry and value not in allowed:
            text = f"no {key} {quoted(value)}{hint(value, allowed)}; known: {choices(allowed)}"
            problems.add(entry.value_spans[0], text)


def check_controllers(
    controllers: Sequence[Controller], names: RobotNames, registry: TypeRegistry, problems: Problems, folder: Path
) -> tuple[Controller, ...]:
    """Note unknown control laws and robots, and robots driven twice; return the controllers robot by robot.

    Files that they run lie in `folder` or below it; they are loaded as plugins.
    """
    driven: set[str] = set()
    checked = tuple(
        replace(controller, robots=_driven(controller, names, driven, problems)) for controller in controllers
    )
    for controller in controllers:
        is_file = plugins.is_law_file(controller.run) and controller.run not in registry.controllers
        if is_file and not _brings_law(controller, controllers, folder, problems):
            continue
        if is_file or controller.run in registry.controllers:
            _check_arguments(controller, registry, problems)
        else:
            _check_command(controller, registry, problems)
    return checked


def check_joints(joints: Sequence[Joint], objects: Sequence[Object], placed: Placed, problems: Problems) -> None:
    """Note joints between bodies that are not there."""
    robots = (body_names(robot.name, placed.types[robot.type].links) for robot in placed.robots)
    entities = [*(entity.name for entity in objects), *(name for own in robots for name in own)]
    for joint in joints:
        for name, span in ((joint.a, joint.a_span), (joint.b, joint.b_span)):
            if name not in entities:
                problems.add(span, f"no object or robot {quoted(name)}{hint(name, entities)}")


def _driven(controller: Controller, names: RobotNames, driven: set[str], problems: Problems) -> tuple[str, ...]:
    """Return the robots of a controller by name, and add them to those that are driven."""
    names_checked: list[str] = []
    for word, span in zip(controller.robots, _spans(controller.entries, "robots"), strict=True):
        if problems.is_full:
            break
        meant = names.meant(word)
        twice = [name for name in meant if name in driven]
        if not meant:
            problems.add(span, names.missing(word))
        elif twice:
            who = f"{quoted(twice[0])} is" if len(twice) == 1 else f"{listed(twice, 5)} are"
            problems.add(span, f"{who} named twice; one controller drives a robot")
        names_checked += meant
        driven.update(meant)
    return tuple(names_checked)


def _brings_law(controller: Controller, controllers: Sequence[Controller], folder: Path, problems: Problems) -> bool:
    """Load the file that a controller runs; return whether it is a control law, and note why it is not."""
    span, file = _spans(controller.entries, "run")[0], Path(controller.run)
    if ".." in file.parts:
        problems.add(span, f"{quoted(controller.run)}: a file that a scenario runs lies beside it or in a folder below")
        return False
    alike = [
        controller.run
        for controller in controllers
        if plugins.is_law_file(controller.run) and Path(controller.run).name == file.name
    ]
    if any(Path(run) != file for run in alike):
        problems.add(span, f"{listed(alike)} have one name; rename one of the files")
        return False
    try:
        loose = plugins.bring(folder / file)
        for name, law in loose.offers["controllers"].items():
            check_plugin("controllers", name, law)
    except (CoopsimError, OSError) as problem:
        problems.add(span, f"control law {controller.run} cannot be used: {problem}")
        return False
    return True


def _check_command(controller: Controller, registry: TypeRegistry, problems: Problems) -> None:
    span = _spans(controller.entries, "run")[0]
    try:
        words = shlex.split(controller.run)
    except ValueError as problem:
        problems.add(span, f"cannot be read as a command: {problem}")
        return
    if not words or not shutil.which(words[0]):
        names = f"{hint(controller.run, registry.controllers)}; control laws: {choices(registry.controllers)}"
        problems.add(span, f"{quoted(controller.run)} is neither a control law nor a command{names}")


def _check_arguments(controller: Controller, registry: TypeRegistry, problems: Problems) -> None:
    """Note keys that the control law does not declare, and values that it cannot take."""
    try:
        declared = registry.law_parameters(controller.run)
    except PluginError as problem:
        problems.add(_spans(controller.entries, "run")[0], f"control law {controller.run} cannot be used: {problem}")
        return
    if declared is None:
        return
    parameters = {_option(parameter.name): parameter for parameter in declared}
    for entry in controller.entries:
        key = _option(entry.key)
        if key in parameters:
            flaw = _unfit(parameters[key], entry.values)
            if flaw:
                problems.add(flaw_location(entry, flaw), flaw.text)
        elif key not in _KEYS:
            names = [parameter.name for parameter in declared]
            advice = hint(entry.key, [*names, *_KEYS]) or f"; it knows {choices(names)}"
            problems.add(entry.span, f"control law {controller.run} knows no key {quoted(entry.key)}{advice}")


def _option(name: str) -> str:
    return name.lower().replace("-", "_")


def _unfit(parameter: Parameter, words: Sequence[str]) -> Flaw | None:
    """Return why a control law, which takes SI units and radians, cannot take these words."""
    if isinstance(parameter, WordsParameter):
        return None if words else Flaw(f"{parameter.name} takes words, {parameter.summary}, got none")
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
