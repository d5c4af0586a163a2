"""Directions of many places at once, bit by bit those of the library's `atan2`.

Each is computed to 1/100 of its last digit. Where that does not decide how it is rounded the library is asked.
"""

import math

import numpy as np

from coopsim.geometry import Floats
from coopsim.kernels.lanes import Lanes, LoopRows, loop

_PARTS, _BITS = 64, 128  # of the slopes up to 1; of the numbers that arcs are computed in
_LARGE, _SMALL = 2.0**300, 2.0**-300  # squares of numbers between them, and what rounding leaves of these, are numbers
_HALF_TURN_REST = 1.2246467991473532e-16  # of pi, behind the digits that a double has
_DOUBT = 1.08
"""What was rounded off may be this times as much: half of the last digit decides, and the library errs by 1/40 more."""


def _arcs() -> Floats:
    """Return the arcs of the slopes k / 64 as two numbers each, shape (2, 65) [rad].

    Source: J. Machin's sum: the arcs of a and b differ by the arc of (a - b) / (1 + a b).
    """
    arcs, total = np.zeros((2, _PARTS + 1)), 0
    for k in range(1, _PARTS + 1):
        slope = (_PARTS << _BITS) // (_PARTS * _PARTS + k * (k - 1))
        term, n = slope, 1
        while term:
            total += term // n if n % 4 == 1 else -(term // n)
            term, n = term * slope * slope >> 2 * _BITS, n + 2
        arcs[0, k] = total / (1 << _BITS)
        # a double times 2^64 is whole: none is below 2^-6
        arcs[1, k] = (total - (int(arcs[0, k] * 2.0**64) << _BITS - 64)) / (1 << _BITS)
    return arcs


ARCS = _arcs()
"""For `directions_to`, which is given the addresses of both rows."""


@loop
def directions_to(rows: LoopRows, _: tuple[Lanes, ...]) -> Lanes:
    """Write the directions of places; return which of them the library has to decide.

    Columns are x, y, direction, both of `ARCS`, and the places to decide.
    """
    x, y = rows[0], rows[1]
    wide, high = abs(x), abs(y)
    small, large = wide.least(high), wide.most(high)
    is_plain = (small > _SMALL) & (wide + high < _LARGE)
    part = (is_plain.where(small / large, 0.0) * float(_PARTS) + 0.5).floor()
    arc, rest = _arc_beyond(small, large, part * (1.0 / _PARTS))
    whole, whole_rest = rows.gathered(3, part), rows.gathered(4, part)
    # larger numbers first: what rounding leaves of a sum is exact
    angle = whole + arc
    rest = (whole - angle) + arc + (whole_rest + rest)
    angle, rest = _taken_from(0.5 * math.pi, 0.5 * _HALF_TURN_REST, (angle, rest), high > wide)
    angle, rest = _taken_from(math.pi, _HALF_TURN_REST, (angle, rest), x < 0.0)
    direction = angle + rest
    rows[2] = direction.signed_as(y)
    return ~(direction + ((angle - direction) + rest) * _DOUBT).equals(direction) | ~is_plain


def _arc_beyond(up: Lanes, along: Lanes, slope: Lanes) -> tuple[Lanes, Lanes]:
    """Return the angle between a slope up / along and one near it, and what rounding leaves of that [rad]."""
    lower = slope * along
    ahead, ahead_rest = up - lower, -slope.times_plus(along, -lower)
    higher = slope * up
    across = along + higher
    across_rest = (along - across) + higher + slope.times_plus(up, -higher)
    inverse = 1.0 / across
    t = ahead * inverse
    # how much the division left, which is exact but for the small rests
    left = ((-t).times_plus(across, ahead) + ahead_rest - t * across_rest) * inverse
    z = t * t
    return t, left + t * z * (((z * (1.0 / 9.0) - 1.0 / 7.0) * z + 0.2) * z - 1.0 / 3.0)


def _taken_from(whole: float, rest: float, angle: tuple[Lanes, Lanes], where: Lanes) -> tuple[Lanes, Lanes]:
    """Return a number minus an angle where that is asked for, the angle elsewhere; each with its rest."""
    first = whole - angle[0]
    second = (whole - first) - angle[0] + (rest - angle[1])
    return where.where(first, angle[0]), where.where(second, angle[1])
