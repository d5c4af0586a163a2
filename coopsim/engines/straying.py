"""Bodies that go astray: farther or faster than an engine computes well, or no numbers any more."""

import math

from coopsim.engines.plane.footprints import FARTHEST
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.constants import FASTEST


class Strayed(EngineCannot):
    """A step that was undone because bodies went astray: all are where they were, and those to blame stand still."""


@compiled
def keep(planar: Floats, kept: Floats) -> None:
    """Note x y yaw vx vy w of all bodies in `kept`, both of shape (n, 6)."""
    for row in range(planar.shape[0]):
        for column in range(planar.shape[1]):
            kept[row, column] = planar[row, column]


@compiled
def first_astray(planar: Floats) -> int:
    """Return the first row of x y yaw vx vy w, shape (n, 6), that is beyond FARTHEST or FASTEST, -1 if none is."""
    for row in range(planar.shape[0]):
        is_near = abs(planar[row, 0]) <= FARTHEST and abs(planar[row, 1]) <= FARTHEST
        # comparisons by `<=`: what is no number fails them; headings may grow without end, so they need only be numbers
        is_sound = is_near and math.isfinite(planar[row, 2])
        for column in range(3, 6):
            is_sound = is_sound and abs(planar[row, column]) <= FASTEST
        if not is_sound:
            return row
    return -1
