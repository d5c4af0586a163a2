"""The kinematic engine: bodies go where they are driven and stop at what they meet; the fastest engine but in a throng.

Source: SwarmSimX, section 2.1 (engines are chosen for what a study needs: realism, efficiency, accuracy).
"""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.engines.base import no_body, sorted_rows
from coopsim.engines.contract import BodySpec, Contacts, WorldSpec
from coopsim.engines.planar.snapshot import KINEMATIC, describe, pack, unpack
from coopsim.engines.plane.checks import check_world, checked_state
from coopsim.engines.plane.engine import PlaneEngine
from coopsim.engines.plane.footprints import FARTHEST, planar_pose
from coopsim.features.kinematic import contact as kinematic_contact
from coopsim.features.kinematic import motion as kinematic_motion
from coopsim.features.kinematic.tables import MARGIN, WorldArrays, tables
from coopsim.features.space.jointless import WithoutJoints
from coopsim.geometry import Floats, Ints
from coopsim.scene import by_name

_MOST_PARTS = 64  # of a step; beyond it one fast body would slow all others down


class KinematicEngine(WithoutJoints, PlaneEngine):
    """Moves bodies in the plane without dynamics of contact (`engines.PhysicsEngine`).

    Forces accelerate a body by its mass and moment of inertia, and the floor brakes it by its `rolling` coefficient,
    as elsewhere (a ball rolls); free motion is the reference for the other engines. Nothing pushes: a body that would
    run into another stops before it, both if they approach each other, and goes on as soon as its way is free. It may
    still turn where that meets nothing. What stands, stands until a force or a velocity of its own moves it. There is
    no rebound and there are no joints. The impulse of a contact is the momentum that the stop took away. Nothing falls:
    a body keeps its height, and bodies meet where their heights do, in layers of 0.1 m. A body that goes more than 64
    times the half of the thinnest shape, or 6.4 m, in one step may jump over things.
    """

    kind = "kinematic"
    advice = "an engine with dynamics, such as pymunk"
    abilities: frozenset[str] = frozenset()
    position_lag = 0

    _tables: WorldArrays
    _pairs: Ints
    _count: int
    _gone: float
    _margin: float

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
            BadArgument: Two bodies have one name.
        """
        bodies = sorted(world.bodies, key=lambda body: by_name(body.name))
        check_world(world, bodies, self.kind)
        for joint in world.joints:
            self.add_joint(joint)
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
            raise self._wild_force(wrong)

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

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere.

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, planar = checked_state(rows, planar, len(self.names))
        self.planar[rows] = planar
        self._is_stale, self._elapsed = True, 0.0
        self._gone = math.inf

    def add_all(self, bodies: Sequence[BodySpec]) -> None:
        """Add bodies, all or none; they get the last rows, in this order.

        Raises:
            EngineCannot: The engine cannot represent one of them; the text begins with its span.
            BadArgument: There is a body of such a name.
        """
        self._check_all(bodies, set(self._bodies))
        self._bodies.update((body.name, body) for body in bodies)
        self._renew(self._states())

    def remove(self, name: str) -> None:
        """Remove a body; later rows move up by one.

        Raises:
            NoSuchName: There is no body of this name.
        """
        if name not in self._bodies:
            raise no_body(name)
        del self._bodies[name]
        self._renew(self._states())

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
        order = np.array(sorted_rows(names), np.int64)
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
