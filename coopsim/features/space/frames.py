"""Frames of bodies and of the world, in MuJoCo's flat arrays.

MuJoCo keeps position, quaternion, velocity in the world's frame and angular velocity in the body's frame of each centre
of mass in flat arrays; `places` says where: columns are the first number of a body in `qpos` and in `qvel`, shape
(n, 2).
"""

from typing import TypeAlias

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined

Vector: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]
Motion: TypeAlias = tuple[float, float, float, float, float, float]
"""Velocity in the world's frame, angular velocity in the body's."""
Matrix: TypeAlias = tuple[float, float, float, float, float, float, float, float, float]


@inlined
def matrix(w: float, x: float, y: float, z: float) -> Matrix:
    """Return R, row by row, of a quaternion: v_w = R v_b."""
    return (
        1.0 - 2.0 * (y * y + z * z),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        1.0 - 2.0 * (x * x + z * z),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        1.0 - 2.0 * (x * x + y * y),
    )


@compiled
def rotation(q: Floats, at: int) -> Matrix:
    """Return R, row by row, of the quaternion that begins at `at`: v_w = R v_b."""
    return matrix(q[at], q[at + 1], q[at + 2], q[at + 3])


@compiled
def to_world(q: Floats, at: int, x: float, y: float, z: float) -> Vector:
    """Return v_w = R v_b: a vector of a body's frame in the frame of the world."""
    a, b, c, d, e, f, g, h, i = rotation(q, at)
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


@compiled
def to_body(q: Floats, at: int, x: float, y: float, z: float) -> Vector:
    """Return v_b = R^T v_w: a vector of the world's frame in the frame of a body."""
    a, b, c, d, e, f, g, h, i = rotation(q, at)
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


@inlined
def moving(place: Vector, turn: Quaternion, motion: Motion, spot: Vector) -> Vector:
    """Return v + w x r: the velocity of a body at a spot, in the frame of the world."""
    a, b, c, d, e, f, g, h, i = matrix(turn[0], turn[1], turn[2], turn[3])
    p, q, r = motion[3], motion[4], motion[5]
    u, v, w = a * p + b * q + c * r, d * p + e * q + f * r, g * p + h * q + i * r
    x, y, z = spot[0] - place[0], spot[1] - place[1], spot[2] - place[2]
    return motion[0] + v * z - w * y, motion[1] + w * x - u * z, motion[2] + u * y - v * x


@compiled
def velocity_at(row: int, spot: Vector, qpos: Floats, qvel: Floats, places: Ints) -> Vector:
    """Return what `moving` does of the body of a row; row -1 stands still."""
    if row < 0:
        return 0.0, 0.0, 0.0
    p, q = places[row, 0], places[row, 1]
    place, turn = (qpos[p], qpos[p + 1], qpos[p + 2]), (qpos[p + 3], qpos[p + 4], qpos[p + 5], qpos[p + 6])
    motion = qvel[q], qvel[q + 1], qvel[q + 2], qvel[q + 3], qvel[q + 4], qvel[q + 5]
    return moving(place, turn, motion, spot)


@compiled
def turning_moment(row: int, spot: Vector, force: Vector, qpos: Floats, places: Ints) -> Vector:
    """Return R^T (r x F): the moment about the centre of mass of a force at a spot, in the frame of the body."""
    p, (x, y, z) = places[row, 0], force
    u, v, w = spot[0] - qpos[p], spot[1] - qpos[p + 1], spot[2] - qpos[p + 2]
    return to_body(qpos, p + 3, v * z - w * y, w * x - u * z, u * y - v * x)
