"""Sections to entities: floor, walls and objects, robots, targets, and the one name space they share."""

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from coopsim.scene import values
from coopsim.scene.colors import NAMED, target_color
from coopsim.scene.keys import Keys, SectionKey, flaw_location, lacks, read_keys
from coopsim.scene.lines import Line, Section
from coopsim.scene.measures import FRICTION, POLYGON, POSITION, SHAPES, SIZE, misshapen
from coopsim.scene.parts import check_parts, numbered, part
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.polygons import polygon, polygon_fields
from coopsim.scene.problems import Problems
from coopsim.scene.soft_node import soft_node
from coopsim.scene.spans import Span
from coopsim.scene.specs import TEAM, Floor, Object, TargetSpec
from coopsim.scene.values import FARTHEST, SMALLEST, Flaw
from coopsim.suggest import hint, quoted

ARTIFACT = "ARTIFACT"
"""Sections of what stands in a world with devices."""
HULLS = ("cylinder", "box")
HEIGHT = 0.5  # m; a wall as in the built-in halls

MASS = values.number(0.0, 1e9, "kg")
SHORTEST_BAR, LONGEST_BAR = 0.9, 20.0
"""Lengths of the bar of a team [m]; on a shorter one its robots would touch."""
# the ends must not slip off while the robots turn on the spot under them
OVERHANG = 0.15
"""How far each end of the bar reaches beyond the middle of the robot under it [m]."""
NO_BALL = "rolling: a {} does not roll; its friction is what brakes it"

FLOOR_KEYS: Keys = {
    "size": SectionKey(values.vector("length width height", (SMALLEST, SMALLEST, 0.0), FARTHEST, "m")),
    "orientation": SectionKey(values.angles),
    "color": SectionKey(values.color),
    "friction": SectionKey(FRICTION),
    "texture": SectionKey(values.text),
}
OBJECT_KEYS: Keys = {
    "type": SectionKey(values.one_of(*SHAPES, POLYGON), is_needed=True),
    "size": SectionKey(SIZE, is_needed=True),
    "position": SectionKey(POSITION, is_needed=True),
    "orientation": SectionKey(values.angles),
    "mass": SectionKey(MASS),
    "name": SectionKey(values.member_name),
    "color": SectionKey(values.color),
    "friction": SectionKey(FRICTION),
    "restitution": SectionKey(values.number(0.0, 1.0)),
    "rolling": SectionKey(values.number(0.0, 1.0)),
    "texture": SectionKey(values.text),
    "mesh": SectionKey(values.text),
    "part_n": SectionKey(part, is_numbered=True),
    "soft": SectionKey(soft_node),
}
POLYGON_KEYS: Keys = {
    "type": SectionKey(values.one_of(POLYGON), is_needed=True),
    "points": SectionKey(polygon, is_needed=True),
    "height": SectionKey(values.LENGTH),
    "position": SectionKey(POSITION),
    **{key: OBJECT_KEYS[key] for key in ("orientation", "mass", "name", "color", "friction", "restitution", "texture")},
}
"""Of an object of type polygon."""
ROBOT_KEYS: Keys = {
    "type": SectionKey(values.word, is_needed=True),
    "name": SectionKey(values.member_name),
    "position": SectionKey(POSITION),
    "orientation": SectionKey(values.angles),
    "color": SectionKey(values.color),
    "count": SectionKey(values.number(1, values.MOST_ROBOTS, whole=True)),
    "grid": SectionKey(values.grid),
    "scatter": SectionKey(values.area),
    "length": SectionKey(values.number(SHORTEST_BAR, LONGEST_BAR, "m")),
    "mass": SectionKey(values.number(1e-3, 1e3, "kg")),
    "carriers": SectionKey(values.number(2, 6, whole=True)),
}


def _settings(words: Sequence[str]) -> tuple[tuple[str, str], ...] | Flaw:
    """Read settings of devices and their values by turns, `belt.speed 0.4 lamp.start 0`."""
    wrong = next((at for at in range(0, len(words), 2) if "." not in words[at]), len(words) - len(words) % 2)
    if wrong < len(words):
        return Flaw(f"takes device.parameter and a value by turns, got {quoted(words[wrong])}", wrong)
    return tuple(zip(words[::2], words[1::2], strict=True))


ARTIFACT_KEYS: Keys = {
    **{key: ROBOT_KEYS[key] for key in ("type", "name", "position", "orientation", "color")},
    "size": SectionKey(SIZE),
    "set": SectionKey(_settings),
}


