"""Motors of robots on free bases: which efforts move joints as wanted, whatever floor and objects push.

A robot that stands bears its weight by its motors, and what the floor pushes depends on them. The inertia of a leg in
the air is a hundredth of what that leg moves while it stands, and says nothing of it. Forward dynamics of a copy of
the world does. There each driven joint has an armature that dwarfs all else, with the effort that gives it the wanted
acceleration. Bases, contacts and loads move as they do under such joints. What the armature lacks of its
acceleration is the effort of the motor. A motor that cannot give that is a mere force in the next pass: the others
learn that it yields. Stops of joints push in the copy, too: servos would wind up against them.

Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, section 9.2 (hybrid dynamics); contacts as MuJoCo has them.
"""

import copy
from typing import Any, TypeAlias

import numpy as np

from coopsim.features.space import kernels
from coopsim.features.space.addresses import addresses, contact_views, data_layout, functions, heads
from coopsim.features.space.binding import mujoco
from coopsim.features.space.friction import SLIP_WIDTH, contact_params
from coopsim.features.space.passive import bear_followers, follow
from coopsim.geometry import Floats, Ints
from coopsim.kernels import call_c, compiled
from coopsim.kernels.sequence import KernelCall

_DWARFING = 1e5
"""Armature of a driven joint, in inertias that it moves: joints miss the wanted acceleration by a part in so many."""
_PASSES = 4
"""Of forward dynamics in a tick: each finds motors that are at their limit, or leave it. Most ticks need one."""
_ROUNDING = 1e-6
"""Part of its limit by which an effort may be beyond it: a motor at its limit must not change from pass to pass."""
_LEAST = 1e-9  # kg m2; of a joint whose inertia is lost in rounding
_PLACES = "mj_kinematics", "mj_comPos"
_COLLIDE = ("mj_collision",)
_CONSTRAIN = "mj_makeConstraint", "mj_island", "mj_fwdVelocity"
_FORCES = "mj_makeM", "mj_factorM", "mj_fwdActuation", "mj_fwdAcceleration", "mj_fwdConstraint"

Limits: TypeAlias = tuple[Floats, float]
"""Largest effort of each motor of each robot, shape (n, k), infinite where none is known; length of a step [s]."""
_Motion: TypeAlias = tuple[tuple[Any, ...], tuple[Any, ...]]
"""Arrays of the world, and those of the copy that take their numbers."""
_Floor: TypeAlias = tuple[Any, ...]
"""Arguments of `select_floor`: all bodies look for it."""
_Surfaces: TypeAlias = tuple[Ints, Floats, Floats, Floats, Ints]
"""Rows and surfaces of geoms; positions, velocities and places of bodies."""
_Joints: TypeAlias = tuple[Ints, Ints, tuple[Ints, Floats], tuple[Floats, Ints, Floats, Floats]]
"""Dofs that move as wanted, and that give way; followers, see `Mirror.couplings`; values of the matrix of inertia,
where its diagonal is, armature and damping of the world."""
_Loads: TypeAlias = tuple[Floats, Floats, Floats, Floats, Floats, Floats, Floats, Floats]
"""By dof: armature, applied and passive effort and acceleration of the copy; wanted acceleration; side on which a motor
is at its limit, else 0; effort of the motor; its limit."""
_Motors: TypeAlias = tuple[Ints, Floats, Floats, Floats]
"""Dofs of motors, -1 = none; limits, wanted accelerations, and efforts, which are written; shape (n, k) each."""


