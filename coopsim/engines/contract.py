"""The contract between the simulation and a physics engine.

Source: SwarmSimX, section 2.1 (abstract engines, physics nodes); facts measured on two engines.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Protocol, TypeGuard, runtime_checkable

from coopsim.errors import EngineCannot
from coopsim.geometry import UNTURNED, Floats, Ints, Quaternion, Vector3
from coopsim.scene import JointDynamics, SoftNode, Span

if TYPE_CHECKING:
    from coopsim.kernels.sequence import KernelCall

JOINT_KINDS = ("pivot", "hinge", "weld", "slide", "support", "spring")
MOVABLE = ("hinge", "slide")
"""Kinds of joints that have a position and take an effort."""
CLOSING = ("pivot", "spring")
"""Kinds of joints of an articulated robot between links that hang on others already."""
ABILITIES = {
    "dynamics": "what touches or is joined pushes: momentum passes from body to body",
    "joints": "joints of all kinds but springs, hinges with an upright axis and slides with a level one at least",
    "springs": "springs between points of two bodies: joints of kind spring",
    "motors": "hinges and slides tell their position and velocity, stop at their limits, and take an effort",
    "height": "bodies fall, and with dynamics tip over and stand on one another",
    "soft": "cloths and soft bodies: bodies that are nodes of a lattice, which resists where its shape changes",
    "passage": "bodies pass through one another and through what is fixed; the floor alone holds them",
}


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """A shape in the frame of its body, whose origin is the middle of the base.

    Attributes:
        kind: "box", "cylinder" (upright), "sphere" or "polygon" (upright, with `points`).
        size: Bounding box: length, width, height [m].
        friction: Coulomb coefficient; a pair's is the product of both.
        restitution: 0 = no rebound, 1 = full; a pair's is the product of both.
        position: The middle of its base.
        share: Its part of the mass of the body; 0 = by its volume, of what the others leave.
        turn: Rotation w x y z about the middle of its base; planar engines hold one about the vertical axis only.
        points: Corners x y z of its convex hull in its own frame, flat; mujoco collides with that, others and rays with
            the box around it, which `kind` and `size` say; None = it is what these say. Of a polygon x y of its
            corners: every engine collides with its edges, and so do rays.
    """

    kind: str
    size: Vector3
    friction: float = 0.6
    restitution: float = 0.0
    position: Vector3 = (0.0, 0.0, 0.0)
    share: float = 0.0
    turn: Quaternion = UNTURNED
    points: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class BodySpec:
    """A rigid body.

    Attributes:
        pose: x y z of the middle of the base and quaternion w x y z, world frame.
        mass: 0 = fixed.
        rolling: Resistance of the floor against motion, as a part of the weight: of a single sphere against rolling,
            of anything else against sliding (planar engines emulate the floor's friction with it); robots on wheels
            have 0, the wheel servo brings its own grip.
        wheeled: Stands on wheels: an engine in three dimensions gives it feet without friction.
        span: The place in a file it came from.
        part_of: Name of the body whose link it is, "" = of none; sensors on one of them do not see the others.
        is_bolted: It has mass, but stays where it is put, as the foot of an arm.
        centre: Centre of mass in the frame of the body [m]; None = that of its shapes.
        tensor: Of inertia about the centre of mass: xx yy zz xy xz yz [kg m2]; None = that of its shapes.
        soft: What it is a node of: it does not turn, and nodes of one lattice do not collide; None = of nothing.
    """

    name: str
    pose: tuple[float, float, float, float, float, float, float]
    mass: float
    shapes: tuple[ShapeSpec, ...]
    rolling: float = 0.0
    wheeled: bool = False
    span: Span = field(default=Span(), compare=False)
    part_of: str = ""
    is_bolted: bool = False
    centre: Vector3 | None = None
    tensor: tuple[float, float, float, float, float, float] | None = None
    soft: SoftNode | None = None


@dataclass(frozen=True, slots=True)
class JointSpec:
    """A joint between two bodies, made where they are at that moment. Joined bodies do not collide with each other.

    Only bodies between which nothing but springs is do.

    Attributes:
        kind: "pivot" (a point in common, free to turn), "hinge" (turns about `axis` alone), "weld" (nothing moves),
            "slide" (moves along `axis` alone), "spring" (pulls and pushes along the line
            from `anchor` to `far_anchor`), or "support": a pivot on a carriage that springs lie under, free to
            move up to `limit` in each horizontal direction, as under a load that two robots carry
            (CoopDynSim, section III-D).
        a: The body that carries the joint (and the carriage of a support).
        b: The other body.
        anchor: Where the joint is, world frame [m].
        axis: Direction of a hinge or slide, world frame.
        limit: Travel of a slide or support to either side [m].
        lower: Lowest position of a hinge [rad] or slide [m]; where it is made is 0.
        upper: Highest position of a hinge [rad] or slide [m].
        stiffness: Of a spring, or of a support's springs [N/m].
        damping: Of a spring, or of a support's springs [N s/m].
        carriage: Mass of a support's carriage [kg].
        span: The place in a file it came from.
        is_chained: Whether b moves against a in this joint's coordinate alone, as a link of an arm: nothing gives way.
            Bodies that such joints connect do not collide with each other; each is the b of one of them at most.
        armature: What a motor with its gear adds to the inertia of a hinge or slide [kg m2, kg].
        far_anchor: Where a spring holds b, world frame [m]; None = at `anchor`, too.
        length: Of a spring that nothing pulls at [m]; None = as long as it is where it is made.
        dynamics: What resists a hinge or slide, and which joint it follows; None = it moves freely.
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
    lower: float = -math.inf
    upper: float = math.inf
    is_chained: bool = False
    armature: float = 0.0
    far_anchor: Vector3 | None = None
    length: float | None = None
    dynamics: JointDynamics | None = None

    @property
    def far(self) -> Vector3:
        """Point where the joint holds b, world frame [m]."""
        return self.anchor if self.far_anchor is None else self.far_anchor

    def measured(self) -> "JointSpec":
        """Return it with the length of its spring, which is that where it is made if nothing was said."""
        if self.kind != "spring" or self.length is not None:
            return self
        return replace(self, length=math.dist(self.anchor, self.far))

    @property
    def is_movable(self) -> bool:
        """Whether the joint has a position: it is a hinge or a slide."""
        return self.kind in MOVABLE

    @property
    def limits(self) -> tuple[float, float]:
        """Lowest and highest position of a hinge [rad] or slide [m]."""
        travel = self.limit if self.kind == "slide" else math.inf
        return max(self.lower, -travel), min(self.upper, travel)


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """World that an engine is built from.

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


class StepCalls(NamedTuple):
    """A step as calls of kernels, for engines that have it; `step_calls` gives it, `PymunkEngine` for one.

    Attributes:
        calls: The first one returns -1, or the row of a body for which the step was refused, and the wrench is cleared.
        done: To be called after the step.
        refusal: Makes the error for such a row.
    """

    calls: "tuple[KernelCall, ...]"
    done: Callable[[], None]
    refusal: Callable[[int], EngineCannot]


class PhysicsEngine(Protocol):
    """Moves bodies. Rows are the bodies with mass, in the order of `names`.

    The arrays are renewed whenever bodies or joints come or go.

    Attributes:
        abilities: Those of `ABILITIES` that the engine has; for the rest it raises `EngineCannot`, or leaves it out
            where its docstring says so.
        names: Names of the moving bodies, by row.
        planar: x y yaw vx vy w, shape (n, 6) [m, rad, m/s, rad/s]; up to date after each call.
        height: z of the base, shape (n,) [m].
        wrench: Force and torque at the middle of the body, world frame, shape (n, 6);
            written before a step, cleared by it.
        mass: Shape (n,) [kg].
        inertia: About z through the centre, shape (n,) [kg m2].
        joints: Names of the joints, in the order of `joint_state` and of what follows.
        joint_effort: Torque of b about the axis against a, of a slide the force of b along it, shape (j,) [N m, N];
            written before a step, cleared by it; of other kinds without effect.
        joint_limits: Lowest and highest position, shape (j, 2) [rad, m].
        joint_inertia: How much the two bodies of a joint resist a turn or a slide against each other when nothing
            else holds them, at least; shape (j,) [kg m2, kg].
        position_lag: 1 where positions are integrated before velocities, else 0.
    """

    abilities: ClassVar[frozenset[str]]
    names: Sequence[str]
    planar: Floats
    height: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats
    joints: Sequence[str]
    joint_effort: Floats
    joint_limits: Floats
    joint_inertia: Floats
    position_lag: int

    @property
    def accelerations(self) -> Floats:
        """Change of `twists` in the last step, 0 where bodies came, went or were put elsewhere since, shape (n, 6)."""
        ...

    @property
    def joint_position(self) -> Floats:
        """Angles of hinges, ways of slides since they were made, 0 for other kinds, shape (j,) [rad, m]."""
        ...

    @property
    def joint_velocity(self) -> Floats:
        """Change of `joint_position`, shape (j,) [rad/s, m/s]."""
        ...

    @property
    def poses(self) -> Floats:
        """Positions of the bases and quaternions w x y z, shape (n, 7)."""
        ...

    @property
    def twists(self) -> Floats:
        """Velocities of the centres of mass and angular velocities, world frame, shape (n, 6)."""
        ...

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

    def check_step(self, dt: float) -> None:
        """Refuse a step that could not be made with the bodies, joints and lattices there are.

        Args:
            dt: Length of the step [s].

        Raises:
            EngineCannot: It could not.
        """

    def contacts(self) -> Contacts:
        """Return what touched in the last step; computed on demand."""
        ...

    def joint_state(self) -> Floats:
        """Return what the joints did in the last step, shape (j, 6).

        Columns: displacement of b against a along a's x, y and z since the joint was made [m] (of a support: of its
        carriage; of a spring: the way from its end on a to that on b), and force on b in the world frame [N].
        """
        ...

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere.

        Args:
            rows: Shape (k,).
            planar: x y yaw vx vy w, shape (k, 6).
        """

    def check(self, body: BodySpec) -> None:
        """Refuse a body that the engine cannot hold; nothing is added.

        Raises:
            EngineCannot: The engine cannot represent it; the text begins with its span.
        """

    def add(self, body: BodySpec) -> None:
        """Add a body; it gets the last row."""

    def add_all(self, bodies: Sequence[BodySpec]) -> None:
        """Add bodies, all or none; they get the last rows, in this order.

        Raises:
            EngineCannot: The engine cannot represent one of them; the text begins with its span.
            BadArgument: There is a body of such a name.
        """

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


@runtime_checkable
class KnowsOlderSnapshots(Protocol):
    """An engine whose older versions wrote other snapshots; it restores those as they did."""

    def older_snapshot(self) -> bytes:
        """Return a snapshot as they wrote it: recordings of theirs are compared with it."""
        ...


class SpatialEngine(PhysicsEngine, Protocol):
    """An engine with the ability "height": bodies move in space."""

    def set_spatial_state(self, rows: Ints, poses: Floats, twists: Floats) -> None:
        """Put bodies elsewhere in space.

        Args:
            rows: Shape (k,).
            poses: Position and quaternion, shape (k, 7).
            twists: Velocity and angular velocity, shape (k, 6).
        """


def is_spatial(engine: PhysicsEngine) -> TypeGuard[SpatialEngine]:
    """Return whether bodies of an engine move in space."""
    return "height" in engine.abilities
