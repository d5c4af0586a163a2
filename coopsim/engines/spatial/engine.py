"""The MuJoCo engine: rigid bodies in space, with gravity, on a floor that has no end.

Source: measured on MuJoCo 4.0; forces as generalised forces, never as actuators, whose cost grows with the square of
their number.
"""

from collections.abc import Container, Mapping, Sequence
from typing import ClassVar

import numpy as np

from coopsim.engines.contract import BodySpec, Contacts, JointSpec, WorldSpec
from coopsim.engines.joint_checks import check_joint, check_joints
from coopsim.engines.plane.checks import checked_state
from coopsim.engines.plane.footprints import located
from coopsim.engines.rotations import matrix
from coopsim.engines.spatial import kernels
from coopsim.engines.spatial.contacts import touching
from coopsim.engines.spatial.joints import Readout, SpatialJoint, ends, held
from coopsim.engines.spatial.model import Model, build
from coopsim.engines.spatial.slides import Mover, lock
from coopsim.engines.spatial.snapshot import describe, pack, unpack
from coopsim.engines.spatial.solids import Solid, solid
from coopsim.engines.spatial.state import SpatialState, checked_poses
from coopsim.engines.spatial.step import advance, pull, push, solve
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.geometry import Floats, Ints
from coopsim.kernels.constants import GRAVITY, STRONGEST
from coopsim.scene import by_name

MOST_BODIES = 10_000
_DOWN = np.array([0.0, 0.0, -GRAVITY])
_LINEAR = np.arange(3)
LONGEST_STEP = 0.05
"""From here on bodies sink into the floor, and those that touch are thrown away [s]; measured."""


