"""The MuJoCo engine: rigid bodies in space, with gravity, on a floor that has no end.

Source: measured on MuJoCo 4.0; forces as generalised forces, never as actuators, whose cost grows with the square of
their number.
"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import ClassVar

import numpy as np

from coopsim.engines.base import no_body
from coopsim.engines.contract import BodySpec, Contacts, JointSpec, StepCalls, WorldSpec
from coopsim.engines.joint_checks import check_followers, check_joint, check_joints
from coopsim.engines.straying import Strayed
from coopsim.errors import EngineCannot, NoSuchName
from coopsim.features.space import kernels
from coopsim.features.space.axes import SpatialAxes, follow_all
from coopsim.features.space.binding import complaints
from coopsim.features.space.chains import check_chains, mark_surfaces
from coopsim.features.space.compiled_step import StepArrays, StepOutcome
from coopsim.features.space.contacts import touching
from coopsim.features.space.dynamics import resistances
from coopsim.features.space.free_flight import INTEGRATORS
from coopsim.features.space.grips import SpatialJoint, held
from coopsim.features.space.joint_calls import MotorAnswers, motion_calls_of
from coopsim.features.space.joints import Readout
from coopsim.features.space.link_forces import CONTACT_WIDTH, contact_forces, joint_wrenches
from coopsim.features.space.model import Model, build, check_size
from coopsim.features.space.slides import stop_across
from coopsim.features.space.snapshot import MUJOCO, EngineMark, describe, mark_of, pack, unpack_sorted
from coopsim.features.space.solid_engine import SolidEngine
from coopsim.features.space.solids import Solid, most_bodies, solid_or_node, solids_of, with_more
from coopsim.features.space.springs import SpatialSprings
from coopsim.features.space.state import SpatialState
from coopsim.features.space.step import (
    Steps,
    check_length,
    pull,
    push,
    solve,
    steps_of,
    undo,
    why_it_gave_up,
    wild,
)
from coopsim.features.space.step_kernels import BAD_EFFORT, BAD_WRENCH, MADE
from coopsim.geometry import Floats, Ints
from coopsim.kernels.constants import GRAVITY
from coopsim.kernels.sequence import KernelCall
from coopsim.scene import by_name

_DOWN = np.array([0.0, 0.0, -GRAVITY])


class MujocoEngine(MotorAnswers, SolidEngine):
    """Moves bodies in space (`engines.PhysicsEngine`, and `set_spatial_state`).

    Robots on wheels stand on three feet without friction, under a chassis that clears the floor; a wheel servo
    drives them as on a planar engine. A robot that stands still on a level floor and touches nothing rests: it is
    held by its weight, as its feet would, and its contacts are left out. Velocities and forces belong to the
    centre of mass. The floor is not one of the contacts, and goes on beyond its edges.

    Nodes of cloths and soft bodies are bodies that do not turn; what touches those touches their nodes.

    MuJoCo's models cannot grow, so bodies and joints that come or go make a new one before the next step.

    Attributes:
        integrator: Name of one of `integrators`.
        substeps: Parts of each step, which `step` is told.
        weighs_once, is_loose, is_together, is_coupled, is_grounded, is_rubbing, is_catching: See `EngineMark`; those
            of earlier versions come with snapshots.
    """

    kind = "mujoco"
    most_bodies = most_bodies()
    integrators: ClassVar[tuple[str, ...]] = INTEGRATORS
    integrator: str = INTEGRATORS[0]
    substeps: ClassVar[int] = 1
    weighs_once: bool = True
    is_loose: bool = True
    is_together: bool = True
    is_coupled: bool = True
    is_grounded: bool = True
    is_rubbing: bool = True
    is_catching: bool = True
    abilities: ClassVar[frozenset[str]] = frozenset({"dynamics", "joints", "springs", "motors", "height", "soft"})
    undoes_steps = True  # said beside `step`, which does it: a subclass with a step of its own may not

    _model: Model | None
    _before: tuple[Floats, Floats] | None
    _weight: Floats
    _down: Ints
    _steps: Steps

    def rebuild(self, world: WorldSpec) -> None:
        """Forget everything and build `world` in sorted order of the names.

        Raises:
            EngineCannot: The engine cannot represent a part; the text begins with the part's span.
            BadArgument: Two bodies or joints have one name, or a joint joins what cannot be joined.
            NoSuchName: A joint joins a body that is not there.
        """
        solids = solids_of(world)
        check_joints(world.joints, {name: solid.spec for name, solid in solids.items()})
        check_chains(world.joints)
        poses = {name: solid.spec.pose for name, solid in solids.items()}
        joints = sorted(world.joints, key=lambda joint: by_name(joint.name))
        holds = {joint.name: held(joint, poses[joint.a], poses[joint.b]) for joint in joints}
        self._part, self._lasted = 0.0, np.zeros(1)
        self._put(world, solids, holds, SpatialState.of(solid for solid in solids.values() if solid.moves))
        self._state.judge(range(len(self.names)), self._centres)
        self._ready()

    def step(self, dt: float, substeps: int = 1) -> None:
        """Advance by `dt` seconds in `substeps` equal parts.

        Raises:
            EngineCannot: A wrench is not finite or absurdly large; or a body went astray: all are where they were
                before this step then, and that body stands still.
        """
        world, parts = self._ready(), substeps * self._springs.parts(dt / substeps)
        self._part = self._arrays.part[0] = world.option.timestep = dt / parts
        self._lasted[0] = dt
        outcome = self._steps.make(parts)
        if outcome.kind != MADE or complaints:
            raise self._refusal(outcome)
        self._note(dt)

    def _note(self, dt: float) -> None:
        """Note that a step of `dt` [s] was made."""
        self._is_solved = self._is_stale = True
        self._before, self._elapsed = self._steps.before, dt
        self._axes.forget()

    def _refusal(self, outcome: StepOutcome) -> EngineCannot:
        """Return why a step was not made; everything is as it was before."""
        if outcome.kind in (BAD_WRENCH, BAD_EFFORT):
            return wild(outcome, self.names, self.joints)
        return self._put_back(self._ready(), self._steps.kept, outcome.which, why_it_gave_up())

    def check_step(self, dt: float) -> None:
        """Refuse a step of `dt` [s] that throws bodies away, or that something is too stiff for (`EngineCannot`)."""
        check_length(dt)
        self._springs.parts(dt)

    def contact_step(self, dt: float) -> float:
        """Return the length of the step by which motors reckon with contacts in one of `dt` [s] [s]."""
        part = dt / self.substeps / self._springs.parts(dt / self.substeps)
        # efforts hold for the whole step, contacts answer in each part of it: by either alone legs of 0.7 kg shake
        return part if part == dt else float(np.sqrt(part * dt))

    def step_calls(self, dt: float) -> StepCalls | None:
        """Return what `step` comes to while no body or joint comes or goes; None where it is made from Python."""
        parts = self._springs.parts(dt)
        self._part = self._ready().option.timestep = self._arrays.part[0] = dt / parts
        self._lasted[0] = dt
        call = self._steps.step_call(parts)
        whole = partial(self._note, dt), lambda _: self._refusal(self._steps.outcome())
        return None if call is None else StepCalls((call,), *whole)

    def motion_calls(self, accelerations: Floats | None = None) -> tuple[KernelCall, ...]:
        """Return what brings `poses` and `twists` up to date, then what writes accelerations, see `motion_calls_of`."""
        motion, step = (self._poses, self._twists), (self._steps.before, self._lasted)
        return motion_calls_of(self._numbers(), self._centres, motion, step, accelerations)

    def _put_back(self, world: Model, kept: tuple[Floats, Floats], row: int, problem: str) -> Strayed:
        """Put everything back to before a step that failed, stop the body that is to blame, and return what to say."""
        speed = undo(world, kept, row)
        why = problem or f"it would have gone astray, at {speed:.3g} m/s"
        self._is_solved, self._before = False, None
        self._read_planar()
        return self._stopped(row, why)

    @property
    def accelerations(self) -> Floats:
        """Change of `twists` in the last step, 0 where bodies came, went or were put elsewhere since, shape (n, 6)."""
        poses, twists = np.empty_like(self._poses), np.zeros_like(self._twists)
        if self._before is None or self._model is None:
            return twists
        kernels.to_poses(*self._before, self._model.places, self._centres, poses, twists)
        return (self.twists - twists) / self._elapsed

    def contacts(self) -> Contacts:
        """Return what touched in the last step but the floor, sorted by rows; a fixed body is always the second."""
        return touching(self.solved(), self._part)

    def solved(self) -> Model:
        """Return the model with contacts and forces of the last step, found again where it was made anew since."""
        world = self._ready()
        if not self._is_solved and self._part > 0.0:
            solve(world, self._state, self._weight, self._down, self._part)
            self._is_solved = True
        return world

    def joint_state(self) -> Floats:
        """Return what the joints did in the last step, shape (j, 6); see `engines.PhysicsEngine`."""
        world = self.solved()
        self._pull()
        forces = world.data.efc_force if self._is_solved else np.zeros(0)
        accelerations, is_measured = world.motion_of_joints(self.names, is_solved=self._is_solved)
        return self._readout.read(self.poses, forces, accelerations, _DOWN, is_measured)

    def link_forces(self) -> Floats:
        """Return force and torque on each body by what carries it in a chain, shape (n, 6); see `joint_wrenches`."""
        world = self.solved()
        return joint_wrenches(world, self._centres, self._part) if self._is_solved else np.zeros((len(self.names), 6))

    def contact_forces(self) -> Floats:
        """Return number, sum and place of the contacts of each body, shape (n, 7); see `contact_forces`."""
        world = self.solved()
        if not self._is_solved:
            return np.zeros((len(self.names), CONTACT_WIDTH))
        return contact_forces(world, self._state.rest, self._weight)

    @property
    def joint_position(self) -> Floats:
        """Angles of hinges, ways of slides since they were made, 0 for other kinds, shape (j,) [rad, m]."""
        return self._axes.positions(self._model)

    @property
    def joint_velocity(self) -> Floats:
        """Change of `joint_position`, shape (j,) [rad/s, m/s]."""
        return self._axes.velocities(self._model)

    def check(self, body: BodySpec) -> None:
        """Refuse a body that the engine cannot hold (`EngineCannot`); the text begins with its span."""
        solid_or_node(body)

    def add_all(self, bodies: Sequence[BodySpec]) -> None:
        """Add bodies, all or none; they get the last rows, in this order.

        Raises:
            EngineCannot: The engine cannot represent one of them; the text begins with its span.
            BadArgument: There is a body of such a name.
        """
        solids = with_more(self._solids, bodies)  # all are checked before anything changes: all or none
        moving = [solid for body in bodies if (solid := solids[body.name]).moves]
        self._pull()
        state = self._state.joined(SpatialState.of(moving)) if moving else self._state
        self._put(self._world, solids, self._holds, state)
        if moving:
            self._state.judge(range(len(self.names) - len(moving), len(self.names)), self._centres)

    def remove(self, name: str) -> None:
        """Remove a body and its joints; later rows move up by one. Raises NoSuchName where there is none."""
        if name not in self._solids:
            raise no_body(name)
        self._pull()
        rest = {key: solid for key, solid in self._solids.items() if key != name}
        holds = {key: hold for key, hold in self._holds.items() if name not in (hold.spec.a, hold.spec.b)}
        self._put(self._world, rest, holds, self._state.rows_of([k for k, key in enumerate(self.names) if key != name]))

    def add_joint(self, joint: JointSpec) -> None:
        """Join two bodies where they are now; it gets the last row of `joint_state`.

        Raises:
            EngineCannot: An unknown kind.
            BadArgument: A joint of this name is there, or a number is out of range.
            NoSuchName: It joins a body that is not there.
        """
        check_joint(joint, {name: solid.spec for name, solid in self._solids.items()}, self._holds)
        self._pull()
        poses: Mapping[str, Sequence[float]] = dict(zip(self.names, self.poses.tolist(), strict=True))
        a, b = (poses.get(name, self._solids[name].spec.pose) for name in (joint.a, joint.b))
        check_chains((*(hold.spec for hold in self._holds.values()), joint))
        check_followers([*(hold.spec for hold in self._holds.values()), joint])
        made = held(joint, a, b)
        if joint.is_movable and not joint.is_chained:
            made.carriage[1, 0] = stop_across(made, self._solids, self._state)
        self._put(self._world, self._solids, {**self._holds, joint.name: made}, self._state)

    def remove_joint(self, name: str) -> None:
        """Let two bodies go; raises NoSuchName where there is no such joint."""
        if name not in self._holds:
            raise NoSuchName(f"there is no joint named {name!r}")
        self._pull()
        self._put(self._world, self._solids, {k: hold for k, hold in self._holds.items() if k != name}, self._state)

    def snapshot(self) -> bytes:
        """Return everything needed to go on from here."""
        return self._packed(self._ready().own)

    def older_snapshot(self) -> bytes:
        """Return the same without the solver's own numbers."""
        return self._packed(None)

    def _packed(self, own: Floats | None) -> bytes:
        self._pull()
        if not self._described:
            self._described = describe(solid.spec for solid in self._solids.values())
        # without chains there is no loop: those snapshots stay the same bytes
        has_chains = self._has_chains()
        ways = self.weighs_once, self.is_loose, self.is_together, self.is_coupled, self.is_grounded, self.is_rubbing
        mark = EngineMark(self.integrator, *(is_so and has_chains for is_so in ways))._replace(
            is_catching=self.is_catching
        )
        return pack(self._described, self._world, self._holds.values(), self._state, (MUJOCO, mark), own=own)

    def _has_chains(self) -> bool:
        return any(hold.spec.is_chained for hold in self._holds.values())

    def _follow_mark(self, mark: EngineMark) -> None:
        is_plain = not self._has_chains()
        self.integrator, self.weighs_once = mark.integrator, mark.weighs_once or is_plain
        self.is_loose, self.is_together = mark.is_loose or is_plain, mark.is_together or is_plain
        self.is_coupled, self.is_grounded = mark.is_coupled or is_plain, mark.is_grounded or is_plain
        self.is_rubbing, self.is_catching = mark.is_rubbing or is_plain, mark.is_catching

    def integrate_as(self, snapshot: bytes) -> None:
        """Integrate as the version that made a snapshot did; from the next snapshot that is restored on."""
        mark = mark_of(snapshot, MUJOCO)
        if mark is not None:
            self._follow_mark(mark)

    def restore(self, snapshot: bytes) -> None:
        """Rebuild in sorted order and put the arrays back, see `engines.PhysicsEngine`; refuses foreign bytes."""
        world, solids, holds, state, own, mark = unpack_sorted(snapshot)
        self._part, self._holds = 0.0, holds
        self._follow_mark(mark)
        self._put(world, solids, holds, state)
        self._ready().put_own(own, state)

    def _put(
        self, world: WorldSpec, solids: Mapping[str, Solid], holds: Mapping[str, SpatialJoint], state: SpatialState
    ) -> None:
        """Take a world whose parts have all been checked, unless it is too large as a whole (`EngineCannot`)."""
        check_size(solids, state.names, tuple(holds.values()))
        self._world, self._holds = world, dict(holds)
        self._model, self._is_solved = None, False
        self._before, self._elapsed = None, 0.0
        moving, every = self._hold(solids, state), tuple(holds.values())
        self.joints, self._weight, self._down = tuple(holds), GRAVITY * self.mass, np.zeros(len(moving), np.int64)
        self.joint_effort, self._axes = np.zeros(len(holds)), SpatialAxes(every, self._solids)
        self.joint_limits, self.joint_inertia = self._axes.limits, self._axes.inertias
        self.joint_resistance = resistances(every)
        self._readout = Readout(every, self._solids, {name: row for row, name in enumerate(self.names)})
        self._springs = SpatialSprings(every, self._solids, self.names, self._ready)
        joined = {name for hold in holds.values() for name in (hold.spec.a, hold.spec.b)}
        free = [not any(world.floor_orientation[:2]) and solid.spec.name not in joined for solid in moving]
        state.forbid_rest(
            (may and solid.spec.wheeled for may, solid in zip(free, moving, strict=True)),
            free if self.integrator == INTEGRATORS[0] else None,
        )
        self._read_planar()
        self.fill()

    def _ready(self) -> Model:
        """Return the model of the present world."""
        if self._model is None:
            terms = self._world.floor_friction, self._world.floor_orientation, self.integrator, self.weighs_once
            self._model = build(self._solids, self.names, tuple(self._holds.values()), *terms)
            if self.is_coupled and self._has_chains():
                self._model.couple()
            self._model.inertias = self.joint_inertia
            mark_surfaces(self._model, is_rubbing=self.is_rubbing, is_catching=self.is_catching)
            push(self._model, self._state, self._holds.values())
            driven = self._axes.exerted(self._model)
            seen = self._centres, self.planar, self.height, np.zeros(1)
            self._arrays = StepArrays(self._weight, self._down, self.joint_effort, *driven, *seen)
            self._steps = steps_of(self._model, self._state, self._arrays)
        return self._model

    def _pull(self) -> None:
        """Read what moves out of the model."""
        if self._model is not None:
            pull(self._model, self._state, self._holds.values())

    def _let_follow(self, rows: Ints) -> None:
        """Go on from where bodies were put; the carriages of their joints come along."""
        self._before = None
        moved = {self.names[row] for row in rows.tolist()}
        joined = [hold for hold in self._holds.values() if moved & {hold.spec.a, hold.spec.b}]
        if joined:
            kernels.to_poses(*super()._numbers(), self._centres, self._poses, self._twists)
            follow_all(joined, self._solids, self.names, self._poses, self._twists)
        if self._model is not None:
            push(self._model, self._state, self._holds.values())
            self._is_solved = False
        self._read_planar()

    def _numbers(self) -> tuple[Floats, Floats, Ints]:
        """Return positions, velocities and where each body's begin."""
        world = self._model
        return super()._numbers() if world is None else (world.qpos, world.qvel, world.places)

    def _judge(self, rows: Sequence[int]) -> None:
        """Find out which of the bodies that were put somewhere may rest."""
        self._state.judge(rows, self._centres)

    def _read_planar(self) -> None:
        """Bring `planar` and `height` up to date."""
        self._axes.forget()
        super()._read_planar()
