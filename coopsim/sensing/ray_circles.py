"""Circles that a fan of rays around a round body meets, many at once: what each comes to is computed in vectors."""

import math

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.angles import bearings_to
from coopsim.kernels.lanes import Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.kernels.shapes import HALF_WIDTH
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import (
    ALMOST_ONE,
    BEST,
    COUNT,
    EACH,
    FAN,
    FIRST,
    HEAD_COS,
    HEAD_SIN,
    PER_RADIAN,
    PER_RAY,
    RAY_COS,
    RAY_SIN,
)
from coopsim.sensing.ray_shapes import cut, meet_box, meet_circle, meet_in_sectors

_U = np.uint64  # places in arrays: what cannot be negative is found faster
# lines of the room: middle and radius of a circle; what kind it is; first ray that it may meet, and the one behind the
# last; ray nearest to its middle, or how far away it is at least; sectors of the first and the last, of each where it
# is met first; then the rays' own
_WIDE = head.NOTE_WIDTH
_X, _Y, _RADIUS, KIND, LOW, HIGH, _MIDDLE, _BEGIN, _END, _AT, _LAST_AT, _COSINES, _SINES = range(13)
GAP = _MIDDLE
ROOM = 11 * _WIDE
_BYTES = 8  # of a number
MISSED, MET, _SPECIAL = range(3)
_ROUNDED = 1e-9  # m; far more than is rounded


@inlined
def meet_circles(
    noted: tuple[int, int], place: tuple[float, float], rays: Floats, scene: tuple[Floats, Ints], room: Floats
) -> None:
    """Shorten what sectors see from a place by where their rays meet noted circles; from inside one all are 0.

    Args:
        noted: Where they are noted, and how many there are.
        place: Where the rays begin [m].
        rays: Of a fan whose distances are kept per sector.
        scene: `numbers` and `whole` of `ray_head`.
        room: Numbers to work with.
    """
    _write_places(noted, place, scene, room)
    _meet_written(noted[1], rays, room)


@compiled
def meet_cuts(
    noted: tuple[int, int], place: tuple[float, float], z: float, rays: Floats, scene: tuple[Floats, Ints], room: Floats
) -> None:
    """Do the same for any rays, by cylinders, spheres and boxes at the height `z` [m]."""
    (first, count), (px, py), (numbers, whole) = noted, place, scene
    search, small, kept = _U(whole[head.AT_SEARCH]), _U(whole[head.SMALL]), 0
    low, placed = search + _U(4) * small, _U(whole[head.AT_PLACED])
    for k in range(_U(count)):
        e = _U(whole[_U(first) + k])
        if not numbers[low + e] <= z <= numbers[low + small + e]:
            continue
        x, y, at = numbers[search + e] - px, numbers[search + small + e] - py, placed + _U(head.WIDTH) * e
        shape = numbers[at : at + _U(head.WIDTH)]
        if shape[HALF_WIDTH] != 0.0:
            meet_box(x, y, shape, rays)
        elif rays[FAN, EACH] == 0.0:
            meet_circle(x, y, cut(shape, z), rays)
        else:
            room[kept], room[_Y * _WIDE + kept], room[_RADIUS * _WIDE + kept] = x, y, cut(shape, z)
            kept += 1
    if kept:
        _meet_written(kept, rays, room)


@inlined
def _meet_written(count: int, rays: Floats, room: Floats) -> None:
    """Shorten what sectors see by where their rays meet the circles whose places are written."""
    _measure(0, count, _columns(rays, room), _common(rays), 0)
    _shorten(count, rays, room)


@inlined
def note_circles(
    noted: tuple[int, int], place: tuple[float, float], rays: Floats, scene: tuple[Floats, Ints], room: Floats
) -> None:
    """Write where the circles around noted shapes are, and which rays may meet each."""
    _write_places(noted, place, scene, room)
    _point(0, noted[1], _columns(rays, room), _common(rays), 0)


@inlined
def _write_places(noted: tuple[int, int], place: tuple[float, float], scene: tuple[Floats, Ints], room: Floats) -> None:
    """Write where the circles around noted shapes are."""
    (first, count), (px, py), (numbers, whole) = noted, place, scene
    search, small = _U(whole[head.AT_SEARCH]), _U(whole[head.SMALL])
    for k in range(_U(count)):
        e = search + _U(whole[_U(first) + k])
        room[k], room[_U(_Y * _WIDE) + k] = numbers[e] - px, numbers[e + small] - py
        room[_U(_RADIUS * _WIDE) + k] = numbers[e + _U(2) * small]


@inlined
def _columns(rays: Floats, room: Floats) -> tuple[int, ...]:
    """Return the addresses of what rows of circles are computed from, and go into."""
    at, line = address(room), _BYTES * _WIDE
    places = at, at + _Y * line, at + _RADIUS * line, at + KIND * line, at + LOW * line, at + HIGH * line
    sectors = at + _MIDDLE * line, at + _BEGIN * line, at + _END * line, at + _AT * line, at + _LAST_AT * line
    table, width = address(rays), _BYTES * rays.shape[1]
    return (*places, *sectors, table + RAY_COS * width, table + RAY_SIN * width)


