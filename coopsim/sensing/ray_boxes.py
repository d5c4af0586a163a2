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
from coopsim.sensing.ray_circles import HIGH, KIND, LOW, MET, MISSED, note_circles
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
        if kind != float(MET) or not _meet_some((x, y), shape, (low, high), rays):
            meet_box(x, y, shape, rays)


@inlined
def _meet_some(place: tuple[float, float], shape: Floats, some: tuple[int, int], rays: Floats) -> bool:
    """Shorten some rays by where they meet a box; return whether all were clear."""
    (x, y), c, s, half, half_width = place, shape[COS], shape[SIN], shape[HALF], shape[HALF_WIDTH]
    u, v, table, width = x * c + y * s, y * c - x * s, address(rays), _BYTES * rays.shape[1]
    # no number where the plane of a face cannot be seen from outside: comparisons with it are false
    ahead = u - math.copysign(half, u) if abs(u) > half else math.nan
    across = v - math.copysign(half_width, v) if abs(v) > half_width else math.nan
    columns = table + DX * width, table + DY * width, table + BEST * width
    return _meet_faces(some[0], some[1], columns, (c, s, u, v, ahead, across, half, half_width), 0) == 0


@counting
def _meet_faces(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Shorten rays by where they meet the faces of a box; return which of them are not clear."""
    (c, s, u, v, ahead, across, half, half_width), dx, dy, free = common, rows[0], rows[1], rows[2]
    cosine, sine = dx * c + dy * s, dy * c - dx * s
    t, t_across = ahead / cosine, across / sine
    beyond, beyond_across = abs(t * sine - v) - half_width, abs(u - t_across * cosine) - half
    is_met, is_across_met = (t >= 0.0) & (t < free), (t_across >= 0.0) & (t_across < free)
    is_clear = abs(beyond * ahead) > t * t * _NEAR_END
    is_across_clear = abs(beyond_across * across) > t_across * t_across * _NEAR_END
    is_first = is_met & (beyond <= 0.0) & is_clear & rows.inside
    best = is_first.where(t, free)
    is_nearer = is_across_met & (t_across < best) & (beyond_across <= 0.0) & is_across_clear & rows.inside
    # two choices, neither of which a compiler makes a masked store of: such a one is read again far more slowly
    rows[2] = is_nearer.where(t_across, best)
    return (is_met & ~is_clear) | (is_across_met & ~is_across_clear)