class EntityNames:
    """The one name space of all entities; a team has its name for itself, too, though its members alone are entities.

    Attributes:
        places: Where each name was given.

    Args:
        taken: Names in use elsewhere.
    """

    def __init__(self, problems: Problems, taken: Iterable[str] = ()) -> None:
        self.places: dict[str, Span] = dict.fromkeys(taken, Span())
        self._teams = {name.partition("/")[0]: span for name, span in self.places.items() if "/" in name}
        self._problems = problems

    def claim(self, name: str, span: Span) -> None:
        """Reserve a name; a duplicate is a problem."""
        team, slash, _ = name.partition("/")
        first = self.places.setdefault(name, span)
        if first is span:
            first = (self.places if slash else self._teams).get(team, span)
        if slash:
            self._teams.setdefault(team, span)
        if first is not span:
            where = f" at {first}" if first.file else ""
            self._problems.add(span, f"the name {quoted(name)} is already taken{where}")


def floor(section: Section, problems: Problems) -> Floor:
    """Return what a `[FLOOR]` section says."""
    return Floor(**_read(section, FLOOR_KEYS, problems), span=section.span)


def thing(section: Section, names: EntityNames, problems: Problems) -> Object | None:
    """Return what an `[OBJECT_n]` or `[WALL_n]` section says, None if too little of it can be read."""
    keys = POLYGON_KEYS if is_polygon(section) else OBJECT_KEYS
    values = _read(section, keys, problems)
    name = _name(section, values, names)
    if lacks(values, keys):
        return None
    shape = values.pop("type")
    if keys is POLYGON_KEYS:
        # without a position the points are those of the floor, as in the sections of areas
        middle, outline = polygon_fields(values.pop("points"), values.pop("height", HEIGHT), "position" in values)
        values = {"position": middle, **values, **outline}
    flaw = misshapen(shape, values["size"])
    if flaw:
        problems.add(section.value_span("size"), flaw)
    if shape != "sphere" and "rolling" in values:
        problems.add(section.value_span("rolling"), NO_BALL.format(shape))
    parts = numbered(values.pop("part_n", {}))
    placed_object = Object(
        **{**values, "name": name}, shape=shape, is_wall=section.kind == "WALL", span=section.span, parts=parts
    )
    check_parts(placed_object, section, problems)
    check_soft(placed_object, section, problems)
    return placed_object


def is_polygon(section: Section) -> bool:
    """Return whether a section says that it is a polygon."""
    line = section.line("type")
    return line is not None and [word.lower() for word in line.values] == [POLYGON]


def check_soft(thing: Object, section: Section, problems: Problems) -> None:
    """Note a node of a cloth or a soft body that is no ball with a mass."""
    if thing.soft is not None and (thing.shape != "sphere" or thing.parts or thing.mass == 0.0):
        place = "soft" if section.line("soft") else "type"
        problems.add(
            section.value_span(place), "a node of a cloth or a soft body is a sphere with a mass, without parts"
        )


def placement(section: Section, names: EntityNames, problems: Problems) -> RobotPlacement:
    """Return what a `[ROBOT_n]` or `[ARTIFACT_n]` section says; its type is "" where it cannot be read."""
    given = {"type": "", **_read(section, _robot_keys(section), problems)}
    _note_model(section, given, problems)
    _check_count(section, given, problems)
    _check_load(section, given, problems)
    is_crowd = given.get("count") is not None
    if is_crowd and "name" not in given:
        given["name"] = f"{section.name.lower()}_"
    name = _name(section, given, names)
    if section.kind == ARTIFACT:
        line = section.line("set")
        given |= {"is_of_world": True, "settings_line": line.entry() if line else None}
        if given["type"] == TEAM:
            problems.add(section.value_span("type"), f"an artifact is one thing; {TEAM} is several robots")
            given["type"] = ""
    type_span = section.value_span("type" if section.line("type") else "model")
    robot_placement = RobotPlacement(**{**given, "name": name}, span=section.span, type_span=type_span)
    for member in robot_placement.members if is_crowd else ():
        names.claim(member, section.value_span("name"))
    return robot_placement


def _robot_keys(section: Section) -> Keys:
    """Return what a section may say; one with a model needs no type."""
    keys = ARTIFACT_KEYS if section.kind == ARTIFACT else ROBOT_KEYS
    if section.line("model") is None:
        return keys
    return {**keys, "type": SectionKey(values.word), "model": SectionKey(values.text)}


