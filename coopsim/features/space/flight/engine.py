"""The flight engine: rigid bodies in free flight as one compiled kernel, five times as fast as an engine with contacts.

Source: SwarmSimX, section 2.1 (engines are chosen for what a study needs: realism, efficiency, accuracy).
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import ClassVar

import numpy as np

from coopsim.engines.base import no_body, sorted_rows
from coopsim.engines.contract import BodySpec, Contacts, WorldSpec
from coopsim.engines.plane.footprints import located
from coopsim.engines.straying import Strayed
from coopsim.errors import EngineCannot
from coopsim.features.space import kernels
from coopsim.features.space.flight import motion
from coopsim.features.space.free_flight import INTEGRATORS
from coopsim.features.space.jointless import WithoutJoints
from coopsim.features.space.snapshot import FLIGHT, EngineMark, describe, mark_of, pack, unpack
from coopsim.features.space.solid_engine import SolidEngine
from coopsim.features.space.solids import Solid, check_name, solid
from coopsim.features.space.state import SpatialState
from coopsim.geometry import Floats, Ints
from coopsim.scene import by_name


class FlightEngine(WithoutJoints, SolidEngine):
    """Moves bodies in space that meet nothing but the floor (`engines.PhysicsEngine`, and `set_spatial_state`).

    Free flight is that of the engine `mujoco`, to the last digits. Bodies pass through one another and through what is
    fixed; sensors see all of them. What comes down on the floor lies there: flat, braked by its friction, until a force
    lifts it. The floor is level and goes on beyond its edges. There are no joints and no contacts.

    Attributes:
        integrator: Name of one of `integrators`.
        holds_bolted: See `EngineMark`; that of earlier versions comes with their recordings.
    """

    kind = "flight"
    integrators: ClassVar[tuple[str, ...]] = INTEGRATORS[:2]
    integrator: str = INTEGRATORS[0]
    holds_bolted: bool = True
    advice = "the engine mujoco"
    abilities: ClassVar[frozenset[str]] = frozenset({"height", "passage"})
    undoes_steps = True  # said beside `step`, which does it: a subclass with a step of its own may not

    _before: Floats | None
    _table: Floats

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
            self.add_joint(joint)
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
            raise self._wild_force(wrong)
        # kept whole: a step that throws one body away is undone for all
        before = state.positions.copy(), state.velocities.copy()
        twists = self.twists.copy()
        is_refined = self.integrator == INTEGRATORS[0]
        for _ in range(substeps):
            motion.fly(state.positions, state.velocities, state.wrench, self._table, dt / substeps, is_refined)
        state.wrench[:] = 0.0
        astray = kernels.stray(state.positions.ravel(), state.velocities.ravel(), self._places, before[1].ravel())
        if astray >= 0:
            raise self._put_back(before, astray)
        self._before, self._elapsed = twists, dt
        self._read_planar()

    @property
    def accelerations(self) -> Floats:
        """Change of `twists` in the last step, 0 where bodies came, went or were put elsewhere since, shape (n, 6)."""
        if self._before is None:
            return np.zeros_like(self._twists)
        return (self.twists - self._before) / self._elapsed

    def contacts(self) -> Contacts:
        """Return that nothing touches."""
        return Contacts(np.empty((0, 2), np.int64), np.empty((0, 5)))

    def check(self, body: BodySpec) -> None:
        """Refuse a body that the engine cannot hold.

        Raises:
            EngineCannot: The engine cannot represent it; the text begins with its span.
        """
        solid(body, "flight")

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
        moving = [solids[body.name] for body in bodies if solids[body.name].moves]
        self._put(solids, self._state.joined(SpatialState.of(moving)) if moving else self._state)

    def remove(self, name: str) -> None:
        """Remove a body; later rows move up by one.

        Raises:
            NoSuchName: There is no body of this name.
        """
        if name not in self._solids:
            raise no_body(name)
        remaining = {key: solid for key, solid in self._solids.items() if key != name}
        self._put(
            remaining, self._state.rows_of([row for row, body_name in enumerate(self.names) if body_name != name])
        )

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        if not self._described:
            self._described = describe(solid.spec for solid in self._solids.values())
        # snapshots without such a body stay the same bytes
        mark = EngineMark(self.integrator, holds_bolted=self.holds_bolted and self._has_bolted)
        return pack(self._described, self._world, (), self._state, (FLIGHT, mark))

    def integrate_as(self, snapshot: bytes) -> None:
        """Integrate as the version that made a snapshot did; from the next snapshot that is restored on."""
        mark = mark_of(snapshot, FLIGHT)
        if mark is not None:
            self._follow_mark(mark)

    def _follow_mark(self, mark: EngineMark) -> None:
        self.integrator, self.holds_bolted = mark.integrator, mark.holds_bolted or not self._has_bolted

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit.

        Raises:
            EngineCannot: The bytes are no snapshot of this engine.
        """
        world, _, state, _, mark = unpack(snapshot, FLIGHT)
        bodies = sorted(world.bodies, key=lambda body: by_name(body.name))
        solids = {body.name: solid(body, self.kind) for body in bodies}
        order = sorted_rows(state.names)
        if [state.names[row] for row in order] != [name for name, solid in solids.items() if solid.moves]:
            raise EngineCannot(
                "this snapshot of the flight engine is damaged: its rows and its moving bodies have different names"
            )
        self._world, self._has_bolted = world, any(body.is_bolted for body in bodies)
        self._follow_mark(mark)
        self._put(solids, state.rows_of(order))

    def _put_back(self, before: tuple[Floats, Floats], row: int) -> Strayed:
        """Put everything back to before a step that failed, stop the body that is to blame, and return what to say."""
        speed = float(np.abs(self._state.velocities[row, :3]).max())
        self._state.positions[:], self._state.velocities[:] = before
        self._state.velocities[row], self._before = 0.0, None
        self._read_planar()
        return self._stopped(row, f"it would have gone astray, at {speed:.3g} m/s")

    def _let_follow(self, _rows: Ints) -> None:
        """Go on from where bodies were put."""
        self._before = None
        self._read_planar()

    def _put(self, solids: Mapping[str, Solid], state: SpatialState) -> None:
        """Take bodies that have all been checked."""
        self._before, self._elapsed = None, 0.0
        moving = self._hold(solids, state)
        self._has_bolted = any(solid.spec.is_bolted for solid in moving)
        self._table = _table(moving, holds_bolted=self.holds_bolted)
        state.forbid_rest(False for _ in moving)
        self._read_planar()
        self.fill()


def _table(solids: Iterable[Solid], *, holds_bolted: bool) -> Floats:
    """Return what the kernel knows of each body, shape (n, motion.WIDTH)."""
    rows = [
        (
            np.inf if holds_bolted and solid.spec.is_bolted else solid.spec.mass,
            solid.spec.rolling,
            *solid.centre,
            *solid.inertia.ravel(),
            *np.linalg.inv(solid.inertia).ravel(),
        )
        for solid in solids
    ]
    return np.array(rows, np.float64).reshape(-1, motion.WIDTH)
