"""Free flight of rigid bodies, to second order and more: what touches nothing is moved by its mean velocity.

MuJoCo's integrator, which contacts need, moves bodies by the velocities that a step has just made: a fall of a second
is 0.1 m off at steps of 20 ms, and a brick that tumbles gains energy.
"""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.features.space.kernels import FLYING, LYING, NEVER, SPOTS
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY

INTEGRATORS = ("auto", "semi_implicit", "implicitfast", "rk4")
"""Of the engine `mujoco`: the first one moves what touches nothing by `refine`, and all else as the second one."""
AWAKE = "auto_awake"
"""The first one of earlier versions, under which nothing but robots on wheels rests; recordings alone ask for it."""
REFINED = INTEGRATORS[0], AWAKE
_MASS, _TENSOR, _INVERSE, _MAY_LIE = 3, 4, 13, 22
_SLOW, _STEADY = 3e-4, 5e-3  # m/s, rad/s; what lies still trembles by a third of it, as contacts come and go
_FEEBLE = 1e-3  # of its weight; what pushes less does not move it, as the air that resists its trembling


def table_of(
    rows: Sequence[int], addresses: Ints, masses: Sequence[float], tensors: Floats, *, may_lie: bool
) -> Floats:
    """Return what `refine` knows of bodies, in one array, since a call takes few: shape (f, 23).

    Args:
        rows: Theirs.
        addresses: First numbers in MuJoCo's positions and velocities, shape (f, 2).
        masses: [kg].
        tensors: Of inertia, shape (f, 3, 3) [kg m2].
        may_lie: Whether what lies still on the floor rests.
    """
    count = len(rows)
    inverses = np.linalg.inv(tensors).reshape(count, 9)
    numbers = np.array(rows, np.float64), addresses, np.array(masses, np.float64)
    return np.column_stack([*numbers, tensors.reshape(count, 9), inverses, np.full(count, float(may_lie))])


@compiled
def change_over(
    bodies: Floats, velocities: tuple[Floats, Floats, Ints], wrench: Floats, state: tuple[Ints, Ints], step: float
) -> None:
    """Shift velocities of bodies that begin or cease to touch something, by half a step of what acts on them.

    A step of contacts takes them for those of half a step before, as in a leap-frog; one of free flight for those of
    now. Without the shift each rebound would gain energy.

    Args:
        bodies: See `table_of`.
        velocities: MuJoCo's and those of all rows, both changed, and where the latter begin.
        wrench: Of all rows [N, N m].
        state: Feet on the floor, -1 where anything else is touched, and who rests, changed; of all rows.
        step: Its length [s].
    """
    (rates, qvel, places), (down, rest) = velocities, state
    for k in range(bodies.shape[0]):
        row, dof = int(bodies[k, 0]), int(bodies[k, 2])
        if rest[row] == LYING:
            down[row] = -1 - SPOTS  # it stands on the floor, which it does not meet
            continue
        if rest[row] < FLYING and _pushes(wrench[row]) > _FEEBLE * GRAVITY * bodies[k, _MASS]:
            rest[row] = NEVER
        if (down[row] == 0) == (rest[row] == FLYING):
            continue
        shift = 0.5 * step if down[row] == 0 else -0.5 * step
        for axis in range(3):
            gain = wrench[row, axis] / bodies[k, _MASS] - (GRAVITY if axis == 2 else 0.0)
            rates[dof + axis] += shift * gain
            qvel[places[row, 1] + axis] = rates[dof + axis]
        rest[row] = FLYING if down[row] == 0 else NEVER


@compiled
def _pushes(wrench: Floats) -> float:
    """Return the sum of the sizes of a wrench."""
    size = 0.0
    for axis in range(6):
        size += abs(wrench[axis])
    return size


@compiled
def refine(
    bodies: Floats,
    motion: tuple[Floats, Floats, Floats],
    state: tuple[Ints, Ints],
    step: float,
) -> None:
    """Correct a step of MuJoCo's integrator for bodies that touch nothing, and hold those that lie still.

    Args:
        bodies: Those that no joint holds, see `table_of`.
        motion: MuJoCo's positions and velocities, corrected, and the accelerations that made them, flat.
        state: What each stands on, see `kernels.touch`, and who rests, changed; of all rows.
        step: Its length [s].
    """
    (coordinates, rates, gains), (down, rest) = motion, state
    for k in range(bodies.shape[0]):
        row, at, dof = int(bodies[k, 0]), int(bodies[k, 1]), int(bodies[k, 2])
        if down[row] != 0:
            if bodies[k, _MAY_LIE] != 0.0:
                rest[row] = _lie(rates[dof : dof + 6], down[row], rest[row])
            continue
        tensor, inverse = bodies[k, _TENSOR:_INVERSE].reshape(3, 3), bodies[k, _INVERSE:_MAY_LIE].reshape(3, 3)
        for axis in range(3):
            coordinates[at + axis] -= 0.5 * step * step * gains[dof + axis]
        x, y, z = rates[dof + 3], rates[dof + 4], rates[dof + 5]
        a, b, c = gains[dof + 3], gains[dof + 4], gains[dof + 5]
        # back to where the step began, whose accelerations tell the torque
        turn(coordinates[at + 3 : at + 7], -x, -y, -z, step)
        x, y, z = x - step * a, y - step * b, z - step * c
        u, v, w = _product(tensor, x, y, z)
        p, q, r = _product(tensor, a, b, c)
        torque = p + y * w - z * v, q + z * u - x * w, r + x * v - y * u
        x, y, z = spin(coordinates[at + 3 : at + 7], (x, y, z), torque, (tensor, inverse), step)
        rates[dof + 3], rates[dof + 4], rates[dof + 5] = x, y, z


