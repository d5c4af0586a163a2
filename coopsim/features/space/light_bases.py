"""Motors of a robot that must be reckoned in one, and how its free base gives way to them.

A servo takes part of an error of speed away in each tick, by an effort that counts everything else of the robot as at
rest: joints of other modules, and a base that is free. That effort accelerates a joint many times as much as is wanted
where much hangs on those, and a humanoid would swing up until nothing of it is finite. The motors of such robots are
reckoned together, and a free base is accelerated as momentum says: no force acts on it. Gravity, and what the floor
pushes, are left out there: what they come to the integral part of a servo finds.

Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, sections 9.2 (hybrid dynamics) and 9.3 (floating bases).
"""

from collections.abc import Sequence

import numpy as np

from coopsim.features.space.binding import FREE, HINGE, SLIDE, mujoco
from coopsim.geometry import Floats, Ints

_SIX = np.arange(6)  # velocities of a free base
_MOST = 3.0
"""How many times as much as is wanted joints may be accelerated.

Servos that take half of an error away are steady up to 4; their integral part costs some of that.
"""


POSTURES = 16
"""Postures that are looked at: an arm that is steady when stretched may swing up when it is bent."""
_GOLDEN = 0.6180339887498949  # its multiples fill a range evenly
_WIDE = (-1.0, 1.0)  # rad, m; of joints without limits


def with_bases(loose: Ints, driven: Ints, bases: Ints) -> Ints:
    """Return dofs that give way to motors: the free base of each robot before its loose joints, shape (n, 6 + p).

    Args:
        loose: Dofs of loose joints of each robot, -1 = none, shape (n, p).
        driven: Dofs that its motors drive, -1 = none, shape (n, k).
        bases: First dof of the free base of each dof, -1 = it stands, shape (v,).
    """
    first = np.where(driven >= 0, bases[driven], -1).max(axis=1, initial=-1)[:, np.newaxis]
    return np.hstack([np.where(first < 0, -1, first + _SIX), loose])


def free_bases(model: mujoco.MjModel) -> Ints:
    """Return the first dof of the free base of the tree of each dof, -1 where that stands, shape (v,)."""
    firsts = model.jnt_dofadr[model.jnt_type == FREE]
    bases_of_trees = np.full(model.ntree, -1, np.int64)
    bases_of_trees[model.dof_treeid[firsts]] = firsts
    bases: Ints = bases_of_trees[model.dof_treeid]
    return bases


def are_unsteady(model: mujoco.MjModel, modules: Sequence[Ints], postures: int = POSTURES) -> bool:
    """Return whether motors would swing up if each module counted all else as at rest.

    Args:
        model: Compiled.
        modules: Dofs that the motors of each module of one robot drive.
        postures: Count of those that are looked at; the first one has all joints at 0.
    """
    # not where they are now: a run that goes on from an instant must come to the same answer
    data = mujoco.MjData(model)
    return any(_is_unsteady(model, data, modules, posture) for posture in range(postures))


def _is_unsteady(model: mujoco.MjModel, data: mujoco.MjData, modules: Sequence[Ints], posture: int) -> bool:
    """Return whether motors would swing up in a posture, see `_positions`; `data` is written."""
    driven = np.concatenate([dofs[dofs >= 0] for dofs in modules])
    if not driven.size:
        return False
    dofs_of_robot = np.flatnonzero(np.isin(model.dof_treeid, model.dof_treeid[driven]))
    inertia, own = _inertia_of(model, data, dofs_of_robot, posture), np.searchsorted(dofs_of_robot, driven)
    gives = np.setdiff1d(np.arange(dofs_of_robot.size), own)
    alone = np.zeros((own.size, own.size))
    begin = 0
    for count in (int((dofs >= 0).sum()) for dofs in modules):
        part = slice(begin, begin + count)
        alone[part, part] = inertia[np.ix_(own[part], own[part])]
        begin += count
    coupling = inertia[np.ix_(gives, own)]
    try:
        left = inertia[np.ix_(own, own)] - coupling.T @ np.linalg.solve(inertia[np.ix_(gives, gives)], coupling)
        root = np.linalg.inv(np.linalg.cholesky(left))
    except np.linalg.LinAlgError:
        return False  # something that moves has no inertia: nothing can be said of it
    return bool(np.linalg.eigvalsh(root @ alone @ root.T)[-1] > _MOST)


def _positions(model: mujoco.MjModel, posture: int) -> Floats:
    """Return MuJoCo's positions in a posture: joints spread evenly over their ranges, those of free bodies at 0."""
    positions: Floats = model.qpos0.copy()
    movable = np.flatnonzero((model.jnt_type == HINGE) | (model.jnt_type == SLIDE))
    ends = np.where(model.jnt_limited[movable, np.newaxis] > 0, model.jnt_range[movable], _WIDE)
    parts = (posture * _GOLDEN * (1.0 + np.arange(movable.size))) % 1.0
    if posture:
        positions[model.jnt_qposadr[movable]] = ends[:, 0] + parts * (ends[:, 1] - ends[:, 0])
    return positions


def _inertia_of(model: mujoco.MjModel, data: mujoco.MjData, dofs: Ints, posture: int) -> Floats:
    """Return the matrix of inertia of the dofs of whole trees, in rising order, in a posture."""
    data.qpos[:] = _positions(model, posture)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_makeM(model, data)
    matrix = np.zeros((dofs.size, dofs.size))
    for row, dof in enumerate(dofs.tolist()):
        begin, length = model.M_rowadr[dof], model.M_rownnz[dof]
        columns = np.searchsorted(dofs, model.M_colind[begin : begin + length])
        matrix[row, columns] = matrix[columns, row] = data.M[begin : begin + length]
    return matrix
