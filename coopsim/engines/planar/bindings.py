"""Neutral joints as constraints of Chipmunk.

A support is a small body of its own, the carriage: it turns with the body that carries it, moves on it within the limit
under springs of ours (`planar_springs`), and the load hangs on it by a pivot (CoopDynSim, section III-D).
"""

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from pymunk._chipmunk_cffi import lib

from coopsim.engines.contract import JointSpec
from coopsim.engines.planar.bodies import BodyShapes
from coopsim.engines.planar.forces import impulse_of
from coopsim.engines.planar.space import PlanarBody, PlanarSpace
from coopsim.engines.plane.footprints import FARTHEST

State: TypeAlias = tuple[float, float, float, float, float, float]
_GYRATION = 0.05  # m; of a carriage


class PlanarAnchors(NamedTuple):
    """Points where a joint holds its two bodies; made once and kept, however they move later.

    Attributes:
        on_a: The anchor in the frame of a [m].
        on_b: The anchor in the frame of b [m].
        axis: Direction of a slide in the frame of a [rad].
        turn: Heading of b less that of a, as the engine counts turns [rad].
    """

    on_a: tuple[float, float]
    on_b: tuple[float, float]
    axis: float
    turn: float


@dataclass(frozen=True, slots=True, eq=False)
class JointBinding:
    """A joint in Chipmunk.

    Attributes:
        impulse: Address of the impulse x y on b in the last step, 0 of a spring [N s].
        carriage: Of a support.
        gear: What keeps b, or the carriage, from turning against a.
        stop: What stops a hinge at its limits.
    """

    spec: JointSpec
    grip: PlanarAnchors
    a: BodyShapes
    b: BodyShapes
    parts: tuple[Any, ...]
    impulse: int
    carriage: PlanarBody | None = None
    gear: Any = None
    stop: Any = None

    @property
    def far(self) -> PlanarBody:
        """The body whose displacement against a is reported."""
        return self.b.body if self.carriage is None else self.carriage

    @property
    def zero(self) -> float:
        """Heading of b less that of a, as the engine counts turns now, where the position of a hinge is 0 [rad]."""
        if self.stop is None:
            return self.grip.turn
        low, high = _limits(self.stop)
        return 0.5 * (low + high - sum(_stops(self.spec)))

    @property
    def state(self) -> State | None:
        """Return x y yaw vx vy w of the carriage, if there is one."""
        body = self.carriage
        return None if body is None else (*body.pose, *body.twist)

    def put(self, state: State | None) -> None:
        """Put the carriage where it was."""
        if self.carriage is not None and state is not None:
            self.carriage.put(state[:3], state[3:])

    def unwind(self) -> None:
        """Forget whole turns between the two bodies, so that none is turned back after they were put elsewhere."""
        if self.gear is not None:
            phase = lib.cpGearJointGetPhase(self.gear)
            apart = self.far.pose[2] - self.a.body.pose[2] - phase
            # Chipmunk counts turns without end: a body put elsewhere by its heading would be spun back by whole turns
            lib.cpGearJointSetPhase(self.gear, phase + math.tau * round(apart / math.tau))
        if self.stop is not None:
            low, high = _limits(self.stop)
            apart = self.b.body.pose[2] - self.a.body.pose[2] - 0.5 * (low + high)
            turns = math.tau * round(apart / math.tau)
            lib.cpRotaryLimitJointSetMin(self.stop, low + turns)
            lib.cpRotaryLimitJointSetMax(self.stop, high + turns)


def _limits(stop: Any) -> tuple[float, float]:
    return lib.cpRotaryLimitJointGetMin(stop), lib.cpRotaryLimitJointGetMax(stop)


def grip_of(joint: JointSpec, a: PlanarBody, b: PlanarBody) -> PlanarAnchors:
    """Return how `joint` takes hold of two bodies where they are now."""
    x, y, _ = joint.anchor
    angle_a, angle_b = lib.cpBodyGetAngle(a.pointer), lib.cpBodyGetAngle(b.pointer)
    on_a, on_b = lib.cpBodyWorldToLocal(a.pointer, (x, y)), lib.cpBodyWorldToLocal(b.pointer, joint.far[:2])
    along = math.atan2(joint.axis[1], joint.axis[0]) - angle_a
    return PlanarAnchors((on_a.x, on_a.y), (on_b.x, on_b.y), along, angle_b - angle_a)


