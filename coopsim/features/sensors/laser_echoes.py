"""Compiled echoes of a laser scanner: how strong they are, and what noise and losses make of them."""

import math

import numpy as np

from coopsim.devices.noise import Keys, normal, uniform
from coopsim.features.sensors.laser_interface import LASER
from coopsim.geometry import Floats
from coopsim.interfaces import columns
from coopsim.kernels import compiled

_COLUMN = columns(LASER)
_DICE = np.uint64(0x5C4E2D1B3A697887)
"""Makes the keys of losses others than those of noise: equal ones would lose the farthest echoes first."""


@compiled
def reflect(angles: Floats, layers: int, table: Floats, out: Floats) -> None:
    """Write intensities behind the distances that were seen, shape (n, 2 k).

    All surfaces are equally white and dull. How they lie is known from the hits of the rays beside a ray, in its layer
    and in the next one; in a single layer they stand upright.

    Args:
        angles: Bearings and elevations of the rays, shape (2, k).
        layers: Number of layers, which follow each other.
        table: Parameters, a column for each robot.
        out: Distances and intensities.
    """
    rays = angles.shape[1]
    count, points = rays // layers, np.empty((rays, 3))
    for i in range(out.shape[0]):
        reach, bright = table[_COLUMN.reach, i], table[_COLUMN.bright, i]
        for k in range(rays):
            along = out[i, k] * math.cos(angles[1, k])
            points[k, 0] = along * math.cos(angles[0, k])
            points[k, 1] = along * math.sin(angles[0, k])
            points[k, 2] = out[i, k] * math.sin(angles[1, k])
        for k in range(rays):
            distance = out[i, k]
            if distance >= reach:
                out[i, rays + k] = 0.0
                continue
            layer = k // count * count
            beside = _nearer(out[i], k, k - 1, k + 1, layer, layer + count, reach)
            above = _nearer(out[i], k, k - count, k + count, 0, rays, reach)
            fall = min(1.0, bright / max(distance, 1e-9))
            out[i, rays + k] = fall * fall * _cosine(points, k, beside, above)


@compiled
def _nearer(distances: Floats, k: int, first: int, second: int, low: int, high: int, reach: float) -> int:
    """Return which of two rays has hit what ray k has hit, by its distance; -1 where neither has hit anything."""
    best, gap = -1, math.inf
    for ray in (first, second):
        if low <= ray < high and distances[ray] < reach and abs(distances[ray] - distances[k]) < gap:
            best, gap = ray, abs(distances[ray] - distances[k])
    return best


@compiled
def _cosine(points: Floats, k: int, beside: int, above: int) -> float:
    """Return the cosine of the angle between a ray and the normal of the surface through its hit and two others."""
    if beside < 0:
        return 1.0
    ax, ay, az = points[beside, 0] - points[k, 0], points[beside, 1] - points[k, 1], points[beside, 2] - points[k, 2]
    bx, by, bz = 0.0, 0.0, 1.0
    if above >= 0:
        bx, by, bz = points[above, 0] - points[k, 0], points[above, 1] - points[k, 1], points[above, 2] - points[k, 2]
    nx, ny, nz = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    far = math.sqrt(points[k, 0] ** 2 + points[k, 1] ** 2 + points[k, 2] ** 2)
    area = math.sqrt(nx * nx + ny * ny + nz * nz) * far
    if area == 0.0:
        return 1.0
    return float(abs(nx * points[k, 0] + ny * points[k, 1] + nz * points[k, 2]) / area)


@compiled
def spoil(rays: int, table: Floats, keys: Keys, tick: int, out: Floats) -> None:
    """Add noise to the distances and lose echoes; what has no echo is 0, where nothing is stays `reach` away.

    Args:
        rays: How many columns of `out` are distances; intensities follow where there are any.
        table: Parameters, a column for each robot.
        keys: What makes the noise of each robot its own, shape (n,).
        tick: Number of the tick.
        out: Distances and intensities, shape (n, width).
    """
    deviates, chances, dice = np.zeros((1, rays)), np.ones((1, rays)), np.empty(1, np.uint64)
    for i in range(out.shape[0]):
        noise, share = table[_COLUMN.noise, i], table[_COLUMN.noise_share, i]
        reach, nearest, dropout = table[_COLUMN.reach, i], table[_COLUMN.nearest, i], table[_COLUMN.dropout, i]
        if noise > 0.0 or share > 0.0:
            normal(keys[i : i + 1], tick, deviates)
        if dropout > 0.0:
            dice[0] = keys[i] ^ _DICE
            uniform(dice, tick, chances)
        for k in range(rays):
            distance = out[i, k]
            if distance >= reach:
                continue
            is_lost = distance < nearest or (dropout > 0.0 and chances[0, k] <= dropout)
            if noise > 0.0 or share > 0.0:
                distance += (noise + share * distance) * deviates[0, k]
            out[i, k] = 0.0 if is_lost else min(max(distance, 0.0), reach)
            if is_lost and out.shape[1] > rays:
                out[i, rays + k] = 0.0
