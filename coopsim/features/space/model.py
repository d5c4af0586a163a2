"""Neutral bodies and joints as a compiled MuJoCo model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import EngineCannot
from coopsim.features.space.binding import FREE, mujoco
from coopsim.features.space.building import WorldBuilder
from coopsim.features.space.chains import Mirror, parents_first
from coopsim.features.space.description import Part, carriages, has_dofs, independent_parts, merged_with_data, with_data
from coopsim.features.space.dynamics import couplings_of, share_damping
from coopsim.features.space.free_flight import AWAKE, INTEGRATORS, REFINED, table_of
from coopsim.features.space.grips import SpatialJoint
from coopsim.features.space.joints import spring_forces
from coopsim.features.space.kernels import Ints32
from coopsim.features.space.passive import Loose
from coopsim.features.space.solids import MOST_BODIES, MOST_TOGETHER, Solid
from coopsim.features.space.state import SpatialState
from coopsim.geometry import Floats, Ints, Vector3

_LINEAR = np.arange(3)


@dataclass(eq=False)
class Model:
    """A compiled world; rows are the moving bodies in the order they were given in.

    The arrays `qpos`, `qvel` and `applied` are MuJoCo's own, or those of the mirror; `coordinates`, `rates`, `pushes`
    and `efforts` are always MuJoCo's own.

    Attributes:
        places: First number of each body in `qpos` and `qvel`, shape (n, 2).
        ways: The same in `coordinates` and `rates` of each direction in which a carriage or a chained joint moves, in
            the order of the joints, shape (w, 2).
        spans: First and last geom but one of each body, shape (n, 2).
        rows: Row of each geom, -1 = fixed, shape (g,).
        parts: Number of the body of each geom, shape (g,).
        is_foot: Shape (g,).
        meets: What each geom meets, shape (g,).
        surfaces: Of each geom, shape (g, 6), as `friction` says.
        masses: Of the moving bodies, shape (n,) [kg].
        inverses: Of their tensors of inertia, in their own frames, shape (n, 3, 3) [1/(kg m2)].
        normal: Of the floor, shape (3,).
        mirror: What a world with chains or bolted bodies has besides.
        flying: Bodies that no joint holds, see `free_flight.table_of`; none where they move as all others.
        integrator: Name of one of `free_flight.INTEGRATORS`, or `AWAKE`.
    """

    model: mujoco.MjModel
    data: mujoco.MjData
    places: Ints
    ways: Ints
    spans: Ints
    rows: Ints
    parts: Ints
    is_foot: NDArray[np.bool_]
    meets: Ints32
    surfaces: Floats
    masses: Floats
    inverses: Floats
    normal: Floats
    flying: Floats
    mirror: Mirror | None = None
    integrator: str = INTEGRATORS[0]

    def __post_init__(self) -> None:
        # each look through MuJoCo's objects costs; these stay where they are
        self.option, self.meets_now = self.model.opt, self.model.geom_conaffinity
        self.spots, self.spheres = self.data.geom_xpos, self.model.geom_rbound
        self.coordinates, self.rates, self.efforts = self.data.qpos, self.data.qvel, self.data.qfrc_applied
        self.qpos, self.qvel, self.applied = self.coordinates, self.rates, self.efforts
        self.pushes, self.gains = self.data.qacc_warmstart, self.data.qacc
        self.scratch: mujoco.MjData | None = None  # made where forces in joints are read: it has an arena of its own
        if self.mirror is not None:
            self.qpos, self.qvel, self.applied = np.zeros((3, 7 * self.masses.size))
            self.qvel, self.applied = self.qvel[: 6 * self.masses.size], self.applied[: 6 * self.masses.size]
            data, self.inertias = self.data, np.zeros(0)
            self.gains = np.zeros(6 * self.masses.size)
            self.seen, self.outer = (data.xpos, data.xquat, data.cvel, data.subtree_com), data.xfrc_applied

    def copies(self) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """Return positions and velocities of all rows, and those that MuJoCo goes on from."""
        rows = self.qpos.copy(), self.qvel.copy()
        return rows, rows if self.mirror is None else (self.coordinates.copy(), self.rates.copy())

    @property
    def own(self) -> Floats | None:
        """State that MuJoCo goes on from, see `Mirror.own`; None where that is `qpos` and `qvel`."""
        return None if self.mirror is None else self.mirror.own(self)

    def put_own(self, own: Floats | None, state: SpatialState) -> None:
        """Go on from what `own` returned, with rows as they were then; with None nothing changes."""
        if own is not None and self.mirror is not None:
            self.mirror.put_own(self, own, state)

    def couple(self) -> None:
        """Let joints that follow each other share their damping, and motors know of those which nothing drives."""
        share_damping(self.model)
        if self.mirror is not None:
            self.mirror.couplings = couplings_of(self.model)

    def inverse_dynamics(self, accelerations: Floats, loose: Loose | None, robots: Ints | None) -> Floats:
        """Return efforts that give chained joints these accelerations, see `MujocoEngine.inverse_dynamics`."""
        if self.mirror is None:
            return np.zeros(accelerations.size)
        return self.mirror.inverse(self, accelerations, loose, robots)

    def motion_of_joints(self, names: Sequence[str], *, is_solved: bool) -> tuple[Floats, Mapping[str, Floats]]:
        """Return accelerations of the bodies, shape (n, 3) [m/s2], and what pulls at links and at springs [N]."""
        springs = spring_forces(self.model, self.data) if is_solved else {}
        if self.mirror is None:
            return self.data.qacc[self.places[:, 1:] + _LINEAR], springs
        return self.mirror.accelerations(self), self.mirror.forces(self, names) | springs if is_solved else {}


def build(
    solids: Mapping[str, Solid],
    moving: Sequence[str],
    joints: Sequence[SpatialJoint],
    floor_friction: float,
    floor_orientation: Vector3,
    integrator: str = INTEGRATORS[0],
    weighs_once: bool = True,
) -> Model:
    """Compile a world.

    Args:
        solids: All bodies by name.
        moving: Names of those with mass, by row.
        joints: In the order in which they are read.
        floor_friction: Coulomb coefficient of the floor.
        floor_orientation: Rotation about x, y, z [rad].
        integrator: Name of one of `free_flight.INTEGRATORS`, or `AWAKE`.
        weighs_once: See `snapshot.EngineMark`.

    Raises:
        EngineCannot: MuJoCo refuses it.
    """
    floor = floor_friction, floor_orientation
    builder = WorldBuilder(solids, joints, floor, integrator, weighs_once=weighs_once)
    parts, holder = _parts_of(solids, moving, joints)
    if len(parts) == 1:
        builder.fill(parts[0], holder)
        model, data = with_data(builder.close())
    else:
        base, compiled_parts = builder.close(), []
        last = max((k for k, part in enumerate(parts) if has_dofs(part, solids, holder)), default=0)
        for k, part in enumerate(parts):
            builder.begin()
            builder.fill(part, holder)
            compiled_parts.append(builder.close_part(is_last=k >= last))
        model, data = merged_with_data(base, compiled_parts)
    return _with_tables(builder, model, data, [solids[name] for name in moving], joints, integrator)


def check_size(solids: Mapping[str, Solid], moving: Sequence[str], joints: Sequence[SpatialJoint]) -> None:
    """Refuse a world that is too large as a whole, see `build`.

    Raises:
        EngineCannot: It is.
    """
    count = len(solids) + carriages(joints)
    if count > MOST_BODIES:
        text = f"the mujoco engine holds at most {MOST_BODIES} bodies, links and carriages of joints included"
        raise EngineCannot(f"{text}, got {count}")
    if count > MOST_TOGETHER and len(_parts_of(solids, moving, joints)[0]) == 1:
        text = f"{count} bodies are too many for a world in which something is soft, a hull or a polygon"
        cure = f"the mujoco engine holds at most {MOST_TOGETHER} of them then"
        raise EngineCannot(f"{text}, or in which joints tie the first to the last; {cure}")


def _parts_of(
    solids: Mapping[str, Solid], moving: Sequence[str], joints: Sequence[SpatialJoint]
) -> tuple[list[Part], Mapping[str, SpatialJoint]]:
    """Return the parts of a world that can be compiled alone, and the chained joints of bodies by their names."""
    names, holder = parents_first([*moving, *(name for name, solid in solids.items() if not solid.moves)], joints)
    return independent_parts(names, joints, solids), holder


def _with_tables(
    builder: WorldBuilder,
    model: mujoco.MjModel,
    data: mujoco.MjData,
    moving: Sequence[Solid],
    holds: Sequence[SpatialJoint],
    integrator: str,
) -> Model:
    """Return a compiled world with what tells ours from MuJoCo's."""
    ids = [builder.ids[solid.spec.name] for solid in moving]
    joints = model.body_jntadr[ids].astype(np.int64) if ids else np.zeros(0, np.int64)
    rows = np.full(model.nbody, -1, np.int64)
    rows[ids] = np.arange(len(ids))
    ways = [way for hold in holds for way in builder.ways[hold.spec.name]]
    slides = np.array([model.joint(name).id for name in ways], np.int64)
    first, count = model.body_geomadr[ids].astype(np.int64), model.body_geomnum[ids].astype(np.int64)
    # a world without chains needs no mirror: its rows are MuJoCo's own numbers
    is_plain = not any(hold.spec.is_chained for hold in holds) and not any(solid.spec.is_bolted for solid in moving)
    own = np.column_stack([7 * np.arange(len(ids)), 6 * np.arange(len(ids))])
    surfaces = [surface for surface, _ in builder.surfaces]
    return Model(
        model=model,
        data=data,
        places=_addresses(model, joints) if is_plain else own,
        ways=_addresses(model, slides),
        spans=np.column_stack([first, first + count]),
        rows=rows[model.geom_bodyid],
        parts=model.geom_bodyid.astype(np.int64),
        is_foot=np.array([is_foot for _, is_foot in builder.surfaces], np.bool_),
        meets=model.geom_conaffinity.copy(),
        surfaces=np.column_stack([surfaces, _of_links(model), np.zeros(model.ngeom)]),
        masses=np.array([solid.spec.mass for solid in moving], np.float64),
        inverses=np.linalg.inv(np.array([s.inertia for s in moving]).reshape(-1, 3, 3)).astype(np.float64),
        normal=builder.normal,
        mirror=None if is_plain else Mirror.of(model, ids, moving, holds),
        flying=_flying(
            model,
            ids,
            moving if integrator in REFINED else (),
            holds,
            may_lie=builder.is_level and integrator != AWAKE,
        ),
        integrator=integrator,
    )


