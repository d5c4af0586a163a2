"""Angles, rotations and the array types that every room shares. Frames: x forward, y left, z up."""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Bools: TypeAlias = NDArray[np.bool_]
Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
"""A rotation as a unit quaternion w, x, y, z."""
Pose: TypeAlias = tuple[float, float, float, float, float, float, float]
"""A position x, y, z [m] and a rotation w, x, y, z."""
ORIGIN: Pose = (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
UNTURNED: Quaternion = (1.0, 0.0, 0.0, 0.0)
_FEW, _ONE_THREAD = 32, 8192
"""Values up to which Python is faster than an array, and up to which BLAS starts no threads."""


def wrap(angle: float) -> float:
    """Return `angle` within [-pi, pi) [rad]."""
    turned = (angle + math.pi) % (2.0 * math.pi) - math.pi
    return turned if turned < math.pi else -math.pi  # just below -pi the remainder rounds up to a whole turn


def quaternion(phi: float, psi: float, theta: float) -> Quaternion:
    """Return (w, x, y, z) of rotations about the fixed x, y and z axes, in that order [rad]."""
    cx, sx = math.cos(phi / 2), math.sin(phi / 2)
    cy, sy = math.cos(psi / 2), math.sin(psi / 2)
    cz, sz = math.cos(theta / 2), math.sin(theta / 2)
    return (
        cx * cy * cz + sx * sy * sz,
        sx * cy * cz - cx * sy * sz,
        cx * sy * cz + sx * cy * sz,
        cx * cy * sz - sx * sy * cz,
    )


def fixed_angles(q: Quaternion) -> Vector3:
    """Return the rotations about the fixed x, y and z axes, in that order, of which `quaternion` makes `q` [rad]."""
    w, x, y, z = q
    sine = 2.0 * (w * y - x * z)
    if abs(sine) > 1.0 - 1e-12:  # x and z turn about one axis
        return (2.0 * math.atan2(x, w), math.copysign(math.pi / 2.0, sine), 0.0)
    roll = math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y))
    return (roll, math.asin(sine), math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


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


def turned(q: Quaternion, vector: Vector3) -> Vector3:
    """Return `vector` rotated by `q`."""
    w, x, y, z = q
    u, v, t = vector
    a, b, c = 2.0 * (y * t - z * v), 2.0 * (z * u - x * t), 2.0 * (x * v - y * u)
    return (u + w * a + y * c - z * b, v + w * b + z * a - x * c, t + w * c + x * b - y * a)


def within(frame: Pose, pose: Pose) -> Pose:
    """Return a pose that is given in `frame` as it is seen from where `frame` is given.

    Args:
        frame: Pose of the frame a, seen from w: p_wa.
        pose: Of b, seen from a: p_ab.

    Returns:
        p_wb.
    """
    x, y, z = turned(frame[3:], pose[:3])
    return (frame[0] + x, frame[1] + y, frame[2] + z, *times(frame[3:], pose[3:]))


def heading(w: float, x: float, y: float, z: float) -> float:
    """Return the rotation of a unit quaternion about the z axis [rad]."""
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def rotation_matrix(phi: float, psi: float, theta: float) -> Floats:
    """Return the matrix of rotations about the fixed x, y and z axes, in that order, shape (3, 3) [rad]."""
    cx, sx = math.cos(phi), math.sin(phi)
    cy, sy = math.cos(psi), math.sin(psi)
    cz, sz = math.cos(theta), math.sin(theta)
    return np.array(
        [
            [cy * cz, sx * sy * cz - cx * sz, cx * sy * cz + sx * sz],
            [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz],
            [-sy, sx * cy, cx * cy],
        ]
    )


def pairs(first: Floats, second: Floats) -> Floats:
    """Return two columns, shape (n, 2); on small arrays eight times as fast as `np.column_stack`."""
    products = np.empty((len(first), 2))
    products[:, 0], products[:, 1] = first, second
    return products


def all_finite(values: Floats) -> bool:
    """Return whether all values are finite numbers."""
    flat = values.ravel()
    if flat.size < _FEW:
        return all(map(math.isfinite, flat.tolist()))
    if flat.size <= _ONE_THREAD and math.isfinite(np.vdot(flat, flat)):  # only what is finite has a finite square
        return True
    return bool(np.isfinite(flat).all())


def in_polygon(points: Floats, corners: Floats) -> Bools:
    """Return whether points, shape (..., 2), lie in a polygon, by how often a ray to the right crosses its edges."""
    x, y = points[..., 0], points[..., 1]
    is_inside = np.zeros(x.shape, np.bool_)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if y0 != y1:
            is_inside ^= ((y0 > y) != (y1 > y)) & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return is_inside


def edge_distance(points: Floats, corners: Floats) -> Floats:
    """Return the distance of points, shape (..., 2), from the edges of a polygon [m]."""
    nearest = np.full(points.shape[:-1], np.inf)
    for begin, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        edge = end - begin
        length = float(edge @ edge)
        along = np.clip((points - begin) @ edge / length, 0.0, 1.0) if length else np.zeros(points.shape[:-1])
        gap = points - begin - along[..., np.newaxis] * edge
        np.minimum(nearest, np.hypot(gap[..., 0], gap[..., 1]), out=nearest)
    return nearest
