"""Gyroscopic moments of four rotors on the body that carries them.

Rotors that turn at speeds w_i about the upright axis of a body have the angular momentum h = J sum(s_i w_i) along it.
A body that tilts at a rate w feels -w x h, and the reaction -J sum(s_i dw_i/dt) of motors that change their speeds.

Source: S. Bouabdallah, "Design and control of quadrotors with application to autonomous flying" (2007), section 2.4.
"""

import math

from coopsim.geometry import Floats
from coopsim.kernels import compiled

_STILL = 1e-12  # rad; a turn of the momentum within a tick that has no digits beside 1


@compiled
def gyroscopic_moment(
    thrusts: tuple[Floats, Floats],
    constants: tuple[float, float],
    rates: tuple[float, float],
    tensor: Floats,
    dt: float,
) -> tuple[float, float, float]:
    """Return the mean torque of a tick on the body of four rotors, in its own frame [N m].

    Args:
        thrusts: At the beginning and at the end of the tick, shape (4,) each [N].
        constants: See `spin_up`.
        rates: Of the body about its two level axes [rad/s].
        tensor: See `precession`.
        dt: Length of the tick [s].
    """
    momentum, reaction = spin_up(thrusts[0], thrusts[1], constants)
    about_x, about_y = precession(momentum, rates[0], rates[1], tensor, dt)
    return about_x, about_y, reaction / dt


@compiled
def along(vector: Floats, axis: tuple[float, float, float]) -> float:
    """Return the part of a vector along a unit axis."""
    return float(vector[0] * axis[0] + vector[1] * axis[1] + vector[2] * axis[2])


@compiled
def spin_up(before: Floats, after: Floats, constants: tuple[float, float]) -> tuple[float, float]:
    """Return the mean angular momentum of four rotors in a tick [N m s], and what its change gives the body.

    Rotors at front and rear turn clockwise, seen from above: the drag of their blades turns the body the other way.

    Args:
        before: Thrusts at the beginning of the tick, shape (4,) [N].
        after: Thrusts at its end, shape (4,) [N].
        constants: Thrust per square of a rotor's speed [N s2], and its moment of inertia [kg m2].
    """
    constant, inertia = constants
    first = last = 0.0
    for k in range(4):
        sense = -1.0 if k % 2 == 0 else 1.0
        first += sense * math.sqrt(before[k] / constant)
        last += sense * math.sqrt(after[k] / constant)
    return 0.5 * inertia * (first + last), inertia * (first - last)


@compiled
def precession(momentum: float, x: float, y: float, tensor: Floats, dt: float) -> tuple[float, float]:
    """Return the mean torque of a tick about the level axes of a body [N m].

    In closed form: alone, it turns (x, y) by momentum dt / sqrt(A B) in a tick, as a gyroscope precesses. The torque
    at the beginning of the tick would add energy in each one.

    Args:
        momentum: Of the rotors, along the upright axis of the body [N m s].
        x: Angular velocity about the first axis of the body [rad/s].
        y: About its second axis.
        tensor: Of inertia of the body, shape (3, 3), 0 = it does not tilt [kg m2].
        dt: Length of the tick [s].
    """
    a, b = tensor[0, 0], tensor[1, 1]
    size = math.sqrt(a * b)
    if size <= 0.0 or abs(momentum) * dt <= _STILL * size:
        return 0.0, 0.0
    angle = momentum * dt / size
    lost, turned = math.cos(angle) - 1.0, math.sin(angle)
    return (a * x * lost - size * y * turned) / dt, (b * y * lost + size * x * turned) / dt
