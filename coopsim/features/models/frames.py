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
    (a, b, c), (d, e, f), (g, _, _) = turn.tolist()
    # not by the arc sine, which has no digits where pitch is a right angle: many models have such frames
    y, z = math.atan2(-g, math.hypot(a, d)), math.atan2(d, a)
    # roll beside the yaw that was found: there either alone is lost in rounding, and both together are not
    cos, sin = math.cos(z), math.sin(z)
    return (math.atan2(sin * c - cos * f, cos * e - sin * b), y, z)


def three(values: Floats) -> Vector3:
    """Return a vector of numbers that are not longer than they need be."""
    x, y, z = (round(float(value), 12) for value in values)
    return (x, y, z)
