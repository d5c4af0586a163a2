"""All joints of a pymunk engine: made, measured, let go, and carried through snapshots."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pymunk

from coopsim.engines.contract import JointSpec
from coopsim.engines.planar import springs
from coopsim.engines.planar.axes import PlanarAxes, reduced_inertia
from coopsim.engines.planar.bindings import JointBinding, PlanarAnchors, State, grip_of, hold
from coopsim.engines.planar.bodies import BodyShapes
from coopsim.engines.planar.forces import side_by_side
from coopsim.engines.planar.joined_stepping import JoinedStepper
from coopsim.engines.planar.line_springs import LineSprings, give
from coopsim.engines.planar.space import PlanarBody, PlanarSpace
from coopsim.engines.planar.stepping import SpaceStepper
from coopsim.errors import NoSuchName
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.sequence import KernelCall

# Displacements of the joints of a pymunk engine in a step, all at once.
_ON_A_X, _ON_A_Y, _ON_B_X, _ON_B_Y = range(4)


@compiled
def measure_displacements(
    ends: Ints,
    grips: Floats,
    states: Floats,
    measured: tuple[Floats, Ints, Floats],
    lines: tuple[Ints, Floats, Floats],
    measured_states: Floats,
) -> None:
    """Write how far b is from where a joint holds it on a, in the frame of a, and the force on b.

    Args:
        ends: Where the engine keeps a and b of each joint, shape (j, 2).
        grips: The anchor in the frame of a, then in that of b, shape (j, 4) [m].
        states: x y yaw vx vy w of the bodies, shape (m, 6).
        measured: Where impulses lie [N s], places of each in it, shape (j, 2), those of springs below 0, and the time
            in which they came, 0 = there are none, shape (1,) [s].
        lines: Which joints are springs, shape (s,), how much higher their second ends are [m], and forces [N].
        measured_states: Displacement and force, x y z each, shape (j, 6) [m, N].
    """
    memory, places, time = measured
    for k in range(ends.shape[0]):
        a, b, grip = states[ends[k, 0]], states[ends[k, 1]], grips[k]
        cos, sin, b_cos, b_sin = math.cos(a[2]), math.sin(a[2]), math.cos(b[2]), math.sin(b[2])
        b_x = b[0] + b_cos * grip[_ON_B_X] - b_sin * grip[_ON_B_Y]
        b_y = b[1] + b_sin * grip[_ON_B_X] + b_cos * grip[_ON_B_Y]
        x = b_x - (a[0] + cos * grip[_ON_A_X] - sin * grip[_ON_A_Y])
        y = b_y - (a[1] + sin * grip[_ON_A_X] + cos * grip[_ON_A_Y])
        measured_states[k, 0], measured_states[k, 1], measured_states[k, 2] = cos * x + sin * y, cos * y - sin * x, 0.0
        measured_states[k, 3], measured_states[k, 4], measured_states[k, 5] = 0.0, 0.0, 0.0
        # impulses of the last part by its length: before the first step there are none
        if time[0] > 0.0 and places[k, 0] >= 0:
            measured_states[k, 3], measured_states[k, 4] = (
                memory[places[k, 0]] / time[0],
                memory[places[k, 1]] / time[0],
            )
    rows, rises, pulls = lines
    for k in range(rows.size):
        measured_states[rows[k], 2] = rises[k]
        if time[0] > 0.0:
            measured_states[rows[k], 3], measured_states[rows[k], 4] = pulls[k, 0], pulls[k, 1]


class Joints:
    """The joints in a pymunk space, by name in the order in which they came.

    Attributes:
        held: Each joint.
    """

    def __init__(self, space: PlanarSpace) -> None:
        self._space = space
        self._parts_for: dict[float, int] = {}
        self.held: dict[str, JointBinding] = {}
        self.connect(lambda _: np.zeros(0, np.int64))

    def add(self, spec: JointSpec, a: BodyShapes, b: BodyShapes) -> None:
        """Join two bodies where they are now."""
        self.held[spec.name] = hold(self._space, spec, grip_of(spec, a.body, b.body), a, b)

    def put_back(self, spec: JointSpec, a: BodyShapes, b: BodyShapes, grip: PlanarAnchors, state: State | None) -> None:
        """Join two bodies as they once were."""
        self.held[spec.name] = hold(self._space, spec, grip, a, b)
        self.held[spec.name].put(state)
        self.held[spec.name].unwind()

    def remove(self, name: str) -> None:
        """Let two bodies go.

        Raises:
            NoSuchName: There is no such joint.
        """
        held = self.held.pop(name, None)
        if held is None:
            raise NoSuchName(f"there is no joint named {name!r}")
        self._space.remove(held.carriage, joints=held.parts)

    def remove_of(self, body: str) -> None:
        """Let go of a body that is about to leave."""
        for name in [name for name, joint in self.held.items() if body in (joint.spec.a, joint.spec.b)]:
            self.remove(name)

    def connect(self, find: Callable[[Sequence[PlanarBody]], Ints]) -> None:
        """Learn where the engine keeps bodies; to be called whenever bodies or joints came or went."""
        held = self.held.values()
        sprung = [joint for joint in held if joint.carriage is not None]
        # a spring is no constraint of Chipmunk, so it leaves no impulse that could be read
        self._parts_for, unsprung = {}, [joint for joint in held if joint.spec.kind != "spring"]
        self._ends = np.column_stack([find([joint.a.body for joint in held]), find([joint.far for joint in held])])
        self._sprung = np.column_stack(
            [find([joint.a.body for joint in sprung]), find([joint.far for joint in sprung])]
        )
        self._grips = np.array([[*joint.grip.on_a, *_far_anchor(joint)] for joint in held], np.float64).reshape(-1, 4)
        self._springs = np.array([_spring(joint) for joint in sprung], np.float64).reshape(-1, springs.WIDTH)
        self._lines = LineSprings(tuple(held), self._ends)
        self._memory, places = side_by_side([joint.impulse for joint in unsprung])
        self._impulses = np.full((len(held), 2), -1)
        self._impulses[[row for row, joint in enumerate(held) if joint.spec.kind != "spring"]] = places
        self._axes = PlanarAxes(tuple(held))

    def stepper(self, stepper: SpaceStepper) -> JoinedStepper:
        """Return what steps the joined bodies of a space."""
        return JoinedStepper(
            stepper, (self._ends, self._grips), self._axes, (self._springs, self._sprung, *self._lines.arrays)
        )

    def parts(self, dt: float) -> int:
        """Return into how many parts a step must be cut.

        Raises:
            EngineCannot: Too many; the text begins with the span of the joint.
        """
        if dt not in self._parts_for:
            sprung = [joint for joint in self.held.values() if joint.carriage is not None]
            # springs that push one body together move it as if each were stiffer
            loads, carriers = Counter(joint.spec.b for joint in sprung), Counter(joint.spec.a for joint in sprung)
            yielding = [_yielding(joint, carriers[joint.spec.a], loads[joint.spec.b]) for joint in sprung]
            needed = [springs.parts_needed(joint.spec, give, dt) for joint, give in zip(sprung, yielding, strict=True)]
            # only the last step is kept: a run has one
            self._parts_for = {dt: max(*needed, self._lines.parts(dt), 1)}
        return self._parts_for[dt]

    def state_call(self, states: Floats, part: Floats, out: Floats) -> KernelCall:
        """Return the call that writes displacements and forces as the contract says.

        Args:
            states: x y yaw vx vy w of the bodies, shape (m, 6).
            part: Length of the last part of a step, 0 = there was none, shape (1,) [s].
            out: Written, shape (j, 6).
        """
        measured, lines = (self._memory, self._impulses, part), (self._lines.rows, self._lines.rises, self._lines.pulls)
        return KernelCall(measure_displacements, (self._ends, self._grips, states, measured, lines, out))

    def positions(self, states: Floats) -> Floats:
        """Return angles and ways of the joints, shape (j,) [rad, m]."""
        return self._axes.positions(states, self._ends, self._grips)

    def velocities(self, states: Floats) -> Floats:
        """Return how fast these change, shape (j,) [rad/s, m/s]."""
        return self._axes.velocities(states, self._ends, self._grips)

    def limits(self) -> Floats:
        """Return the lowest and the highest position of each joint, shape (j, 2)."""
        return np.array([joint.spec.limits for joint in self.held.values()], np.float64).reshape(-1, 2)

    def inertias(self) -> Floats:
        """Return how much each joint resists its motion at least, shape (j,) [kg m2, kg]."""
        return np.array([reduced_inertia(joint) for joint in self.held.values()], np.float64)

    def carry_along(self, bodies: Iterable[PlanarBody], before: Sequence[tuple[float, ...]]) -> None:
        """Move the carriages with bodies that were put elsewhere.

        Args:
            bodies: Those bodies.
            before: x, y and yaw of each, before.
        """
        moved = dict(zip(bodies, before, strict=True))
        for held in self.held.values():
            if held.carriage is not None and held.a.body in moved:
                _follow(held.carriage, held.a.body, moved[held.a.body])
            held.unwind()
        # turns were forgotten: angles are counted from other zeros now
        self._axes = PlanarAxes(tuple(self.held.values()))

    def described(self) -> list[tuple[JointSpec, PlanarAnchors, State | None]]:
        """Return what every joint is made from, and where its carriage is."""
        return [(joint.spec, joint.grip, joint.state) for joint in self.held.values()]


def _yielding(held: JointBinding, carried: int, load: int) -> float:
    """Return how much the ends of a support yield to a push at most [1/kg].

    Args:
        held: The support.
        carried: How many supports stand on its a: they may push together.
        load: How many supports its b lies on.
    """
    # the load hangs behind the carriage: both yield one after the other
    behind = load * give(held.b, held.grip.on_b)
    ahead = 1.0 / (held.spec.carriage + 1.0 / behind) if behind > 0.0 else 0.0
    return ahead + carried * give(held.a, held.grip.on_a)


def _far_anchor(held: JointBinding) -> tuple[float, float]:
    return held.grip.on_b if held.carriage is None else (0.0, 0.0)


def _spring(held: JointBinding) -> list[float]:
    return springs.row(held.grip.on_a, held.a.body.centre, held.spec, held.a.moves)


def _follow(carriage: PlanarBody, carrier: PlanarBody, before: tuple[float, ...]) -> None:
    """Put a carriage where it was on its body before that was put elsewhere, at rest on it."""
    (x, y, yaw), (to_x, to_y, turn) = before, carriage.pose
    carriage.ride(carrier, pymunk.Vec2d(to_x - x, to_y - y).rotated(-yaw), turn + (carrier.pose[2] - yaw))
