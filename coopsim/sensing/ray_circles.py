"""Circles that a fan of rays around a round body meets, many at once: what each comes to is computed in vectors."""

import math

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import inlined
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
    bearing_to,
)
from coopsim.sensing.ray_shapes import meet_circle, meet_in_sectors

_U = np.uint64  # places in arrays: what cannot be negative is found faster
# lines of the room: middle and radius of a circle; what kind it is; first ray that it may meet, and the one behind the
# last; ray nearest to its middle; sectors of the first and the last, of each the ray that meets it first, and where
_WIDE = head.NOTE_WIDTH
_X, _Y, _RADIUS, KIND, LOW, HIGH, _MIDDLE, _BEGIN, _END, _RAY, _LAST_RAY, _AT, _LAST_AT = range(13)
ROOM = 13 * _WIDE
MISSED, MET, _SPECIAL = range(3)


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
    note_circles(noted, place, rays, scene, room)
    count = noted[1]
    _choose(count, rays, room)
    _measure(count, rays, room)
    _shorten(count, rays, room)


@inlined
def note_circles(
    noted: tuple[int, int], place: tuple[float, float], rays: Floats, scene: tuple[Floats, Ints], room: Floats
) -> None:
    """Write where the circles around noted shapes are, and which rays may meet each."""
    (first, count), (px, py), (numbers, whole) = noted, place, scene
    search, small = _U(whole[head.AT_SEARCH]), _U(whole[head.SMALL])
    for k in range(_U(count)):
        e = search + _U(whole[_U(first) + k])
        room[k], room[_U(_Y * _WIDE) + k] = numbers[e] - px, numbers[e + small] - py
        room[_U(_RADIUS * _WIDE) + k] = numbers[e + _U(2) * small]
    _point(count, rays, room)


@inlined
def _point(count: int, rays: Floats, room: Floats) -> None:
    """Write which rays may meet each circle, as `ray_fan.between` and `nearest_ray` have it."""
    c, s, least, density = rays[FAN, HEAD_COS], rays[FAN, HEAD_SIN], rays[FAN, FIRST], rays[FAN, PER_RADIAN]
    last_ray, before, behind = rays[FAN, COUNT] - 1.0, -2.0 * math.pi - least, 2.0 * math.pi - least
    for k in range(_U(count)):
        x, y, radius = room[k], room[_U(_Y * _WIDE) + k], room[_U(_RADIUS * _WIDE) + k]
        away = x * x + y * y
        sine = radius / math.sqrt(away)
        # a little more than the arc sine
        bearing, half = bearing_to(x * c + y * s, y * c - x * s), sine * (1.0 + 0.58 * sine * sine)
        low, high = bearing - half, bearing + half
        # a fan may reach over both a direction and the same one a turn farther: those few are left to others
        is_before = ((low + before) * density <= last_ray) & ((high + before) * density >= 0.0)
        is_behind = ((low + behind) * density <= last_ray) & ((high + behind) * density >= 0.0)
        low, high = (low - least) * density, (high - least) * density
        kind = float(MET) if (low <= last_ray) & (high >= 0.0) else float(MISSED)
        is_special = is_before | is_behind | (away <= radius * radius)
        room[_U(KIND * _WIDE) + k] = float(_SPECIAL) if is_special else kind
        room[_U(LOW * _WIDE) + k] = max(low, 0.0) + ALMOST_ONE
        room[_U(HIGH * _WIDE) + k] = min(high, last_ray)
        room[_U(_MIDDLE * _WIDE) + k] = (bearing - least) * density + 0.5


@inlined
def _choose(count: int, rays: Floats, room: Floats) -> None:
    """Write the sectors at both ends, and which of their rays meets the circle first."""
    per_ray, each = rays[FAN, PER_RAY], rays[FAN, EACH]
    for k in range(_U(count)):
        is_met = room[_U(KIND * _WIDE) + k] == float(MET)
        # what is no ray could be any number
        first = math.floor(room[_U(LOW * _WIDE) + k]) if is_met else 0
        last = math.floor(room[_U(HIGH * _WIDE) + k]) if is_met else 0
        middle = math.floor(room[_U(_MIDDLE * _WIDE) + k]) if is_met else 0
        begin, end = math.floor((first + 0.5) * per_ray), math.floor((last + 0.5) * per_ray)
        room[_U(LOW * _WIDE) + k], room[_U(HIGH * _WIDE) + k] = first, last + 1.0
        room[_U(_MIDDLE * _WIDE) + k] = middle
        room[_U(_BEGIN * _WIDE) + k], room[_U(_END * _WIDE) + k] = begin, end
        # the order counts: with a first one behind the last none is met
        room[_U(_RAY * _WIDE) + k] = max(min(max(middle, begin * each, first), begin * each + each - 1.0, last), 0.0)
        room[_U(_LAST_RAY * _WIDE) + k] = max(min(max(middle, end * each, first), end * each + each - 1.0, last), 0.0)


@inlined
def _measure(count: int, rays: Floats, room: Floats) -> None:
    """Write where both rays meet the circle, as `ray_fan.along_ray` has it; no number where they miss it."""
    c, s = rays[FAN, HEAD_COS], rays[FAN, HEAD_SIN]
    for side in range(2):
        for k in range(_U(count)):
            x, y, radius = room[k], room[_U(_Y * _WIDE) + k], room[_U(_RADIUS * _WIDE) + k]
            ray = _U(room[_U((_RAY + side) * _WIDE) + k])
            cosine, sine = rays[RAY_COS, ray], rays[RAY_SIN, ray]
            dx, dy = c * cosine - s * sine, s * cosine + c * sine
            ahead, aside = x * dx + y * dy, y * dx - x * dy
            room[_U((_AT + side) * _WIDE) + k] = ahead - math.sqrt(radius * radius - aside * aside)


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
