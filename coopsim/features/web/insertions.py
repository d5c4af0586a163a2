"""Insertions by a page: what it offers, and the sections of what it asks for, from the templates of the window."""

import math
from collections.abc import Collection
from functools import cache
from typing import Any

from coopsim.errors import BadArgument
from coopsim.features.beginnings import insertions
from coopsim.geometry import Vector3
from coopsim.robots import type_names

_FARTHEST = 1e6
"""Of a place [m]: worlds are smaller."""


@cache
def offered() -> dict[str, list[str]]:
    """Return what can be inserted, by kind."""
    names = {kind: list(names) for kind, names in insertions.OFFERED.items()}
    return {**names, insertions.ROBOT: list(type_names())}


def section_of(kind: str, name: str, taken: Collection[str], place: Any) -> str:
    """Return the section of something new, with a name that nobody has.

    Args:
        kind: `object`, `target`, `robot` or `artifact`.
        name: One of those that are offered.
        taken: Names that there are.
        place: Where it is to stand, x y z [m].

    Raises:
        BadArgument: It is not offered, or the place is none.
    """
    if name not in offered().get(kind, ()):
        raise BadArgument(f"a page inserts what is offered; not {kind!r:.40} {name!r:.60}")
    at = _point_of(place)
    return insertions.new_section(kind, name, taken, at, len(taken))[1]


def _point_of(words: Any) -> Vector3:
    try:
        x, y, z = (float(word) for word in words)
    except (TypeError, ValueError):
        raise BadArgument(f"a place is x y z, got {words!r:.60}") from None
    if not all(math.isfinite(value) and abs(value) <= _FARTHEST for value in (x, y, z)):
        raise BadArgument(f"a place lies within {_FARTHEST:g} m, got {x:g} {y:g} {z:g}")
    return x, y, z
