"""Neutral joints as pymunk constraints.

A support is a small body of its own, the carriage: it turns with the body that carries it, moves on it within the limit
under springs of ours (`planar_springs`), and the load hangs on it by a pivot (CoopDynSim, section III-D).
"""

import math
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import pymunk
from pymunk._chipmunk_cffi import lib

from coopsim.engines.contract import JointSpec
from coopsim.engines.planar.bodies import BodyShapes
from coopsim.engines.planar.forces import impulse_of
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
    """A joint in pymunk.

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
    parts: tuple[pymunk.Constraint, ...]
    impulse: int
    carriage: pymunk.Body | None = None
    gear: pymunk.GearJoint | None = None
    stop: pymunk.RotaryLimitJoint | None = None

    @property
    def zero(self) -> float:
        """Heading of b less that of a, as the engine counts turns now, where the position of a hinge is 0 [rad]."""
        if self.stop is None:
            return self.grip.turn
        return 0.5 * (self.stop.min + self.stop.max - sum(_stops(self.spec)))

    @property
    def state(self) -> State | None:
        """Return x y yaw vx vy w of the carriage, if there is one."""
        body = self.carriage
        return None if body is None else (*body.position, body.angle, *body.velocity, body.angular_velocity)

    def put(self, state: State | None) -> None:
        """Put the carriage where it was."""
        if self.carriage is not None and state is not None:
            x, y, self.carriage.angle, vx, vy, self.carriage.angular_velocity = state
            self.carriage.position, self.carriage.velocity = (x, y), (vx, vy)

    def unwind(self) -> None:
        """Forget whole turns between the two bodies, so that none is turned back after they were put elsewhere."""
        if self.gear is not None:
            apart = self.gear.b.angle - self.gear.a.angle - self.gear.phase
            # pymunk counts turns without end: a body put elsewhere by its heading would be spun back by whole turns
            self.gear.phase += math.tau * round(apart / math.tau)
        if self.stop is not None:
            apart = self.stop.b.angle - self.stop.a.angle - 0.5 * (self.stop.min + self.stop.max)
            turns = math.tau * round(apart / math.tau)
            self.stop.min, self.stop.max = self.stop.min + turns, self.stop.max + turns


def grip_of(joint: JointSpec, a: pymunk.Body, b: pymunk.Body) -> PlanarAnchors:
    """Return how `joint` takes hold of two bodies where they are now."""
    x, y, _ = joint.anchor
    address_a, address_b = a._body, b._body  # noqa: SLF001 - of thousands: pymunk's own methods take thrice as long
    angle_a, angle_b = lib.cpBodyGetAngle(address_a), lib.cpBodyGetAngle(address_b)
    on_a, on_b = lib.cpBodyWorldToLocal(address_a, (x, y)), lib.cpBodyWorldToLocal(address_b, joint.far[:2])
    along = math.atan2(joint.axis[1], joint.axis[0]) - angle_a
    return PlanarAnchors((on_a.x, on_a.y), (on_b.x, on_b.y), along, angle_b - angle_a)


def hold(space: pymunk.Space, spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    """Add a joint between two bodies; fixed ones have pymunk bodies of their own."""
    held = _MAKE[spec.kind](spec, grip, a, b)
    for part in held.parts:
        lib.cpConstraintSetCollideBodies(part._constraint, False)  # noqa: SLF001 - as above
    if held.carriage is not None:
        space.add(held.carriage)
    if held.parts:
        space.add(*held.parts)
    return held


def let_go(space: pymunk.Space, held: JointBinding) -> None:
    """Take away all that `hold` added."""
    if held.parts:
        space.remove(*held.parts)
    if held.carriage is not None:
        space.remove(held.carriage)


def _pivot(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    pin = pymunk.PivotJoint(a.body, b.body, grip.on_a, grip.on_b)
    return JointBinding(spec, grip, a, b, (pin,), impulse_of(pin))


def _hinge(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    if all(map(math.isinf, spec.limits)):
        return _pivot(spec, grip, a, b)
    pin = pymunk.PivotJoint(a.body, b.body, grip.on_a, grip.on_b)
    right, left = _stops(spec)
    stop = pymunk.RotaryLimitJoint(a.body, b.body, grip.turn + right, grip.turn + left)
    return JointBinding(spec, grip, a, b, (pin, stop), impulse_of(pin), stop=stop)


def _stops(spec: JointSpec) -> tuple[float, float]:
    """Return how far a hinge may turn to the right, which is negative, and to the left [rad]."""
    # pymunk wants finite numbers
    low, high = (min(max(end, -FARTHEST), FARTHEST) for end in spec.limits)
    return (low, high) if spec.axis[2] > 0.0 else (-high, -low)


def _weld(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    pin = pymunk.PivotJoint(a.body, b.body, grip.on_a, grip.on_b)
    gear = pymunk.GearJoint(a.body, b.body, grip.turn, 1.0)
    return JointBinding(spec, grip, a, b, (pin, gear), impulse_of(pin), gear=gear)


def _slide(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    # a groove has ends, if far away ones
    (x, y), cos, sin = grip.on_a, math.cos(grip.axis), math.sin(grip.axis)
    low, high = (min(abs(end), FARTHEST) for end in spec.limits)
    ends = (x - cos * low, y - sin * low), (x + cos * high, y + sin * high)
    groove = pymunk.GrooveJoint(a.body, b.body, *ends, grip.on_b)
    gear = pymunk.GearJoint(a.body, b.body, grip.turn, 1.0)
    return JointBinding(spec, grip, a, b, (groove, gear), impulse_of(groove), gear=gear)


def _support(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    carriage = _carriage(spec, grip, a.body)
    # the carriage turns with its body: springs act along that one's axes
    gear = pymunk.GearJoint(a.body, carriage, 0.0, 1.0)
    pin = pymunk.PivotJoint(carriage, b.body, (0.0, 0.0), grip.on_b)
    # it never acts: it says that the two bodies do not collide
    pair = pymunk.RotaryLimitJoint(a.body, b.body, -FARTHEST, FARTHEST)
    parts: tuple[pymunk.Constraint, ...] = (gear, pin, pair)
    if spec.limit < math.inf:
        parts = (*parts, pymunk.SlideJoint(a.body, carriage, grip.on_a, (0.0, 0.0), 0.0, spec.limit))
    return JointBinding(spec, grip, a, b, parts, impulse_of(pin), carriage, gear)


def _carriage(spec: JointSpec, grip: PlanarAnchors, carrier: pymunk.Body) -> pymunk.Body:
    carriage = pymunk.Body(spec.carriage, spec.carriage * _GYRATION**2)
    place = carrier.local_to_world(grip.on_a)
    carriage.angle, carriage.position = carrier.angle, place
    carriage.velocity = carrier.velocity_at_world_point(place)
    carriage.angular_velocity = carrier.angular_velocity
    return carriage


def _spring(spec: JointSpec, grip: PlanarAnchors, a: BodyShapes, b: BodyShapes) -> JointBinding:
    return JointBinding(spec.measured(), grip, a, b, (), 0)  # `LineSprings` has its forces


_MAKE = {"pivot": _pivot, "hinge": _hinge, "weld": _weld, "slide": _slide, "support": _support, "spring": _spring}