@compiled
def _lie(rates: Floats, down: int, rest: int) -> int:
    """Count how long a body has lain still on the floor alone, and hold it from then on; return its `rest`.

    Args:
        rates: Its velocities, shape (6,).
        down: What it stands on, see `kernels.touch`.
        rest: Its own before.
    """
    if down > -1 - SPOTS:
        return NEVER
    if rest != LYING:
        for axis in range(6):
            if not abs(rates[axis]) < (_SLOW if axis < 3 else _STEADY):
                return NEVER
        rest = min(rest, FLYING) - 1
    if rest == LYING:
        rates[:] = 0.0  # what solving leaves would add up over hours
    return rest


@compiled
def spin(
    q: Floats,
    speed: tuple[float, float, float],
    torque: tuple[float, float, float],
    inertia: tuple[Floats, Floats],
    step: float,
) -> tuple[float, float, float]:
    """Turn a body by Euler's equations, fourth order in its angular velocity, which is returned, all in its own frame.

    Args:
        q: Quaternion w x y z, written.
        speed: Angular velocity before [rad/s].
        torque: [N m].
        inertia: Tensor and its inverse, shape (3, 3) each.
        step: [s].
    """
    x, y, z = speed
    half, sixth = 0.5 * step, step / 6.0
    a, b, c = _gain(speed, torque, inertia)
    d, e, f = _gain((x + half * a, y + half * b, z + half * c), torque, inertia)
    g, h, i = _gain((x + half * d, y + half * e, z + half * f), torque, inertia)
    u, v, w = _gain((x + step * g, y + step * h, z + step * i), torque, inertia)
    last = (
        x + sixth * (a + 2.0 * (d + g) + u),
        y + sixth * (b + 2.0 * (e + h) + v),
        z + sixth * (c + 2.0 * (f + i) + w),
    )
    # Simpson's mean of the angular velocity, whose middle is that of a cubic through both ends
    eighth = step / 8.0
    middle = (
        0.5 * (x + last[0]) + eighth * (a - u),
        0.5 * (y + last[1]) + eighth * (b - v),
        0.5 * (z + last[2]) + eighth * (c - w),
    )
    turn(
        q,
        (x + 4.0 * middle[0] + last[0]) / 6.0,
        (y + 4.0 * middle[1] + last[1]) / 6.0,
        (z + 4.0 * middle[2] + last[2]) / 6.0,
        step,
    )
    return last


@compiled
def _gain(
    speed: tuple[float, float, float], torque: tuple[float, float, float], inertia: tuple[Floats, Floats]
) -> tuple[float, float, float]:
    """Return the angular acceleration: I^-1 (t - w x I w)."""
    x, y, z = speed
    u, v, w = _product(inertia[0], x, y, z)
    return _product(inertia[1], torque[0] - (y * w - z * v), torque[1] - (z * u - x * w), torque[2] - (x * v - y * u))


@compiled
def _product(m: Floats, x: float, y: float, z: float) -> tuple[float, float, float]:
    return (
        m[0, 0] * x + m[0, 1] * y + m[0, 2] * z,
        m[1, 0] * x + m[1, 1] * y + m[1, 2] * z,
        m[2, 0] * x + m[2, 1] * y + m[2, 2] * z,
    )


@compiled
def turn(q: Floats, x: float, y: float, z: float, step: float) -> None:
    """Turn a quaternion w x y z by an angular velocity in the frame of the body."""
    speed = math.sqrt(x * x + y * y + z * z)
    half = 0.5 * step * speed
    # sin(h) / speed tends to dt / 2: below 1e-12 rad/s the quotient has no digits left
    c, s = math.cos(half), math.sin(half) / speed if speed > 1e-12 else 0.5 * step
    w, i, j, k = q[0], q[1], q[2], q[3]
    x, y, z = s * x, s * y, s * z
    a, b = w * c - i * x - j * y - k * z, w * x + i * c + j * z - k * y
    d, e = w * y - i * z + j * c + k * x, w * z + i * y - j * x + k * c
    # to length 1 in each step: what rounding adds would grow over hours
    scale = 1.0 / math.sqrt(a * a + b * b + d * d + e * e)
    q[0], q[1], q[2], q[3] = scale * a, scale * b, scale * d, scale * e
