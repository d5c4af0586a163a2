"""Compiled parts of a step of the MuJoCo engine: forces in, states out, and which robots rest.

See `frames` for the flat arrays `qpos` and `qvel` and for `places`.
"""

import math

import numpy as np
from numpy.typing import NDArray

from coopsim.features.space.frames import rotation, to_body, to_world
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.constants import FASTEST, STRONGEST

FARTHEST = 2e6  # m; beyond it, or FASTEST, a body has gone astray
QUIET = 10  # steps after which a robot that stands still rests
NEVER = -1  # of those that are joined, on no wheels, or on a tilted floor
FLYING = -2  # the same of those whose last step was one of free flight
LYING = FLYING - 1 - QUIET  # of what has lain still so long; between both it counts down
SPOTS = 3  # of a body on the floor: with as many it does not roll off them
SOLID, PLANE, SLAB = 1, 2, 4  # who meets whom; the floor is a plane, and for cylinders a slab
FLOORS = 2  # the floor's geoms come first
_SLOW, _LEVEL = 1e-4, 1e-3  # m/s, rad/s
_CLEAR = 1e-6  # m; above the floor, so that no rounding hides a contact

Ints32 = NDArray[np.int32]


@compiled
def wake(wrench: Floats, rest: Ints) -> int:
    """Wake what is pushed while it rests, and return the first row whose wrench is no sensible number, else -1.

    Robots on feet are woken by lifts and tilts alone.

    Args:
        wrench: Shape (n, 6) [N, N m].
        rest: Steps for which each has stood still, shape (n,).
    """
    wrong = -1
    for row in range(rest.size):
        size = 0.0
        for column in range(6):
            size += abs(wrench[row, column])
        if not size <= STRONGEST:
            wrong = row if wrong < 0 else wrong
        elif rest[row] == LYING:
            rest[row] = NEVER if size > 0.0 else LYING
        # pushes along the floor and turns about the vertical leave a robot on its feet
        elif rest[row] > 0 and (wrench[row, 2] != 0.0 or wrench[row, 3] != 0.0 or wrench[row, 4] != 0.0):
            rest[row] = 0
    return wrong


@compiled
def stray(qpos: Floats, qvel: Floats, places: Ints, before: Floats) -> int:
    """Return the row of the body that went most astray in a step, -1 if none did.

    Args:
        qpos: Positions.
        qvel: Velocities.
        places: Shape (n, 2).
        before: Velocities before the step.
    """
    is_any = False
    for row in range(places.shape[0]):
        p, v = places[row, 0], places[row, 1]
        for k in range(6):
            is_any |= not abs(qvel[v + k]) <= FASTEST
        for k in range(3):
            is_any |= not abs(qpos[p + k]) <= FARTHEST
    return _most_astray(qpos, qvel, places, before) if is_any else -1


@compiled
def _most_astray(qpos: Floats, qvel: Floats, places: Ints, before: Floats) -> int:
    """Return the row of the body that gained most in a step: others were only pushed by it."""
    worst, most = -1, -1.0
    for row in range(places.shape[0]):
        p, v, gained = places[row, 0], places[row, 1], 0.0
        for k in range(6):
            gained = max(gained, abs(qvel[v + k] - before[v + k]))
            if not abs(qvel[v + k]) <= FASTEST:
                gained = math.inf
        for k in range(3):
            if not abs(qpos[p + k]) <= FARTHEST:
                gained = math.inf
        if gained > most:
            worst, most = row, gained
    return worst


@compiled
def select_floor(
    rest: Ints, spans: Ints, meets: Ints32, spots: Floats, spheres: Floats, normal: Floats, now: Ints32
) -> None:
    """Let all that rests, and all that is higher than the floor, go through it: to look for contacts costs time.

    Args:
        rest: Shape (n,).
        spans: First and last geom but one of each body, shape (n, 2).
        meets: What each geom meets, shape (g,).
        spots: Middle of each geom, shape (g, 3) [m].
        spheres: Radius of the ball around its middle that holds it, shape (g,) [m].
        normal: Of the floor, shape (3,).
        now: What it meets in the next step, shape (g,).
    """
    for row in range(rest.size):
        for geom in range(spans[row, 0], spans[row, 1]):
            # the floor goes through the origin: this is the distance from its plane
            height = normal[0] * spots[geom, 0] + normal[1] * spots[geom, 1] + normal[2] * spots[geom, 2]
            is_free = rest[row] == QUIET or rest[row] == LYING or height > spheres[geom] + _CLEAR
            # both floors: cylinders meet the slab, all else the plane
            now[geom] = meets[geom] & ~(PLANE | SLAB) if is_free else meets[geom]


@compiled
def touch(geoms: Ints32, rows: Ints, is_foot: NDArray[np.bool_], rest: Ints, down: Ints) -> int:
    """Count the feet that are on the floor, -1 for a body that touches anything else; wake those that rest.

    A body that touches the floor alone, with other shapes than feet, has -1 less the number of its contacts.

    Args:
        geoms: The two geoms of each contact, shape (k, 2).
        rows: Row of the body of each geom, -1 = fixed, shape (g,).
        is_foot: Shape (g,).
        rest: Shape (n,).
        down: Written: shape (n,).

    Returns:
        How many were woken.
    """
    down[:] = 0
    woken = 0
    for k in range(geoms.shape[0]):
        first, second = geoms[k, 0], geoms[k, 1]
        # the floor has the lowest numbers, and is the first of a pair but where that is a cylinder
        if first < FLOORS and is_foot[second]:
            if down[rows[second]] >= 0:
                down[rows[second]] += 1
            continue
        for side in range(2):
            row = rows[geoms[k, side]]
            if row >= 0:
                down[row] = _more(down[row]) if min(first, second) < FLOORS else -1
                if rest[row] == QUIET or rest[row] == LYING:
                    rest[row] = 0 if rest[row] == QUIET else NEVER
                    woken += 1
    return woken


