"""Step of rigid bodies in free flight over a level floor, compiled.

What flies moves by the mean velocity of a step and turns by Euler's equations to fourth order, as free bodies do on the
engine `mujoco`. What lies on the floor, and all of it where so chosen, moves by its new velocities.
"""

import math

from coopsim.features.space.frames import rotation, to_body
from coopsim.features.space.free_flight import spin, turn
from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.constants import GRAVITY

MASS, FRICTION, CENTRE_X, CENTRE_Y, CENTRE_Z, INERTIA, INVERSE = 0, 1, 2, 3, 4, 5, 14
"""Columns of the table of bodies: mass, friction of the floor, centre of mass, inertia and its inverse, row by row.

The mass of what is bolted down is infinite.
"""
WIDTH = 23  # columns above


@compiled
def fly(positions: Floats, velocities: Floats, wrench: Floats, table: Floats, dt: float, is_refined: bool) -> None:
    """Advance all bodies by one step.

    Args:
        positions: Place and quaternion of each centre of mass, shape (n, 7).
        velocities: In the frame of the world, angular ones in the frame of the body, shape (n, 6).
        wrench: Force and torque in the frame of the world, shape (n, 6).
        table: See the columns above, shape (n, WIDTH).
        dt: Length of the step [s].
        is_refined: Whether what flies moves by its mean velocity, and turns by Euler's equations to fourth order.
    """
    flat = positions.reshape(positions.size)
    for i in range(positions.shape[0]):
        p, v, body = positions[i], velocities[i], table[i]
        if body[MASS] == math.inf:  # bolted down
            v[:] = 0.0
            continue
        # in the frame of the body, where the tensor stays what it is
        torque = to_body(flat, 7 * i + 3, wrench[i, 3], wrench[i, 4], wrench[i, 5])
        for k in range(3):
            v[k] += dt * (wrench[i, k] / body[MASS] - (GRAVITY if k == 2 else 0.0))
        is_down = v[2] <= 0.0 and _base(flat, 7 * i, body) <= 0.0
        if is_refined and not is_down:
            for k in range(3):
                p[k] -= 0.5 * dt * dt * (wrench[i, k] / body[MASS] - (GRAVITY if k == 2 else 0.0))
            tensors = body[INERTIA:INVERSE].reshape(3, 3), body[INVERSE:WIDTH].reshape(3, 3)
            v[3], v[4], v[5] = spin(p[3:7], (v[3], v[4], v[5]), torque, tensors, dt)
        else:
            _gain_spin(v, torque, body, dt)
            # before it moves, so that friction acts for the whole step, as a solver would have it
            if is_down and body[FRICTION] > 0.0:
                _brake(v, body, dt)
            turn(p[3:7], v[3], v[4], v[5], dt)
        for k in range(3):
            p[k] += dt * v[k]
        if _base(flat, 7 * i, body) <= 0.0:
            _hold(p, v, body)


@compiled
def _gain_spin(v: Floats, torque: tuple[float, float, float], body: Floats, dt: float) -> None:
    """Change an angular velocity by Euler's equations, to first order."""
    a, b, c = v[3], v[4], v[5]
    x, y, z = _product(body, INERTIA, a, b, c)
    x, y, z = torque[0] - (b * z - c * y), torque[1] - (c * x - a * z), torque[2] - (a * y - b * x)
    x, y, z = _product(body, INVERSE, x, y, z)
    v[3], v[4], v[5] = a + dt * x, b + dt * y, c + dt * z


@compiled
def _product(body: Floats, at: int, x: float, y: float, z: float) -> tuple[float, float, float]:
    """Return the product of a tensor of the table and a vector."""
    return (
        body[at] * x + body[at + 1] * y + body[at + 2] * z,
        body[at + 3] * x + body[at + 4] * y + body[at + 5] * z,
        body[at + 6] * x + body[at + 7] * y + body[at + 8] * z,
    )


@compiled
def _base(flat: Floats, at: int, body: Floats) -> float:
    """Return the height of the base of a body; where it is upside down, of what was its top, as if that were as far."""
    _, _, _, _, _, _, g, h, i = rotation(flat, at + 3)
    arm = g * body[CENTRE_X] + h * body[CENTRE_Y] + i * body[CENTRE_Z]
    return float(flat[at + 2] - abs(arm))


@compiled
def _hold(p: Floats, v: Floats, body: Floats) -> None:
    """Let the floor hold a body: it does not sink, and lies flat."""
    w, x, y, z = p[3], p[4], p[5], p[6]
    # less than a quarter turn from upright; beyond it the body lies on what was its top
    is_upright = x * x + y * y < 0.5
    size = math.sqrt(w * w + z * z) if is_upright else math.sqrt(x * x + y * y)
    p[3], p[4], p[5], p[6] = (w / size, 0.0, 0.0, z / size) if is_upright else (0.0, x / size, y / size, 0.0)
    p[2] = body[CENTRE_Z]
    v[2], v[3], v[4] = max(v[2], 0.0), 0.0, 0.0


@compiled
def _brake(v: Floats, body: Floats, dt: float) -> None:
    """Let the floor brake what slides and turns on it."""
    lost = body[FRICTION] * GRAVITY * dt
    speed = math.hypot(v[0], v[1])
    share = max(0.0, 1.0 - lost / speed) if speed > 0.0 else 0.0
    v[0], v[1] = share * v[0], share * v[1]
    # radius of gyration: the lever at which friction is taken to brake the turn
    radius = math.sqrt(body[INERTIA + 8] / body[MASS])
    v[5] = max(0.0, abs(v[5]) - lost / radius) * (1.0 if v[5] > 0.0 else -1.0)
