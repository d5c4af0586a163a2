"""Rotations by unit quaternions (w, x, y, z), one at a time, for what is done once and not each tick."""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.geometry import Floats, Quaternion, Vector3, times, turned

__all__ = ["Quaternion", "back", "matrix", "minus", "plus", "times", "turned", "unit"]


def back(q: Quaternion) -> Quaternion:
    """Return the rotation that undoes `q`."""
    w, x, y, z = q
    return (w, -x, -y, -z)


def unit(q: Quaternion) -> Quaternion:
    """Return `q` with the length 1; as it is where only rounding is left to take away."""
    length = math.hypot(*q)
    # a unit quaternion divided by 1 but for rounding would change its last digits each time it is read and written
    if abs(length - 1.0) < 1e-15:
        return q
    w, x, y, z = q
    return (w / length, x / length, y / length, z / length)


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
