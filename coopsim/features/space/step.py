"""Step of MuJoCo with our friction between its halves, and the data that moves into a model and out of it."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np

from coopsim.errors import EngineCannot
from coopsim.features.space import friction, kernels, mirror_kernels
from coopsim.features.space.binding import complaints, mujoco
from coopsim.features.space.compiled_step import CompiledStep, StepArrays, StepOutcome
from coopsim.features.space.free_flight import change_over, refine
from coopsim.features.space.grips import SpatialJoint
from coopsim.features.space.model import Model
from coopsim.features.space.state import SpatialState
from coopsim.features.space.step_kernels import ASTRAY, BAD_EFFORT, BAD_WRENCH, GAVE_UP, MADE, MOST_ROUNDS, RUNGE_KUTTA
from coopsim.geometry import Floats, Ints
from coopsim.kernels.constants import STRONGEST

LONGEST_STEP = 0.05  # s; from here on bodies sink into the floor, and those that touch are thrown away; measured
_SIX, _SEVEN = np.arange(6), np.arange(7)


def solve(world: Model, state: SpatialState, weight: Floats, down: Ints, step: float) -> None:
    """Find contacts and forces of the present state: MuJoCo's own step up to where it moves bodies.

    Args:
        world: Holds what moves.
        state: For its wrench, and who rests.
        weight: Of each body, shape (n,) [N].
        down: Written: feet on the floor, -1 where anything else is touched, shape (n,).
        step: Length of the step [s].

    Raises:
        EngineCannot: MuJoCo warned of something.
    """
    find_forces(world, state, weight, down, step)
    if complaints:
        raise EngineCannot(why_it_gave_up())


def find_forces(
    world: Model, state: SpatialState, weight: Floats, down: Ints, step: float, *, is_step: bool = False
) -> None:
    """Do what `solve` does, whatever MuJoCo says; `is_step` where bodies are moved after it."""
    model, data = world.model, world.data
    world.option.timestep = step
    if world.mirror is None:  # which has been refreshed since anything moved
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
    if model.nflex:
        mujoco.mj_flex(model, data)
    if model.ntendon:
        mujoco.mj_tendon(model, data)
    mujoco.mj_factorM(model, data)
    # who rested went through the floor in this search: once woken its feet must be found
    slips, woken = _collide(world, state, down, step)
    if woken:
        slips, _ = _collide(world, state, down, step)
    if is_step:
        velocities = world.rates, world.qvel, world.places
        change_over(world.flying, velocities, state.wrench, (down, state.rest), step)
    mujoco.mj_makeConstraint(model, data)
    mujoco.mj_island(model, data)
    kernels.load(state.wrench, world.qpos, world.places, state.rest, weight, world.applied)
    if world.mirror is not None:
        world.mirror.spread(world)
    mujoco.mj_fwdVelocity(model, data)
    mujoco.mj_fwdActuation(model, data)
    mujoco.mj_fwdAcceleration(model, data)
    mujoco.mj_fwdConstraint(model, data)
    if slips is not None:
        _brake(world, slips, step)


def check_length(dt: float) -> None:
    """Refuse a step of `dt` [s] in which contacts would be missed (`EngineCannot`)."""
    # a step that a file gives in decimals may be longer by rounding
    if dt > LONGEST_STEP + 1e-12:
        text = f"the mujoco engine makes steps of up to {LONGEST_STEP:g} s, got {dt:g} s"
        raise EngineCannot(f"{text}; choose a smaller step, or an engine in the plane")


def why_it_gave_up() -> str:
    """Return what MuJoCo warned of first, and forget all of it; empty where it did not."""
    text = " ".join(complaints[0].split()) if complaints else ""
    complaints.clear()
    return f"MuJoCo gives up: {text}" if text else ""


def wild(outcome: StepOutcome, bodies: Sequence[str], joints: Sequence[str]) -> EngineCannot:
    """Return what to say of a force or an effort that is no sensible number.

    Args:
        outcome: Of the step.
        bodies: Names, by row.
        joints: Names, in their order.
    """
    at = outcome.which
    name = f"force on body {bodies[at]!r}" if outcome.kind == BAD_WRENCH else f"effort of joint {joints[at]!r}"
    return EngineCannot(
        f"the {name} is not a finite number below {STRONGEST:g}; one of the devices of this robot wrote it"
    )


class PythonStep:
    """Steps by calls from Python, for machines on which kernels cannot call MuJoCo; see `CompiledStep`."""

    def __init__(self, world: Model, state: SpatialState, arrays: StepArrays) -> None:
        self._world, self._state, self._arrays = world, state, arrays
        self._outcome = StepOutcome(MADE, 0)
        self.before, self.kept = world.copies()

    def make(self, parts: int) -> StepOutcome:
        """Make a step in equal parts."""
        self._outcome = self._make(parts)
        self._state.wrench[:] = self._arrays.efforts[:] = 0.0
        return self._outcome

    def step_call(self, _parts: int) -> None:
        """Return None: no call of a kernel makes such a step."""

    def outcome(self) -> StepOutcome:
        """Return how the last step came out."""
        return self._outcome

    def _make(self, parts: int) -> StepOutcome:
        world, state, arrays = self._world, self._state, self._arrays
        wrong = kernels.wake(state.wrench, state.rest)
        wild = np.flatnonzero(~(np.abs(arrays.efforts) < STRONGEST))
        if wrong >= 0 or wild.size:
            return StepOutcome(BAD_WRENCH, wrong) if wrong >= 0 else StepOutcome(BAD_EFFORT, int(wild[0]))
        world.efforts[arrays.dofs] = arrays.signs * arrays.efforts[arrays.rows]
        self.before, self.kept = world.copies()
        kind = MADE
        for _ in range(parts):
            find_forces(world, state, arrays.weight, arrays.down, float(arrays.part[0]), is_step=True)
            if complaints:
                kind = GAVE_UP
                break
            advance(world, state, arrays.down)
        astray = kernels.stray(world.qpos, world.qvel, world.places, self.before[1])
        if kind == MADE and astray < 0:
            kernels.read_planar(world.qpos, world.qvel, world.places, arrays.centres, arrays.planar, arrays.height)
        return StepOutcome(kind if kind != MADE or astray < 0 else ASTRAY, max(astray, 0))


Steps: TypeAlias = CompiledStep | PythonStep


def steps_of(world: Model, state: SpatialState, arrays: StepArrays) -> Steps:
    """Return the steps of a world that stays who it is."""
    return CompiledStep.of(world, state, arrays) or PythonStep(world, state, arrays)


def advance(world: Model, state: SpatialState, down: Ints) -> None:
    """Move bodies by the forces that `solve` found, velocities first."""
    move(world)
    motion = world.coordinates, world.rates, world.data.qacc
    refine(world.flying, motion, (down, state.rest), float(world.option.timestep))
    if world.mirror is not None:
        world.mirror.refresh(world)
    kernels.settle(world.qvel, world.places, down, state.rest)
    if world.mirror is not None:
        world.mirror.hold(world, state.rest)


def move(world: Model) -> None:
    """Make a step of MuJoCo's integrator."""
    if world.integrator == "rk4" and not world.data.ncon:
        mujoco.mj_RungeKutta(world.model, world.data, RUNGE_KUTTA)
    elif world.integrator == "implicitfast":
        mujoco.mj_implicit(world.model, world.data)
    else:
        mujoco.mj_Euler(world.model, world.data)


