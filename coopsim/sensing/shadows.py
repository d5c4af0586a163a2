"""Shadows around an eye: in which directions everything beyond a distance is hidden, by bins of the whole turn.

They are a little too narrow and begin a little too late: what lies in one is hidden for certain, whatever is rounded.
"""

import math

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.sensing.ray_fan import arc

BINS = 256
_PER_RADIAN = BINS / (2.0 * math.pi)
ROOM = 12
"""Shapes that are listed with a bin; what finds no room is listed for all of them."""
FIRST, LAST, OPEN, OWNERS = range(4)
LISTED = OWNERS + BINS
LISTS = LISTED + BINS
HEAD = LISTS + ROOM * BINS
"""Of `field`: first and last bin of the field of view, and how many of them have no shadow; `depths` says, bin by bin,
at which distance a shadow begins, from which one on something may stand there, and a second thing [m]; `field` from
`OWNERS` on, of which body the first one is, from `LISTED` on, how many shapes are listed, from `LISTS` on, which ones.
"""
HIDDEN, IN_BINS, ANYWHERE = range(3)
"""Outcomes of `cast`: the shape lies in shadow altogether, it is listed with the bins it stands in, or it is not."""


@inlined
def fractional_bin(ahead: float, aside: float) -> float:
    """Return the bin of a place other than here, and which part of it."""
    wide, high = abs(ahead), abs(aside)
    angle = arc(min(wide, high), max(wide, high))
    angle = 0.5 * math.pi - angle if high > wide else angle
    return (math.copysign(math.pi - angle if ahead < 0.0 else angle, aside) + math.pi) * _PER_RADIAN


@inlined
def bin_of(ahead: float, aside: float) -> int:
    """Return the bin of a place other than here."""
    return min(max(int(fractional_bin(ahead, aside)), 0), BINS - 1)


@compiled
def begin(cosine: float, sine: float, depths: Floats, field: Ints) -> None:
    """Forget all shadows, for a field of view of which half has this cosine and sine."""
    depths[: 3 * BINS] = math.inf
    field[LISTED:LISTS] = 0
    # a narrow field has a bin at least, and one more to each side
    field[FIRST], field[LAST] = max(bin_of(cosine, -sine) - 1, 0), min(bin_of(cosine, sine) + 1, BINS - 1)
    if cosine <= -1.0 + 1e-9:
        field[FIRST], field[LAST] = 0, BINS - 1
    field[OPEN] = field[LAST] - field[FIRST] + 1


@inlined
def in_bins(ahead: Floats, aside: Floats, distances: Floats, bins: Floats) -> None:
    """Write how far places are, and in which bins, with the part of it; in the origin that is no number."""
    # two loops over few arrays each: so the compiler makes vectors of both
    for k in range(distances.size):
        distances[k] = math.sqrt(ahead[k] * ahead[k] + aside[k] * aside[k])
    for k in range(bins.size):
        bins[k] = fractional_bin(ahead[k], aside[k])


@inlined
def _deepest(depths: Floats, first: int, last: int) -> float:
    """Return where the last of some bins falls into shadow [m]."""
    deepest = 0.0
    for k in range(first, last + 1):
        deepest = max(deepest, depths[k])
    return deepest


@compiled
def cast(
    distance: float,
    middle: float,
    radii: tuple[float, float, float],
    shape: tuple[int, int],
    depths: Floats,
    field: Ints,
) -> int:
    """Let a shape throw its shadow; return whether it lies in shadow altogether, or where it is to be looked for.

    Args:
        distance: Of its middle from the eye [m].
        middle: The bin of that, and which part of it.
        radii: Of the circles around it and within it, and how far behind its middle its shadow begins [m].
        shape: Its number, and the body that it is a part of.
        depths: Of shadows.
        field: Of view.
    """
    outer, inner, behind = radii
    if distance <= outer:
        # all around: no place is free of it
        depths[BINS : 3 * BINS] = 0.0
        return ANYWHERE
    near = distance - outer
    # a little more than the arc sine, and a millionth of a bin for what is rounded
    sine = outer / distance
    half = sine * (1.0 + 0.58 * sine * sine) * _PER_RADIAN + 1e-6
    first, last = int(middle - half), int(middle + half)
    if middle < half or last >= BINS:
        # behind the back the bins begin anew
        depths[BINS : 3 * BINS] = 0.0
        return ANYWHERE
    if _deepest(depths, first, last) <= near:
        return HIDDEN
    outcome = _list(first, last, near, shape, depths, field)
    if inner <= 0.0 or behind == math.inf:
        return outcome
    # bins that are in it from end to end: the sine is a little less than its arc
    half = inner / distance * _PER_RADIAN - 1e-6
    for k in range(math.ceil(middle - half), int(middle + half)):
        if depths[k] == math.inf and field[FIRST] <= k <= field[LAST]:
            field[OPEN] -= 1
        depths[k] = min(depths[k], distance + behind)
    return outcome


@inlined
def _list(first: int, last: int, near: float, shape: tuple[int, int], depths: Floats, field: Ints) -> int:
    """Note in which bins a shape stands, and at which distance it begins; return whether all had room."""
    (number, owner), outcome = shape, IN_BINS
    for k in range(first, last + 1):
        if near < depths[BINS + k]:
            depths[2 * BINS + k], depths[BINS + k], field[OWNERS + k] = depths[BINS + k], near, owner
        elif near < depths[2 * BINS + k]:
            depths[2 * BINS + k] = near
        if depths[k] <= near:
            # whatever it would hide there is dark
            continue
        listed = field[LISTED + k]
        if listed == ROOM:
            outcome = ANYWHERE
        else:
            field[LISTS + ROOM * k + listed], field[LISTED + k] = number, listed + 1
    return outcome


@inlined
def is_dark(k: int, distance: float, depths: Floats) -> bool:
    """Return whether what is at a distance in a bin is hidden for certain."""
    return bool(depths[k] < distance)


@inlined
def is_free(k: int, distance: float, owner: int, depths: Floats, field: Ints) -> bool:
    """Return whether no shape but those of one body can hide what is at a distance in a bin."""
    if depths[BINS + k] > distance:
        return True
    # nearest shape is its own one, mostly, and the next one farther
    return bool(field[OWNERS + k] == owner and depths[2 * BINS + k] > distance)


@inlined
def end_of(far: float, depths: Floats, field: Ints) -> float:
    """Return the distance beyond which nothing is seen in the whole field, at most `far`."""
    if field[OPEN] > 0:
        return far
    deepest = 0.0
    for k in range(field[FIRST], field[LAST] + 1):
        deepest = max(deepest, depths[k])
    return min(far, deepest)
