"""Texts out of messages: sections to insert, and keys of an entity to change. No file is ever opened for them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

from coopsim.scene import values
from coopsim.scene.area_spec import Area
from coopsim.scene.areas import AREA_KEYS, read_areas
from coopsim.scene.entities import (
    ARTIFACT,
    ARTIFACT_KEYS,
    FLOOR_KEYS,
    NO_BALL,
    OBJECT_KEYS,
    POLYGON_KEYS,
    ROBOT_KEYS,
    EntityNames,
    check_carriers,
    check_soft,
    placement,
    targets,
    thing,
)
from coopsim.scene.groups import group, is_group
from coopsim.scene.joint_spec import Joint
from coopsim.scene.keys import Keys, SectionKey, read_keys
from coopsim.scene.lines import Section, parse, parse_keys
from coopsim.scene.measures import POLYGON, POSITION, SHAPES, misshapen
from coopsim.scene.parts import check_parts, numbered, part_or_none
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.polygons import polygon_fields
from coopsim.scene.problems import Problems
from coopsim.scene.source import read_text
from coopsim.scene.spans import Span
from coopsim.scene.specs import ROLLING, TEAM, Floor, Object, TargetSpec
from coopsim.scene.textures import PATTERNS, is_pattern
from coopsim.scene.values import Flaw
from coopsim.scene.world_file import read_joints

ORIGIN = "message"
"""Name of such texts in spans."""
NO_FILE, NO_TEXTURE = "a message cannot name a file", "none"
SECTIONS = ("OBJECT_", "WALL_", "ROPE_", "CLOTH_", "SOFT_", "ROBOT_", "ARTIFACT_", "TARGET", "JOINT_", "AREA_")

Entity: TypeAlias = Object | RobotPlacement | TargetSpec | Floor | Area

_TARGET_KEYS: Keys = {"position": SectionKey(POSITION), "color": SectionKey(values.color)}


@dataclass(frozen=True, slots=True)
class Additions:
    """Entities that a text of sections asks to be inserted."""

    objects: tuple[Object, ...] = ()
    robots: tuple[RobotPlacement, ...] = ()
    targets: tuple[TargetSpec, ...] = ()
    joints: tuple[Joint, ...] = ()
    areas: tuple[Area, ...] = ()


def read_additions(
    text: str, taken: Iterable[str] = (), problems: Problems | None = None, pictures: Sequence[str] = ()
) -> tuple[Additions, Problems]:
    """Read the sections of a message.

    Args:
        text: `[OBJECT_n]`, `[WALL_n]`, `[ROPE_n]`, `[CLOTH_n]`, `[SOFT_n]`, `[ROBOT_n]`, `[ARTIFACT_n]`, `[JOINT_n]`,
            `[AREA_n]` and `[TARGET]` sections.
        taken: Names that are in use.
        problems: Takes the mistakes; without it a new collection.
        pictures: Files that textures may name.

    Returns:
        Whatever could be read, and all mistakes.
    """
    problems = problems if problems is not None else Problems()
    names = EntityNames(problems, taken)
    before = problems.total
    sections = parse(ORIGIN, read_text(ORIGIN, text, problems), SECTIONS, problems)
    if not sections and problems.total == before:
        problems.add(
            Span(ORIGIN, 1, 1), "the text is empty: expected [OBJECT_1], [WALL_1], [ROBOT_1], [JOINT_1] or [TARGET]"
        )
    return _additions(sections, names, problems, pictures), problems


def changed(entity: Entity, text: str, pictures: Sequence[str] = ()) -> Entity:
    """Return `entity` with the keys changed that `text` gives, lines `key value` as in its section.

    Args:
        entity: As it is.
        text: What is to be changed.
        pictures: Files that its texture may name.

    Raises:
        BadFile: The text has mistakes; names, types and files cannot be changed.
    """
    problems = Problems()
    section = parse_keys(ORIGIN, read_text(ORIGIN, text, problems), problems)
    if not section.lines and not problems.total:
        problems.add(section.span, "the text is empty: expected lines `key value`")
    keys = read_keys(section, _changeable(entity, pictures), problems)
    new = replace(entity, **_fields(entity, keys))
    flaw = misshapen(new.shape, new.size) if isinstance(new, Object) else ""
    if flaw:
        problems.add(section.value_span("size"), flaw)
    if isinstance(new, Object) and new.shape != "sphere":
        if "rolling" in keys:
            problems.add(section.value_span("rolling"), NO_BALL.format(new.shape))
        new = replace(new, rolling=ROLLING)
    if isinstance(new, Object) and new.parts:
        check_parts(new, section, problems)
    if isinstance(new, Object):
        check_soft(new, section, problems)
    if isinstance(new, RobotPlacement):
        check_carriers(new.carriers, new.length, section, problems)
    problems.raise_any()
    return new


def _additions(sections: list[Section], names: EntityNames, problems: Problems, pictures: Sequence[str]) -> Additions:
    objects: list[Object] = []
    robots, landmarks = [], []
    joints, areas = read_joints(sections, names, problems), read_areas(sections, names, problems)
    for section in sections:
        if section.kind in ("ROBOT", ARTIFACT):
            robots.append(placement(section, names, problems))
        elif section.kind == "TARGET":
            landmarks += targets(section, names, problems)
        elif is_group(section):
            _refuse_files(section, problems, pictures)
            several = group(section, names, problems, Path())
            objects += several.objects
            joints += several.joints
        elif section.kind not in ("JOINT", "AREA"):
            _refuse_files(section, problems, pictures)
            thing_read = thing(section, names, problems)
            objects += [thing_read] if thing_read else []
    return Additions(tuple(objects), tuple(robots), tuple(landmarks), tuple(joints), tuple(areas))


def _refuse_files(section: Section, problems: Problems, pictures: Sequence[str]) -> None:
    line = section.line("mesh")
    if line:
        problems.add(line.span, NO_FILE)
    texture = section.line("texture")
    flaw = _texture(texture.values, pictures) if texture else None
    if texture and isinstance(flaw, Flaw):
        problems.add(texture.span, flaw.text)


def _texture(words: Sequence[str], pictures: Sequence[str]) -> str | Flaw:
    """Read a pattern, one of some pictures, or `none`."""
    text = values.text(words)
    if text == NO_TEXTURE:
        return ""
    if is_pattern(text) or text in pictures:
        return text
    expected = f"expected {', '.join(PATTERNS)}, {NO_TEXTURE}, or the whole path of a picture in an allowed folder"
    return Flaw(f"{NO_FILE} like this: {expected}; got {text[:80]!r}")


def _refused(what: str) -> SectionKey:
    return SectionKey(lambda _: Flaw(f"cannot be changed: {what}"))


_FIXED: Keys = {
    "name": _refused("remove the entity and insert it under another name"),
    "mesh": _refused(NO_FILE),
    "file": _refused(NO_FILE),
}


def _changeable(entity: Entity, pictures: Sequence[str]) -> Keys:
    loose = {name: SectionKey(key.read) for name, key in _own_keys(entity).items()}
    if isinstance(entity, RobotPlacement):
        loose |= dict.fromkeys(
            ("type", "count", "grid", "scatter", "size", "set"), _refused("remove the robot and insert another")
        )
    if "part_n" in loose:
        loose["part_n"] = SectionKey(part_or_none, is_numbered=True)
    if "texture" in loose:
        loose["texture"] = SectionKey(partial(_texture, pictures=pictures))
    return {**loose, **_FIXED}


def _own_keys(entity: Entity) -> Keys:
    if isinstance(entity, Object):
        is_polygon = entity.shape == POLYGON
        return POLYGON_KEYS if is_polygon else {**OBJECT_KEYS, "type": SectionKey(values.one_of(*SHAPES))}
    if isinstance(entity, RobotPlacement) and entity.is_of_world:
        return ARTIFACT_KEYS
    if isinstance(entity, RobotPlacement):
        of_teams = () if entity.type == TEAM else ("length", "mass", "carriers")
        return {name: key for name, key in ROBOT_KEYS.items() if name not in of_teams}
    if isinstance(entity, Floor):
        return FLOOR_KEYS
    if isinstance(entity, Area):
        return AREA_KEYS
    # a target's line in a file is its name and its position
    return {**_TARGET_KEYS, entity.name.lower(): SectionKey(POSITION)}


def _fields(entity: Entity, values: dict[str, Any]) -> dict[str, Any]:
    fields = dict(values)
    if isinstance(entity, Object) and "type" in fields:
        fields["shape"] = fields.pop("type")
    if isinstance(entity, Object) and fields.keys() & {"points", "height"}:
        height = fields.pop("height", entity.height)
        fields |= polygon_fields(fields.get("points", entity.points), height, is_placed=True)[1]
    if isinstance(entity, Area) and "type" in fields:
        fields["kind"] = fields.pop("type")
    if isinstance(entity, Object) and "part_n" in fields:
        fields["parts"] = numbered({part.number: part for part in entity.parts} | fields.pop("part_n"))
    if isinstance(entity, TargetSpec) and entity.name.lower() in fields:
        fields["position"] = fields.pop(entity.name.lower())
    return fields