def undo(world: Model, kept: tuple[Floats, Floats], row: int) -> float:
    """Put everything back to before a step, and stop the body of a row; return how fast it had become [m/s]."""
    # linear velocities alone: how fast it went is what people are told
    first = world.places[row, 1]
    speed = float(np.abs(world.qvel[first : first + 3]).max())
    world.coordinates[:], world.rates[:] = kept
    if world.mirror is None:
        world.qvel[first : first + 6] = 0.0
    else:
        world.mirror.stop(world, row)
        world.mirror.refresh(world)
    # the solver must not start from the accelerations that led astray
    world.pushes[:] = 0.0
    return speed


def push(world: Model, state: SpatialState, joints: Iterable[SpatialJoint]) -> None:
    """Write what moves into a model."""
    if world.mirror is None:
        world.qpos[world.places[:, :1] + _SEVEN] = state.positions
        world.qvel[world.places[:, 1:] + _SIX] = state.velocities
        world.pushes[world.places[:, 1:] + _SIX] = state.pushes
    else:
        world.mirror.push(world, state)
    if world.ways.size:
        carriages = np.concatenate([joint.carriage for joint in joints], axis=1)
        world.coordinates[world.ways[:, 0]] = carriages[0]
        world.rates[world.ways[:, 1]], world.pushes[world.ways[:, 1]] = carriages[1:]
    if world.mirror is not None:
        world.mirror.refresh(world)


def pull(world: Model, state: SpatialState, joints: Iterable[SpatialJoint]) -> None:
    """Read what moves out of a model."""
    state.positions[:] = world.qpos[world.places[:, :1] + _SEVEN]
    state.velocities[:] = world.qvel[world.places[:, 1:] + _SIX]
    if world.mirror is None:
        state.pushes[:] = world.pushes[world.places[:, 1:] + _SIX]
    else:
        world.mirror.pull(world, state)
    begin = 0
    for joint in joints:
        positions, dofs = world.ways[begin : begin + joint.ways].T
        joint.carriage[:] = world.coordinates[positions], world.rates[dofs], world.pushes[dofs]
        begin += joint.ways


def _brake(world: Model, slips: Floats, step: float) -> None:
    """Brake what slides by the forces that press it on, and find those again, until they agree."""
    contact, data = world.data.contact, world.data
    contacts = contact.geom, contact.efc_address, contact.pos, slips
    bodies = world.rows, world.qpos, world.places, world.masses, world.inverses
    for _ in range(MOST_ROUNDS):
        if world.mirror is not None:
            mirror_kernels.gather_free(data.qacc, world.mirror.free, world.mirror.addresses, world.gains)
        arrays = *contacts, data.efc_force, *bodies, world.gains
        changes = friction.brake(*arrays, step, world.applied)
        if world.mirror is not None:
            world.mirror.spread(world)
        if not changes:
            break
        mujoco.mj_fwdAcceleration(world.model, data)
        mujoco.mj_fwdConstraint(world.model, data)


def _collide(world: Model, state: SpatialState, down: Ints, step: float) -> tuple[Floats | None, int]:
    """Find the contacts; return what slides, and how many robots that rested were touched: they must be looked at."""
    reach = world.spots, world.spheres, world.normal
    kernels.select_floor(state.rest, world.spans, world.meets, *reach, world.meets_now)
    mujoco.mj_collision(world.model, world.data)
    if not world.data.ncon:
        down[:] = 0
        return None, 0
    contact = world.data.contact
    geoms, slips = contact.geom, np.empty((world.data.ncon, friction.SLIP_WIDTH))
    is_any = friction.contact_params(
        geoms,
        contact.dim,
        contact.dist,
        contact.pos,
        contact.frame,
        world.rows,
        world.surfaces,
        world.qpos,
        world.qvel,
        world.places,
        step,
        contact.friction,
        contact.solref,
        contact.solreffriction,
        slips,
    )
    return slips if is_any else None, kernels.touch(geoms, world.rows, world.is_foot, state.rest, down)
