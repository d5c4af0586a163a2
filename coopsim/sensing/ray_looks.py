"""Looks of a body: from where, to which side and how wide, and what of the scene lies there."""

from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.grid import clamped
from coopsim.kernels.lanes import Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.kernels.shapes import HALF, HALF_WIDTH, X, Y
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_boxes import meet_boxes
from coopsim.sensing.ray_circles import meet_circles, meet_cuts
from coopsim.sensing.ray_fan import EACH, FAN, PER_RADIAN
from coopsim.sensing.ray_quads import meet_noted

_WORD = 8  # bytes
_U = np.uint64  # places in arrays: what cannot be negative is found faster

# x, y, cosine and sine of the heading of the body that looks; cosine and sine of its widest bearing; height of its
# rays; the body that it is a part of; where the shapes that it may meet are noted
Look: TypeAlias = tuple[float, float, float, float, float, float, float, int, int]


@inlined
def is_in_sight(shape: Floats, far: float, look: Look) -> bool:
    """Return whether a shape is near and not behind all rays, as `ray_kernels` has it of many."""
    px, py, c, s, side, ahead, _, _, _ = look
    x, y, bound = shape[_U(X)] - px, shape[_U(Y)] - py, shape[_U(HALF)] + shape[_U(HALF_WIDTH)]
    is_near: bool = x * x + y * y <= (far + bound) * (far + bound)
    return is_near and abs(y * c - x * s) * side - (x * c + y * s) * ahead <= bound


@inlined
def _extent(c: float, s: float, side: float, ahead: float) -> float:
    """Return how far a sector of radius 1 reaches into a direction at (c, s) from its middle."""
    return 1.0 if c >= side else max(c * side + abs(s) * ahead, 0.0)


@inlined
def square_of(half: float, look: Look, numbers: Floats, whole: Ints) -> tuple[int, int, int, int]:
    """Return the columns and lines in which shapes may touch the sector of radius `half`: first, last, first, last."""
    px, py, c, s, side, ahead, _, _, _ = look
    x, y, margin = px - numbers[head.X0], py - numbers[head.Y0], numbers[head.LARGEST]
    across, up = numbers[head.COLUMNS_PER_METRE], numbers[head.LINES_PER_METRE]
    return (
        clamped((x - margin - half * _extent(-c, s, side, ahead)) * across, whole[head.COLUMNS]),
        clamped((x + margin + half * _extent(c, s, side, ahead)) * across, whole[head.COLUMNS]),
        clamped((y - margin - half * _extent(-s, c, side, ahead)) * up, whole[head.LINES]),
        clamped((y + margin + half * _extent(s, c, side, ahead)) * up, whole[head.LINES]),
    )


@inlined
def note_shapes(begin: int, end: int, count: int, far: float, look: Look, numbers: Floats, whole: Ints) -> int:
    """Note those of the shapes from `begin` to `end` that rays may meet behind the `count` noted ones; count all."""
    at, line = address(numbers) + _WORD * whole[head.AT_SEARCH], _WORD * whole[head.SMALL]
    columns = at, at + line, at + 2 * line, at + 3 * line, address(whole) + _WORD * look[8]
    return _note(begin, end, columns, (*look[:6], float(look[7]), far), count)


@loop
def _note(rows: LoopRows, look: tuple[Lanes, ...]) -> Lanes:
    """Return which shapes are near and not behind all rays, and not the own ones."""
    px, py, c, s, side, ahead, owner, far = look
    x, y, bound = rows[0] - px, rows[1] - py, rows[2]
    is_near = x * x + y * y <= (far + bound) * (far + bound)
    # distance from the nearer edge of the sector that all rays are in, by its normal
    is_ahead = abs(y * c - x * s) * side - (x * c + y * s) * ahead <= bound
    return is_near & is_ahead & ~rows[3].equals(owner)


@inlined
def see_found(count: int, look: Look, rays: Floats, scene: tuple[Floats, Ints], room: Floats) -> None:
    """Look at the shapes that were noted and lie at the height of the rays."""
    numbers, whole = scene
    z, first, is_plain = look[6], look[8], whole[head.PLAIN] != 0
    is_level = is_plain & (numbers[head.PLAIN_LOW] <= z) & (z <= numbers[head.PLAIN_HIGH])
    is_fan, is_divided = rays[FAN, PER_RADIAN] != 0.0, rays[FAN, EACH] != 0.0
    if is_fan and not is_divided:
        count = count if is_level else _at_height(first, count, z, numbers, whole)
        meet_boxes((first, count), (look[0], look[1]), z, rays, scene, room)
        return
    if not is_plain:
        meet_cuts((first, count), (look[0], look[1]), z, rays, scene, room)
        return
    if not is_level:
        count = _at_height(first, count, z, numbers, whole)
    if is_divided:
        meet_circles((first, count), (look[0], look[1]), rays, scene, room)
    else:
        noted = address(whole) + _WORD * first, count
        places = address(numbers) + _WORD * whole[head.AT_SEARCH], whole[head.SMALL]
        meet_noted(noted, places, look[0], look[1], rays)


@compiled
def _at_height(first: int, count: int, z: float, numbers: Floats, whole: Ints) -> int:
    """Keep the noted shapes that are at a height; return how many."""
    low, to = whole[head.AT_SEARCH] + 4 * whole[head.SMALL], first
    for index in range(first, first + count):
        e = whole[index]
        if numbers[low + e] <= z <= numbers[low + whole[head.SMALL] + e]:
            whole[to] = e
            to += 1
    return to - first