def _note_model(section: Section, values: dict[str, Any], problems: Problems) -> None:
    """Let the name of a model be the type."""
    model = values.get("model")
    if model is None:
        return
    if values["type"]:
        problems.add(section.value_span("type"), "a robot has a type or a model, not both; remove one")
    if Path(model).name != model:
        problems.add(section.value_span("model"), f"{quoted(model)} must lie beside this file; give its name alone")
    values["type"] = Path(model).stem


def targets(section: Section, names: EntityNames, problems: Problems) -> list[TargetSpec]:
    """Return what a `[TARGET]` section says: a target a line, named by its colour."""
    landmarks = []
    for line in section.lines:
        target = _target(line, problems)
        if target:
            names.claim(target.name, target.span)
            landmarks.append(target)
    return landmarks


def _check_count(section: Section, values: dict[str, Any], problems: Problems) -> None:
    """Report counts that do not fit the placement; fill in the count that a grid implies."""
    has_grid, has_scatter = "grid" in values, "scatter" in values
    columns, rows, _ = values.get("grid", (0, 0, 0.0))
    if has_grid and has_scatter:
        problems.add(section.value_span("scatter"), "robots stand in a grid or are scattered, not both")
    elif has_grid and values.setdefault("count", columns * rows) > columns * rows:
        problems.add(
            section.value_span("count"), f"a grid of {columns}x{rows} has no room for {values['count']} robots"
        )
    elif has_scatter:
        values.setdefault("count", 1)
        if values.get("position", (0.0, 0.0))[:2] != (0.0, 0.0):
            problems.add(section.value_span("position"), "scattered robots have no position of their own")
    elif not has_grid and section.line("grid") is None and section.line("scatter") is None and "count" in values:
        problems.add(section.value_span("count"), "count needs the key 'grid' or 'scatter': where they stand")


def _check_load(section: Section, values: dict[str, Any], problems: Problems) -> None:
    for key in ("length", "mass", "carriers"):
        if key in values and values["type"] != TEAM:
            text = f"{key} is that of a load, and only robots of type {TEAM} carry one"
            problems.add(section.value_span(key), text)
    check_carriers(values.get("carriers"), values.get("length"), section, problems)


def check_carriers(carriers: int | None, length: float | None, section: Section, problems: Problems) -> None:
    """Note a load that is too short for the robots under it; they stand on a circle."""
    # each as far from the next as two under the shortest bar
    needed = (SHORTEST_BAR - 2 * OVERHANG) / math.sin(math.pi / (carriers or 2)) + 2 * OVERHANG
    if length is not None and length < needed - 1e-9:
        text = f"{carriers} robots would touch under {length:g} m; a load for them has {needed:.3g} m at least"
        problems.add(section.value_span("length" if section.line("length") else "carriers"), text)


def _read(section: Section, keys: Keys, problems: Problems) -> dict[str, Any]:
    """Return the values of a section by key; an angle that looks like radians is warned of."""
    found = read_keys(section, keys, problems)
    line = section.line("orientation") if "orientation" in found else None
    for index, word in enumerate(line.values if line else ()):
        meant = values.degrees_meant(word) if "." in word else 0
        if line and meant:
            text = f"{word} is {word} degrees, as all angles in files; did you mean {meant}?"
            problems.warn(line.value_spans()[index], text)
    return found


def _name(section: Section, values: dict[str, Any], names: EntityNames) -> str:
    given = values.get("name")
    name: str = given or section.name.lower()
    # a repeated header has been reported once; a name of its own still counts
    if given or not section.repeated:
        names.claim(name, section.value_span("name"))
    return name


def _target(line: Line, problems: Problems) -> TargetSpec | None:
    flaw = values.name([line.key])
    color = target_color(line.key)
    position = POSITION(line.values)
    if isinstance(flaw, Flaw):
        problems.add(line.span, flaw.text)
    elif color is None:
        text = f"{quoted(line.key)} is not a colour{hint(line.key, NAMED)}; targets are called red, blue_2, color_1"
        problems.add(line.span, text)
    if isinstance(position, Flaw):
        problems.add(flaw_location(line, position), f"{line.key[:40]} {position.text}")
    if isinstance(flaw, Flaw) or color is None or isinstance(position, Flaw):
        return None
    return TargetSpec(line.key, position, color, span=line.span)
