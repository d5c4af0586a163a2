"""One step of MuJoCo with our friction between its halves, and the data that moves into a model and out of it."""

from collections.abc import Iterable, Sequence

import numpy as np

from coopsim.engines.spatial import friction, kernels
from coopsim.engines.spatial.binding import complaints, mujoco
from coopsim.engines.spatial.joints import SpatialJoint
from coopsim.engines.spatial.model import Model
from coopsim.engines.spatial.state import SpatialState
from coopsim.errors import EngineCannot
from coopsim.geometry import Floats, Ints
from coopsim.kernels.constants import STRONGEST

_SIX, _SEVEN = np.arange(6), np.arange(7)
_MOST_ROUNDS = 6  # of friction and the forces that press


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
    model, data = world.model, world.data
    world.option.timestep = step
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_makeM(model, data)
    mujoco.mj_factorM(model, data)
    slips, woken = _collide(world, state, down, step)
    if woken:
        slips, _ = _collide(world, state, down, step)
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
    if complaints:
        text = " ".join(complaints[0].split())
        complaints.clear()
        raise EngineCannot(f"MuJoCo gives up: {text}")


def check_forces(state: SpatialState, efforts: Floats, joints: Sequence[str]) -> None:
    """Refuse forces that are no sensible numbers, which are cleared; wake the robots that a force acts on.

    Args:
        state: For its wrench, and who rests.
        efforts: Of the joints, shape (j,).
        joints: Their names.

    Raises:
        EngineCannot: One is not.
    """
    wrong = kernels.wake(state.wrench, state.rest)
    wild = np.flatnonzero(~(np.abs(efforts) < STRONGEST))
    if wrong >= 0 or wild.size:
        state.wrench[:] = 0.0
        name = f"force on body {state.names[wrong]!r}" if wrong >= 0 else f"effort of joint {joints[wild[0]]!r}"
        raise EngineCannot(
            f"the {name} is not a finite number below {STRONGEST:g}; one of the devices of this robot wrote it"
        )


def advance(world: Model, state: SpatialState, down: Ints) -> None:
    """Move bodies by the forces that `solve` found, velocities first."""
    mujoco.mj_Euler(world.model, world.data)
    if world.mirror is not None:
        world.mirror.refresh(world)
    kernels.settle(world.qvel, world.places, down, state.rest)
    if world.mirror is not None:
        world.mirror.hold(world, state.rest)


def undo(world: Model, kept: tuple[Floats, Floats], row: int) -> float:
    """Put everything back to before a step, and stop the body of a row; return how fast it had become [m/s]."""
    first = world.places[row, 1]
    speed = float(np.abs(world.qvel[first : first + 3]).max())
    world.coordinates[:], world.rates[:] = kept
    if world.mirror is None:
        world.qvel[first : first + 6] = 0.0
    else:
        world.mirror.stop(world, row)
        world.mirror.refresh(world)
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
        carriages = np.concatenate([it.carriage for it in joints], axis=1)
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
    for it in joints:
        positions, dofs = world.ways[begin : begin + it.ways].T
        it.carriage[:] = world.coordinates[positions], world.rates[dofs], world.pushes[dofs]
        begin += it.ways


def _brake(world: Model, slips: Floats, step: float) -> None:
    """Brake what slides by the forces that press it on, and find those again, until they agree."""
    found, data = world.data.contact, world.data
    contacts = found.geom, found.efc_address, found.pos, slips
    bodies = world.rows, world.qpos, world.places, world.masses, world.inverses
    for _ in range(_MOST_ROUNDS):
        arrays = *contacts, data.efc_force, *bodies
        changes = friction.brake(*arrays, step, world.applied)
        if world.mirror is not None:
            world.mirror.spread(world)
        if not changes:
            break
        mujoco.mj_fwdAcceleration(world.model, data)
        mujoco.mj_fwdConstraint(world.model, data)


def _collide(world: Model, state: SpatialState, down: Ints, step: float) -> tuple[Floats | None, int]:
    """Find the contacts; return what slides, and how many robots that rested were touched: they must be looked at."""
    kernels.select_floor(state.rest, world.spans, world.meets, world.meets_now)
    mujoco.mj_collision(world.model, world.data)
    if not world.data.ncon:
        down[:] = 0
        return None, 0
    found = world.data.contact
    geoms, slips = found.geom, np.empty((world.data.ncon, 5))
    is_any = friction.contact_params(
        geoms,
        found.dim,
        found.dist,
        found.pos,
        found.frame,
        world.rows,
        world.surfaces,
        world.qpos,
        world.qvel,
        world.places,
        step,
        found.friction,
        found.solref,
        found.solreffriction,
        slips,
    )
    return slips if is_any else None, kernels.touch(geoms, world.rows, world.is_foot, state.rest, down)
