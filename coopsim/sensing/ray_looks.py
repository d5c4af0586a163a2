"""Looks of a body: from where, to which side and how wide, and what of the scene lies there."""

from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import inlined
from coopsim.kernels.grid import clamped
from coopsim.kernels.shapes import HALF, HALF_WIDTH, X, Y
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import COUNT, EACH, FAN, HEAD_COS, HEAD_SIN, PER_RADIAN, RAY_COS, RAY_SIN, free_sectors

_WIDEST_HALF = 1.5  # rad, to either side of a look that was narrowed
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
def narrowed(look: Look, seen: float, rays: Floats) -> Look:
    """Return a look only to where sectors of a fan are free beyond a distance within which all has been seen [m]."""
    first, last = free_sectors(seen, rays)
    per_sector = max(int(rays[FAN, EACH]), 1)
    low, high = first * per_sector, (last + 1) * per_sector - 1
    middle = (low + high) // 2
    # a ray more than there are to either side: what rounding puts beyond the last one is looked at, too
    beyond = high - middle + 1
    edge = middle + beyond if middle + beyond < int(rays[FAN, COUNT]) else middle - beyond
    # a wide fan may reach over the same direction twice, and gains little
    if edge < 0 or beyond > _WIDEST_HALF * rays[FAN, PER_RADIAN]:
        return look
    # the heading of the body: the look that is narrowed may have been narrowed before
    (px, py, _, _, _, _, z, owner, notes), c, s = look, rays[FAN, HEAD_COS], rays[FAN, HEAD_SIN]
    cosine, sine = rays[RAY_COS, middle], rays[RAY_SIN, middle]
    side = cosine * rays[RAY_COS, edge] + sine * rays[RAY_SIN, edge]
    ahead = abs(cosine * rays[RAY_SIN, edge] - sine * rays[RAY_COS, edge])
    return (px, py, c * cosine - s * sine, s * cosine + c * sine, side, ahead, z, owner, notes)
