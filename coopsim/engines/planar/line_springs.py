"""Springs between points of two bodies in the plane, all at once.

Bodies keep their heights, so what a spring is longer by because its ends are at different heights stays, and what it
lifts with is left out: a body is as heavy on the floor as before.
"""

import math
from collections.abc import Sequence

import numpy as np
from pymunk._chipmunk_cffi import lib

from coopsim.engines.contract import JointSpec
from coopsim.engines.planar.bindings import JointBinding
from coopsim.engines.planar.bodies import BodyShapes
from coopsim.engines.springs import SpringEnd, spring_parts
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

_A, _B, _STIFFNESS, _DAMPING, _LENGTH, _RISE = 0, 5, 10, 11, 12, 13  # five numbers for each end
_TINY = 1e-15  # m


class LineSprings:
    """The springs of a space.

    Args:
        held: All joints, in their order.
        places: Where the engine keeps the two bodies of each, shape (j, 2).

    Attributes:
        rows: Which of the joints are springs, shape (s,).
        rises: How much higher their ends on b are than those on a, shape (s,) [m].
        pulls: What each did to its b in the last part of a step, shape (s, 2) [N].
    """

    def __init__(self, held: Sequence[JointBinding], places: Ints) -> None:
        self._held = [joint for joint in held if joint.spec.kind == "spring"]
        self.rows = np.array([row for row, joint in enumerate(held) if joint.spec.kind == "spring"], np.int64)
        self._places = places[self.rows]
        self._springs = np.array([_row(joint) for joint in self._held], np.float64).reshape(-1, _RISE + 1)
        self.rises = self._springs[:, _RISE].copy()
        self.pulls = np.zeros((len(self._held), 2))

    @property
    def arrays(self) -> tuple[Floats, Ints, Floats]:
        """Arrays for `pull`: the springs, their places, and room for their forces."""
        return self._springs, self._places, self.pulls

    def parts(self, dt: float) -> int:
        """Return into how many parts a step must be cut.

        Raises:
            EngineCannot: Too many; the text begins with the span of the spring.
        """
        ends = [(joint.spec, _end(joint.a, joint.grip.on_a), _end(joint.b, joint.grip.on_b)) for joint in self._held]
        return spring_parts(ends, dt, "pymunk")


@compiled
def pull(springs: Floats, places: Ints, pulls: Floats, states: Floats, forces: Floats, dt: float) -> None:
    """Add the forces of springs to those on their bodies.

    A spring is taken where the engine will have moved its bodies before it looks at forces.

    Args:
        springs: Of each end the anchor and the centre of mass in the frame of its body and whether that moves; then
            stiffness, damping, length and rise, shape (s, 14) [m, N/m, N s/m].
        places: Where the engine keeps the two bodies, shape (s, 2).
        pulls: Written: force on the second body, shape (s, 2) [N].
        states: x y yaw vx vy w, shape (m, 6).
        forces: Force x, y and torque z, shape (m, 3) [N, N m].
        dt: Length of the part of the step to come [s].
    """
    for k in range(places.shape[0]):
        a, b, row = places[k, 0], places[k, 1], springs[k]
        x_a, y_a, arm_xa, arm_ya, vx_a, vy_a = _ahead(states[a], row[_A:_B], dt)
        x_b, y_b, arm_xb, arm_yb, vx_b, vy_b = _ahead(states[b], row[_B:_STIFFNESS], dt)
        x, y = x_b - x_a, y_b - y_a
        # ends that lie on each other have no direction: divided by something, the force is 0
        length = max(math.sqrt(x * x + y * y + row[_RISE] * row[_RISE]), _TINY)
        growing = ((vx_b - vx_a) * x + (vy_b - vy_a) * y) / length
        force = -(row[_STIFFNESS] * (length - row[_LENGTH]) + row[_DAMPING] * growing) / length
        pulls[k, 0], pulls[k, 1] = force * x, force * y
        if row[_A + 4] != 0.0:
            forces[a, 0] -= force * x
            forces[a, 1] -= force * y
            forces[a, 2] -= arm_xa * force * y - arm_ya * force * x
        if row[_B + 4] != 0.0:
            forces[b, 0] += force * x
            forces[b, 1] += force * y
            forces[b, 2] += arm_xb * force * y - arm_yb * force * x


@compiled
def _ahead(state: Floats, end: Floats, dt: float) -> tuple[float, float, float, float, float, float]:
    """Return where the end of a spring will be, its arm from the centre of mass, and how fast it is."""
    cos, sin = math.cos(state[2]), math.sin(state[2])
    # in the order of Chipmunk: it moves bodies before it looks at forces
    centre_x = state[0] + cos * end[2] - sin * end[3] + dt * state[3]
    centre_y = state[1] + sin * end[2] + cos * end[3] + dt * state[4]
    yaw = state[2] + dt * state[5]
    cos, sin = math.cos(yaw), math.sin(yaw)
    u, v = end[0] - end[2], end[1] - end[3]
    arm_x, arm_y = cos * u - sin * v, sin * u + cos * v
    return centre_x + arm_x, centre_y + arm_y, arm_x, arm_y, state[3] - state[5] * arm_y, state[4] + state[5] * arm_x


def _row(held: JointBinding) -> list[float]:
    spec, grip = held.spec, held.grip
    ends = []
    for place, anchor in ((held.a, grip.on_a), (held.b, grip.on_b)):
        x, y = place.body.centre
        ends += [*anchor, x, y, float(place.moves)]
    return [*ends, spec.stiffness, spec.damping, _length(spec), spec.far[2] - spec.anchor[2]]


def _length(spec: JointSpec) -> float:
    return 0.0 if spec.length is None else spec.length


def _end(place: BodyShapes, anchor: tuple[float, float]) -> SpringEnd:
    return SpringEnd(place.spec.name, give(place, anchor))


def give(place: BodyShapes, anchor: tuple[float, float]) -> float:
    """Return how much a body yields to a push at `anchor` in the direction in which it yields most [1/kg]."""
    if not place.moves:
        return 0.0
    arm = math.dist(anchor, place.body.centre)
    mass, moment = lib.cpBodyGetMass(place.body.pointer), lib.cpBodyGetMoment(place.body.pointer)
    return float(1.0 / mass + arm * arm / moment)