def _of_links(model: mujoco.MjModel) -> Floats:
    """Return for each geom 1 where its body moves on joints of its own, else 0.

    What is welded to another body is what that is: a pad is a part of its finger, the base of an arm is fixed.
    """
    moves_freely = np.zeros(model.nbody, np.bool_)
    moves_freely[model.jnt_bodyid[model.jnt_type == FREE]] = True
    # welded to body 0, the world: fixed
    is_link = (model.body_weldid != 0) & ~moves_freely[model.body_weldid]
    return np.asarray(is_link[model.geom_bodyid], np.float64)


def _flying(
    model: mujoco.MjModel, ids: Sequence[int], moving: Sequence[Solid], joints: Sequence[SpatialJoint], *, may_lie: bool
) -> Floats:
    """Return bodies that are free and that no joint holds, see `free_flight.table_of`."""
    joined = {name for joint in joints for name in (joint.spec.a, joint.spec.b)}
    rows = [
        row
        for row, solid in enumerate(moving)
        # robots on wheels rest, and are held then
        if solid.spec.name not in joined
        and solid.spec.soft is None
        and not (solid.spec.is_bolted or solid.spec.wheeled)
    ]
    tensors = np.array([moving[row].inertia for row in rows], np.float64).reshape(-1, 3, 3)
    joints_of = np.array([model.body_jntadr[ids[row]] for row in rows], np.int64)
    masses = [moving[row].spec.mass for row in rows]
    return table_of(rows, _addresses(model, joints_of), masses, tensors, may_lie=may_lie)


def _addresses(model: mujoco.MjModel, joints: Ints) -> Ints:
    addresses = np.column_stack([model.jnt_qposadr[joints], model.jnt_dofadr[joints]])
    return addresses.astype(np.int64).reshape(-1, 2)
