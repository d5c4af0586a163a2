"""Orientations as models have them, in the numbers that sections have."""

import math

import numpy as np

from coopsim.geometry import Floats, Vector3


def quaternion_matrix(q: Floats) -> Floats:
    """Return the matrix of a rotation w x y z, shape (3, 3)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def angles(turn: Floats) -> Vector3:
    """Return rotations about x, y and z, in this order [rad]."""
    y = math.asin(min(max(-float(turn[2, 0]), -1.0), 1.0))
    if abs(turn[2, 0]) > 1.0 - 1e-12:
        return (math.atan2(-float(turn[1, 2]), float(turn[1, 1])), y, 0.0)
    return (math.atan2(float(turn[2, 1]), float(turn[2, 2])), y, math.atan2(float(turn[1, 0]), float(turn[0, 0])))


def three(values: Floats) -> Vector3:
    """Return a vector of numbers that are not longer than they need be."""
    x, y, z = (round(float(value), 12) for value in values)
    return (x, y, z)
