"""Circles and boxes seen from above, as rows of a table; each room adds its own columns after the six named here."""

import math

from coopsim.geometry import Floats
from coopsim.kernels.compiled import inlined

# centre, half sizes (the second 0 = a circle whose radius is the first), cosine and sine of the heading
X, Y, HALF, HALF_WIDTH, COS, SIN = range(6)


@inlined
def half_extents(shape: Floats) -> tuple[float, float]:
    """Return half the width and height of the upright rectangle around a shape [m]."""
    wide, tall = shape[HALF], shape[HALF]
    if shape[HALF_WIDTH] > 0.0:
        c, s = abs(shape[COS]), abs(shape[SIN])
        wide, tall = c * wide + s * shape[HALF_WIDTH], s * tall + c * shape[HALF_WIDTH]
    return wide, tall


@inlined
def distance(x: float, y: float, shape: Floats) -> float:
    """Return how far a shape is from a point at (x, y) from its centre; at most 0 inside [m]."""
    if shape[HALF_WIDTH] == 0.0:
        return float(math.hypot(x, y) - shape[HALF])
    u, v = x * shape[COS] + y * shape[SIN], y * shape[COS] - x * shape[SIN]
    return math.hypot(max(float(abs(u) - shape[HALF]), 0.0), max(float(abs(v) - shape[HALF_WIDTH]), 0.0))
