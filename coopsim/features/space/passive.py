"""Joints that no motor drives: how they give way while motors accelerate the others.

A motor that counts a load on a loose joint as rigid pushes too hard, and swings up: so the accelerations of such
joints are found from the equation of motion, in which no effort acts on them.

Source: Featherstone, Rigid Body Dynamics Algorithms, 2008, section 9.2 (hybrid dynamics).
"""

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np

from coopsim.features.space.binding import FREE, mujoco
from coopsim.features.space.grips import SpatialJoint
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

_SLOW = 0.01
"""Speed below which dry friction is taken for a damping [rad/s, m/s]."""
_STOP = 1e-3
"""Distance to its end from which on a joint lies at it [rad, m]."""


class Compiled(Protocol):
    """Model of MuJoCo with its data.

    Attributes:
        model: MuJoCo's model.
        data: MuJoCo's data.
    """

    model: mujoco.MjModel
    data: mujoco.MjData


Loose: TypeAlias = tuple[Ints, float]
"""Rows of joints that nothing drives, shape (n, p), and the length of a step [s]."""
Yielding: TypeAlias = tuple[
    Ints, tuple[Floats, Any, Any, Any], tuple[Floats, Floats], Ints, tuple[Floats, ...], tuple[Floats, ...], Floats
]
"""Joints that give way, and arrays of MuJoCo that say how:

which of each robot, as MuJoCo's dofs, -1 = none, shape (n, p); lower half of the matrix of inertia by rows: values,
begin and length of each row, columns; positions and velocities, flat; places in the positions, by dof; gravity and
inertia at rest, damping and dry friction, by dof; stiffness and position of rest, and 0 where gravity does not count,
as of free bases, by dof; lowest and highest position, infinite where there is none, by dof, shape (v, 2).
"""


def yielding_dofs(joints: Sequence[SpatialJoint], rows: Sequence[int], dofs: Sequence[int]) -> Ints:
    """Return the dof of each joint that moves as it likes, -1 of others, shape (j,).

    A joint that follows another one does not, and neither do those of a chain that a further joint closes.

    Args:
        joints: All of them.
        rows: Of the chained ones that move.
        dofs: Places of those in MuJoCo's velocities.
    """
    chained = {joint.spec.b: joint.spec.a for joint in joints if joint.spec.is_chained}

    def root(body: str) -> str:
        while body in chained:
            body = chained[body]
        return body

    loose = [joint.spec for joint in joints if not joint.spec.is_chained and joint.spec.kind != "spring"]
    closed = {root(spec.a) for spec in loose if root(spec.a) == root(spec.b)}
    result = np.full(len(joints), -1, np.int64)
    for row, dof in zip(rows, dofs, strict=True):
        spec = joints[row].spec
        if root(spec.b) not in closed and not (spec.dynamics and spec.dynamics.follows):
            result[row] = dof
    return result


def yielding_of(world: Compiled, dofs: Ints) -> Yielding:
    """Return what `give_way` takes.

    Args:
        world: Compiled; its arrays are read anew at each call.
        dofs: Those that give way, shape (n, p), -1 = none.
    """
    model, data = world.model, world.data
    joint_of = model.dof_jntid
    places = model.jnt_qposadr[joint_of].astype(np.int64)
    endless = ~model.jnt_limited[joint_of].astype(np.bool_)
    ends = model.jnt_range[joint_of].copy()
    ends[endless] = -np.inf, np.inf
    return (
        dofs,
        (data.M, model.M_rowadr, model.M_rownnz, model.M_colind),
        (data.qpos, data.qvel),
        places,
        (data.qfrc_bias, model.dof_damping, model.dof_frictionloss),
        (model.jnt_stiffness[joint_of], model.qpos_spring[places], _weights(model)),
        ends,
    )


def _weights(model: mujoco.MjModel) -> Floats:
    """Return 0 for the dofs of free bases, 1 for those of joints, shape (v,)."""
    return np.where(model.jnt_type[model.dof_jntid] == FREE, 0.0, 1.0)


@compiled
def rest(dofs: Ints, wanted: Floats) -> None:
    """Write 0 into `wanted`, shape (v,), for the dofs that are not -1."""
    for i in range(dofs.shape[0]):
        for k in range(dofs.shape[1]):
            if dofs[i, k] >= 0:
                wanted[dofs[i, k]] = 0.0


