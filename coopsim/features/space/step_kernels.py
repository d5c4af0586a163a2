"""Compiled steps of the MuJoCo engine, whose kernels call MuJoCo by the addresses of its functions."""

from typing import Any, TypeAlias

import numpy as np

from coopsim.features.space import friction, kernels
from coopsim.features.space.free_flight import change_over, refine
from coopsim.features.space.mirror_kernels import gather, gather_free, spread
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled, floats_at, inlined
from coopsim.kernels.constants import STRONGEST

MOST_ROUNDS = 6  # of friction and the forces that press
RUNGE_KUTTA = 4  # order
MADE, BAD_WRENCH, BAD_EFFORT, ASTRAY, GAVE_UP = range(5)
"""How a step came out."""
PLACES, MASSES, COLLIDE, CONSTRAIN, VELOCITIES, PASSIVE, FORCES, AGAIN, MOVE, SPEEDS = range(10)
MODEL, DATA, RNE, BIAS, IS_MIRRORED, IS_RIGID, IS_KNOWN, PARTS = range(8)

Ints32: TypeAlias = Any
Calls: TypeAlias = tuple[Ints, Ints, Ints]
"""Addresses of MuJoCo's functions in groups, where each group begins, and `words`: model, data, the function mj_rne,
where it writes, whether the world has a mirror, whether it has neither tendons nor flexible bodies nor actuators,
whether the last step found the forces that velocities cause, parts of the step."""
World: TypeAlias = tuple[
    tuple[Any, ...],
    tuple[Any, ...],
    tuple[Any, ...],
    tuple[Floats, Floats, Floats, Ints],
    tuple[Floats, Ints, Floats, Ints],
    tuple[Any, ...],
]
"""Contacts; surfaces of geoms and masses of bodies; what tells who is high above the floor; positions, velocities and
forces of all rows; wrench, rest, weight and feet; the mirror."""


@compiled
def make_step(
    calls: Calls,
    world: World,
    joints: tuple[Any, ...],
    kept: tuple[Any, ...],
    seen: tuple[Floats, Floats, Floats],
    contact_kinds: tuple[Ints, Ints32],
    timing: Floats,
) -> int:
    """Make a step and return how it came out; arguments as `CompiledStep` lists them."""
    (qpos, qvel, _, places), (wrench, rest, _, _), (outcome, warnings) = world[3], world[4], contact_kinds
    outcome[0], outcome[1] = _check(wrench, rest, joints[0])
    if outcome[0] == MADE:
        # MuJoCo counts warnings over the life of its data: only new ones end a step
        warned = _count(warnings)
        _exert(joints)
        _keep(kept, qpos, qvel)
        for _ in range(calls[2][PARTS]):
            _solve(calls, world, kept[5], timing[0])
            if _count(warnings) > warned:
                outcome[0] = GAVE_UP
                break
            _advance(calls, world, kept[4], kept[5], timing[0])
        astray = kernels.stray(qpos, qvel, places, kept[1])
        if astray >= 0:
            outcome[0], outcome[1] = ASTRAY if outcome[0] == MADE else GAVE_UP, astray
    # cleared however the step came out: the contract of all engines
    wrench[:], joints[0][:] = 0.0, 0.0
    if outcome[0] == MADE:
        kernels.read_planar(qpos, qvel, places, seen[0], seen[1], seen[2])
    return int(outcome[0])


@compiled
def _count(warnings: Ints32) -> int:
    """Return of how many things MuJoCo has warned; it tells each of them once."""
    count = 0
    for k in range(warnings.size):
        count += warnings[k] > 0
    return count


@compiled
def _call(calls: Calls, group: int) -> None:
    """Call a group of MuJoCo's functions."""
    pointers, begins, words = calls
    for k in range(begins[group], begins[group + 1]):
        call_c(pointers[k], (words[MODEL], words[DATA]))


@inlined
def _check(wrench: Floats, rest: Ints, efforts: Floats) -> tuple[int, int]:
    """Look for forces that are no sensible numbers, and wake robots that a force acts on."""
    wrong = kernels.wake(wrench, rest)
    if wrong >= 0:
        return BAD_WRENCH, wrong
    for k in range(efforts.size):
        if not abs(efforts[k]) < STRONGEST:
            return BAD_EFFORT, k
    return MADE, 0


@inlined
def _exert(joints: tuple[Any, ...]) -> None:
    efforts, rows, signs, dofs, applied = joints
    for k in range(rows.size):
        applied[dofs[k]] = signs[k] * efforts[rows[k]]


@inlined
def _keep(kept: tuple[Any, ...], qpos: Floats, qvel: Floats) -> None:
    kept[0][:], kept[1][:], kept[2][:], kept[3][:] = qpos, qvel, kept[4], kept[5]


