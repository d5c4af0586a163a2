"""The flight engine: rigid bodies in free flight as one compiled kernel, five times as fast as an engine with contacts.

Source: SwarmSimX, section 2.1 (engines are chosen for what a study needs: realism, efficiency, accuracy).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from coopsim.engines.contract import BodySpec, Contacts, JointSpec, WorldSpec
from coopsim.engines.plane.checks import checked_state
from coopsim.engines.plane.footprints import located
from coopsim.engines.straying import Strayed
from coopsim.errors import EngineCannot, NoSuchName
from coopsim.features.space import kernels
from coopsim.features.space.flight import motion
from coopsim.features.space.snapshot import FLIGHT, describe, pack, unpack
from coopsim.features.space.solids import Solid, check_name, solid
from coopsim.features.space.state import SpatialState, checked_poses
from coopsim.geometry import Floats, Ints
from coopsim.kernels.constants import STRONGEST
from coopsim.scene import by_name


class FlightEngine:
    """Moves bodies in space that meet nothing but the floor (`engines.PhysicsEngine`, and `place`).

    Free flight is that of the engine `mujoco`, to the last digits. Bodies pass through one another and through what is
    fixed; sensors see all of them. What comes down on the floor lies there: flat, braked by its friction, until a force
    lifts it. The floor is level and goes on beyond its edges. There are no joints and no contacts.
    """

    abilities: ClassVar[frozenset[str]] = frozenset({"height", "passage"})
    position_lag = 0
    undoes_steps = True

    names: Sequence[str]
    planar: Floats
    height: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats
    joints: Sequence[str] = ()
    joint_position = joint_velocity = joint_effort = joint_inertia = np.zeros(0)
    joint_limits = np.zeros((0, 2))

    _before: Floats | None
    _described: bytes
    _poses: Floats
    _twists: Floats
    _centres: Floats
    _places: Ints
    _is_stale: bool
    _table: Floats
    _elapsed: float

    def __init__(self, world: WorldSpec) -> None:
        self.rebuild(world)

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
            BadArgument: Two bodies have one name.
        """
        # the kernel holds bodies at z = 0 without a normal
        if any(world.floor_orientation[:2]):
            raise EngineCannot(f"{located(world.floor_span)}the flight engine knows a level floor only")
        for joint in world.joints:
            raise _no_joint(joint)
        solids: dict[str, Solid] = {}
        for body in sorted(world.bodies, key=lambda body: by_name(body.name)):
            check_name(body, solids)
            solids[body.name] = solid(body, "flight")
        self._world = world
        self._put(solids, SpatialState.of(solid for solid in solids.values() if solid.moves))

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts.

        Raises:
            EngineCannot: A wrench is not finite or absurdly large; or a body went astray: all are where they were
                before this step then, and that body stands still.
        """
        state = self._state
        wrong = kernels.wake(state.wrench, state.rest)
        if wrong >= 0:
            state.wrench[:] = 0.0
            raise EngineCannot(
                f"the force on body {self.names[wrong]!r} is not a finite number below {STRONGEST:g}; one of the "
                "devices of this robot wrote it"
            )
        # kept whole: a step that throws one body away is undone for all
        before = state.positions.copy(), state.velocities.copy()
        twists = self.twists.copy()
        for _ in range(substeps):
            motion.fly(state.positions, state.velocities, state.wrench, self._table, dt / substeps)
        state.wrench[:] = 0.0
        astray = kernels.stray(state.positions.ravel(), state.velocities.ravel(), self._places, before[1].ravel())
        if astray >= 0:
            raise self._put_back(before, astray)
        self._before, self._elapsed = twists, dt
        self._look()

    def check_step(self, dt: float) -> None:
        """Make every step there may be."""

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
        if self._before is None:
            return np.zeros_like(self._twists)
        return (self.twists - self._before) / self._elapsed

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date; whoever reads them has it done."""
        self._is_stale = False
        kernels.to_poses(*self._numbers(), self._centres, self._poses, self._twists)

    def contacts(self) -> Contacts:
        """Return that nothing touches."""
        return Contacts(np.empty((0, 2), np.int64), np.empty((0, 5)))

    def joint_state(self) -> Floats:
        """Return nothing, shape (0, 6): there are no joints."""
        return np.zeros((0, 6))

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere; they keep their height and how they are tilted, and neither fall nor tumble.

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, planar = checked_state(rows, planar, len(self.names))
        self._state.put_planar(rows, planar, self._centres)
        self._before = None
        self._look()

    def place(self, rows: Ints, poses: Floats, twists: Floats) -> None:
        """Put bodies elsewhere in space.

        Args:
            rows: Shape (k,).
            poses: As `poses`, shape (k, 7).
            twists: As `twists`, shape (k, 6).

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, poses, twists = checked_poses(rows, poses, twists, len(self.names))
        self._state.put(rows, poses, twists, self._centres)
        self._before = None
        self._look()

    def check(self, body: BodySpec) -> None:
        """Refuse a body that the engine cannot hold.

        Raises:
            EngineCannot: The engine cannot represent it; the text begins with its span.
        """
        solid(body, "flight")

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
        solids = dict(self._solids)
        for body in bodies:
            added = solid(body, "flight")
            check_name(body, solids)
            solids[body.name] = added
        moving = [each for body in bodies if (each := solids[body.name]).moves]
        self._put(solids, self._state.joined(SpatialState.of(moving)) if moving else self._state)

    def remove(self, name: str) -> None:
        """Remove a body; later rows move up by one.

        Raises:
            NoSuchName: There is no body of this name.
        """
        if name not in self._solids:
            raise NoSuchName(f"there is no body named {name!r}")
        remaining = {key: solid for key, solid in self._solids.items() if key != name}
        self._put(remaining, self._state.taken([row for row, body_name in enumerate(self.names) if body_name != name]))

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
        raise NoSuchName(f"there is no joint named {name!r}; the flight engine has none")

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        if not self._described:
            self._described = describe(solid.spec for solid in self._solids.values())
        return pack(self._described, self._world, (), self._state, FLIGHT)

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit.

        Raises:
            EngineCannot: The bytes are no snapshot of this engine.
        """
        world, _, state, _ = unpack(snapshot, FLIGHT)
        solids = {body.name: solid(body, "flight") for body in sorted(world.bodies, key=lambda it: by_name(it.name))}
        order = sorted(range(len(state.names)), key=lambda row: by_name(state.names[row]))
        if [state.names[row] for row in order] != [name for name, solid in solids.items() if solid.moves]:
            raise EngineCannot("this snapshot of the flight engine is damaged: its rows are not those of its bodies")
        self._world = world
        self._put(solids, state.taken(order))

    def _put_back(self, before: tuple[Floats, Floats], row: int) -> Strayed:
        """Put everything back to before a step that failed, stop the body that is to blame, and return what to say."""
        speed = float(np.abs(self._state.velocities[row, :3]).max())
        self._state.positions[:], self._state.velocities[:] = before
        self._state.velocities[row], self._before = 0.0, None
        self._look()
        why = f"it would have gone astray, at {speed:.3g} m/s"
        return Strayed(f"body {self.names[row]!r} is stopped, and nothing moved in this tick: {why}")

    def _put(self, solids: Mapping[str, Solid], state: SpatialState) -> None:
        """Take bodies that have all been checked."""
        self._solids, self._state, self._described = dict(solids), state, b""
        self._before, self._elapsed = None, 0.0
        moving = [solids[name] for name in state.names]
        count = len(moving)
        self.names, self.wrench = state.names, state.wrench
        self.mass = np.array([it.spec.mass for it in moving], np.float64)
        self.inertia = np.array([it.inertia[2, 2] for it in moving], np.float64)
        self._centres = np.array([it.centre for it in moving], np.float64).reshape(-1, 3)
        self._table = _table(moving)
        self._places = np.column_stack([7 * np.arange(count), 6 * np.arange(count)])
        self.planar, self.height = np.zeros((count, 6)), np.zeros(count)
        self._poses, self._twists = np.zeros((count, 7)), np.zeros((count, 6))
        state.forbid_rest(False for _ in moving)
        self._look()
        self.fill()

    def _numbers(self) -> tuple[Floats, Floats, Ints]:
        return self._state.positions.ravel(), self._state.velocities.ravel(), self._places

    def _look(self) -> None:
        """Bring `planar` and `height` up to date."""
        self._is_stale = True
        kernels.read_planar(*self._numbers(), self._centres, self.planar, self.height)


def _table(solids: Iterable[Solid]) -> Floats:
    """Return what the kernel knows of each body, shape (n, motion.WIDTH)."""
    rows = [
        (
            solid.spec.mass,
            solid.spec.rolling,
            *solid.centre,
            *solid.inertia.ravel(),
            *np.linalg.inv(solid.inertia).ravel(),
        )
        for solid in solids
    ]
    return np.array(rows, np.float64).reshape(-1, motion.WIDTH)


def _no_joint(joint: JointSpec) -> EngineCannot:
    return EngineCannot(
        f"{located(joint.span)}the flight engine has no joints; {joint.name!r} is a {joint.kind}, so choose the engine "
        "mujoco"
    )
