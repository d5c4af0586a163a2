"""The springs under the carriages of supports, all at once, and how short a step they need."""

import math

from coopsim.engines.contract import JointSpec
from coopsim.engines.plane.footprints import located
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

MOST_PARTS = 32  # as of springs between bodies
_STABLE = 3.8  # of 4; what is left is for the springs' neighbours
_AX, _AY, _CENTRE_X, _CENTRE_Y, _STIFFNESS, _DAMPING, _CARRIED = range(7)
WIDTH = _CARRIED + 1


@compiled
def spring_forces(springs: Floats, places: Ints, states: Floats, forces: Floats, dt: float) -> None:
    """Set the forces on the carriages and add what pushes back to those on the bodies that carry them.

    The spring is taken where the engine will have moved the carriage before it looks at forces, so that it swings as
    it should, however stiff, up to the limit of `parts_needed`.

    Args:
        springs: Anchor and centre of mass in the frame of the body that carries, stiffness, damping, and whether that
            body moves, shape (s, 7) [m, N/m, N s/m].
        places: Where the engine keeps body and carriage, shape (s, 2).
        states: x y yaw vx vy w, shape (m, 6).
        forces: Force x, y and torque z, shape (m, 3) [N, N m].
        dt: Length of the part of the step to come [s].
    """
    for k in range(places.shape[0]):
        a, carriage = places[k, 0], places[k, 1]
        cos, sin = math.cos(states[a, 2]), math.sin(states[a, 2])
        u, v = springs[k, _AX], springs[k, _AY]
        at_x, at_y = states[a, 0] + cos * u - sin * v, states[a, 1] + sin * u + cos * v
        u, v = springs[k, _CENTRE_X], springs[k, _CENTRE_Y]
        arm_x = states[carriage, 0] - states[a, 0] - cos * u + sin * v
        arm_y = states[carriage, 1] - states[a, 1] - sin * u - cos * v
        going_x = states[carriage, 3] - states[a, 3] + states[a, 5] * arm_y
        going_y = states[carriage, 4] - states[a, 4] - states[a, 5] * arm_x
        # pymunk moves bodies before it looks at forces: stiffness times dt of damping is the spring where it will be
        stiffness, damping = springs[k, _STIFFNESS], springs[k, _DAMPING] + springs[k, _STIFFNESS] * dt
        force_x = -stiffness * (states[carriage, 0] - at_x) - damping * going_x
        force_y = -stiffness * (states[carriage, 1] - at_y) - damping * going_y
        forces[carriage, 0], forces[carriage, 1], forces[carriage, 2] = force_x, force_y, 0.0
        if springs[k, _CARRIED] != 0.0:
            forces[a, 0] -= force_x
            forces[a, 1] -= force_y
            forces[a, 2] -= arm_x * force_y - arm_y * force_x


def row(anchor: tuple[float, float], centre: tuple[float, float], joint: JointSpec, moves: bool) -> list[float]:
    """Return the row of `springs` for a support."""
    return [*anchor, *centre, joint.stiffness, joint.damping, float(moves)]


def parts_needed(joint: JointSpec, yielding: float, dt: float) -> int:
    """Return into how many parts a step must be cut for the springs of a support to stay calm.

    Args:
        joint: A support.
        yielding: By how much its ends yield to a push at the spring, at most [1/kg].
        dt: Length of the step [s].

    Raises:
        EngineCannot: Into too many.
    """
    for parts in range(1, MOST_PARTS + 1):
        if _restlessness(joint, yielding, dt / parts) <= _STABLE:
            return parts
    raise EngineCannot(
        f"{located(joint.span)}the springs of the joint {joint.name!r} ({joint.stiffness:g} N/m, {joint.damping:g} "
        f"N s/m under a carriage of {joint.carriage:g} kg) are too stiff for a step of {dt * 1e3:g} ms: "
        f"the pymunk engine would have to cut it into more than {MOST_PARTS} parts; "
        "make the carriage heavier, the springs softer or the step shorter, or bring the anchor nearer to the bodies"
    )


def _restlessness(joint: JointSpec, yielding: float, dt: float) -> float:
    """Return the number that must stay below 4 for a damped spring taken in steps (semi-implicit Euler)."""
    return (2.0 * joint.damping * dt + joint.stiffness * dt * dt) * yielding
