"""Specs as plain dictionaries and back, without the dangers of pickle: snapshots come from foreign files."""

from dataclasses import fields, is_dataclass
from typing import Any

from coopsim.errors import BadFile
from coopsim.robots.blueprint import DeviceBlueprint, RobotBlueprint, RunSpec
from coopsim.scene import (
    Area,
    Controller,
    Event,
    Floor,
    Goal,
    Joint,
    JointDynamics,
    LinkSpec,
    Object,
    ObjectPart,
    RobotPlacement,
    Scenario,
    Settings,
    SoftNode,
    TargetSpec,
    World,
)
from coopsim.state import Visual
from coopsim.state.plain import check_members

_MARK = "="
_PLACED = (Floor, Object, ObjectPart, SoftNode, TargetSpec, RobotPlacement, Joint, JointDynamics, Area)
_ENTITIES = (*_PLACED, RobotBlueprint, DeviceBlueprint, Visual, LinkSpec)
_RUNS = (RunSpec, Scenario, World, Controller, Event, Goal, Settings)
_NAMES: dict[type[Any], str] = {kind: kind.__name__ for kind in (*_ENTITIES, *_RUNS)} | {TargetSpec: "Target"}
"""What files call them, whatever they are called here."""
_FORMER: dict[str, tuple[str, ...]] = {"Scenario": ("systems",)}
"""Members that older recordings hold, always empty: systems were on board of the robots by then."""
_KNOWN = {name: kind for kind, name in _NAMES.items()}


def to_plain(value: Any) -> Any:
    """Return `value` out of dictionaries, lists, numbers and text; where it stood in a file is left out."""
    if is_dataclass(value):
        content = {field.name: to_plain(getattr(value, field.name)) for field in fields(value) if field.compare}
        return {_MARK: _NAMES[type(value)], **{name: value for name, value in content.items() if value is not None}}
    if isinstance(value, dict):
        return {name: to_plain(item) for name, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    return value


def from_plain(value: Any) -> Any:
    """Return what `to_plain` was given; lists come back as tuples.

    Raises:
        BadFile: It is not what `to_plain` makes.
    """
    if isinstance(value, dict):
        content = {name: from_plain(item) for name, item in value.items() if name != _MARK}
        if _MARK not in value:
            return content
        return _made(value[_MARK], content)
    if isinstance(value, tuple | list):
        return tuple(from_plain(item) for item in value)
    return value


def _made(name: Any, content: dict[str, Any]) -> Any:
    kind = _KNOWN.get(name) if isinstance(name, str) else None
    if kind is None:
        raise BadFile(f"the snapshot holds an unknown part: {str(name)[:40]!r}")
    for member in _FORMER.get(name, ()):
        content.pop(member, None)
    try:
        instance = kind(**content)
    except TypeError as problem:  # a member too many or too few
        raise BadFile(f"the snapshot holds an unknown part: {problem}") from None
    try:
        check_members(instance)
    except ValueError as problem:
        raise BadFile(f"{name}.{problem}") from None
    return instance
