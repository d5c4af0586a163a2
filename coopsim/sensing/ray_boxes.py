"""Boxes that a fan of rays meets, many at once: which rays may meet each is computed in vectors.

A ray meets a face where it crosses its plane between both ends. That is clear but for rays within a nanoradian of an
end: there `ray_shapes.meet_box` decides by bearings, as it does for all rays of a single box.
"""

import math

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.lanes import Lanes, LoopRows, counting
from coopsim.kernels.native import address
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_circles import GAP, HIGH, KIND, LOW, MET, MISSED, note_circles
from coopsim.sensing.ray_fan import BEST, DX, DY
from coopsim.sensing.ray_shapes import cut, meet_box, meet_circle

_U = np.uint64  # places in arrays: what cannot be negative is found faster
_BYTES = 8  # of a number
_NEAR_END = 1e-9  # rad: far above what is rounded, far below what two rays differ by


@compiled
def meet_boxes(
    noted: tuple[int, int], place: tuple[float, float], z: float, rays: Floats, scene: tuple[Floats, Ints], room: Floats
) -> None:
    """Shorten rays from a place by where they meet noted shapes; from inside one all are 0.

    Args:
        noted: Where they are noted, and how many there are, at the height of the rays.
        place: Where the rays begin [m].
        z: Height of the rays [m].
        rays: Of a fan whose distances are kept ray by ray.
        scene: `numbers` and `whole` of `ray_head`.
        room: Numbers to work with.
    """
    (first, count), (numbers, whole), wide = noted, scene, _U(head.NOTE_WIDTH)
    note_circles(noted, place, rays, scene, room)
    best = address(rays) + BEST * _BYTES * rays.shape[1]
    for k in range(_U(count)):
        kind = room[_U(KIND) * wide + k]
        if kind == float(MISSED):
            continue
        e = whole[_U(first) + k]
        x, y, at = room[k], room[wide + k], whole[head.AT_PLACED] + head.WIDTH * e
        shape = numbers[at : at + head.WIDTH]
        if shape[HALF_WIDTH] == 0.0:
            meet_circle(x, y, cut(shape, z), rays)
            continue
        low, high = int(room[_U(LOW) * wide + k]), int(room[_U(HIGH) * wide + k]) + 1
        # hidden by nearer shapes: no ray that may meet it reaches as far
        if kind == float(MET) and _count_farther(low, high, (best,), (room[_U(GAP) * wide + k],), 0) == 0:
            continue
        if kind != float(MET) or not _meet_some((x, y), shape, (low, high), rays):
            meet_box(x, y, shape, rays)


@counting
def _count_farther(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which rays are free beyond a distance."""
    return rows[0] > common[0]


@inlined
def _meet_some(place: tuple[float, float], shape: Floats, some: tuple[int, int], rays: Floats) -> bool:
    """Shorten some rays by where they meet a box; return whether all were clear."""
    (x, y), c, s, half, half_width = place, shape[COS], shape[SIN], shape[HALF], shape[HALF_WIDTH]
    u, v, table, width = x * c + y * s, y * c - x * s, address(rays), _BYTES * rays.shape[1]
    ahead, across = u - math.copysign(half, u), v - math.copysign(half_width, v)
    # below 0 where a face cannot be seen from outside: then it is the other one that counts
    depths = abs(ahead) if abs(u) > half else -1.0, abs(across) if abs(v) > half_width else -1.0
    columns = table + DX * width, table + DY * width, table + BEST * width
    return _meet_faces(some[0], some[1], columns, (c, s, u, v, ahead, across, half, half_width, *depths), 0) == 0


@counting
def _meet_faces(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Shorten rays by where they meet the faces of a box; return which of them are not clear."""
    (c, s, u, v, ahead, across, half, half_width, *depths), dx, dy, free = common, rows[0], rows[1], rows[2]
    cosine, sine = dx * c + dy * s, dy * c - dx * s
    # a ray meets a box where it crosses the last of the planes that it is in front of: one division for both
    is_ahead = depths[0] * abs(sine) >= depths[1] * abs(cosine)
    plane, slope = is_ahead.where(ahead, across), is_ahead.where(sine, cosine)
    t = plane / is_ahead.where(cosine, sine)
    beyond = abs(t * slope - is_ahead.where(v, u)) - is_ahead.where(half_width, half)
    is_met, is_clear = (t >= 0.0) & (t < free), abs(beyond * plane) > t * t * _NEAR_END
    is_first = is_met & (beyond <= 0.0) & is_clear & rows.inside
    # no choice, of which a compiler makes a masked store: such a one is read again far more slowly
    rows[2] = is_first.where(t, math.inf).smaller(free)
    return is_met & ~is_clear