class GroundedMotors:
    """Efforts of all motors of some robots.

    Args:
        world: A compiled model with a mirror.
        joints: All driven joints of each robot, shape (n, k).
        loose: Dofs that give way, -1 = none, shape (n, p).
        borne: Dofs that follow others and that nothing else drives, see `Mirror.borne_by_others`.
        limits: Of the motors, with the length of the step by which contacts answer.
        has_stops: Whether stops of the driven joints push in the copy.
    """

    def __init__(
        self,
        world: Any,
        joints: Ints,
        loose: Ints,
        borne: tuple[Ints, Floats],
        limits: Limits,
        *,
        has_stops: bool = True,
    ) -> None:
        model, (most, self._step) = world.model, limits
        twin, yields = copy.copy(model), np.setdiff1d(loose, [-1])
        moved = np.setdiff1d(world.mirror.dofs[1], yields)
        data = _furnished(twin, moved, self._step, has_stops=has_stops)
        diagonals = (model.M_rowadr + model.M_rownnz - 1).astype(np.int64)
        self._world, self._model, self._data = world, twin, data
        self._motion: _Motion = (
            (world.coordinates, world.rates, world.pushes, model.body_pos, model.body_quat, model.dof_damping),
            (data.qpos, data.qvel, data.qacc_warmstart, twin.body_pos, twin.body_quat, twin.dof_damping),
        )
        every = np.full(len(world.spans), kernels.NEVER, np.int64)
        reach = data.geom_xpos, twin.geom_rbound, world.normal
        self._floor: _Floor = (every, world.spans, world.meets, *reach, twin.geom_conaffinity)
        self._surfaces: _Surfaces = world.rows, world.surfaces, world.qpos, world.qvel, world.places
        inertia = world.data.M, diagonals, model.dof_armature, model.dof_damping
        self._joints: _Joints = moved, yields, borne, inertia
        own = np.zeros((4, model.nv))
        self._loads: _Loads = (twin.dof_armature, data.qfrc_applied, data.qfrc_passive, data.qacc, *own)
        self._dofs, self._most = world.mirror.places_of(joints), most

    def call(self, wanted: Floats, efforts: Floats) -> KernelCall:
        """Return the call that writes efforts for wanted accelerations, shape (n, k) each."""
        layout = data_layout()
        groups = _PLACES + _before(self._model), _COLLIDE, _CONSTRAIN, _FORCES
        begins = np.cumsum([0, *map(len, groups)]).astype(np.int64)
        pointers = functions([name for group in groups for name in group])
        words = np.array(addresses(self._model, self._data), np.int64)
        assert layout is not None  # noqa: S101 - kernels that cannot call MuJoCo are not asked for
        contacts = heads(self._data, layout)[0], *contact_views(self._data, layout)[:8]
        motors = self._dofs, self._most, wanted, efforts
        world = self._motion, self._floor, self._surfaces, contacts
        return KernelCall(_drive, ((pointers, begins, words), world, self._joints, self._loads, motors, self._step))

    def solve(self, wanted: Floats) -> Floats:
        """Return efforts for wanted accelerations, shape (n, k), by calls from Python."""
        model, data, efforts = self._model, self._data, np.zeros_like(wanted)
        motors = self._dofs, self._most, wanted, efforts
        _begin(self._motion, self._joints, self._loads, motors)
        self._make(_PLACES + _before(model))
        kernels.select_floor(*self._floor)
        self._make(_COLLIDE)
        if data.ncon:
            every = data.contact
            own = every.geom, every.dim, every.dist, every.pos, every.frame
            written = every.friction, every.solref, every.solreffriction
            slips = np.empty((data.ncon, SLIP_WIDTH))
            contact_params(*own, *self._surfaces, self._step, *written, slips)
        self._make(_CONSTRAIN)
        for _ in range(_PASSES):
            _load(self._joints, self._loads, self._step)
            self._make(_FORCES)
            if not _judge(self._joints, self._loads):
                break
        _finish(self._joints, self._loads, motors)
        return efforts

    def _make(self, names: tuple[str, ...]) -> None:
        for name in names:
            getattr(mujoco, name)(self._model, self._data)


def _before(model: mujoco.MjModel) -> tuple[str, ...]:
    return (*(("mj_flex",) if model.nflex else ()), *(("mj_tendon",) if model.ntendon else ()))


def _furnished(model: mujoco.MjModel, moved: Ints, step: float, *, has_stops: bool) -> mujoco.MjData:
    """Let joints of a copy move as wanted whatever rubs at them or couples them; return data for it."""
    model.opt.timestep = step
    model.dof_frictionloss[moved] = 0.0
    if not has_stops:
        model.jnt_limited[model.dof_jntid[moved]] = 0
    data = mujoco.MjData(model)
    kinds, bodies = mujoco.mjtEq, mujoco.mjtObj.mjOBJ_BODY
    for number in range(model.neq):
        is_grip = model.eq_type[number] in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD) and model.eq_objtype[number] == bodies
        ends = model.eq_obj1id[number], model.eq_obj2id[number]
        # what holds two robots together counts, what closes a chain or couples its joints would fight their motion
        data.eq_active[number] = is_grip and model.body_rootid[ends[0]] != model.body_rootid[ends[1]]
    return data


