"""Shadows around an eye: in which directions everything beyond a distance is hidden, by bins of the whole turn.

They are a little too narrow and begin a little too late: what lies in one is hidden for certain, whatever is rounded.
"""

import math

from coopsim.kernels import inlined
from coopsim.sensing.ray_fan import arc

BINS = 256
PER_RADIAN = BINS / (2.0 * math.pi)


@inlined
def fractional_bin(ahead: float, aside: float) -> float:
    """Return the bin of a place other than here, and which part of it."""
    wide, high = abs(ahead), abs(aside)
    angle = arc(min(wide, high), max(wide, high))
    angle = 0.5 * math.pi - angle if high > wide else angle
    return (math.copysign(math.pi - angle if ahead < 0.0 else angle, aside) + math.pi) * PER_RADIAN


@inlined
def bin_of(ahead: float, aside: float) -> int:
    """Return the bin of a place other than here."""
    return min(max(int(fractional_bin(ahead, aside)), 0), BINS - 1)


@inlined
def field_bins(cosine: float, sine: float) -> tuple[int, int]:
    """Return the first and the last bin of a field of view of which half has this cosine and sine."""
    if cosine <= -1.0 + 1e-9:
        return 0, BINS - 1
    # a narrow field has a bin at least, and one more to each side
    return max(bin_of(cosine, -sine) - 1, 0), min(bin_of(cosine, sine) + 1, BINS - 1)
