"""Frames of bodies and of the world, in MuJoCo's flat arrays.

MuJoCo keeps position, quaternion, velocity in the world's frame and angular velocity in the body's frame of each centre
of mass in flat arrays; `places` says where: columns are the first number of a body in `qpos` and in `qvel`, shape
(n, 2).
"""

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled


@compiled
def rotation(q: Floats, at: int) -> tuple[float, float, float, float, float, float, float, float, float]:
    """Return R, row by row, of the quaternion that begins at `at`: v_w = R v_b."""
    w, x, y, z = q[at], q[at + 1], q[at + 2], q[at + 3]
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
def to_world(q: Floats, at: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return v_w = R v_b: a vector of a body's frame in the frame of the world."""
    a, b, c, d, e, f, g, h, i = rotation(q, at)
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


@compiled
def to_body(q: Floats, at: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return v_b = R^T v_w: a vector of the world's frame in the frame of a body."""
    a, b, c, d, e, f, g, h, i = rotation(q, at)
    return a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z


@compiled
def velocity_at(row: int, spot: Floats, qpos: Floats, qvel: Floats, places: Ints) -> tuple[float, float, float]:
    """Return v + w x r: the velocity of a body at a spot, in the frame of the world; row -1 stands still."""
    if row < 0:
        return 0.0, 0.0, 0.0
    p, q = places[row, 0], places[row, 1]
    u, v, w = to_world(qpos, p + 3, qvel[q + 3], qvel[q + 4], qvel[q + 5])
    x, y, z = spot[0] - qpos[p], spot[1] - qpos[p + 1], spot[2] - qpos[p + 2]
    return qvel[q] + v * z - w * y, qvel[q + 1] + w * x - u * z, qvel[q + 2] + u * y - v * x


@compiled
def turning_moment(
    row: int, spot: Floats, force: tuple[float, float, float], qpos: Floats, places: Ints
) -> tuple[float, float, float]:
    """Return R^T (r x F): the moment about the centre of mass of a force at a spot, in the frame of the body."""
    p, (x, y, z) = places[row, 0], force
    u, v, w = spot[0] - qpos[p], spot[1] - qpos[p + 1], spot[2] - qpos[p + 2]
    return to_body(qpos, p + 3, v * z - w * y, w * x - u * z, u * y - v * x)