@compiled
def follow(couplings: tuple[Ints, Floats], wanted: Floats) -> None:
    """Write into `wanted`, shape (v,), how dofs are accelerated that follow others, see `Mirror.couplings`."""
    dofs, ratios = couplings
    for k in range(ratios.size):
        wanted[dofs[0, k]] = ratios[k] * wanted[dofs[1, k]]


@compiled
def bear_followers(couplings: tuple[Ints, Floats], efforts: Floats) -> None:
    """Add to the efforts, shape (v,), of dofs that others follow what those need."""
    dofs, ratios = couplings
    for k in range(ratios.size):
        efforts[dofs[1, k]] += ratios[k] * efforts[dofs[0, k]]


@compiled
def give_way(yielding: Yielding, driven: Floats, dt: float, wanted: Floats) -> None:
    """Write into `wanted` how joints that nothing drives are accelerated.

    Damping is taken at the end of a step, as MuJoCo does; a joint whose stop holds it stays at rest.

    Args:
        yielding: Which, and what moves them.
        driven: Product of the matrix of inertia and `wanted`, where these joints are at rest, shape (v,).
        dt: Length of the step [s].
        wanted: Accelerations of all, shape (v,).
    """
    dofs, _, (positions, _), places, _, _, ends = yielding
    count = dofs.shape[1]
    for i in range(dofs.shape[0]):
        chosen, matrix, right = dofs[i].copy(), np.empty((count, count)), np.empty(count)
        # joints at a stop that press against it stay there: without them once more
        for _ in range(2):
            _equations(yielding, chosen, driven, dt, (matrix, right))
            _solve(matrix, right)
            stopped = 0
            for k in range(count):
                dof = chosen[k]
                if dof < 0:
                    continue
                position = positions[places[dof]]
                is_low = position < ends[dof, 0] + _STOP and right[k] < 0.0
                if is_low or (position > ends[dof, 1] - _STOP and right[k] > 0.0):
                    chosen[k], right[k] = -1, 0.0
                    stopped += 1
            if not stopped:
                break
        for k in range(count):
            if dofs[i, k] >= 0:
                wanted[dofs[i, k]] = right[k] if chosen[k] >= 0 else 0.0


@compiled
def _equations(yielding: Yielding, chosen: Ints, driven: Floats, dt: float, system: tuple[Floats, Floats]) -> None:
    """Write the equation of motion of the chosen dofs of one robot; that of -1 says 0."""
    _, (values, begins, lengths, columns), (positions, velocities), places, forces, springs, _ = yielding
    bias, damping, friction = forces
    (stiffness, rest, weights), (matrix, right) = springs, system
    for k in range(chosen.size):
        dof = chosen[k]
        for m in range(chosen.size):
            matrix[k, m] = 0.0
        if dof < 0:
            matrix[k, k], right[k] = 1.0, 0.0
            continue
        speed = velocities[dof]
        resistance = damping[dof] + friction[dof] / max(abs(speed), _SLOW)
        # taken at the end of the step: an explicit one would swing up by itself where little mass is damped much
        matrix[k, k] = dt * resistance
        spring = stiffness[dof] * (positions[places[dof]] - rest[dof])
        right[k] = -(driven[dof] + weights[dof] * bias[dof] + resistance * speed + spring)
    for k in range(chosen.size):
        for m in range(k + 1):
            low, high = max(chosen[k], chosen[m]), min(chosen[k], chosen[m])
            if high < 0:
                continue
            # rows hold the dofs up to the root, in rising order
            for entry in range(begins[low], begins[low] + lengths[low]):
                if columns[entry] == high:
                    matrix[k, m] += values[entry]
                    if k != m:
                        matrix[m, k] += values[entry]


@compiled
def _solve(matrix: Floats, right: Floats) -> None:
    """Solve a symmetric positive definite system in place (Cholesky)."""
    count = right.size
    for k in range(count):
        for m in range(k + 1):
            total = matrix[k, m]
            for n in range(m):
                total -= matrix[k, n] * matrix[m, n]
            matrix[k, m] = np.sqrt(max(total, 1e-300)) if k == m else total / matrix[m, m]
    for k in range(count):
        for m in range(k):
            right[k] -= matrix[k, m] * right[m]
        right[k] /= matrix[k, k]
    for k in range(count - 1, -1, -1):
        for m in range(k + 1, count):
            right[k] -= matrix[m, k] * right[m]
        right[k] /= matrix[k, k]