class MujocoEngine:
    """Moves bodies in space (`engines.PhysicsEngine`, and `place`).

    Robots on wheels stand on three feet without friction, under a chassis that clears the floor; a wheel servo
    drives them as on a planar engine. A robot that stands still on a level floor and touches nothing rests: it is
    held by its weight, as its feet would, and its contacts are left out. Velocities and forces belong to the
    centre of mass. The floor is not one of the contacts, and goes on beyond its edges.

    MuJoCo's models cannot grow, so bodies and joints that come or go make a new one before the next step.
    """

    abilities: ClassVar[frozenset[str]] = frozenset({"dynamics", "joints", "height"})
    position_lag = 0

    names: Sequence[str]
    planar: Floats
    height: Floats
    poses: Floats
    twists: Floats
    wrench: Floats
    mass: Floats
    inertia: Floats
    joints: Sequence[str]

    _model: Model | None
    _described: bytes
    _centres: Floats
    _weight: Floats
    _down: Ints

    def __init__(self, world: WorldSpec) -> None:
        self.rebuild(world)

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
            BadArgument: Two bodies or joints have one name, or a joint joins what cannot be joined.
            NoSuchName: A joint joins a body that is not there.
        """
        solids = _solids(world)
        check_joints(world.joints, {name: it.spec for name, it in solids.items()})
        poses = {name: it.spec.pose for name, it in solids.items()}
        joints = sorted(world.joints, key=lambda joint: by_name(joint.name))
        holds = {joint.name: held(joint, poses[joint.a], poses[joint.b]) for joint in joints}
        self._part = 0.0
        self._put(world, solids, holds, SpatialState.of(it for it in solids.values() if it.moves))
        self._state.judge(range(len(self.names)), self._centres)
        self._ready()

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts.

        Raises:
            EngineCannot: A wrench is not finite or absurdly large; or a body went astray: all are where they were
                before this step then, and that body stands still.
        """
        world, state = self._ready(), self._state
        wrong = kernels.wake(state.wrench, state.rest)
        if wrong >= 0:
            state.wrench[:] = 0.0
            raise EngineCannot(
                f"the force on body {self.names[wrong]!r} is not a finite number below {STRONGEST:g}; "
                "one of the devices of this robot wrote it"
            )
        self._part = dt / substeps
        before = world.qpos.copy(), world.qvel.copy()
        problem = self._try(world, substeps)
        state.wrench[:] = 0.0
        astray = kernels.stray(world.qpos, world.qvel, world.places, before[1])
        if problem or astray >= 0:
            raise self._put_back(world, before, max(astray, 0), problem)
        self._is_solved = True
        self._look()

    def check_step(self, dt: float) -> None:
        """Say so now, if a step of `dt` [s] is too long: contacts would be missed, and throw bodies away.

        Raises:
            EngineCannot: It is.
        """
        if dt > LONGEST_STEP + 1e-12:
            raise EngineCannot(
                f"the mujoco engine makes steps of up to {LONGEST_STEP:g} s, got {dt:g} s; choose a smaller step, or "
                "an engine in the plane"
            )

    def _try(self, world: Model, substeps: int) -> str:
        """Make a step; return why MuJoCo gives up, if it does."""
        try:
            for _ in range(substeps):
                solve(world, self._state, self._weight, self._down, self._part)
                advance(world, self._state, self._down)
        except EngineCannot as problem:
            return str(problem)
        return ""

    def _put_back(self, world: Model, before: tuple[Floats, Floats], row: int, problem: str) -> EngineCannot:
        """Put everything back to before a step that failed, stop the body that is to blame, and return what to say."""
        name, speed = self.names[row], float(np.abs(world.qvel[world.places[row, 1] + _LINEAR]).max())
        world.qpos[:], world.qvel[:] = before
        world.qvel[world.places[row, 1] + np.arange(6)] = 0.0
        world.pushes[:] = 0.0
        self._is_solved = False
        self._look()
        why = problem or f"it would have gone astray, at {speed:.3g} m/s"
        return EngineCannot(f"body {name!r} is stopped, and nothing moved in this tick: {why}")

    def fill(self) -> None:
        """Bring `poses` and `twists` up to date."""
        kernels.to_poses(*self._numbers(), self._centres, self.poses, self.twists)

    def contacts(self) -> Contacts:
        """Return what touched in the last step but the floor, sorted by rows; a fixed body is always the second."""
        return touching(self._solved(), self._part)

    def joint_state(self) -> Floats:
        """Return what the joints did in the last step, shape (j, 6); see `engines.PhysicsEngine`."""
        world = self._solved()
        self._pull()
        self.fill()
        forces = world.data.efc_force if self._is_solved else np.zeros(0)
        accelerations = world.data.qacc[world.places[:, 1:] + _LINEAR]
        return self._readout.read(self.poses, forces, accelerations, _DOWN)

    def set_state(self, rows: Ints, planar: Floats) -> None:
        """Put bodies elsewhere; they keep their height and how they are tilted, and neither fall nor tumble.

        Raises:
            BadArgument: A row that does not exist, or a value that is not finite or out of range.
        """
        rows, planar = checked_state(rows, planar, len(self.names))
        self._pull()
        self._state.put_planar(rows, planar, self._centres)
        self._let_follow(rows)

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
        self._pull()
        self._state.put(rows, poses, twists, self._centres)
        self._state.judge(rows.tolist(), self._centres)
        self._let_follow(rows)

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
            added = solid(body, "mujoco")
            _check_name(body, solids)
            _check_count(len(solids) + 1)
            solids[body.name] = added
        moving = [each for body in bodies if (each := solids[body.name]).moves]
        self._pull()
        state = self._state.joined(SpatialState.of(moving)) if moving else self._state
        self._put(self._world, solids, self._holds, state)
        if moving:
            self._state.judge(range(len(self.names) - len(moving), len(self.names)), self._centres)

    def remove(self, name: str) -> None:
        """Remove a body and its joints; later rows move up by one.

        Raises:
            NoSuchName: There is no body of this name.
        """
        if name not in self._solids:
            raise NoSuchName(f"there is no body named {name!r}")
        self._pull()
        others = {key: it for key, it in self._solids.items() if key != name}
        holds = {key: it for key, it in self._holds.items() if name not in (it.spec.a, it.spec.b)}
        rows = [row for row, each in enumerate(self.names) if each != name]
        self._put(self._world, others, holds, self._state.taken(rows))

    def add_joint(self, joint: JointSpec) -> None:
        """Join two bodies where they are now; it gets the last row of `joint_state`.

        Raises:
            EngineCannot: An unknown kind.
            BadArgument: A joint of this name is there, or a number is out of range.
            NoSuchName: It joins a body that is not there.
        """
        check_joint(joint, {name: it.spec for name, it in self._solids.items()}, self._holds)
        self._pull()
        self.fill()
        poses: Mapping[str, Sequence[float]] = dict(zip(self.names, self.poses.tolist(), strict=True))
        a, b = (poses.get(name, self._solids[name].spec.pose) for name in (joint.a, joint.b))
        made = held(joint, a, b)
        if joint.kind == "slide":
            made.carriage[1, 0] = self._lock(joint)
        self._put(self._world, self._solids, {**self._holds, joint.name: made}, self._state)

    def _lock(self, joint: JointSpec) -> float:
        """Stop what moves across a new slide; return how fast its rider moves along it [m/s]."""
        rail, rider = ends(joint, self._solids)
        movers = self._mover(rail), self._mover(rider)
        axis = np.array(joint.axis, np.float64)
        speed = lock(*movers, axis / np.linalg.norm(axis))
        for name, it in zip((rail, rider), movers, strict=True):
            if self._solids[name].moves:
                row = self.names.index(name)
                turn = matrix(self._state.positions[row, 3:].tolist())
                self._state.velocities[row] = (*it.velocity, *(turn.T @ it.turning))
        return speed

    def _mover(self, name: str) -> Mover:
        solid = self._solids[name]
        if not solid.moves:
            return Mover(np.array(solid.spec.pose[:3]), np.zeros(3), np.zeros(3), 0.0, np.zeros((3, 3)))
        row = self.names.index(name)
        turn, speeds = matrix(self._state.positions[row, 3:].tolist()), self._state.velocities[row]
        ease = turn @ np.linalg.inv(solid.inertia) @ turn.T
        place = self._state.positions[row, :3].copy()
        return Mover(place, speeds[:3].copy(), turn @ speeds[3:], 1.0 / solid.spec.mass, ease)

    def remove_joint(self, name: str) -> None:
        """Let two bodies go.

        Raises:
            NoSuchName: There is no joint of this name.
        """
        if name not in self._holds:
            raise NoSuchName(f"there is no joint named {name!r}")
        self._pull()
        holds = {key: it for key, it in self._holds.items() if key != name}
        self._put(self._world, self._solids, holds, self._state)

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        self._pull()
        if not self._described:
            self._described = describe(it.spec for it in self._solids.values())
        return pack(self._described, self._world, self._holds.values(), self._state)

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back; all continuations of a snapshot are the same bit by bit.

        Raises:
            EngineCannot: The bytes are no snapshot of this engine.
        """
        world, joints, state = unpack(snapshot)
        solids = _solids(world)
        order = sorted(range(len(state.names)), key=lambda row: by_name(state.names[row]))
        holds = {it.spec.name: it for it in sorted(joints, key=lambda it: by_name(it.spec.name))}
        if [state.names[row] for row in order] != [name for name, it in solids.items() if it.moves]:
            raise EngineCannot("this snapshot of the mujoco engine is damaged: its rows are not those of its bodies")
        self._part = 0.0
        self._put(world, solids, holds, state.taken(order))
        self._ready()

    def _put(
        self, world: WorldSpec, solids: Mapping[str, Solid], holds: Mapping[str, SpatialJoint], state: SpatialState
    ) -> None:
        """Take a world whose parts have all been checked."""
        self._world, self._solids, self._holds, self._state = world, dict(solids), dict(holds), state
        self._described, self._model, self._is_solved = b"", None, False
        moving = [self._solids[name] for name in state.names]
        count = len(moving)
        self.names, self.joints, self.wrench = state.names, tuple(holds), state.wrench
        self.mass = np.array([it.spec.mass for it in moving], np.float64)
        self.inertia = np.array([it.inertia[2, 2] for it in moving], np.float64)
        self._weight = GRAVITY * self.mass
        self._centres = np.array([it.centre for it in moving], np.float64).reshape(-1, 3)
        self._own_places = np.column_stack([7 * np.arange(count), 6 * np.arange(count)])
        self.planar, self.height = np.zeros((count, 6)), np.zeros(count)
        self.poses, self.twists = np.zeros((count, 7)), np.zeros((count, 6))
        self._down = np.zeros(count, np.int64)
        self._readout = Readout(tuple(holds.values()), self._solids, {name: row for row, name in enumerate(self.names)})
        self._forbid_rest(moving)
        self._look()
        self.fill()

    def _forbid_rest(self, moving: Sequence[Solid]) -> None:
        """Note who never rests: whatever has no feet, or is joined to something, or all where the floor is tilted."""
        phi, psi, _ = self._world.floor_orientation
        joined = {name for it in self._holds.values() for name in (it.spec.a, it.spec.b)}
        for row, it in enumerate(moving):
            may = it.spec.wheeled and it.spec.name not in joined and phi == psi == 0.0
            self._state.rest[row] = max(0, self._state.rest[row]) if may else kernels.NEVER

    def _ready(self) -> Model:
        """Return the model of the present world."""
        if self._model is None:
            floor = self._world.floor_friction, self._world.floor_orientation
            self._model = build(self._solids, self.names, tuple(self._holds.values()), *floor)
            push(self._model, self._state, self._holds.values())
        return self._model

    def _pull(self) -> None:
        """Read what moves out of the model."""
        if self._model is not None:
            pull(self._model, self._state, self._holds.values())

    def _solved(self) -> Model:
        """Return the model with contacts and forces of the last step, found again where it was made anew since."""
        world = self._ready()
        if not self._is_solved and self._part > 0.0:
            solve(world, self._state, self._weight, self._down, self._part)
            self._is_solved = True
        return world

    def _let_follow(self, rows: Ints) -> None:
        """Go on from where bodies were put; carriages stay where they are on them, at rest."""
        moved = {self.names[row] for row in rows.tolist()}
        for it in self._holds.values():
            if moved & {it.spec.a, it.spec.b}:
                it.carriage[1:] = 0.0
        if self._model is not None:
            push(self._model, self._state, self._holds.values())
            self._is_solved = False
        self._look()

    def _numbers(self) -> tuple[Floats, Floats, Ints]:
        """Return positions, velocities and where each body's begin."""
        world, state = self._model, self._state
        if world is None:
            return state.positions.ravel(), state.velocities.ravel(), self._own_places
        return world.qpos, world.qvel, world.places

    def _look(self) -> None:
        """Bring `planar` and `height` up to date."""
        kernels.read_planar(*self._numbers(), self._centres, self.planar, self.height)


def _solids(world: WorldSpec) -> dict[str, Solid]:
    """Return the bodies of a world in sorted order of their names."""
    _check_count(len(world.bodies))
    solids: dict[str, Solid] = {}
    for body in sorted(world.bodies, key=lambda body: by_name(body.name)):
        _check_name(body, solids)
        solids[body.name] = solid(body, "mujoco")
    return solids


def _check_name(body: BodySpec, taken: Container[str]) -> None:
    if body.name in taken:
        raise BadArgument(f"{located(body.span)}there is already a body named {body.name!r}")


def _check_count(count: int) -> None:
    if count > MOST_BODIES:
        raise EngineCannot(f"the mujoco engine holds at most {MOST_BODIES} bodies, got {count}")
