"""Chains in MuJoCo: bodies that move in the coordinates of their joints alone, and bodies that are bolted down.

MuJoCo keeps numbers of such bodies neither in `qpos` nor in `qvel`. A world with one of them has a mirror: arrays with
rows for all bodies, written from MuJoCo's after each step, that kernels read as they read MuJoCo's own otherwise.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, Protocol

import numpy as np

from coopsim.engines.contract import JointSpec
from coopsim.engines.plane.footprints import located
from coopsim.engines.rotations import back, minus, turned
from coopsim.errors import EngineCannot
from coopsim.features.space import kernels, mirror_kernels
from coopsim.features.space.binding import FREE, HINGE, mujoco
from coopsim.features.space.dynamics import resistance
from coopsim.features.space.friction import CATCH, CATCHING, LEGGED, LINK
from coopsim.features.space.grips import SpatialJoint, axis_on_rail, seen_from_rail
from coopsim.features.space.grounded_motors import GroundedMotors, Limits
from coopsim.features.space.joints import chained_name, limited
from coopsim.features.space.light_bases import are_unsteady, free_bases, with_bases
from coopsim.features.space.passive import (
    Loose,
    bear_followers,
    follow,
    give_way,
    rest,
    yielding_dofs,
    yielding_of,
)
from coopsim.features.space.solids import Solid
from coopsim.features.space.state import SpatialState
from coopsim.geometry import Floats, Ints

_SIX, _SEVEN = np.arange(6), np.arange(7)  # a free joint has six velocities and seven positions


class Mirrored(Protocol):
    """A compiled world that has a mirror.

    Attributes:
        qpos: Place and quaternion of the body of each row, flat.
        qvel: Velocity in the world's frame and angular velocity in its own, flat.
        applied: Force and torque on each in the same frames, flat [N, N m].
        seen: MuJoCo's places, quaternions, velocities and centres, see `mirror_kernels.gather`.
        outer: Force and torque on each of MuJoCo's bodies, world frame.
        inertias: What resists the motion of each joint, shape (j,).
    """

    model: mujoco.MjModel
    data: mujoco.MjData
    qpos: Floats
    qvel: Floats
    applied: Floats
    seen: tuple[Floats, Floats, Floats, Floats]
    outer: Floats
    inertias: Floats


def check_chains(joints: Iterable[JointSpec]) -> None:
    """Refuse chained joints that hold a body twice, or go in a circle.

    Raises:
        EngineCannot: They do.
    """
    holder: dict[str, JointSpec] = {}
    for joint in joints:
        if not joint.is_chained:
            continue
        if joint.b in holder:
            text = f"the joint {joint.name!r} holds {joint.b!r}, which {holder[joint.b].name!r} holds already"
            raise EngineCannot(f"{located(joint.span)}{text}; a link of a chain hangs on one joint")
        holder[joint.b] = joint
    for name, joint in holder.items():
        seen, at = {name}, joint.a
        while at in holder:
            if at in seen:
                raise EngineCannot(f"{located(joint.span)}the joint {joint.name!r} closes a circle of chained joints")
            seen.add(at)
            at = holder[at].a


def parents_first(names: Sequence[str], joints: Iterable[SpatialJoint]) -> tuple[list[str], dict[str, SpatialJoint]]:
    """Return names of bodies such that what carries a chained one comes before it, and the joints of those by name."""
    holder = {joint.spec.b: joint for joint in joints if joint.spec.is_chained}
    bodies: dict[str, None] = {}
    for name in names:
        line = [name]
        while line[-1] in holder:
            line.append(holder[line[-1]].spec.a)
        # from the root on; a dictionary keeps the order and each name once
        bodies.update(dict.fromkeys(reversed(line)))
    return list(bodies), holder


def add_link(bodies: Mapping[str, mujoco.MjsBody], joint: SpatialJoint, solids: Mapping[str, Solid]) -> mujoco.MjsBody:
    """Add the body that rides on a chained joint, with the joint, to the one that carries it."""
    spec = joint.spec
    place, turn = seen_from_rail(joint, solids)
    body = bodies[spec.a].add_body(pos=minus(place, solids[spec.a].centre), quat=turn)
    if spec.is_movable:
        along, anchor = axis_on_rail(joint, solids)
        kind = mujoco.mjtJoint.mjJNT_SLIDE if spec.kind == "slide" else mujoco.mjtJoint.mjJNT_HINGE
        body.add_joint(
            name=chained_name(spec.b),
            type=kind,
            axis=turned(back(turn), along),
            pos=turned(back(turn), minus(anchor, place)),
            armature=spec.armature,
            **resistance(spec),
            **limited(spec.limits),
        )
    return body


def separate_chains(
    model: mujoco.MjSpec, bodies: Mapping[str, mujoco.MjsBody], holder: Mapping[str, SpatialJoint]
) -> None:
    """Let the bodies of a chain pass through each other."""
    members: dict[str, list[str]] = {}
    for name in holder:
        root = name
        while root in holder:
            root = holder[root].spec.a
        members.setdefault(root, [root]).append(name)
    # links overlap at their joints, and would push each other apart there
    for chain in members.values():
        for joint, partner in combinations(chain, 2):
            model.add_exclude(bodyname1=bodies[joint].name, bodyname2=bodies[partner].name)


def mark_surfaces(world: Any, *, is_rubbing: bool, is_catching: bool) -> None:
    """Mark the surfaces of a compiled world by what brakes and catches them, see `friction` and `EngineMark`."""
    if is_rubbing:
        _let_rub(world)
    # links land as in their home simulator
    world.surfaces[:, CATCH] = CATCHING * (is_catching & (world.surfaces[:, LINK] == 0.0))


def _let_rub(world: Any) -> None:
    """Have MuJoCo brake what slides of links on a free base without wheels, and of that base, in a compiled world.

    Wheels and casters slide less than a step stops: MuJoCo, which would like to do that at once, has casters spin.
    """
    if world.mirror is not None:
        model, mirror = world.model, world.mirror
        bases = np.setdiff1d(mirror.bases[mirror.dofs[1]], [-1, *mirror.wheeled])
        is_legged = np.isin(model.body_rootid, model.body_rootid[model.dof_bodyid[bases]])
        rolls = (model.jnt_type == HINGE) & (model.jnt_limited == 0)
        is_legged[model.jnt_bodyid[rolls]] = False
        world.surfaces[is_legged[model.geom_bodyid], LINK] = LEGGED


@dataclass(eq=False)
class Mirror:
    """Data of a world with chains, besides those of every world.

    Attributes:
        ids: MuJoCo's number of the body of each row, shape (n,).
        roots: That of the body that it hangs on in the end, shape (n,).
        free: Rows that are free in space, shape (f,).
        addresses: First number of each of those in MuJoCo's `qpos` and `qvel`, shape (f, 2).
        bolted: Rows of the bodies that stay where they are put, shape (b,).
        dofs: Rows of the chained joints that move, shape (c,), and their places in `qvel`, shape (c,).
        diagonals: Where the inertia of each of those is in the matrix of inertia, shape (c,).
        yielding: Places in `qvel` of joints that move as they like, see `yielding_dofs`, shape (j,).
        bases: First dof of the free base of each, see `free_bases`, shape (v,).
        couplings: Dofs that follow others, and those, shape (2, c), with their speeds per those, shape (c,).
        unsteady: What was found of modules of motors, see `light_bases.are_unsteady`, by their joints.
        wheeled: First dofs of the bases that stand on wheels.
        grounded: Motors of robots on free bases, by what they were asked for with.
    """

    ids: Ints
    roots: Ints
    free: Ints
    addresses: Ints
    bolted: Ints
    dofs: tuple[Ints, Ints]
    diagonals: Ints
    yielding: Ints
    bases: Ints
    couplings: tuple[Ints, Floats] = field(default_factory=lambda: (np.zeros((2, 0), np.int64), np.zeros(0)))
    unsteady: dict[tuple[bytes, ...], bool] = field(default_factory=dict)
    wheeled: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    grounded: dict[tuple[bytes, bytes, bytes, float], GroundedMotors] = field(default_factory=dict)

    @classmethod
    def of(
        cls, model: mujoco.MjModel, ids: Sequence[int], solids: Sequence[Solid], joints: Sequence[SpatialJoint]
    ) -> "Mirror":
        """Return that of a compiled model whose rows are these bodies."""
        is_free = np.isin(ids, model.jnt_bodyid[model.jnt_type == FREE])
        free = np.flatnonzero(is_free)
        first = model.body_jntadr[np.array(ids, np.int64)[free]]
        rows = [row for row, joint in enumerate(joints) if joint.spec.is_chained and joint.spec.is_movable]
        dofs = [model.joint(chained_name(joints[row].spec.b)).dofadr[0] for row in rows]
        addresses = np.column_stack([model.jnt_qposadr[first], model.jnt_dofadr[first]]).astype(np.int64)
        return cls(
            ids=np.array(ids, np.int64),
            roots=model.body_rootid[ids].astype(np.int64),
            free=free,
            addresses=addresses,
            bolted=np.array([row for row, solid in enumerate(solids) if solid.spec.is_bolted], np.int64),
            dofs=(np.array(rows, np.int64), np.array(dofs, np.int64)),
            # rows of MuJoCo's matrix end with their diagonal
            diagonals=(model.M_rowadr[dofs] + model.M_rownnz[dofs] - 1).astype(np.int64),
            yielding=yielding_dofs(joints, rows, dofs),
            bases=free_bases(model),
            wheeled=np.array(
                [at[1] for row, at in zip(free.tolist(), addresses, strict=True) if solids[row].spec.wheeled], np.int64
            ),
        )

    def push(self, world: Mirrored, state: SpatialState) -> None:
        """Write bodies that are free or bolted into MuJoCo's arrays; links follow from their joints."""
        self._put_places(world, state.positions, state.velocities)
        world.data.qacc_warmstart[self.addresses[:, 1:] + _SIX] = state.pushes[self.free]

    def _put_places(self, world: Mirrored, places: Floats, velocities: Floats) -> None:
        (positions, dofs), data = self.addresses.T, world.data
        data.qpos[positions[:, np.newaxis] + _SEVEN] = places[self.free]
        data.qvel[dofs[:, np.newaxis] + _SIX] = velocities[self.free]
        ids = self.ids[self.bolted]
        world.model.body_pos[ids], world.model.body_quat[ids] = np.split(places[self.bolted], [3], axis=1)

    def pull(self, world: Mirrored, state: SpatialState) -> None:
        """Read the accelerations that the solver starts from."""
        state.pushes[:] = 0.0
        state.pushes[self.free] = world.data.qacc_warmstart[self.addresses[:, 1:] + _SIX]

    def own(self, world: Mirrored) -> Floats:
        """Return MuJoCo's own numbers of bodies that are free or bolted, 0 of links, shape (n, 13).

        The rows of the mirror are made of them and are not the same: quaternions are made unit ones, velocities go
        through other frames. A model that goes on from the rows is another one in their last digits.
        """
        own, (positions, dofs) = np.zeros((self.ids.size, 13)), self.addresses.T
        own[self.free, :7] = world.data.qpos[positions[:, np.newaxis] + _SEVEN]
        own[self.free, 7:] = world.data.qvel[dofs[:, np.newaxis] + _SIX]
        ids = self.ids[self.bolted]
        own[self.bolted, :7] = np.column_stack([world.model.body_pos[ids], world.model.body_quat[ids]])
        return own

    def put_own(self, world: Mirrored, own: Floats, state: SpatialState) -> None:
        """Write what `own` returned into MuJoCo's arrays, and the rows of all bodies as they were beside it."""
        self._put_places(world, own[:, :7], own[:, 7:])
        self.refresh(world)
        world.qpos[:], world.qvel[:] = state.positions.ravel(), state.velocities.ravel()

    def refresh(self, world: Mirrored) -> None:
        """Write the rows of all bodies from MuJoCo's arrays, and find what loads and resists the joints."""
        model, data = world.model, world.data
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_makeM(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_rne(model, data, 0, data.qfrc_bias)
        mirror_kernels.gather(world.seen, self.ids, self.roots, world.qpos, world.qvel)
        world.inertias[self.dofs[0]] = data.M[self.diagonals]

    def inverse(self, world: Mirrored, accelerations: Floats, loose: Loose | None, robots: Ints | None) -> Floats:
        """Return efforts that accelerate chained joints, rows as joints, see `MujocoEngine.inverse_dynamics`."""
        rows, dofs = self.dofs
        wanted, actual, efforts = np.zeros(world.model.nv), np.zeros(world.model.nv), np.zeros_like(accelerations)
        wanted[dofs] = accelerations[rows]
        passive, dt = loose or (np.zeros((0 if robots is None else len(robots), 0), np.int64), 0.0)
        chosen, borne = self.giving_way(passive, robots), self.borne_by_others(passive)
        rest(chosen, wanted)
        follow(borne, wanted)
        mujoco.mj_mulM(world.model, world.data, actual, wanted)
        if chosen.size:
            give_way(yielding_of(world, chosen), actual, dt, wanted)
            follow(borne, wanted)
            mujoco.mj_mulM(world.model, world.data, actual, wanted)
        actual += world.data.qfrc_bias
        bear_followers(borne, actual)
        efforts[rows] = actual[dofs]
        return efforts

    def are_grounded(self, joints: Ints) -> bool:
        """Return whether a robot with these driven joints, shape (k,), has a free base without wheels."""
        dofs = self.places_of(joints)
        base = self.bases[dofs[dofs >= 0]].max(initial=-1)
        return bool(base >= 0 and base not in self.wheeled)

    def grounded_motors(
        self, world: Mirrored, joints: Ints, loose: Loose | None, limits: Limits, *, is_rubbing: bool
    ) -> GroundedMotors:
        """Return the motors of robots on free bases; the same each time, of one world.

        Args:
            world: Whose mirror this is.
            joints: All that are driven, of each robot, shape (n, k).
            loose: Joints that nothing drives.
            limits: Of the motors.
            is_rubbing: See `EngineMark`.
        """
        passive = np.zeros((len(joints), 0), np.int64) if loose is None else loose[0]
        key = joints.tobytes(), passive.tobytes(), limits[0].tobytes(), limits[1]
        if key not in self.grounded:
            parts = joints, self.yielding[passive], self.borne_by_others(passive), limits
            self.grounded[key] = GroundedMotors(world, *parts, has_stops=is_rubbing)
        return self.grounded[key]

    def giving_way(self, loose: Ints, robots: Ints | None) -> Ints:
        """Return dofs that give way to motors, -1 = none, shape (n, q).

        Args:
            loose: Joints of each robot that nothing drives, shape (n, p).
            robots: Joints that are driven, of each robot whose free base gives way, shape (n, k); None = all stand.
        """
        chosen = self.yielding[loose]
        return chosen if robots is None else with_bases(chosen, self.places_of(robots), self.bases)

    def borne_by_others(self, loose: Ints) -> tuple[Ints, Floats]:
        """Return the couplings, as `couplings` has them, of followers that nothing else drives.

        Args:
            loose: Joints that nothing drives, shape (n, p).
        """
        dofs, ratios = self.couplings
        is_borne = np.isin(dofs[0], self.places_of(loose))
        return np.ascontiguousarray(dofs[:, is_borne]), ratios[is_borne]

    def places_of(self, joints: Ints) -> Ints:
        """Return where the velocities of joints are in MuJoCo's, -1 = they do not move, in the shape of `joints`."""
        places = np.full(self.yielding.size, -1, np.int64)
        places[self.dofs[0]] = self.dofs[1]
        chosen: Ints = places[joints]
        return chosen

    def are_unsteady(self, model: mujoco.MjModel, modules: Sequence[Ints], postures: int) -> bool:
        """Return whether motors of the joints of each module would swing up alone, see `light_bases.are_unsteady`."""
        key = tuple(joints.tobytes() for joints in modules)
        if key not in self.unsteady:
            self.unsteady[key] = are_unsteady(model, [self.places_of(joints) for joints in modules], postures)
        return self.unsteady[key]

    def spread(self, world: Mirrored) -> None:
        """Hand the forces on all bodies to MuJoCo."""
        mirror_kernels.spread(world.applied, world.qpos, self.ids, world.outer)

    def hold(self, world: Mirrored, rest: Ints) -> None:
        """Tell MuJoCo of the robots that rest."""
        is_quiet = rest[self.free] == kernels.QUIET
        if is_quiet.any():
            rows = np.flatnonzero(is_quiet)
            world.data.qvel[self.addresses[rows, 1:] + _SIX] = world.qvel.reshape(-1, 6)[self.free[rows]]

    def stop(self, world: Mirrored, row: int) -> None:
        """Stop a body with all that it hangs together with."""
        model = world.model
        world.data.qvel[model.body_rootid[model.dof_bodyid] == self.roots[row]] = 0.0

    def accelerations(self, world: Mirrored) -> Floats:
        """Return those of the bodies that are free, shape (n, 3) [m/s2]."""
        values = np.zeros((self.ids.size, 3))
        values[self.free] = world.data.qacc[self.addresses[:, 1:] + _SIX[:3]]
        return values

    def forces(self, world: Mirrored, names: Sequence[str]) -> dict[str, Any]:
        """Return by name the force that holds each body of a chain [N]."""
        mujoco.mj_rnePostConstraint(world.model, world.data)
        return {name: world.data.cfrc_int[number, 3:].copy() for name, number in zip(names, self.ids, strict=True)}
