"""Walls along a line of points: `[WALL_n] points x y x y ...` becomes a box for each part."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from coopsim.scene import values
from coopsim.scene.entities import HEIGHT, OBJECT_KEYS, is_polygon
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.problems import Problems
from coopsim.scene.spans import Span
from coopsim.scene.specs import Object

Point = tuple[float, float]
SHAPELESS = ("type", "size", "position", "orientation", "mass")
"""Keys of an object that follow from the points, or from a picture."""

POLYLINE_KEYS: Keys = {
    "points": SectionKey(values.points, is_needed=True),
    "thickness": SectionKey(values.LENGTH),
    "height": SectionKey(values.LENGTH),
    "closed": SectionKey(values.yes_no),
    **{key: key_reader for key, key_reader in OBJECT_KEYS.items() if key not in {*SHAPELESS, "mesh", "part_n"}},
}
_DIGITS = 9  # degrees that a person wrote come back as they were
THICKNESS = 0.1  # m; a wall as in the built-in halls


def is_polyline(section: Section) -> bool:
    """Return whether a section says points, and not that they are corners of one polygon."""
    return section.line("points") is not None and not is_polygon(section)


def polyline(section: Section, problems: Problems) -> tuple[str, list[Object]]:
    """Return the name that a section says, "" if it says none, and its parts, called after that or its header."""
    keys = read_keys(section, POLYLINE_KEYS, problems)
    given = keys.pop("name", "")
    if lacks(keys, POLYLINE_KEYS):
        return given, []
    name = given or section.name.lower()
    points, is_closed = keys.pop("points"), keys.pop("closed", False)
    thickness, height = keys.pop("thickness", THICKNESS), keys.pop("height", HEIGHT)
    if is_closed and len(points) < 3:
        problems.add(section.value_span("closed"), "a closed wall needs at least 3 points")
    return given, _parts(name, points, is_closed, (thickness, height), section.span, keys)


def _parts(
    name: str, points: Sequence[Point], is_closed: bool, section: Point, span: Span, rest: dict[str, Any]
) -> list[Object]:
    ends = [*pairwise(points), *([(points[-1], points[0])] if is_closed else [])]
    last = len(ends) - 1
    walls = []
    for place, (begin, end) in enumerate(ends):
        # so that corners are filled
        before = section[0] / 2 if is_closed or place > 0 else 0.0
        behind = section[0] / 2 if is_closed or place < last else 0.0
        size, position, heading = _box(begin, end, before, behind, section)
        orientation = (0.0, 0.0, heading)
        wall = Object(f"{name}_{place + 1}", "box", size, position, orientation, **rest, is_wall=True, span=span)
        walls.append(wall)
    return walls


def _box(
    begin: Point, end: Point, before: float, behind: float, section: Point
) -> tuple[tuple[float, float, float], tuple[float, float, float], float]:
    """Return size, position and heading of the box from one point to the next, and so far beyond them."""
    # a heading that a file can say in degrees
    degrees = round(math.degrees(math.atan2(end[1] - begin[1], end[0] - begin[0])), _DIGITS)
    length, heading = math.dist(begin, end), math.radians(degrees)
    shift = (behind - before) / 2
    x = (begin[0] + end[0]) / 2 + shift * math.cos(heading)
    y = (begin[1] + end[1]) / 2 + shift * math.sin(heading)
    return (length + before + behind, *section), (x, y, 0.0), heading
