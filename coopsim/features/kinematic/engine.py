"""The kinematic engine: bodies go where they are driven and stop at what they meet; the fastest engine but in a throng.

Source: SwarmSimX, section 2.1 (engines are chosen for what a study needs: realism, efficiency, accuracy).
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np

from coopsim.engines.base import no_body, sorted_rows
from coopsim.engines.contract import BodySpec, Contacts, StepCalls, WorldSpec
from coopsim.engines.planar.snapshot import KINEMATIC, describe, pack, unpack
from coopsim.engines.plane.checks import check_world, checked_state
from coopsim.engines.plane.engine import PlaneEngine
from coopsim.engines.plane.footprints import FARTHEST, grip, planar_pose
from coopsim.engines.plane.kernels import to_poses
from coopsim.errors import EngineCannot
from coopsim.features.kinematic import contact as kinematic_contact
from coopsim.features.kinematic import motion as kinematic_motion
from coopsim.features.kinematic.stepping import (
    ALL_RIGHT,
    COUNT,
    GONE,
    Scene,
    near_pairs,
    step_bodies,
    write_accelerations,
)
from coopsim.features.kinematic.tables import MARGIN, WorldArrays, tables
from coopsim.features.space.jointless import WithoutJoints
from coopsim.geometry import Floats, Ints
from coopsim.kernels.sequence import KernelCall
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
    _scene: Scene
    _pairs: Ints
    _listing: Floats
    _lasted: Floats

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
        call = self._step_call(dt, substeps)
        wrong = call.kernel(*call.arguments)
        self._note(dt)
        if wrong != ALL_RIGHT:
            raise self._wild_force(wrong)

    def step_calls(self, dt: float) -> StepCalls:
        """Return what `step` comes to while no body comes or goes."""
        return StepCalls((self._step_call(dt, 1),), partial(self._note, dt), partial(self._refusal, dt))

    def motion_calls(self, accelerations: Floats | None = None) -> tuple[KernelCall, ...]:
        """Return what brings `poses` and `twists` up to date, then what writes accelerations if they are asked for.

        Args:
            accelerations: Those of a step that was made, written, shape (n, 6).
        """
        filling = KernelCall(to_poses, (self.planar, self.height, self._poses, self._twists))
        if accelerations is None:
            return (filling,)
        motion = self.planar, self._before, self._lasted, accelerations
        return filling, KernelCall(write_accelerations, motion)

    def _step_call(self, dt: float, parts: int) -> KernelCall:
        """Return the call that a step of `dt` [s] in so many equal parts is."""
        moving = self.planar, self._motion, self.wrench, self._before
        # a look no longer than the lists of what is near are good for
        limits = min(self._tables.thinnest, 0.5 * MARGIN), MARGIN, FARTHEST, _MOST_PARTS
        arguments = moving, self._scene, (self._listing, self._pairs), limits, dt / parts, parts
        return KernelCall(step_bodies, arguments, expects=ALL_RIGHT)

    def _note(self, dt: float) -> None:
        """Note that a step of `dt` [s] was made, and make room where pairs found none."""
        self._is_stale, self._elapsed, self._lasted[0] = True, dt, dt
        if self._listing[COUNT] > len(self._pairs):
            self._pairs = np.empty((2 * int(self._listing[COUNT]), 2), np.int64)
            self._listing[GONE] = math.inf
            self.planar = self.planar[:]  # another array: calls that hold the old pairs are made anew

    def _refusal(self, dt: float, row: int) -> EngineCannot:
        """Return why a step was not made for a body; the others have moved."""
        self._note(dt)
        return self._wild_force(row)

    def contacts(self) -> Contacts:
        """Return what touches after the last step, sorted by rows; a fixed body is always the second."""
        pairs = near_pairs(self.planar, self._scene, (self._listing, self._pairs), MARGIN, 0.0)
        rows, points = np.empty((len(pairs), 2), np.int64), np.empty((len(pairs), 5))
        arrays = self.planar, self._middles_now(), self._motion, self._tables.shapes, pairs
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
        self._listing[GONE] = math.inf

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
        self._listing[GONE] = math.inf
        self.wrench[:] = wrench[order]

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
        self.floor_grip = np.array([grip(body) for body in moving], np.float64)
        self._pairs, self._listing = np.empty((64 + 8 * count, 2), np.int64), np.array([math.inf, MARGIN, 0.0])
        lists = self._tables.fixed_start, self._tables.fixed_listed
        self._scene = self._tables.bodies, self._tables.shapes, self._tables.layers, self._tables.grid, lists
        self._before, self._elapsed, self._lasted = np.zeros((count, 3)), 0.0, np.ones(1)
        self.fill()


def _at_rest(body: BodySpec) -> tuple[float, ...]:
    return (*planar_pose(body), 0.0, 0.0, 0.0)
