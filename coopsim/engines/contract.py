"""The contract between the simulation and a physics engine.

Source: SwarmSimX, section 2.1 (abstract engines, physics nodes); facts measured on two engines.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple, Protocol

from coopsim.geometry import Floats, Ints, Vector3
from coopsim.scene import Span

JOINT_KINDS = ("pivot", "hinge", "weld", "slide", "support")
ABILITIES = {
    "dynamics": "what touches or is joined pushes: momentum passes from body to body",
    "joints": "joints of all kinds, hinges with an upright axis and slides with a level one at least",
    "height": "bodies fall, tip over and stand on one another",
}


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """A shape in the frame of its body, whose origin is the middle of the base.

    Attributes:
        kind: "box", "cylinder" (upright) or "sphere".
        size: Bounding box: length, width, height [m].
        friction: Coulomb coefficient; a pair's is the product of both.
        restitution: 0 = no rebound, 1 = full; a pair's is the product of both.
    """

    kind: str
    size: Vector3
    friction: float = 0.6
    restitution: float = 0.0
    position: Vector3 = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class BodySpec:
    """One rigid body.

    Attributes:
        pose: x y z of the middle of the base and quaternion w x y z, world frame.
        mass: 0 = fixed.
        rolling: Resistance of the floor against motion, as a part of the weight: of a single sphere against rolling,
            of anything else against sliding (planar engines emulate the floor's friction with it); robots on wheels
            have 0, the wheel servo brings its own grip.
        wheeled: Stands on wheels: an engine in three dimensions gives it feet without friction.
        span: The place in a file it came from.
    """

    name: str
    pose: tuple[float, float, float, float, float, float, float]
    mass: float
    shapes: tuple[ShapeSpec, ...]
    rolling: float = 0.0
    wheeled: bool = False
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class JointSpec:
    """A joint between two bodies, made where they are at that moment. Joined bodies do not collide with each other.

    Attributes:
        kind: "pivot" (a point in common, free to turn), "hinge" (turns about `axis` alone), "weld" (nothing moves),
            "slide" (moves along `axis` alone), or "support": a pivot on a carriage that springs lie under, free to
            move up to `limit` in each horizontal direction, as under a load that two robots carry
            (CoopDynSim, section III-D).
        a: The body that carries the joint (and the carriage of a support).
        b: The other body.
        anchor: Where the joint is, world frame [m].
        axis: Direction of a hinge or slide, world frame.
        limit: Travel of a slide or support to either side [m].
        stiffness: Of a support's springs [N/m].
        damping: Of a support's springs [N s/m].
        carriage: Mass of a support's carriage [kg].
        span: The place in a file it came from.
    """

    name: str
    kind: str
    a: str
    b: str
    anchor: Vector3 = (0.0, 0.0, 0.0)
    axis: Vector3 = (0.0, 0.0, 1.0)
    limit: float = math.inf
    stiffness: float = 4000.0
    damping: float = 400.0
    carriage: float = 2.0
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """Everything an engine is built from.

    Attributes:
        floor: Size of the floor, centred on the origin, its top at z = 0 [m].
        floor_friction: Coulomb coefficient of the floor.
        floor_orientation: Rotation about x, y, z [rad], in this order; planar engines know a level floor only.
        floor_span: The place in a file the floor came from.
    """

    bodies: tuple[BodySpec, ...]
    joints: tuple[JointSpec, ...] = ()
    floor: Vector3 = (20.0, 20.0, 0.1)
    floor_friction: float = 0.6
    floor_orientation: Vector3 = (0.0, 0.0, 0.0)
    floor_span: Span = field(default=Span(), compare=False)


class Contacts(NamedTuple):
    """Touching pairs of the last step; the floor is not one of the bodies.

    Attributes:
        pairs: Rows of the two bodies, -1 = a fixed body, shape (k, 2).
        points: Contact point in the world frame x y, unit normal from the first body to the second x y (in three
            dimensions its level part, which is 0 where one lies on the other), impulse [N s], shape (k, 5).
    """

    pairs: Ints
    points: Floats


class PhysicsEngine(Protocol):
    """Moves bodies. Rows are the bodies with mass, in the order of `names`.

    The arrays are renewed whenever bodies or joints come or go.

    Attributes:
        abilities: Those of `ABILITIES` that the engine has; for the rest it raises `EngineCannot`, or leaves it out
            where its docstring says so.
        names: Names of the moving bodies, by row.
        planar: x y yaw vx vy w, shape (n, 6) [m, rad, m/s, rad/s]; up to date after each call.
        height: z of the base, shape (n,) [m].
        poses: Position and quaternion w x y z, shape (n, 7); up to date after `fill`.
        twists: Velocity and angular velocity, world frame, shape (n, 6); up to date after `fill`.
        wrench: Force and torque at the middle of the body, world frame, shape (n, 6);
            written before a step, cleared by it.
        mass: Shape (n,) [kg].
        inertia: About z through the centre, shape (n,) [kg m2].
        joints: Names of the joints, in the order of `joint_state`.
        position_lag: 1 where positions are integrated before velocities, else 0.
    """

    abilities: ClassVar[frozenset[str]]
    names: Sequence[str]
    planar: Floats
    height: Floats
    poses: Floats
    twists: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats
    joints: Sequence[str]
    position_lag: int

    def __init__(self, world: WorldSpec) -> None:
        """Build the world; bodies are added in sorted order of their names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
        """

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts.

        Raises:
            EngineCannot: The step cannot be made, as for a wrench that is not finite or absurdly large: the text names
                the body, everything is as before, and the wrench cleared. The run goes on.
        """

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date."""

    def contacts(self) -> Contacts:
        """Return what touched in the last step; computed on demand."""
        ...

    def joint_state(self) -> Floats:
        """Return what the joints did in the last step, shape (j, 6).

        Columns: displacement of b against a along a's x, y and z since the joint was made [m] (of a support: of its
        carriage), and force on b in the world frame [N].
        """
        ...

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere.

        Args:
            rows: Shape (k,).
            planar: x y yaw vx vy w, shape (k, 6).
        """

    def add(self, body: BodySpec) -> None:
        """Add a body; it gets the last row."""

    def remove(self, name: str) -> None:
        """Remove a body and the joints it is part of; later rows move up by one."""

    def add_joint(self, joint: JointSpec) -> None:
        """Join two bodies where they are now; it gets the last row of `joint_state`.

        Raises:
            EngineCannot: The engine has no such joint.
        """

    def remove_joint(self, name: str) -> None:
        """Let two bodies go."""

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` from its description, as `__init__`."""

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        ...

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit."""