@inlined
def _more(down: int) -> int:
    """Return the number of a body with one contact with the floor more; -1 once it touches anything else."""
    if down == 0:
        return -2
    return down - 1 if down < -1 else -1


@compiled
def load(wrench: Floats, qpos: Floats, places: Ints, rest: Ints, weight: Floats, applied: Floats) -> None:
    """Write the wrench of each body as MuJoCo wants it, torque in the frame of the body.

    Args:
        wrench: World frame, shape (n, 6) [N, N m].
        qpos: Positions.
        places: Shape (n, 2).
        rest: Those that rest are held by their weight, shape (n,).
        weight: Shape (n,) [N].
        applied: Written, flat.
    """
    for row in range(rest.size):
        at = places[row, 1]
        applied[at], applied[at + 1], applied[at + 2] = wrench[row, 0], wrench[row, 1], wrench[row, 2]
        # what rests is held by its weight, since it does not meet the floor
        if rest[row] == QUIET or rest[row] == LYING:
            applied[at + 2] = weight[row]
        x, y, z = wrench[row, 3], wrench[row, 4], wrench[row, 5]
        # robots on wheels are mostly pushed without a torque: no rotation for them
        if x == 0.0 and y == 0.0 and z == 0.0:
            applied[at + 3] = applied[at + 4] = applied[at + 5] = 0.0
            continue
        applied[at + 3], applied[at + 4], applied[at + 5] = to_body(qpos, places[row, 0] + 3, x, y, z)


@compiled
def settle(qvel: Floats, places: Ints, down: Ints, rest: Ints) -> None:
    """Count how long each robot has stood still on its three feet; one that rests neither falls nor tilts.

    Args:
        qvel: Velocities.
        places: Shape (n, 2).
        down: How many feet are on the floor, -1 where anything else is touched, shape (n,).
        rest: Shape (n,).
    """
    for row in range(rest.size):
        if rest[row] < 0:
            continue
        at = places[row, 1]
        # one that rests is not counted any more: it stays so until something wakes it
        if rest[row] != QUIET:
            still = abs(qvel[at + 2]) < _SLOW and abs(qvel[at + 3]) < _LEVEL and abs(qvel[at + 4]) < _LEVEL
            rest[row] = rest[row] + 1 if still and down[row] == 3 else 0
        if rest[row] == QUIET:
            # what solving leaves of a fall or a tilt would add up over hours
            qvel[at + 2] = qvel[at + 3] = qvel[at + 4] = 0.0


@compiled
def read_planar(qpos: Floats, qvel: Floats, places: Ints, centres: Floats, planar: Floats, height: Floats) -> None:
    """Write how bodies are seen from above: place and heading of the base, velocity of the centre of mass.

    Args:
        qpos: Positions.
        qvel: Velocities.
        places: Shape (n, 2).
        centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        planar: Written: x y yaw vx vy w, shape (n, 6).
        height: Written: z of the base, shape (n,) [m].
    """
    for row in range(height.size):
        p, v = places[row, 0], places[row, 1]
        a, b, c, d, e, f, g, h, i = rotation(qpos, p + 3)
        x, y, z = centres[row, 0], centres[row, 1], centres[row, 2]
        planar[row, 0] = qpos[p] - (a * x + b * y + c * z)
        planar[row, 1] = qpos[p + 1] - (d * x + e * y + f * z)
        height[row] = qpos[p + 2] - (g * x + h * y + i * z)
        # where the forward axis of the body points, seen from above
        planar[row, 2] = math.atan2(d, a)
        planar[row, 3], planar[row, 4] = qvel[v], qvel[v + 1]
        planar[row, 5] = g * qvel[v + 3] + h * qvel[v + 4] + i * qvel[v + 5]


@compiled
def to_poses(qpos: Floats, qvel: Floats, places: Ints, centres: Floats, poses: Floats, twists: Floats) -> None:
    """Write poses of the bases, shape (n, 7), and velocities of the centres of mass in the world's frame, (n, 6)."""
    for row in range(centres.shape[0]):
        p, v = places[row, 0], places[row, 1]
        x, y, z = to_world(qpos, p + 3, centres[row, 0], centres[row, 1], centres[row, 2])
        poses[row, 0], poses[row, 1], poses[row, 2] = qpos[p] - x, qpos[p + 1] - y, qpos[p + 2] - z
        for k in range(4):
            poses[row, 3 + k] = qpos[p + 3 + k]
        for k in range(3):
            twists[row, k] = qvel[v + k]
        turning = to_world(qpos, p + 3, qvel[v + 3], qvel[v + 4], qvel[v + 5])
        twists[row, 3], twists[row, 4], twists[row, 5] = turning