@inlined
def _common(rays: Floats) -> tuple[float, ...]:
    """Return what all circles have in common."""
    heading = rays[FAN, HEAD_COS], rays[FAN, HEAD_SIN]
    spacing = rays[FAN, FIRST], rays[FAN, PER_RADIAN], rays[FAN, COUNT] - 1.0
    return (*heading, *spacing, rays[FAN, PER_RAY], rays[FAN, EACH])


def _pointed(rows: LoopRows, common: tuple[Lanes, ...]) -> tuple[Lanes, Lanes, Lanes, Lanes]:
    """Return which kind circles are, and which rays may meet them, as `ray_fan.between` and `nearest_ray` have it."""
    (c, s, least, density, last_ray), x, y, radius = common[:5], rows[_X], rows[_Y], rows[_RADIUS]
    before, behind = -2.0 * math.pi - least, 2.0 * math.pi - least
    away = x * x + y * y
    sine = radius / away.root()
    # a little more than the arc sine
    bearing, half = bearings_to(x * c + y * s, y * c - x * s), sine * (1.0 + 0.58 * sine * sine)
    low, high = bearing - half, bearing + half
    # a fan may reach over both a direction and the same one a turn farther: those few are left to others
    is_before = ((low + before) * density <= last_ray) & ((high + before) * density >= 0.0)
    is_behind = ((low + behind) * density <= last_ray) & ((high + behind) * density >= 0.0)
    low, high = (low - least) * density, (high - least) * density
    is_special = is_before | is_behind | (away <= radius * radius)
    kind = ((low <= last_ray) & (high >= 0.0)).where(float(MET), float(MISSED))
    kind = is_special.where(float(_SPECIAL), kind)
    return kind, low.most(0.0) + ALMOST_ONE, high.least(last_ray), (bearing - least) * density + 0.5


@loop
def _point(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Write which rays may meet each circle."""
    rows[KIND], rows[LOW], rows[HIGH], _ = _pointed(rows, common)
    x, y = rows[_X], rows[_Y]
    # a little less: rounding must hide nothing
    rows[GAP] = (x * x + y * y).root() - rows[_RADIUS] - _ROUNDED


@loop
def _measure(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Write the sectors at both ends of each circle, and where the rays of both that meet it first do so."""
    kind, low, high, middle = _pointed(rows, common)
    is_met = kind.equals(float(MET))
    # what is no ray could be any number
    first, last, middle = (is_met.where(number.floor(), 0.0) for number in (low, high, middle))
    rows[KIND], rows[LOW], rows[HIGH], rows[_MIDDLE] = kind, first, last + 1.0, middle
    for end, sector_at, where in ((first, _BEGIN, _AT), (last, _END, _LAST_AT)):
        sector, rays_in_sector = ((end + 0.5) * common[5]).floor(), common[6]
        # the order counts: with a first one behind the last none is met
        first_ray = sector * rays_in_sector
        ray = middle.most(first_ray).most(first).least(first_ray + rays_in_sector - 1.0).least(last).most(0.0)
        rows[sector_at], rows[where] = sector, _along(rows, ray, common)


def _along(rows: LoopRows, ray: Lanes, common: tuple[Lanes, ...]) -> Lanes:
    """Return where rays meet circles, as `ray_fan.along_ray` has it; no number where they miss them."""
    (c, s), x, y, radius = common[:2], rows[_X], rows[_Y], rows[_RADIUS]
    cosine, sine = rows.gathered(_COSINES, ray), rows.gathered(_SINES, ray)
    dx, dy = c * cosine - s * sine, s * cosine + c * sine
    ahead, aside = x * dx + y * dy, y * dx - x * dy
    return ahead - (radius * radius - aside * aside).root()


@inlined
def _shorten(count: int, rays: Floats, room: Floats) -> None:
    """Shorten what the sectors see; a circle within a sector or two is mostly all that there is."""
    for k in range(_U(count)):
        kind = room[_U(KIND * _WIDE) + k]
        if kind == float(_SPECIAL):
            meet_circle(room[k], room[_U(_Y * _WIDE) + k], room[_U(_RADIUS * _WIDE) + k], rays)
        elif kind == float(MET) and room[_U(LOW * _WIDE) + k] < room[_U(HIGH * _WIDE) + k]:
            begin, end = int(room[_U(_BEGIN * _WIDE) + k]), int(room[_U(_END * _WIDE) + k])
            t, last = room[_U(_AT * _WIDE) + k], room[_U(_LAST_AT * _WIDE) + k]
            rays[BEST, begin] = t if (t >= 0.0) & (t < rays[BEST, begin]) else rays[BEST, begin]
            rays[BEST, end] = last if (last >= 0.0) & (last < rays[BEST, end]) else rays[BEST, end]
            if begin + 1 < end:
                circle = room[k], room[_U(_Y * _WIDE) + k], room[_U(_RADIUS * _WIDE) + k]
                first, behind = int(room[_U(LOW * _WIDE) + k]), int(room[_U(HIGH * _WIDE) + k])
                meet_in_sectors(circle, (begin + 1, end), int(room[_U(_MIDDLE * _WIDE) + k]), (first, behind), rays)
