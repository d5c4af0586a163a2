"""Checks of a run that came out of a recording, where no reader of files has looked at it."""

from collections.abc import Iterable, Mapping

from coopsim.errors import BadArgument, BadFile
from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint, RunSpec
from coopsim.robots.registry import device_type
from coopsim.scene import AREA_KINDS, BASE, MOST_CORNERS, Area, Event, Goal
from coopsim.state.plain_entities import check_visuals

_SHORTEST, _LONGEST = 1e-6, 1e3
"""Of a tick [s]."""


def check_run(spec: RunSpec) -> None:
    """Check that names are unique and that what is named is there.

    Raises:
        BadFile: It is not.
    """
    scenario = spec.scenario
    areas = (*scenario.world.areas, *scenario.areas)
    groups = (scenario.world.objects, scenario.targets, scenario.robots, scenario.world.joints, scenario.joints, areas)
    _check_names([scenario.world.floor.name, *(entity.name for group in groups for entity in group)])
    check_areas(areas)
    check_types(spec.types, {robot.type for robot in scenario.robots})
    for event in scenario.events:
        _check_event(event)
    for goal in scenario.goals:
        _check_goal(goal)
    if not _SHORTEST <= scenario.settings.step <= _LONGEST:
        raise BadFile(f"Settings.step: expected {_SHORTEST:g} to {_LONGEST:g} s, found {scenario.settings.step:g}")


_NUMBERS = {"entity": 1, "point": 3, "formation": 1, "distance": 2, "area": 4, "clearance": 1, "reading": 1}
_NUMBERS |= {"value": 0, "below": 1, "above": 1}
_OF_AREAS = ("inside", "polygon")
_FEWEST_CORNERS = 3  # a triangle


def check_areas(areas: Iterable[Area]) -> None:
    """Check that areas are polygons of known kinds.

    Raises:
        BadFile: They are not.
    """
    for area in areas:
        if area.kind not in AREA_KINDS:
            raise BadFile(f"the area {area.name[:40]!r} is a {area.kind[:40]!r}; expected {', '.join(AREA_KINDS)}")
        if not _FEWEST_CORNERS <= len(area.points) <= MOST_CORNERS:
            raise BadFile(f"the area {area.name[:40]!r} has {len(area.points)} corners; expected 3 to {MOST_CORNERS}")


def _check_goal(goal: Goal) -> None:
    if goal.measure in _OF_AREAS:
        corners, rest = divmod(len(goal.numbers), 2)
        is_known = corners >= _FEWEST_CORNERS and rest == (goal.measure == "inside")
    else:
        is_known = _NUMBERS.get(goal.measure) == len(goal.numbers)
    if not is_known:
        raise BadFile(f"the goal {goal.name[:40]!r} measures {goal.measure[:40]!r} with {len(goal.numbers)} numbers")


def check_types(types: Mapping[str, RobotBlueprint], used: Iterable[str]) -> None:
    """Check that robot types are registered under their own names, and that their modules have distinct names.

    Raises:
        BadFile: They are not.
    """
    for name in used:
        if name not in types:
            raise BadFile(f"a robot is a {name[:40]!r}; expected one of {', '.join(types)[:80] or 'no type at all'}")
    for name, kind in types.items():
        if kind.name != name:
            raise BadFile(f"the robot type {name[:40]!r} calls itself {kind.name[:40]!r}")
        _check_names([device.name for device in kind.devices])
        try:
            check_visuals(kind.visuals, f"visuals of {name[:40]!r}")
        except ValueError as problem:
            raise BadFile(str(problem)) from None
        _check_parts(kind)


def _check_parts(kind: RobotBlueprint) -> None:
    bodies = [BASE, *(link.name for link in kind.links)]
    _check_names(bodies)
    _check_names([joint.name for joint in kind.joints])
    named = [*(device.body for device in kind.devices), *(visual.body or BASE for visual in kind.visuals)]
    named += [name for joint in kind.joints for name in (joint.a, joint.b)]
    for name in named:
        if name not in bodies:
            raise BadFile(f"the robot type {kind.name[:40]!r} has no body {name[:40]!r}")


def check_devices(types: Mapping[str, RobotBlueprint]) -> None:
    """Check that the settings of devices are within the ranges of their parameters, before devices are made.

    Raises:
        BadFile: They are not.
        NoSuchPlugin: A device is not installed.
    """
    for kind in types.values():
        for device in kind.devices:
            _check_settings(kind.name, device)


def _check_settings(robots: str, device: DeviceBlueprint) -> None:
    interface = device_type(device).interface
    defaults = {parameter.name: parameter.default for parameter in interface.parameters}
    for parameter in interface.parameters:
        if parameter.name not in device.settings:
            continue  # it came with a later version, and its default is what was done before
        place = f"{device.name}.{parameter.name} of {robots}"
        try:
            parameter.check(device.settings[parameter.name])
            if parameter.each:
                parameter.spread(defaults | dict(device.settings))
        except BadArgument as problem:
            raise BadFile(f"{place}: {problem}") from None


def _check_event(event: Event) -> None:
    if event.at < 0.0:
        raise BadFile(f"Event.at: expected a time from 0, found {event.at:g}")
    for path, _ in event.set:
        if len(path.split(".")) != 3:
            raise BadFile(f"Event.set: expected robot.module.parameter, found {path[:80]!r}")


def _check_names(names: Iterable[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name or name in seen:
            raise BadFile(f"the name {name[:40]!r} is empty or given twice")
        seen.add(name)
