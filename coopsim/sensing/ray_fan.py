"""Rays of one body: where they point, how far each is free, and which rays of a fan point to a place."""

import math

import numpy as np

from coopsim.geometry import Floats
from coopsim.kernels import compiled, floats_at, inlined
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, least_of, loop
from coopsim.kernels.native import address

# rows of the table of rays: direction in the frame of the body, where it leaves the body, direction in the world, how
# far it is free; what follows; and the bearings that the table was made of
RAY_COS, RAY_SIN, HULL, DX, DY, BEST, FAN, _BEARING = range(8)
# of evenly spaced rays: first bearing, rays per radian (0 = spaced otherwise, or few), number, cosine and sine of the
# heading; how many of BEST count, and for how many rays each counts (0 = one, and hulls differ from ray to ray),
# sectors per ray, number of sectors; cosine and sine of the widest bearing, of what form the hull is (0 = none yet) and
# how far it extends at most; whether the table is made
FIRST, PER_RADIAN, COUNT, HEAD_COS, HEAD_SIN, SIZE, EACH, PER_RAY = range(8)
_SECTORS, SIDE, AHEAD, FORM, FARTHEST, _IS_MADE = range(8, 14)
_WORDS = 16  # of that row: who has fewer rays has room for it, too
_U = np.uint64  # places in arrays: what cannot be negative is found faster
_BYTES = 8  # of a number
_ROUNDED = 1e-9
"""Beyond a hit rays of its sector stay free for so much: far more than is rounded [m]."""
FAN_FROM = 24  # rays; each shape is then compared with those that may meet it, not with all
_WIDEST = 6.28  # rad, to either side: `between` looks one turn to either side, and a fan must not meet itself
ALMOST_ONE = 1.0 - 1e-12  # rounds up, and keeps a ray that the bound meets but for rounding


# `compiled`, not inlined: Python asks it, too, and what is kept of an inlined function is nothing
@compiled
def table_size(count: int) -> int:
    """Return how many numbers a table of so many rays has."""
    return (_BEARING + 1) * _columns(count)