@compiled
def _drive(
    calls: tuple[Ints, Ints, Ints],
    world: tuple[_Motion, _Floor, _Surfaces, tuple[Any, ...]],
    joints: _Joints,
    loads: _Loads,
    motors: _Motors,
    step: float,
) -> None:
    """Write efforts, as `GroundedMotors.solve` does."""
    motion, floor, surfaces, contacts = world
    _begin(motion, joints, loads, motors)
    _call(calls, 0)
    kernels.select_floor(floor[0], floor[1], floor[2], floor[3], floor[4], floor[5], floor[6])
    _call(calls, 1)
    count = np.int64(contacts[0][0])
    if count:
        _, geoms, kinds, gaps, spots, frames, rough, hardness, hold = contacts
        rows, faces, qpos, qvel, places = surfaces
        own = geoms[:count], kinds[:count], gaps[:count], spots[:count], frames[:count]
        written = rough[:count], hardness[:count], hold[:count]
        slips = np.empty((count, SLIP_WIDTH))
        contact_params(
            own[0], own[1], own[2], own[3], own[4], rows, faces, qpos, qvel, places, step,
            written[0], written[1], written[2], slips,
        )  # fmt: skip
    _call(calls, 2)
    for _ in range(_PASSES):
        _load(joints, loads, step)
        _call(calls, 3)
        if not _judge(joints, loads):
            break
    _finish(joints, loads, motors)


@compiled
def _call(calls: tuple[Ints, Ints, Ints], group: int) -> None:
    """Call a group of MuJoCo's functions."""
    pointers, begins, words = calls
    for k in range(begins[group], begins[group + 1]):
        call_c(pointers[k], (words[0], words[1]))


@compiled
def _begin(motion: _Motion, joints: _Joints, loads: _Loads, motors: _Motors) -> None:
    """Bring the copy to where the world is, and spread what is wanted over its dofs."""
    (positions, rates, pushes, places, turns, damping), twin = motion
    twin[0][:], twin[1][:], twin[2][:] = positions, rates, pushes
    twin[3][:], twin[4][:], twin[5][:] = places, turns, damping
    (_, yields, borne, _), (_, _, _, _, wanted, sides, needed, most) = joints, loads
    dofs, limits, accelerations, _ = motors
    wanted[:], sides[:], needed[:], most[:] = 0.0, 0.0, 0.0, np.inf
    for i in range(dofs.shape[0]):
        for k in range(dofs.shape[1]):
            if dofs[i, k] >= 0:
                wanted[dofs[i, k]], most[dofs[i, k]] = accelerations[i, k], limits[i, k]
    for k in range(yields.size):
        wanted[yields[k]] = 0.0
    follow(borne, wanted)


@compiled
def _load(joints: _Joints, loads: _Loads, step: float) -> None:
    """Give joints the armature and the effort that move them as wanted, and motors at their limit that effort alone."""
    (moved, yields, _, (inertia, diagonals, own, damping)), (armature, applied, passive) = joints, loads[:3]
    wanted, sides, _, most = loads[4:]
    armature[:], applied[:] = own, 0.0
    for k in range(moved.size):
        dof = moved[k]
        passive[dof] = 0.0  # a servo bears it beside this effort
        if sides[dof] != 0.0:
            applied[dof] = sides[dof] * most[dof]
            continue
        more = _DWARFING * max(inertia[diagonals[dof]], _LEAST)
        armature[dof] += more
        applied[dof] = more * wanted[dof]
    for k in range(yields.size):
        # damping at the end of the step, as in the step itself
        armature[yields[k]] += step * damping[yields[k]]


@compiled
def _judge(joints: _Joints, loads: _Loads) -> int:
    """Write the efforts that a pass comes to; return how many motors came to their limit, or left it."""
    (moved, _, _, (_, _, own, _)), (armature, _, _, gained) = joints, loads[:4]
    wanted, sides, needed, most = loads[4:]
    changes = 0
    for k in range(moved.size):
        dof = moved[k]
        if sides[dof] != 0.0:
            needed[dof] = sides[dof] * most[dof]
            if sides[dof] * (gained[dof] - wanted[dof]) > 0.0:
                sides[dof] = 0.0
                changes += 1
            continue
        needed[dof] = (armature[dof] - own[dof]) * (wanted[dof] - gained[dof])
        if abs(needed[dof]) > most[dof] * (1.0 + _ROUNDING):
            sides[dof] = 1.0 if needed[dof] > 0.0 else -1.0
            needed[dof] = sides[dof] * most[dof]
            changes += 1
    return changes


@compiled
def _finish(joints: _Joints, loads: _Loads, motors: _Motors) -> None:
    """Write the effort of each motor, with those of joints that follow its own."""
    needed, (dofs, _, _, efforts) = loads[6], motors
    bear_followers(joints[2], needed)
    for i in range(dofs.shape[0]):
        for k in range(dofs.shape[1]):
            efforts[i, k] = needed[dofs[i, k]] if dofs[i, k] >= 0 else 0.0
