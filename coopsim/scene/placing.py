"""Entities to the keys of their sections, and which of them a section must change."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

from coopsim.scene import writing
from coopsim.scene.area_spec import Area
from coopsim.scene.areas import AREA_KEYS
from coopsim.scene.entities import ARTIFACT_KEYS, FLOOR_KEYS, OBJECT_KEYS, POLYGON_KEYS, ROBOT_KEYS
from coopsim.scene.joint_spec import Joint
from coopsim.scene.joints import DYNAMICS, JOINT_KEYS
from coopsim.scene.keys import Keys
from coopsim.scene.lines import Section
from coopsim.scene.object_part import ObjectPart
from coopsim.scene.parts import part_lines, part_words
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.soft_node import soft_words
from coopsim.scene.specs import Floor, Object
from coopsim.scene.textures import is_pattern
from coopsim.scene.writing import Words

Placed: TypeAlias = Floor | Joint | Object | RobotPlacement | Area
"""What has a section of its own."""

_WRITERS: dict[str, Callable[[Any, Sequence[str]], Words]] = {
    "type": writing.text,
    "size": writing.vector,
    "position": writing.vector,
    "orientation": writing.angles,
    "mass": writing.number,
    "color": writing.color,
    "friction": writing.number,
    "restitution": writing.number,
    "rolling": writing.number,
    "texture": writing.text,
    "mesh": writing.text,
    "count": writing.number,
    "grid": writing.grid,
    "scatter": writing.area,
    "length": writing.number,
    "carriers": writing.number,
    "bodies": writing.names,
    "anchor": writing.vector,
    "axis": writing.vector,
    "limits": writing.limits,
    "travel": writing.number,
    "stiffness": writing.number,
    "damping": writing.number,
    "carriage": writing.number,
    "armature": writing.number,
    "rest": writing.position_of,
    "follows": writing.follows,
    "far_anchor": writing.vector,
    "points": writing.points,
    "height": writing.number,
    "soft": soft_words,
    "set": lambda value, _: [word for pair in value for word in pair],
}
_KNOWN: dict[type, Keys] = {
    Floor: FLOOR_KEYS,
    Object: OBJECT_KEYS,
    RobotPlacement: ROBOT_KEYS,
    Joint: JOINT_KEYS,
    Area: AREA_KEYS,
}
FILES: dict[type, tuple[str, ...]] = {Floor: ("texture",), Object: ("texture", "mesh")}
"""Keys of an entity that name files."""
_SELDOM = ("soft", "size", "set")
"""Keys of an object or an artifact that most have not."""
_ALWAYS = {"type", "size", "position", "bodies", "points", "height"}


def changes(section: Section, before: Placed, after: Placed) -> Iterator[tuple[str, Words]]:
    """Yield the keys whose values differ, with the words to write, none where a line shall go."""
    old, new = _keys(before), _keys(after)
    for key, value in new.items():
        if value != old.get(key):
            line = section.line(key)
            yield key, _words(key, value, line.values if line else ())
    yield from ((key, []) for key in old if key not in new)


def lines(entity: Placed, name: str = "") -> list[tuple[str, Words]]:
    """Return keys and words of a new section: what is needed, and what differs from the defaults.

    Args:
        entity: What it stands for.
        name: Name to write; "" = the header gives it.
    """
    usual = _keys(_usual(entity))
    values = [
        (key, _words(key, value)) for key, value in _keys(entity).items() if key in _ALWAYS or value != usual.get(key)
    ]
    return [*values[:1], ("name", [name]), *values[1:]] if name else values


def in_folder(entity: Placed, before: object, folder: Path) -> Placed:
    """Return `entity` with its texture and its mesh as a file in `folder` names them.

    Args:
        entity: Its files are paths from the working folder.
        before: What the file says now; a name stays when it means the same.
        folder: Of the file.
    """
    if isinstance(entity, RobotPlacement | Joint | Area) or not any(
        getattr(entity, key) for key in FILES[type(entity)]
    ):
        return entity
    texture = name_in(folder, entity.texture, getattr(before, "texture", ""))
    if isinstance(entity, Floor):
        return replace(entity, texture=texture)
    return replace(entity, texture=texture, mesh=name_in(folder, entity.mesh, getattr(before, "mesh", "")))


def name_in(folder: Path, file: str, before: str) -> str:
    """Return how a file in `folder` names one given from the working folder; `before` where it means the same."""
    if is_pattern(file):
        return file
    path = os.path.abspath(file)
    if not file or (before and os.path.abspath(folder / before) == path):
        return before if file else ""
    return os.path.relpath(path, os.path.abspath(folder))


def _keys(entity: Placed) -> dict[str, Any]:
    """Return the values of an entity by the keys of its section, in the order in which they are written."""
    file_keys = next(keys for kind, keys in _KNOWN.items() if isinstance(entity, kind))
    file_keys = POLYGON_KEYS if isinstance(entity, Object) and entity.points else file_keys
    file_keys = ARTIFACT_KEYS if isinstance(entity, RobotPlacement) and entity.is_of_world else file_keys
    if isinstance(entity, Joint):
        special = {"type": entity.kind, "bodies": (entity.a, entity.b), "limits": (entity.kind, entity.limits)}
        special |= _dynamics(entity)
        said = {key: special[key] if key in special else getattr(entity, key) for key in file_keys if key != "name"}
        return {key: value for key, value in said.items() if value is not None}
    if isinstance(entity, Area):
        said = {"type": entity.kind, "points": entity.points, "color": entity.color}
        return {key: value for key, value in said.items() if value is not None}
    names, parts = ({"type": "shape"}, part_lines(entity)) if isinstance(entity, Object) else ({}, {})
    said = {key: getattr(entity, names.get(key, key)) for key in file_keys if key not in ("name", "part_n")}
    return {key: value for key, value in said.items() if value is not None or key not in _SELDOM} | parts


def _dynamics(joint: Joint) -> dict[str, Any]:
    """Return what the keys of a joint's resistance say, None where its section has no such line."""
    own = ("friction", "rest", "follows") if joint.kind not in ("hinge", "slide") else DYNAMICS
    said: dict[str, Any] = dict.fromkeys(own)
    if joint.dynamics is not None:
        said |= {key: getattr(joint.dynamics, key) or None for key in ("stiffness", "damping", "friction")}
        if joint.dynamics.rest:
            said["rest"] = joint.kind, joint.dynamics.rest
        if joint.dynamics.follows:
            said["follows"] = joint.kind, joint.dynamics
    return said


def _words(key: str, value: Any, old: Sequence[str] = ()) -> Words:
    write = part_words if isinstance(value, ObjectPart) else _WRITERS[key]
    return write(value, old)


def _usual(entity: Placed) -> Placed:
    match entity:
        case Floor():
            return Floor()
        case Object():
            return Object(entity.name, entity.shape, entity.size, entity.position)
        case Joint():
            usual = Joint(entity.name, entity.kind, entity.a, entity.b)
            return replace(usual, damping=0.0) if entity.kind == "spring" else usual
        case Area():
            return Area(entity.name, entity.kind, entity.points)
        case _:
            return RobotPlacement(entity.name, entity.type)