@compiled
def _columns(count: int) -> int:
    # vectors take eight rays at once
    return max((count + LANES - 1) // LANES * LANES, _WORDS)


@compiled
def rays_of(bearings: Floats) -> Floats:
    """Return a table of rays, filled up by rays of length 0."""
    rays = np.zeros((_BEARING + 1, _columns(bearings.size)))
    _fill(bearings, rays)
    return rays


@inlined
def kept_rays(bearings: Floats, memory: int) -> Floats:
    """Return the table of rays at the address of `table_size` numbers, 0 at first, made anew for other bearings."""
    rays = floats_at(memory, table_size(bearings.size)).reshape((_BEARING + 1, _columns(bearings.size)))
    # cosines and sines take as long as the rays of several bodies
    if not _is_of(bearings, rays):
        _fill(bearings, rays)
    return rays


@inlined
def _is_of(bearings: Floats, rays: Floats) -> bool:
    """Return whether a table was made of these bearings."""
    is_same: bool = (rays[FAN, _IS_MADE] != 0.0) & (rays[FAN, COUNT] == bearings.size)
    for k in range(bearings.size):
        is_same &= rays[_BEARING, k] == bearings[k]
    return is_same


@compiled
def _fill(bearings: Floats, rays: Floats) -> None:
    """Make a table of rays, whatever is in it."""
    rays[:] = 0.0
    for k in range(bearings.size):
        rays[RAY_COS, k], rays[RAY_SIN, k] = math.cos(bearings[k]), math.sin(bearings[k])
        rays[_BEARING, k] = bearings[k]
    rays[FAN, FIRST], rays[FAN, PER_RADIAN] = bearings[0] if bearings.size else 0.0, _density(bearings)
    rays[FAN, COUNT], rays[FAN, _IS_MADE] = bearings.size, 1.0
    rays[FAN, SIDE], rays[FAN, AHEAD] = widest_bearing(bearings)


@compiled
def _density(bearings: Floats) -> float:
    """Return how many rays of a fan there are per radian, 0 where the rays are few or unevenly spaced."""
    last = bearings.size - 1
    if last + 1 < FAN_FROM or not -_WIDEST < bearings[0] < bearings[last] < _WIDEST:
        return 0.0
    step = (bearings[last] - bearings[0]) / last
    for k in range(bearings.size):
        # a nanoradian is 1 nm at 1 m, far above what adding up steps has rounded
        if abs(bearings[k] - bearings[0] - k * step) > 1e-9:
            return 0.0
    return float(1.0 / step)


@compiled
def widest_bearing(bearings: Floats) -> tuple[float, float]:
    """Return cosine and sine of the widest bearing: what lies behind all rays needs no look."""
    widest = 0.0
    for k in range(bearings.size):
        # a bearing of 350 degrees is one of -10
        turns = math.floor(bearings[k] / (2.0 * math.pi) + 0.5)
        widest = max(widest, abs(bearings[k] - 2.0 * math.pi * turns))
    return math.cos(widest), math.sin(widest)


@compiled
def keep_per_sector(rays: Floats, count: int, sectors: int) -> None:
    """Note how many distances are kept: one for each sector of a fan around a round body, else one for each ray."""
    is_round = rays[FAN, PER_RADIAN] != 0.0
    for k in range(1, count):
        is_round &= rays[HULL, k] == rays[HULL, 0]
    rays[FAN, EACH] = count // sectors if is_round else 0.0
    rays[FAN, PER_RAY], rays[FAN, _SECTORS] = sectors / count, sectors
    # `farthest` looks at eight at once; what is filled up is 0 and never the farthest
    rays[FAN, SIZE] = (sectors + 7) // 8 * 8 if is_round else rays.shape[1]
    for k in range(sectors if is_round else count, rays.shape[1]):
        rays[BEST, k] = 0.0


@inlined
def turn(c: float, s: float, reach: float, rays: Floats, count: int) -> None:
    """Turn the rays with the body and free them."""
    rays[FAN, HEAD_COS], rays[FAN, HEAD_SIN] = c, s
    if rays[FAN, EACH] != 0.0:
        # a round hull is left equally far away in all directions; directions are computed where a shape needs them
        for k in range(int(rays[FAN, _SECTORS])):
            rays[BEST, k] = rays[HULL, 0] + reach
        return
    at, line = address(rays), _BYTES * rays.shape[1]
    ready = at + RAY_COS * line, at + RAY_SIN * line, at + HULL * line
    _turn(0, count, (*ready, at + DX * line, at + DY * line, at + BEST * line), (c, s, reach), 0)


@loop
def _turn(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Write directions in the world, and how far rays are free; those that fill the table up have no length."""
    (c, s, reach), cosine, sine = common, rows[RAY_COS], rows[RAY_SIN]
    rows[DX], rows[DY] = c * cosine - s * sine, s * cosine + c * sine
    rows[BEST] = rows.inside.where(rows[HULL] + reach, 0.0)


@inlined
def report(reach: float, rays: Floats, count: int, out: Floats) -> None:
    """Write how far the rays are free beyond the hull, of neighbouring ones the least."""
    kept = int(rays[FAN, _SECTORS]) if rays[FAN, EACH] != 0.0 else count
    at, line = address(rays), _BYTES * rays.shape[1]
    _leave(0, kept, (at + HULL * line, at + BEST * line), (reach,), 0)
    if kept == out.size:
        for k in range(kept):
            out[k] = rays[BEST, k]
        return
    per_reading = kept // out.size
    for k in range(out.size):
        out[k] = _least(k * per_reading, (k + 1) * per_reading, (at + BEST * line,), (0.0,), math.inf)


@loop
def _leave(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Write how far rays are free beyond the hull."""
    reach, hull, length = common[0], rows[0], rows[1]
    # a free ray is exactly `reach`, whatever adding and subtracting the hull has rounded
    rows[1] = (length >= hull + reach).where(reach, (length - hull).most(0.0))


@least_of
def _least(rows: LoopRows, _: tuple[Lanes, ...]) -> Lanes:
    return rows[0]


@inlined
def freest_of(rays: Floats) -> float:
    """Return how far something may be and still be the nearest in a sector, perhaps a little more [m]."""
    sectors, count, farthest_gap = int(rays[FAN, _SECTORS]), int(rays[FAN, COUNT]), 0.0
    if rays[FAN, EACH] != 0.0 or sectors == count:
        return far_of(rays)
    at, line = address(rays), _BYTES * rays.shape[1]
    for first in range(0, count, count // sectors):
        columns = at + BEST * line, at + HULL * line
        farthest_gap = max(farthest_gap, _least_gap(first, first + count // sectors, columns, (0.0,), math.inf))
    return float(farthest_gap + rays[FAN, FARTHEST] + _ROUNDED)


@least_of
def _least_gap(rows: LoopRows, _: tuple[Lanes, ...]) -> Lanes:
    return rows[0] - rows[1]


@inlined
def far_of(rays: Floats) -> float:
    """Return how far the rays see that are freest [m]."""
    return farthest(rays[BEST, : int(rays[FAN, SIZE])])


@inlined
def farthest(lengths: Floats) -> float:
    """Return the largest of 8 n numbers, none below 0."""
    # four maxima, since each waits for the one before it: a single one would take four times as long
    a = b = c = d = 0.0
    for k in range(0, lengths.size, 4):
        a, b = max(a, lengths[k]), max(b, lengths[k + 1])
        c, d = max(c, lengths[k + 2]), max(d, lengths[k + 3])
    return max(a, b, c, d)


@inlined
def bearing_of(x: float, y: float, rays: Floats) -> float:
    """Return the direction of a place from here in the frame of the body that looks [rad]."""
    c, s = rays[FAN, HEAD_COS], rays[FAN, HEAD_SIN]
    return bearing_to(x * c + y * s, y * c - x * s)


@inlined
def bearing_to(ahead: float, aside: float) -> float:
    """Return the direction of a place that is so far ahead, and so far to the left [rad]."""
    wide, high = abs(ahead), abs(aside)
    # the arc of the smaller by the larger: its slope is within 0 and 1, and nothing is divided by 0 but in the origin
    angle = arc(min(wide, high), max(wide, high))
    angle = 0.5 * math.pi - angle if high > wide else angle
    return math.copysign(math.pi - angle if ahead < 0.0 else angle, aside)


@inlined
def arc(up: float, along: float) -> float:
    """Return the angle of a slope from 0 to 1, to the last digits: several times as fast as the library's [rad].

    Source: S. L. Moshier, Cephes (atan.c).
    """
    # above that slope an eighth of a turn is taken off, as the polynomial holds for small ones
    is_steep = up > 0.66 * along
    x = (up - along if is_steep else up) / (up + along if is_steep else along)
    z = x * x
    above = (((-8.750608600031904e-1 * z - 16.15753718733365) * z - 75.00855792314705) * z - 122.8866684490136) * z
    below = ((((z + 24.858464901423063) * z + 165.02700983169885) * z + 432.8810604912903) * z + 485.3903996359137) * z
    angle = x + x * z * (above - 64.85021904942025) / (below + 194.5506571482614)
    return angle + 0.25 * math.pi if is_steep else angle


@inlined
def sector_of(ray: int, rays: Floats) -> int:
    """Return the sector of a fan that a ray belongs to."""
    return int((ray + 0.5) * rays[FAN, PER_RAY])


@inlined
def between(low: float, high: float, turn: int, rays: Floats) -> tuple[int, int]:
    """Return the first and the last ray but one of a fan between two bearings, after a number of whole turns."""
    # a bearing and one a turn farther are the same direction, and a fan may reach over both
    offset, density, count = 2.0 * math.pi * turn - rays[FAN, FIRST], rays[FAN, PER_RADIAN], rays[FAN, COUNT]
    first, last = (low + offset) * density, (high + offset) * density
    if first > count - 1.0 or last < 0.0:
        return 0, 0
    return int(max(first, 0.0) + ALMOST_ONE), int(min(last, count - 1.0)) + 1


@inlined
def nearest_ray(bearing: float, turn: int, rays: Floats) -> int:
    """Return the ray of a fan, perhaps beyond its ends, that is nearest to a bearing after a number of whole turns."""
    ray: int = math.floor((bearing + 2.0 * math.pi * turn - rays[FAN, FIRST]) * rays[FAN, PER_RADIAN] + 0.5)
    return ray


@inlined
def nearest_in_sector(ray: int, sector: int, bearing: int, first: int, last: int) -> int:
    """Return the ray of a sector from `first` to before `last` that is nearest to another one."""
    return min(max(ray, sector * bearing, first), sector * bearing + bearing - 1, last - 1)


@inlined
def along_ray(x: float, y: float, ray: int, rays: Floats) -> tuple[float, float]:
    """Return where a place lies along a ray, and how far to its left."""
    c, s = rays[FAN, HEAD_COS], rays[FAN, HEAD_SIN]
    dx, dy = c * rays[RAY_COS, ray] - s * rays[RAY_SIN, ray], s * rays[RAY_COS, ray] + c * rays[RAY_SIN, ray]
    return x * dx + y * dy, y * dx - x * dy
