"""Steps of a pymunk space with joints in one compiled call: efforts and springs push anew in each part of a step."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.engines.planar.axes import PlanarAxes
from coopsim.engines.planar.line_springs import pull
from coopsim.engines.planar.springs import spring_forces
from coopsim.engines.planar.stepping import ALL_RIGHT, Space, SpaceStepper, advance, note_velocities
from coopsim.engines.plane.kernels import scatter_wrench
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.constants import STRONGEST
from coopsim.kernels.sequence import KernelCall

_Moved: TypeAlias = tuple[Floats, Ints, Floats, Floats]
_Springs: TypeAlias = tuple[Floats, Ints, Floats, Ints, Floats]
_Joined: TypeAlias = tuple[Ints, Floats, Floats, Floats, Floats, Floats, Floats]


class JoinedStepper:
    """Steps a space whose bodies are joined.

    Args:
        stepper: Steps the space.
        joined: Places of the two bodies of each joint, shape (j, 2), and the anchors on them, shape (j, 4) [m].
        axes: What the motions of joints are measured by.
        springs: Those under supports, and the places of what lies at their ends, see `spring_forces`; then what `pull`
            wants of those between bodies.
    """

    def __init__(self, stepper: SpaceStepper, joined: tuple[Ints, Floats], axes: PlanarAxes, springs: _Springs) -> None:
        self._stepper, self._springs = stepper, springs
        self._joined = (*joined, axes.turns, axes.slides, axes.angles, axes.centres_a, axes.centres_b)
        # made once: a step that made arrays would wait for memory
        self._efforts, self._given = np.zeros(joined[0].shape[0]), np.zeros_like(stepper.forces)

    def step_call(self, moved: _Moved, efforts: Floats, noted: Floats, part: float, parts: int) -> KernelCall:
        """Return the call that a step in `parts` parts is; it returns -1, or who is to blame, see `blamed`.

        Args:
            moved: The wrench, which becomes 0, where pymunk keeps each of its rows, x y yaw vx vy w of these, and
                where the velocities before the step are noted.
            efforts: Of the joints, which become 0, shape (j,) [N m, N].
            noted: Where the length of a part is noted once they are made, shape (1,) [s].
            part: That length [s].
            parts: How many.
        """
        stepper = self._stepper
        pushed = efforts, self._efforts, self._given, stepper.forces, stepper.states, noted
        return KernelCall(
            _step_joined, (stepper.space, moved, self._joined, pushed, self._springs, part, parts), ALL_RIGHT
        )


def blamed(code: int) -> tuple[bool, int]:
    """Return whether a step was refused for the effort of a joint, and its number, else the row of a body."""
    return code < 0, -2 - code if code < 0 else code  # -1 is a step that was made, so joints begin at -2


@compiled
def _step_joined(
    space: Space,
    moved: _Moved,
    joined: _Joined,
    pushed: tuple[Floats, Floats, Floats, Floats, Floats, Floats],
    springs: _Springs,
    part: float,
    parts: int,
) -> int:
    (wrench, order, planar, before), (ordered, efforts, given, forces, states, noted) = moved, pushed
    # looked at before anything moves: a refused step changes nothing
    wild = _collect_efforts(ordered, efforts)
    if wild >= 0:
        wrench[:] = 0.0
        return -2 - wild
    wrong = scatter_wrench(wrench, order, forces)
    if wrong >= 0:
        return wrong
    note_velocities(planar, before)
    _exert(efforts, states, joined, forces)
    # springs are added to what was given in each part anew, since they follow the motion
    given[:] = forces
    for _ in range(parts):
        spring_forces(springs[0], springs[1], states, forces, part)
        pull(springs[2], springs[3], springs[4], states, forces, part)
        advance(space, part)
        forces[:] = given
    noted[0] = part
    return -1


@compiled
def _collect_efforts(ordered: Floats, efforts: Floats) -> int:
    """Take the efforts, which become 0; return the first that is not finite or absurdly large, -1 = none."""
    wild = -1
    for k in range(ordered.size):
        efforts[k] = ordered[k]
        if ordered[k] != 0.0:
            ordered[k] = 0.0
        if wild < 0 and not abs(efforts[k]) < STRONGEST:
            wild = k
    return wild


@compiled
def _exert(efforts: Floats, states: Floats, joined: _Joined, forces: Floats) -> None:
    """Add efforts to the forces on the bodies, first on b of all joints, then against them on a."""
    (ends, grips, turns, slides, angles, centres_a, centres_b) = joined
    if not efforts.any():
        return
    # all b before all a: the order of sums decides the last bits, and recordings have this one
    for side in range(1, -1, -1):
        for k in range(efforts.size):
            b, grip = states[ends[k, 1]], grips[k]
            spot = _point(b, grip[2], grip[3])
            angle, push = states[ends[k, 0], 2] + angles[k], slides[k] * efforts[k]
            push_x, push_y = push * math.cos(angle), push * math.sin(angle)
            own, centre = states[ends[k, side]], (centres_b if side else centres_a)[k]
            middle = _point(own, centre[0], centre[1])
            torque = turns[k] * efforts[k] + ((spot[0] - middle[0]) * push_y - (spot[1] - middle[1]) * push_x)
            to = forces[ends[k, side]]
            if side:
                to[0], to[1], to[2] = to[0] + push_x, to[1] + push_y, to[2] + torque
            else:
                to[0], to[1], to[2] = to[0] - push_x, to[1] - push_y, to[2] - torque


@compiled
def _point(state: Floats, x: float, y: float) -> tuple[float, float]:
    """Return a point given in the frame of a body in that of the world."""
    cos, sin = math.cos(state[2]), math.sin(state[2])
    return state[0] + cos * x - sin * y, state[1] + sin * x + cos * y
