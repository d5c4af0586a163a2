"""Insertions by a page: what it offers, and the sections of what it asks for, from the templates of the window."""

import math
from collections.abc import Collection
from functools import cache
from typing import Any

from coopsim.errors import BadArgument
from coopsim.features.beginnings import templates
from coopsim.geometry import Vector3
from coopsim.robots import type_names
from coopsim.scene import TEAM

_OBJECT, _TARGET, _ROBOT = "object", "target", "robot"
_FARTHEST = 1e6
"""Of a place [m]: worlds are smaller."""


@cache
def offered() -> dict[str, list[str]]:
    """Return what can be inserted, by kind."""
    return {
        _OBJECT: [*templates.SHAPES, *templates.COMPOSED],
        _TARGET: list(templates.TARGET_COLORS),
        _ROBOT: list(type_names()),
    }


def section_of(kind: str, name: str, taken: Collection[str], place: Any) -> str:
    """Return the section of something new, with a name that nobody has.

    Args:
        kind: `object`, `target` or `robot`.
        name: One of those that are offered.
        taken: Names that there are.
        place: Where it is to stand, x y z [m].

    Raises:
        BadArgument: It is not offered, or the place is none.
    """
    if name not in offered().get(kind, ()):
        raise BadArgument(f"a page inserts what is offered; not {kind!r:.40} {name!r:.60}")
    at = _point_of(place)
    match kind:
        case "target":
            return templates.target_section(templates.free_target(name, taken), at)
        case "robot":
            new_name = templates.free_name("team1" if name == TEAM else "robot1", taken)
            return templates.robot_section(name, new_name, at, len(taken))
        case _:
            new_name = templates.free_name(f"{name}1", taken)
            make = templates.composed_section if name in templates.COMPOSED else templates.object_section
            return make(name, new_name, at)


def _point_of(words: Any) -> Vector3:
    try:
        x, y, z = (float(word) for word in words)
    except (TypeError, ValueError):
        raise BadArgument(f"a place is x y z, got {words!r:.60}") from None
    if not all(math.isfinite(value) and abs(value) <= _FARTHEST for value in (x, y, z)):
        raise BadArgument(f"a place lies within {_FARTHEST:g} m, got {x:g} {y:g} {z:g}")
    return x, y, z
