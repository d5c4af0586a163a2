"""Rotations by unit quaternions (w, x, y, z), one at a time, for what is done once and not each tick."""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Vector3

Quaternion: TypeAlias = tuple[float, float, float, float]
NONE: Quaternion = (1.0, 0.0, 0.0, 0.0)


def times(p: Quaternion, q: Quaternion) -> Quaternion:
    """Return the rotation `q` followed by `p`."""
    a, b, c, d = p
    w, x, y, z = q
    return (
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    )


def back(q: Quaternion) -> Quaternion:
    """Return the rotation that undoes `q`."""
    w, x, y, z = q
    return (w, -x, -y, -z)


def unit(q: Quaternion) -> Quaternion:
    """Return `q` with the length 1; as it is where only rounding is left to take away."""
    length = math.hypot(*q)
    if abs(length - 1.0) < 1e-15:
        return q
    w, x, y, z = q
    return (w / length, x / length, y / length, z / length)


def turned(q: Quaternion, vector: Vector3) -> Vector3:
    """Return `vector` rotated by `q`."""
    w, x, y, z = q
    u, v, t = vector
    a, b, c = 2.0 * (y * t - z * v), 2.0 * (z * u - x * t), 2.0 * (x * v - y * u)
    return (u + w * a + y * c - z * b, v + w * b + z * a - x * c, t + w * c + x * b - y * a)


def plus(a: Vector3, b: Vector3) -> Vector3:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def minus(a: Vector3, b: Vector3) -> Vector3:
    """Return a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def matrix(quaternion: Sequence[float]) -> Floats:
    """Return the rotation matrix of a unit quaternion, shape (3, 3)."""
    w, x, y, z = quaternion
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
