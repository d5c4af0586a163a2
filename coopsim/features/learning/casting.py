"""Rays of a batch: what all worlds have in common is made ready once, and few moving shapes need no grid.

Each distance has the bits that `ray_kernels.cast` gives it.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

from coopsim.features.learning.few_rays import FewRays
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
from coopsim.kernels import compiled, compiled_for_threads
from coopsim.kernels.foreign import floats_at
from coopsim.kernels.sequence import KernelCall
from coopsim.kernels.shapes import HALF, HALF_WIDTH
from coopsim.sensing import ray_head as head
from coopsim.sensing import ray_kernels
from coopsim.sensing.ray_circles import ROOM
from coopsim.sensing.ray_fan import (
    COUNT,
    FAN,
    HULL,
    far_of,
    farthest,
    keep_per_sector,
    rays_of,
    report,
    turn,
    widest_bearing,
)
from coopsim.sensing.ray_grid import bound_of, middle_of, write_shape
from coopsim.sensing.ray_looks import note_shapes, see_found
from coopsim.sensing.ray_quads import QUAD
from coopsim.sensing.ray_scan import scan

_MOST_RAYS = 512  # room on the stack; who has more casts as ever
_Ready: TypeAlias = tuple[int, int, float, float]
"""Address of a table of rays, how many columns it has, and the two numbers of `widest_bearing`."""


_room_of_table, _room_of_circles, _room_of_bodies = map(on_stack, (LINES * _MOST_RAYS, ROOM, 3 * MOST_BODIES))


class ReadyRays:
    """Casts of a tick whose tables of rays all worlds share; they are kept as long as this is.

    Args:
        calls: Of a tick.

    Attributes:
        calls: The same, with `cast_few` for rays that are no fan, and else with `cast_ready` where all casts of a table
            of shapes suit it.
    """

    def __init__(self, calls: Sequence[KernelCall]) -> None:
        self._tables: list[Floats] = []
        self._few = FewRays()
        calls = [self._few.ready(call) for call in calls]
        # a table of shapes is in the order of its grid, or in its own, for whoever looks
        gridded = {address for call in calls if not _is_small(call) for address in _addresses(call)}
        self.calls = [
            self._ready(call) if call.kernel is ray_kernels.cast and gridded.isdisjoint(_addresses(call)) else call
            for call in calls
        ]

    def _ready(self, call: KernelCall) -> KernelCall:
        planar, height, rows, bearings, (reach, ring, *_), out, (numbers, whole) = call.arguments
        table = rays_of(bearings)
        ray_kernels.hull_of(numbers, whole, int(rows[0]), table, bearings.size)
        keep_per_sector(table, bearings.size, out.shape[1])
        self._tables.append(table)
        ready = int(table.ctypes.data), table.shape[1], *widest_bearing(bearings)
        return KernelCall(cast_ready, (planar, height, rows, ready, (reach, ring), out, (numbers, whole)), call.expects)


def _addresses(call: KernelCall) -> set[int]:
    """Return where the table of shapes of a cast or a scan is, nothing for other calls."""
    return {call.arguments[-1][1].ctypes.data} if call.kernel in (ray_kernels.cast, scan) else set()


def _is_small(call: KernelCall) -> bool:
    """Return whether few bodies of one form cast few rays among few moving shapes; calls that cast none are, too."""
    if call.kernel is not ray_kernels.cast:
        return call.kernel is not scan
    small: int = call.arguments[-1][1][head.SMALL]
    return small <= head.FOUND and has_one_form(call, _MOST_RAYS - QUAD)


@compiled_for_threads
def cast_ready(
    planar: Floats,
    height: Floats,
    rows: Ints,
    ready: _Ready,
    limits: tuple[Floats, Floats],
    out: Floats,
    scene: ray_kernels.Scene,
) -> float:
    """Do what `ray_kernels.cast` does for few bodies of one type, in a scene of few moving shapes."""
    (reach, ring), (numbers, whole) = limits, scene
    rays, work = own_rays(_room_of_table(), ready[0], ready[1]), floats_at(_room_of_circles(), ROOM)
    count, hull = int(rays[FAN, COUNT]), farthest(rays[HULL])
    longest = longest_of(reach, rows.size, hull)
    # asked before anything is written, as there
    if longest > numbers[head.PREPARED]:
        return longest
    if whole[head.STALE] != 0:
        _write_shapes(planar, height, numbers, whole)
        whole[head.STALE] = 0
    angles = own_headings(_room_of_bodies(), planar, rows)
    for i in range(rows.size):
        row, s, c = rows[i], angles[1, i], angles[2, i]
        z = height[row] + (ring[i] if ring[i] != 0.0 else numbers[whole[head.AT_MIDDLE] + row])
        owner = whole[whole[head.AT_BODY] + head.BODY_WIDTH * row + head.BODY_OWNER]
        look = (planar[row, 0], planar[row, 1], c, s, ready[2], ready[3], z, owner, whole[head.AT_FOUND])
        turn(c, s, reach[i], rays, count)
        ray_kernels.see_fixed(look, rays, numbers, whole)
        ray_kernels.see_large(look, rays, numbers, whole)
        noted = note_shapes(0, whole[head.SMALL], 0, far_of(rays), look, numbers, whole)
        see_found(noted, look, rays, scene, work)
        report(reach[i], rays, count, out[i])
    return 0.0


@compiled
def _write_shapes(planar: Floats, height: Floats, numbers: Floats, whole: Ints) -> None:
    """Put the moving shapes where their bodies are, as `ray_grid.move_shapes` does, but in their own order."""
    small, lowest, highest = whole[head.SMALL], -math.inf, math.inf
    for j in range(small):
        shape, place = whole[head.AT_MOVING] + head.WIDTH * j, whole[head.AT_SEARCH] + j
        numbers[place], numbers[place + small] = middle_of(planar, numbers, shape)
        numbers[place + 2 * small] = bound_of(numbers[shape + HALF], numbers[shape + HALF_WIDTH])
        numbers[place + 3 * small] = numbers[shape + head.OWNER]
        base = height[int(numbers[shape + head.BODY])]
        low, high = base + numbers[shape + head.LOW], base + numbers[shape + head.HIGH]
        numbers[place + 4 * small], numbers[place + 5 * small] = low, high
        lowest = low if low > lowest or math.isnan(low) else lowest
        highest = high if high < highest or math.isnan(high) else highest
        if whole[head.PLAIN] == 0:
            write_shape(planar, height, numbers, whole, j, j)
    numbers[head.PLAIN_LOW], numbers[head.PLAIN_HIGH] = lowest, highest
    for j in range(small, whole[head.MOVING]):
        write_shape(planar, height, numbers, whole, j, j)
