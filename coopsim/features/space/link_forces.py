"""Forces in the joints of chains and in contacts, as sensors between bodies and on their skin feel them.

Source: MuJoCo's documentation, "Computation", section "Inverse dynamics" (interaction forces by recursive
Newton-Euler, contacts included).
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from coopsim.features.space.binding import mujoco
from coopsim.features.space.contacts import Contacting
from coopsim.features.space.frames import velocity_at
from coopsim.features.space.friction import LEAST_FRICTION
from coopsim.features.space.kernels import LYING, SPOTS
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

if TYPE_CHECKING:
    from coopsim.features.space.model import Model

CONTACT_WIDTH = 7
"""Columns of `contact_forces`: number of spots, force x y z [N], place x y z [m]."""


def joint_wrenches(world: "Model", centres: Floats, step: float) -> Floats:
    """Return what carries each body of a chain: force on it, and torque about the origin of its frame, shape (n, 6).

    In the frame of the body [N, N m], at the beginning of the last step, whose accelerations and contacts are known;
    with positions after it a free hinge that swings fast would seem to hold. Bodies that are free in space, or joined
    by constraints, have no number (NaN): nothing but these constraints carries them.

    Args:
        world: Solved.
        centres: Centre of mass in the frame of each body, shape (n, 3) [m].
        step: Length of the last step [s].
    """
    mirror, model = world.mirror, world.model
    wrenches = np.full((world.masses.size, 6), np.nan)
    if mirror is None:
        return wrenches
    if world.scratch is None:
        world.scratch = mujoco.MjData(model)
    data = world.scratch
    mujoco.mj_copyData(data, model, world.data)
    mujoco.mj_integratePos(model, data.qpos, data.qvel, -step)
    data.qvel[:] -= step * data.qacc
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    mujoco.mj_comVel(model, data)
    mujoco.mj_rnePostConstraint(model, data)
    carried = np.ones(len(wrenches), np.bool_)
    carried[mirror.free] = False
    ids, turns = mirror.ids[carried], data.xmat[mirror.ids[carried]].reshape(-1, 3, 3)
    # MuJoCo's are torque and force, about the centre of mass of all that hangs together
    torques, forces = data.cfrc_int[ids, :3], data.cfrc_int[ids, 3:]
    origins = data.xpos[ids] - np.einsum("nij,nj->ni", turns, centres[carried])
    torques = torques + np.cross(data.subtree_com[mirror.roots[carried]] - origins, forces)
    wrenches[carried] = np.hstack([np.einsum("nji,nj->ni", turns, part) for part in (forces, torques)])
    return wrenches


def contact_forces(world: "Model", rest: Ints, weight: Floats) -> Floats:
    """Return what contacts did to each body in the last step, those with the floor included, shape (n, 7).

    Number of spots, sum of the forces on the body, and their place, weighted by how hard they press; in the frame of
    the world. Feet on which robots with wheels stand are left out, since a robot that rests is held without them.
    What rests on the floor without feet is held by its weight, straight below its centre of mass.

    Args:
        world: Solved.
        rest: See `SpatialState`, shape (n,).
        weight: Shape (n,) [N].
    """
    sums = np.zeros((world.masses.size, CONTACT_WIDTH))
    contact, count = world.data.contact, world.data.ncon
    if count:
        contacts = contact.geom, contact.efc_address, contact.dim, contact.pos, contact.frame
        motion = world.qpos, world.qvel, world.places
        sides = world.rows, world.is_foot, world.surfaces
        _sum_up(contacts, world.data.efc_force, contact.friction, sides, motion, sums)
    lying = np.flatnonzero(rest == LYING)
    places = world.places[lying, 0]
    # the floor is level where anything lies, and goes through the origin
    sums[lying, 0], sums[lying, 3], sums[lying, 4], sums[lying, 5] = (
        SPOTS,
        weight[lying],
        world.qpos[places],
        world.qpos[places + 1],
    )
    return sums


@compiled
def _sum_up(
    contacts: Contacting,
    forces: Floats,
    friction: Floats,
    sides: tuple[Ints, np.ndarray, Floats],
    motion: tuple[Floats, Floats, Ints],
    sums: Floats,
) -> None:
    """Add up contacts by body, see `contact_forces`.

    Args:
        contacts: All contacts.
        forces: Of all constraints, flat [N].
        friction: Coefficients of each contact, shape (k, 5).
        sides: Row of each geom, whether it is a foot, and its surface, as `Model` has them.
        motion: Positions, velocities, and where those of each body begin.
        sums: Written, shape (n, 7).
    """
    geoms, starts, kinds, places, frames = contacts
    rows, is_foot, surfaces = sides
    weights = np.zeros(sums.shape[0])
    for k in range(geoms.shape[0]):
        first, second = geoms[k, 0], geoms[k, 1]
        if starts[k] < 0 or is_foot[first] or is_foot[second]:
            continue
        normal = forces[starts[k]]
        force = normal * frames[k, :3]
        for direction in range(1, min(kinds[k], 3)):
            force += forces[starts[k] + direction] * frames[k, 3 * direction : 3 * direction + 3]
        # what slides fast has no friction in MuJoCo: the engine brakes it by that of Coulomb
        slide = surfaces[first, 0] * surfaces[second, 0]
        if friction[k, 0] <= LEAST_FRICTION < slide and kinds[k] > 1:
            force += slide * normal * _against(rows[first], rows[second], places[k], frames[k, :3], motion)
        for side in range(2):
            row = rows[geoms[k, side]]
            if row >= 0:
                sums[row, 0] += 1.0
                sums[row, 1:4] += (2.0 * side - 1.0) * force
                sums[row, 4:7] += normal * places[k]
                weights[row] += normal
    for row in range(sums.shape[0]):
        if weights[row] > 0.0:
            sums[row, 4:7] /= weights[row]


@compiled
def _against(first: int, second: int, place: Floats, axis: Floats, motion: tuple[Floats, Floats, Ints]) -> Floats:
    """Return the unit vector against which the second body slides on the first, 0 where it does not."""
    spot = (place[0], place[1], place[2])
    x, y, z = velocity_at(second, spot, motion[0], motion[1], motion[2])
    u, v, w = velocity_at(first, spot, motion[0], motion[1], motion[2])
    speed = np.array([x - u, y - v, z - w])
    speed -= (speed[0] * axis[0] + speed[1] * axis[1] + speed[2] * axis[2]) * axis
    length = math.sqrt(speed[0] ** 2 + speed[1] ** 2 + speed[2] ** 2)
    return -speed / length if length > 0.0 else speed
