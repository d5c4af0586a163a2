"""The contract between the simulation and a physics engine.

Source: SwarmSimX, section 2.1 (abstract engines, physics nodes); facts measured on two engines.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from coopsim.geometry import Floats, Ints, Vector3
from coopsim.scene import Span


@dataclass(frozen=True, slots=True)
class ShapeSpec:
    """A shape in the frame of its body, whose origin is the middle of the base.

    Attributes:
        kind: "box", "cylinder" (upright) or "sphere".
        size: Bounding box: length, width, height [m].
        friction: Coulomb coefficient; a pair's is the product of both.
        restitution: 0 = no rebound, 1 = full.
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
        rolling: Resistance against sliding on the floor, as a coefficient (planar engines emulate the floor's
            friction with it); robots on wheels have 0, the wheel servo brings its own grip.
        span: The place in a file it came from.
    """

    name: str
    pose: tuple[float, float, float, float, float, float, float]
    mass: float
    shapes: tuple[ShapeSpec, ...]
    rolling: float = 0.0
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class JointSpec:
    """A joint between two bodies (none is used before the cooperation work)."""

    name: str
    kind: str
    a: str
    b: str
    anchor: Vector3 = (0.0, 0.0, 0.0)
    span: Span = field(default=Span(), compare=False)


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """Everything an engine is built from."""

    bodies: tuple[BodySpec, ...]
    joints: tuple[JointSpec, ...] = ()
    floor: Vector3 = (20.0, 20.0, 0.1)


class Contacts(NamedTuple):
    """Touching pairs of the last step.

    Attributes:
        pairs: Rows of the two bodies, -1 = a fixed body, shape (k, 2).
        points: Contact point in the world frame x y, unit normal from the first body to the second x y,
            impulse [N s], shape (k, 5).
    """

    pairs: Ints
    points: Floats


class PhysicsEngine(Protocol):
    """Moves bodies. Rows are the bodies with mass, in the order of `names`; the arrays are renewed by add and remove.

    Attributes:
        names: Names of the moving bodies, by row.
        planar: x y yaw vx vy w, shape (n, 6) [m, rad, m/s, rad/s]; up to date after each call.
        height: z of the base, shape (n,) [m].
        poses: Position and quaternion w x y z, shape (n, 7); up to date after `fill`.
        twists: Velocity and angular velocity, world frame, shape (n, 6); up to date after `fill`.
        wrench: Force and torque at the middle of the body, world frame, shape (n, 6);
            written before a step, cleared by it.
        mass: Shape (n,) [kg].
        inertia: About z through the centre, shape (n,) [kg m2].
        position_lag: 1 where positions are integrated before velocities, else 0.
    """

    names: Sequence[str]
    planar: Floats
    height: Floats
    poses: Floats
    twists: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats
    position_lag: int

    def __init__(self, world: WorldSpec) -> None:
        """Build the world; bodies are added in sorted order of their names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
        """

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts."""

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date."""

    def contacts(self) -> Contacts:
        """Return what touched in the last step; computed on demand."""
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
        """Remove a body; later rows move up by one."""

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` from its description, as `__init__`."""

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        ...

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit."""
