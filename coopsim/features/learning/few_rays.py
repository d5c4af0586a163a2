"""Few rays of a batch that are no fan, each compared with each shape: tables of rays and shapes serve all worlds.

Each distance has the bits that `ray_kernels.cast` gives it.
"""

import math
from typing import TypeAlias

from coopsim.features.learning.outlines import meet_shape
from coopsim.features.learning.own_tables import (
    LINES,
    MOST_BODIES,
    has_one_form,
    longest_of,
    on_stack,
    own_headings,
    own_rays,
)
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads, inlined
from coopsim.kernels.foreign import floats_at, ints_at
from coopsim.kernels.grid import clamped
from coopsim.kernels.sequence import KernelCall
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import (
    BEST,
    COUNT,
    FAN,
    HULL,
    PER_RADIAN,
    far_of,
    farthest,
    keep_per_sector,
    rays_of,
    report,
    turn,
)
from coopsim.sensing.ray_grid import middle_of
from coopsim.sensing.ray_kernels import cast, hull_of

_MOST_RAYS, _MOST_SHAPES = 64, 32  # room on the stack; who has more casts as ever
_Ready: TypeAlias = tuple[int, int, int, int, int, int]
"""Address of a table of rays and how many columns it has; addresses of the tables of shapes and their sizes."""


_room_of_table, _room_of_shapes, _room_of_bodies = map(
    on_stack, (LINES * _MOST_RAYS, head.WIDTH * _MOST_SHAPES, 3 * MOST_BODIES)
)


class FewRays:
    """Casts of a tick whose tables of rays and of shapes all worlds share; tables are kept as long as this is."""

    def __init__(self) -> None:
        self._kept: list[tuple[Floats, Floats, Ints]] = []

    def ready(self, call: KernelCall) -> KernelCall:
        """Return a call as it is, or what does the same with shared tables, if it suits."""
        if call.kernel is not cast or not _is_small(call):
            return call
        planar, height, rows, bearings, (reach, ring, *_), out, (numbers, whole) = call.arguments
        table = rays_of(bearings)
        if table[FAN, PER_RADIAN] != 0.0:
            return call
        hull_of(numbers, whole, int(rows[0]), table, bearings.size)
        keep_per_sector(table, bearings.size, out.shape[1])
        self._kept.append((table, numbers, whole))
        shapes = int(numbers.ctypes.data), numbers.size, int(whole.ctypes.data), whole.size
        shared = int(table.ctypes.data), table.shape[1], *shapes
        return KernelCall(cast_few, (planar, height, rows, shared, (reach, ring), out), call.expects)


def _is_small(call: KernelCall) -> bool:
    """Return whether few bodies of one form cast few rays among few moving shapes."""
    moving: int = call.arguments[-1][1][head.MOVING]
    return moving <= _MOST_SHAPES and has_one_form(call, _MOST_RAYS)


@compiled_for_threads
def cast_few(
    planar: Floats, height: Floats, rows: Ints, ready: _Ready, limits: tuple[Floats, Floats], out: Floats
) -> float:
    """Do what `ray_kernels.cast` does for few bodies of one type, in a scene of few moving shapes."""
    (reach, ring), numbers, whole = limits, floats_at(ready[2], ready[3]), ints_at(ready[4], ready[5])
    moving, rays = whole[head.MOVING], own_rays(_room_of_table(), ready[0], ready[1])
    count, hull = int(rays[FAN, COUNT]), farthest(rays[HULL])
    longest = longest_of(reach, rows.size, hull)
    # asked before anything is written, as there
    if longest > numbers[head.PREPARED]:
        return longest
    shapes = floats_at(_room_of_shapes(), head.WIDTH * moving).reshape((moving, head.WIDTH))
    _move_shapes(planar, height, numbers, whole, shapes)
    angles = own_headings(_room_of_bodies(), planar, rows)
    for i in range(rows.size):
        row, s, c = rows[i], angles[1, i], angles[2, i]
        z = height[row] + (ring[i] if ring[i] != 0.0 else numbers[whole[head.AT_MIDDLE] + row])
        owner = float(whole[whole[head.AT_BODY] + head.BODY_WIDTH * row + head.BODY_OWNER])
        turn(c, s, reach[i], rays, count)
        px, py, far = planar[row, 0], planar[row, 1], hull + reach[i]
        if whole[head.FIXED] != 0:
            _see_fixed((px, py, z, far), rays, numbers, whole)
            far = far_of(rays)
        for j in range(moving):
            if shapes[j, head.OWNER] != owner:
                meet_shape(shapes[j], px, py, z, far, rays)
        _report(reach[i], rays, count, out[i])
    return 0.0


@inlined
def _see_fixed(look: tuple[float, float, float, float], rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Look at the fixed shapes listed in the cell."""
    px, py, z, far = look
    column = clamped((px - numbers[head.FIXED_X0]) * numbers[head.FIXED_PER_METRE], whole[head.FIXED_COLUMNS])
    line = clamped((py - numbers[head.FIXED_Y0]) * numbers[head.FIXED_PER_METRE], whole[head.FIXED_LINES])
    at = whole[head.AT_LIST_START] + line * whole[head.FIXED_COLUMNS] + column
    for e in range(whole[at], whole[at + 1]):
        start = whole[head.AT_FIXED] + head.WIDTH * whole[whole[head.AT_LIST] + e]
        meet_shape(numbers[start : start + head.WIDTH], px, py, z, far, rays)


@inlined
def _report(reach: float, rays: Floats, count: int, out: Floats) -> None:
    """Do what `report` does; where each ray is a reading, in one loop that becomes vectors."""
    if out.size != count:
        report(reach, rays, count, out)
        return
    best, hulls = rays[BEST], rays[HULL]
    for k in range(count):
        length, hull = best[k], hulls[k]
        out[k] = reach if length >= hull + reach else max(length - hull, 0.0)


@compiled
def _move_shapes(planar: Floats, height: Floats, numbers: Floats, whole: Ints, shapes: Floats) -> None:
    """Put the moving shapes where their bodies are, as `ray_grid.write_shape` does."""
    for j in range(shapes.shape[0]):
        start, shape = whole[head.AT_MOVING] + head.WIDTH * j, shapes[j]
        row = int(numbers[start + head.BODY])
        shape[X], shape[Y] = middle_of(planar, numbers, start)
        shape[HALF], shape[HALF_WIDTH] = numbers[start + HALF], numbers[start + HALF_WIDTH]
        shape[head.ROUND], shape[head.OWNER] = numbers[start + head.ROUND], numbers[start + head.OWNER]
        shape[head.LOW], shape[head.HIGH] = (
            height[row] + numbers[start + head.LOW],
            height[row] + numbers[start + head.HIGH],
        )
        if shape[HALF_WIDTH] != 0.0:
            cos, sin = math.cos(planar[row, 2]), math.sin(planar[row, 2])
            c, s = numbers[start + COS], numbers[start + SIN]
            shape[COS], shape[SIN] = cos * c - sin * s, sin * c + cos * s