def hold(space: PlanarSpace, spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    """Add a joint between two bodies; fixed ones have bodies of Chipmunk of their own."""
    held = _MAKE[spec.kind](spec, grip, a, b)
    for part in held.parts:
        lib.cpConstraintSetCollideBodies(part, False)
    space.add(held.carriage, joints=held.parts)
    return held


def _pivot(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    pin = lib.cpPivotJointNew2(a.body.pointer, b.body.pointer, grip.on_a, grip.on_b)
    return JointBinding(spec, grip, a, b, (pin,), impulse_of(pin, is_pivot=True))


def _hinge(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    if all(map(math.isinf, spec.limits)):
        return _pivot(spec, grip, a, b)
    pin = lib.cpPivotJointNew2(a.body.pointer, b.body.pointer, grip.on_a, grip.on_b)
    right, left = _stops(spec)
    stop = lib.cpRotaryLimitJointNew(a.body.pointer, b.body.pointer, grip.turn + right, grip.turn + left)
    return JointBinding(spec, grip, a, b, (pin, stop), impulse_of(pin, is_pivot=True), stop=stop)


def _stops(spec: JointSpec) -> tuple[float, float]:
    """Return how far a hinge may turn to the right, which is negative, and to the left [rad]."""
    # Chipmunk wants finite numbers
    low, high = (min(max(end, -FARTHEST), FARTHEST) for end in spec.limits)
    return (low, high) if spec.axis[2] > 0.0 else (-high, -low)


def _weld(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    pin = lib.cpPivotJointNew2(a.body.pointer, b.body.pointer, grip.on_a, grip.on_b)
    gear = lib.cpGearJointNew(a.body.pointer, b.body.pointer, grip.turn, 1.0)
    return JointBinding(spec, grip, a, b, (pin, gear), impulse_of(pin, is_pivot=True), gear=gear)


def _slide(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    # a groove has ends, if far away ones
    (x, y), cos, sin = grip.on_a, math.cos(grip.axis), math.sin(grip.axis)
    low, high = (min(abs(end), FARTHEST) for end in spec.limits)
    ends = (x - cos * low, y - sin * low), (x + cos * high, y + sin * high)
    groove = lib.cpGrooveJointNew(a.body.pointer, b.body.pointer, *ends, grip.on_b)
    gear = lib.cpGearJointNew(a.body.pointer, b.body.pointer, grip.turn, 1.0)
    return JointBinding(spec, grip, a, b, (groove, gear), impulse_of(groove, is_pivot=False), gear=gear)


def _support(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    carriage = PlanarBody(lib.cpBodyNew(spec.carriage, spec.carriage * _GYRATION**2))
    carriage.ride(a.body, grip.on_a, a.body.pose[2])
    # the carriage turns with its body: springs act along that one's axes
    gear = lib.cpGearJointNew(a.body.pointer, carriage.pointer, 0.0, 1.0)
    pin = lib.cpPivotJointNew2(carriage.pointer, b.body.pointer, (0.0, 0.0), grip.on_b)
    # it never acts: it says that the two bodies do not collide
    pair = lib.cpRotaryLimitJointNew(a.body.pointer, b.body.pointer, -FARTHEST, FARTHEST)
    parts: tuple[Any, ...] = (gear, pin, pair)
    if spec.limit < math.inf:
        ends = a.body.pointer, carriage.pointer
        parts = (*parts, lib.cpSlideJointNew(*ends, grip.on_a, (0.0, 0.0), 0.0, spec.limit))
    return JointBinding(spec, grip, a, b, parts, impulse_of(pin, is_pivot=True), carriage, gear)


def _spring(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    return JointBinding(spec.measured(), grip, a, b, (), 0)  # `LineSprings` has its forces


_MAKE = {"pivot": _pivot, "hinge": _hinge, "weld": _weld, "slide": _slide, "support": _support, "spring": _spring}
