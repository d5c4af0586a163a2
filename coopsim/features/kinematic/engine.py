"""The kinematic engine: bodies go where they are driven and stop at what they meet; the fastest engine but in a throng.

Source: SwarmSimX, section 2.1 (engines are chosen for what a study needs: realism, efficiency, accuracy).
"""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.engines.contract import BodySpec, Contacts, JointSpec, WorldSpec
from coopsim.engines.planar.snapshot import KINEMATIC, describe, pack, unpack
from coopsim.engines.plane.checks import check_added, check_world, checked_state
from coopsim.engines.plane.footprints import FARTHEST, check_planar, located, planar_pose
from coopsim.engines.plane.kernels import to_poses
from coopsim.errors import EngineCannot, NoSuchName
from coopsim.features.kinematic import contact as kinematic_contact
from coopsim.features.kinematic import motion as kinematic_motion
from coopsim.features.kinematic.tables import MARGIN, WorldArrays, tables
from coopsim.geometry import Floats, Ints
from coopsim.kernels.constants import STRONGEST
from coopsim.scene import by_name

_MOST_PARTS = 64  # of a step; beyond it one fast body would slow all others down
_LEVEL = [0, 1, 5]  # columns of a twist that a body in the plane has


class KinematicEngine:
    """Moves bodies in the plane without dynamics of contact (`engines.PhysicsEngine`).

    Forces accelerate a body by its mass and moment of inertia, and the floor brakes it by its `rolling` coefficient,
    as elsewhere (a ball rolls); free motion is the reference for the other engines. Nothing pushes: a body that would
    run into another stops before it, both if they approach each other, and goes on as soon as its way is free. It may
    still turn where that meets nothing. What stands, stands until a force or a velocity of its own moves it. There is
    no rebound and there are no joints. The impulse of a contact is the momentum that the stop took away. Nothing falls:
    a body keeps its height, and bodies meet where their heights do, in layers of 0.1 m. A body that goes more than 64
    times the half of the thinnest shape, or 6.4 m, in one step may jump over things.
    """

    abilities: frozenset[str] = frozenset()
    position_lag = 0

    names: Sequence[str]
    planar: Floats
    height: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats
    joints: Sequence[str] = ()
    joint_position = joint_velocity = joint_effort = joint_inertia = np.zeros(0)
    joint_limits = np.zeros((0, 2))

    _described: bytes
    _tables: WorldArrays
    _pairs: Ints
    _count: int
    _gone: float
    _margin: float

    def __init__(self, world: WorldSpec) -> None:
        self.rebuild(world)

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
            BadArgument: Two bodies have one name.
        """
        bodies = sorted(world.bodies, key=lambda body: by_name(body.name))
        check_world(world, bodies, "kinematic")
        for joint in world.joints:
            raise _no_joint(joint)
        self._floor = world.floor
        self._bodies = {body.name: body for body in bodies}
        self._renew({})

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts.

        Raises:
            EngineCannot: A wrench is not finite or absurdly large.
        """
        engine_tables, wrong = self._tables, -1
        self._is_stale = True
        self._before[:], self._elapsed = self.planar[:, 3:], dt
        self._motion[:, kinematic_motion.LOST_X :] = 0.0
        for k in range(substeps):
            is_last = k == substeps - 1
            longest = kinematic_motion.integrate(
                self.planar, self._motion, self.wrench, engine_tables.bodies, dt / substeps, is_last
            )
            if longest < 0.0:
                # the others move on; with an unknown path pairs are listed anew
                wrong, longest = int(-longest) - 1, FARTHEST
            self._go(longest)
        if wrong >= 0:
            raise EngineCannot(
                f"the force on body {self.names[wrong]!r} is not a finite number below "
                f"{STRONGEST:g}; one of the devices of this robot wrote it"
            )

    @property
    def poses(self) -> Floats:
        """Positions of the bases and quaternions w x y z, shape (n, 7)."""
        if self._is_stale:
            self.fill()
        return self._poses

    @property
    def twists(self) -> Floats:
        """Velocities of the centres of mass and angular velocities, world frame, shape (n, 6)."""
        if self._is_stale:
            self.fill()
        return self._twists

    @property
    def accelerations(self) -> Floats:
        """Change of `twists` in the last step, 0 where bodies came, went or were put elsewhere since, shape (n, 6)."""
        forces = np.zeros((len(self.names), 6))
        if self._elapsed > 0.0:
            forces[:, _LEVEL] = (self.planar[:, 3:] - self._before) / self._elapsed
        return forces

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date; whoever reads them has it done."""
        self._is_stale = False
        to_poses(self.planar, self.height, self._poses, self._twists)

    def check_step(self, dt: float) -> None:
        """Make every step there may be."""

    def contacts(self) -> Contacts:
        """Return what touches after the last step, sorted by rows; a fixed body is always the second."""
        engine_tables, count = self._tables, self._listed()
        rows, points = np.empty((count, 2), np.int64), np.empty((count, 5))
        arrays = self.planar, self._middles_now(), self._motion, engine_tables.shapes, self._pairs[:count]
        touching = kinematic_contact.touching(*arrays, rows, points)
        rows, points = rows[:touching], points[:touching]
        # several contacts of one pair come by place
        order = np.lexsort((points[:, 1], points[:, 0], rows[:, 1], rows[:, 0]))
        return Contacts(rows[order], points[order])

    def joint_state(self) -> Floats:
        """Return nothing, shape (0, 6): there are no joints."""
        return np.zeros((0, 6))

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere.

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, planar = checked_state(rows, planar, len(self.names))
        self.planar[rows] = planar
        self._is_stale, self._elapsed = True, 0.0
        self._gone = math.inf

    def check(self, body: BodySpec) -> None:
        """Refuse a body that the engine cannot hold.

        Raises:
            EngineCannot: The engine cannot represent it; the text begins with its span.
        """
        check_planar(body, "kinematic")

    def add(self, body: BodySpec) -> None:
        """Add a body; it gets the last row.

        Raises:
            EngineCannot: The engine cannot represent it; the text begins with its span.
            BadArgument: There is a body of this name.
        """
        self.add_all((body,))

    def add_all(self, bodies: Sequence[BodySpec]) -> None:
        """Add bodies, all or none; they get the last rows, in this order.

        Raises:
            EngineCannot: The engine cannot represent one of them; the text begins with its span.
            BadArgument: There is a body of such a name.
        """
        bodies_before = dict(self._bodies)
        for body in bodies:
            check_added(body, body.name in bodies_before, len(bodies_before), "kinematic")
            bodies_before[body.name] = body
        self._bodies = bodies_before
        self._renew(self._states())

    def remove(self, name: str) -> None:
        """Remove a body; later rows move up by one.

        Raises:
            NoSuchName: There is no body of this name.
        """
        if name not in self._bodies:
            raise NoSuchName(f"there is no body named {name!r}")
        del self._bodies[name]
        self._renew(self._states())

    def add_joint(self, joint: JointSpec) -> None:
        """Refuse a joint.

        Raises:
            EngineCannot: Always.
        """
        raise _no_joint(joint)

    def remove_joint(self, name: str) -> None:
        """Refuse.

        Raises:
            NoSuchName: Always.
        """
        raise NoSuchName(f"there is no joint named {name!r}; the kinematic engine has none")

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        if not self._described:
            self._described = describe(self._bodies.values())
        return pack(KINEMATIC, self._described, self._floor, self.names, self.planar, self.wrench)

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit.

        Raises:
            EngineCannot: The bytes are no snapshot of this engine.
        """
        world, names, planar, wrench, _ = unpack(KINEMATIC, snapshot)
        self.rebuild(world)
        order = np.array(sorted(range(len(names)), key=lambda row: by_name(names[row])), np.int64)
        self.planar[:] = planar[order]
        self._is_stale, self._elapsed = True, 0.0
        self._gone = math.inf
        self.wrench[:] = wrench[order]

    def _go(self, longest: float) -> None:
        """Move all bodies by their ways, the longest of which is given [m]."""
        engine_tables = self._tables
        # a part no longer than the lists of what is near are good for
        parts = max(1, math.ceil(min(longest / min(engine_tables.thinnest, 0.5 * MARGIN), _MOST_PARTS)))
        for _ in range(parts):
            count = self._listed(longest / parts)
            pairs = self._pairs[:count]
            kinematic_contact.move(
                self.planar, self._motion, 1.0 / parts, engine_tables.bodies, engine_tables.shapes, pairs
            )
            self._gone += longest / parts

    def _listed(self, way: float = 0.0) -> int:
        """Return how many of `_pairs` may meet within `way`; they are listed anew when they may have changed."""
        if 2.0 * (self._gone + way) <= self._margin:
            return self._count
        engine_tables = self._tables
        self._gone, self._margin = 0.0, max(MARGIN, 2.0 * way)
        while True:
            scene, fixed = (
                (engine_tables.shapes, engine_tables.layers, engine_tables.grid),
                (engine_tables.fixed_start, engine_tables.fixed_listed),
            )
            self._count = kinematic_motion.list_pairs(self._middles_now(), *scene, fixed, self._margin, self._pairs)
            if self._count <= len(self._pairs):
                return self._count
            self._pairs = np.empty((2 * self._count, 2), np.int64)

    def _middles_now(self) -> Floats:
        cos, sin = np.cos(self.planar[:, 2]), np.sin(self.planar[:, 2])
        x, y = self._tables.centres.T
        return np.column_stack([self.planar[:, 0] + cos * x - sin * y, self.planar[:, 1] + sin * x + cos * y])

    def _states(self) -> dict[str, Floats]:
        return dict(zip(self.names, self.planar, strict=True))

    def _renew(self, states: dict[str, Floats]) -> None:
        """Make the arrays for the present bodies; new ones are at rest where their description says."""
        self._described = b""
        moving = [body for body in self._bodies.values() if body.mass > 0.0]
        fixed = [body for body in self._bodies.values() if body.mass == 0.0]
        count = len(moving)
        self.names = tuple(body.name for body in moving)
        self.planar = np.array([states.get(body.name, _at_rest(body)) for body in moving]).reshape(-1, 6)
        self.height = np.array([body.pose[2] for body in moving], np.float64)
        self._poses, self._twists, self.wrench = np.zeros((count, 7)), np.zeros((count, 6)), np.zeros((count, 6))
        self._motion = np.zeros((count, kinematic_motion.MOTION_WIDTH))
        self._tables = tables(moving, fixed, self.planar[:, :2])
        self.mass = np.array([body.mass for body in moving], np.float64)
        self.inertia = self._tables.bodies[:, 1].copy()
        self._pairs, self._count = np.empty((64 + 8 * count, 2), np.int64), 0
        self._gone, self._margin = math.inf, MARGIN
        self._before, self._elapsed = np.zeros((count, 3)), 0.0
        self.fill()


def _at_rest(body: BodySpec) -> tuple[float, ...]:
    return (*planar_pose(body), 0.0, 0.0, 0.0)


def _no_joint(joint: JointSpec) -> EngineCannot:
    return EngineCannot(
        f"{located(joint.span)}the kinematic engine has no joints; {joint.name!r} is a {joint.kind}, "
        "so choose an engine with dynamics, such as pymunk"
    )
