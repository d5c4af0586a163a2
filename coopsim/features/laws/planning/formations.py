"""Places of a squad around its middle, in a frame whose x axis points where the squad is heading.

Source: swarm gaming, section 4.2. Where its formulas leave neighbours touching, grow without bound or are missing, ours
stand beside them: `printed_offsets` is the paper's, `offsets` what squads use.
"""

import math
from collections.abc import Callable, Mapping

import numpy as np

from coopsim.errors import BadArgument
from coopsim.geometry import Floats

_ARM = math.sqrt(0.5)
"""The arms of a wedge open by a right angle."""


def offsets(name: str, count: int, spacing: float) -> Floats:
    """Return the places of a formation, x forward and y left of the middle, shape (count, 2) [m].

    Args:
        name: One of `FORMATIONS`.
        count: How many robots.
        spacing: Distance of neighbours [m].

    Raises:
        BadArgument: There is no such formation, or the count or the spacing cannot be.
    """
    if name not in FORMATIONS:
        raise BadArgument(f"there is no formation {name!r}; there are {', '.join(FORMATIONS)}").bring(name)
    if count < 1 or not 0.0 < spacing < math.inf:
        raise BadArgument(f"a formation has at least one robot and a spacing above 0, got {count} and {spacing:g}")
    return np.zeros((1, 2)) if count == 1 else FORMATIONS[name](count, spacing)


def turned_offsets(places: Floats, heading: float) -> Floats:
    """Return places as they lie on the floor when the squad heads somewhere [rad]."""
    cos, sin = math.cos(heading), math.sin(heading)
    turned: Floats = places @ np.array([(cos, sin), (-sin, cos)])
    return turned


def printed_offsets(name: str, count: int, diameter: float) -> Floats:
    """Return what the paper prints for `line`, `circle` and `half_circle`, i from 0, x to the right and y up [m].

    Raises:
        BadArgument: It prints nothing for this formation.
    """
    i = np.arange(count, dtype=np.float64)
    if name == "line":
        return np.column_stack((diameter * (i - (count - 1) / 2), np.zeros(count)))
    whole = {"circle": 360.0, "half_circle": 270.0}.get(name)
    if whole is None:
        raise BadArgument(f"there is no formula for the formation {name!r}; choose line, circle or half_circle").bring(
            name
        )
    angles = np.radians(i * whole / count)
    return count * diameter * np.column_stack((np.cos(angles), np.sin(angles)))


def _line(count: int, spacing: float) -> Floats:
    """Side by side, as printed, but along the squad's y axis and with a spacing of one's own."""
    return np.column_stack((np.zeros(count), spacing * ((count - 1) / 2 - np.arange(count))))


def _circle(count: int, spacing: float) -> Floats:
    """Around the middle, the first ahead: as small as the spacing allows, where the paper prints n times d."""
    return _arc(spacing / (2.0 * math.sin(math.pi / count)), 2.0 * math.pi * np.arange(count) / count)


def _half_circle(count: int, spacing: float) -> Floats:
    """Half around what lies ahead, open towards it: 180 degrees with both ends, where the paper prints 270 i / n."""
    radius = spacing / (2.0 * math.sin(0.5 * math.pi / (count - 1)))
    return _arc(radius, 0.5 * math.pi + math.pi * np.arange(count) / (count - 1))


def _arc(radius: float, angles: Floats) -> Floats:
    return radius * np.column_stack((np.cos(angles), np.sin(angles)))


def _wedge(count: int, spacing: float) -> Floats:
    """Two diagonal lines behind the first robot, left and right by turns."""
    rank = (np.arange(count) + 1) // 2
    side = np.where(np.arange(count) % 2, 1.0, -1.0)
    return spacing * _ARM * np.column_stack((-1.0 * rank, side * rank))


def _inverse_wedge(count: int, spacing: float) -> Floats:
    """The same with its arms ahead of the first robot."""
    return _wedge(count, spacing) * (-1.0, 1.0)


FORMATIONS: Mapping[str, Callable[[int, float], Floats]] = {
    "line": _line,
    "circle": _circle,
    "half_circle": _half_circle,
    "wedge": _wedge,
    "inverse_wedge": _inverse_wedge,
}
"""Places by name."""