@compiled
def _solve(calls: Calls, world: World, rates: Floats, part: float) -> None:
    """Find contacts and forces, see `step.solve`."""
    contacts, _, floor, motion, state, mirror = world
    (qpos, qvel, applied, places), (wrench, rest, weight, down) = motion, state
    if calls[2][IS_MIRRORED] == 0:
        _call(calls, PLACES)
    _call(calls, MASSES)
    kernels.select_floor(rest, floor[0], floor[1], floor[2], floor[3], floor[4], floor[5])
    _call(calls, COLLIDE)
    slips = np.empty((np.int64(contacts[0][0]), friction.SLIP_WIDTH))
    is_any, woken = _touch(world, part, slips)
    if woken > 0:  # again, since robots were touched that rested
        kernels.select_floor(rest, floor[0], floor[1], floor[2], floor[3], floor[4], floor[5])
        _call(calls, COLLIDE)
        slips = np.empty((np.int64(contacts[0][0]), friction.SLIP_WIDTH))
        is_any, _ = _touch(world, part, slips)
    change_over(mirror[15], (rates, qvel, places), wrench, (down, rest), part)
    _call(calls, CONSTRAIN)
    kernels.load(wrench, qpos, places, rest, weight, applied)
    if calls[2][IS_MIRRORED] != 0:
        spread(applied, qpos, mirror[4], mirror[10])
    # the last step found them for the joints' motors: Coriolis and the like cost a tenth of a step of three arms
    _call(calls, PASSIVE if calls[2][IS_KNOWN] != 0 and calls[2][IS_RIGID] != 0 else VELOCITIES)
    calls[2][IS_KNOWN] = 0
    _call(calls, FORCES)
    if is_any:
        _brake(calls, world, part, slips)


@compiled
def _touch(world: World, part: float, slips: Floats) -> tuple[bool, int]:
    """Write what contacts are like; return whether anything slides fast, and how many robots were woken."""
    contacts, surfaces, _, motion, state, _ = world
    (qpos, qvel, _, places), (_, rest, _, down), count = motion, state, slips.shape[0]
    if count == 0:
        down[:] = 0
        return False, 0
    _, _, geoms, kinds, gaps, spots, frames, rough, hardness, hold, _ = contacts
    rows, faces, is_foot, _, _ = surfaces
    is_any = friction.contact_params(
        geoms[:count],
        kinds[:count],
        gaps[:count],
        spots[:count],
        frames[:count],
        rows,
        faces,
        qpos,
        qvel,
        places,
        part,
        rough[:count],
        hardness[:count],
        hold[:count],
        slips,
    )
    return is_any, kernels.touch(geoms[:count], rows, is_foot, rest, down)


@compiled
def _brake(calls: Calls, world: World, part: float, slips: Floats) -> None:
    """Brake what slides, as `step` does."""
    contacts, surfaces, _, motion, _, mirror = world
    (qpos, _, applied, places), count = motion, slips.shape[0]
    geoms, spots, starts = contacts[2][:count], contacts[5][:count], contacts[10][:count]
    rows, _, _, masses, inverses = surfaces
    # as many forces as contacts point to: MuJoCo moves them, so that no view of them can be kept
    size = 0
    for k in range(count):
        size = max(size, starts[k] + 1)
    for _ in range(MOST_ROUNDS):
        forces = floats_at(contacts[1][0], size)
        if calls[2][IS_MIRRORED] != 0:
            gather_free(mirror[13], mirror[6], mirror[7], mirror[14])
        changes = friction.brake(
            geoms, starts, spots, slips, forces, rows, qpos, places, masses, inverses, mirror[14], part, applied
        )
        if calls[2][IS_MIRRORED] != 0:
            spread(applied, qpos, mirror[4], mirror[10])
        if not changes:
            break
        _call(calls, AGAIN)


@compiled
def _advance(calls: Calls, world: World, coordinates: Floats, rates: Floats, part: float) -> None:
    """Move bodies, see `step.advance`."""
    _, _, _, motion, state, mirror = world
    (qpos, qvel, _, places), (_, rest, _, down) = motion, state
    # the order is the third argument of MuJoCo's Runge-Kutta; its other integrators have two, and do not see it
    move = calls[1][MOVE]
    if move + 1 < calls[1][MOVE + 1] and np.int64(world[0][0][0]) > 0:
        # Runge-Kutta would look for contacts anew, with friction of its own
        move += 1
    call_c(calls[0][move], (calls[2][MODEL], calls[2][DATA], RUNGE_KUTTA))
    refine(mirror[15], (coordinates, rates, mirror[13]), (down, rest), part)
    if calls[2][IS_MIRRORED] == 0:
        kernels.settle(qvel, places, down, rest)
        return
    _call(calls, SPEEDS)
    call_c(calls[2][RNE], (calls[2][MODEL], calls[2][DATA], 0, calls[2][BIAS]))
    gather((mirror[0], mirror[1], mirror[2], mirror[3]), mirror[4], mirror[5], qpos, qvel)
    for k in range(mirror[8].size):
        mirror[12][mirror[8][k]] = mirror[11][mirror[9][k]]
    kernels.settle(qvel, places, down, rest)
    calls[2][IS_KNOWN] = 1
    for k in range(mirror[6].size):  # MuJoCo does not know of the robots that rest
        if rest[mirror[6][k]] == kernels.QUIET:
            calls[2][IS_KNOWN] = 0
            for axis in range(6):
                rates[mirror[7][k, 1] + axis] = qvel[6 * mirror[6][k] + axis]
