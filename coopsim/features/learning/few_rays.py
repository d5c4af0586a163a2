"""Few rays of a batch that are no fan, each compared with each shape: tables of rays and shapes serve all worlds.

Each distance has the bits that `ray_kernels.cast` gives it.
"""

import math
from collections.abc import Callable
from typing import Any, TypeAlias
from typing import cast as typed_as

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from coopsim.features.learning.outlines import meet_shape
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads, inlined, sincos
from coopsim.kernels.foreign import LLVM, floats_at, ints_at
from coopsim.kernels.grid import clamped
from coopsim.kernels.sequence import KernelCall
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import (
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

_MOST_BODIES, _MOST_RAYS, _MOST_SHAPES = 32, 64, 32  # room on the stack; who has more casts as ever
_LINES = FAN + 1  # of a table of rays
_Ready: TypeAlias = tuple[int, int, int, int, int, int]
"""Address of a table of rays and how many columns it has; addresses of the tables of shapes and their sizes."""


def on_stack(size: int) -> Callable[[], int]:
    """Return what gives the address of memory for some numbers, which lasts until the kernel returns."""

    def typed(_: Any) -> Any:
        return types.int64(), compile_call

    def compile_call(_: Any, builder: Any, __: Any, ___: Any) -> Any:
        room = cgutils.alloca_once(builder, LLVM.DoubleType(), size=size)  # type: ignore[no-untyped-call]
        return builder.ptrtoint(room, LLVM.IntType(64))

    return typed_as("Callable[[], int]", intrinsic(typed))


_room_of_table, _room_of_shapes, _room_of_bodies = map(
    on_stack, (_LINES * _MOST_RAYS, head.WIDTH * _MOST_SHAPES, 3 * _MOST_BODIES)
)


class FewRays:
    """Casts of a tick whose tables of rays and of shapes all worlds share; tables are kept as long as this is."""

    def __init__(self) -> None:
        self._kept: list[tuple[Floats, Floats, Ints]] = []

    def ready(self, call: KernelCall) -> KernelCall:
        """Return a call as it is, or what does the same with shared tables, if it suits."""
        if call.kernel is not cast or not _is_small(call):
            return call
        planar, height, rows, bearings, (reach, ring, _), out, (numbers, whole) = call.arguments
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
    rows, bearings, whole = call.arguments[2], call.arguments[3], call.arguments[-1][1]
    hulls = whole[whole[head.AT_BODY] + head.BODY_FIRST + head.BODY_WIDTH * rows]
    fits = rows.size <= _MOST_BODIES and bearings.size <= _MOST_RAYS and whole[head.MOVING] <= _MOST_SHAPES
    return bool(fits and (hulls == hulls[0]).all())


@compiled_for_threads
def cast_few(
    planar: Floats, height: Floats, rows: Ints, ready: _Ready, limits: tuple[Floats, Floats], out: Floats
) -> float:
    """Do what `ray_kernels.cast` does for few bodies of one type, in a scene of few moving shapes."""
    (reach, ring), numbers, whole = limits, floats_at(ready[2], ready[3]), ints_at(ready[4], ready[5])
    size, moving = _LINES * ready[1], whole[head.MOVING]
    memory, table = floats_at(_room_of_table(), size), floats_at(ready[0], size)
    for k in range(size):
        memory[k] = table[k]
    rays = memory.reshape((_LINES, ready[1]))
    count, hull, longest = int(rays[FAN, COUNT]), farthest(rays[HULL]), 0.0
    for i in range(rows.size):
        longest = max(longest, reach[i] + hull)
    # asked before anything is written, as there
    if longest > numbers[head.PREPARED]:
        return longest
    shapes = floats_at(_room_of_shapes(), head.WIDTH * moving).reshape((moving, head.WIDTH))
    _move_shapes(planar, height, numbers, whole, shapes)
    # eight angles fit into vectors
    wide = (rows.size + 7) // 8 * 8
    angles = floats_at(_room_of_bodies(), 3 * wide).reshape((3, wide))
    for i in range(rows.size):
        angles[0, i] = planar[rows[i], 2]
    sincos(angles[0], angles[1], angles[2])
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
        report(reach[i], rays, count, out[i])
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
