"""Neutral bodies and joints as a compiled MuJoCo model."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.engines.contract import ShapeSpec
from coopsim.engines.plane.footprints import rolls
from coopsim.engines.rotations import minus, plus, turned, unit
from coopsim.features.space.binding import mujoco
from coopsim.features.space.chains import Mirror, add_link, parents_first, separate_chains
from coopsim.features.space.description import OF_MUJOCO, Trees, compiled, empty_description
from coopsim.features.space.dynamics import add_followers, couplings_of, share_damping
from coopsim.features.space.free_bodies import free_joints
from coopsim.features.space.free_flight import AWAKE, INTEGRATORS, REFINED, table_of
from coopsim.features.space.friction import SETTLING
from coopsim.features.space.grips import SpatialJoint, ends
from coopsim.features.space.joints import JointMaker, set_inertia, shares, spring_forces
from coopsim.features.space.kernels import PLANE, SLAB, SOLID, Ints32
from coopsim.features.space.passive import Loose
from coopsim.features.space.soft import add_flexes, add_node, meetings, rest_places, soft_bodies
from coopsim.features.space.soft_checks import Whole
from coopsim.features.space.solids import Solid, feet, hulls, raised
from coopsim.features.space.state import SpatialState
from coopsim.geometry import Floats, Ints, Vector3, quaternion
from coopsim.scene.measures import POLYGON

_WIDEST = 1e5  # m; half of the slab
_DEEPEST = 10.0  # m; its thickness
_STIFF, _HARD = (SETTLING, 1.0), (0.95, 0.99, 0.001, 0.5, 2.0)
_SAG = 7.04e-5  # m; how deep feet sink under the weight of any robot, in steps of up to 10 ms
_PATCH = 0.1  # of its radius; what a ball touches the floor with
_LINEAR = np.arange(3)
_RIGID = {"solref": _STIFF, "solimp": _HARD}

Surface: TypeAlias = tuple[float, float, float, float]
"""Friction, radius of the patch [m], restitution, and the lever of its weight that resists rolling [m]."""


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
    soft = soft_bodies(solids)
    trees = Trees(empty_description(len(solids)), len(solids), free_joints(solids, joints))
    builder = _Builder(floor_friction, floor_orientation, trees, soft)
    builder.spec.option.integrator = OF_MUJOCO[integrator]
    share = shares(joints, solids)
    names, holder = parents_first([*moving, *(name for name, solid in solids.items() if not solid.moves)], joints)
    for name in names:
        if name in holder:
            builder.hang(holder[name], solids, share.get(name, 1.0) if weighs_once else 1.0)
        else:
            builder.add(solids[name], share.get(name, 1.0))
    builder.trees.attach()
    separate_chains(builder.spec, builder.bodies, holder)
    add_flexes(builder.spec, {name: body.name for name, body in builder.bodies.items()}, soft)
    ways = _join(builder, joints, solids, share)
    return builder.compile([solids[name] for name in moving], ways, joints, integrator)


def _join(
    builder: "_Builder", joints: Sequence[SpatialJoint], solids: Mapping[str, Solid], share: Mapping[str, float]
) -> list[str]:
    """Add the joints, and return the names of those of their carriages."""
    maker = JointMaker(builder.spec, builder.bodies, solids, share)
    ways_of = {joint.spec.name: maker.add(joint) for joint in joints}
    # after all others: their forces are read by their places
    movable = {joint.spec.name: ways_of[joint.spec.name][0] for joint in joints if joint.spec.is_movable}
    add_followers(builder.spec, joints, movable, lambda spec: 1.0 if ends(spec, solids)[0] == spec.a else -1.0)
    return [way for ways_of_joint in ways_of.values() for way in ways_of_joint]


class _Builder:
    """Collects bodies."""

    def __init__(
        self, floor_friction: float, floor_orientation: Vector3, trees: Trees, wholes: Sequence[Whole]
    ) -> None:
        self.spec, self.trees = trees.whole, trees
        self.bodies: dict[str, mujoco.MjsBody] = {}
        self._rests, self._meetings = rest_places(wholes), meetings(wholes)
        self._hulls: dict[tuple[float, ...], str] = {}
        self._surfaces: list[tuple[mujoco.MjsGeom, Surface, bool]] = []
        self._lay_floor(floor_friction, floor_orientation)

    def add(self, solid: Solid, share: float) -> None:
        """Add a body that keeps `share` of its mass."""
        spec = solid.spec
        if spec.soft is not None:
            self.trees.attach()
            self._furnish(add_node(self.spec, solid, self._rests[spec.name]), solid, share)
            return
        turn = unit(spec.pose[3:])
        x, y, z = spec.pose[:3]
        place = plus((x, y, z), turned(turn, solid.centre))
        # meshes and lattices belong to the whole
        is_whole = any(shape.points is not None for shape in spec.shapes)
        body = self.trees.parent(is_whole=is_whole).add_body(pos=place, quat=turn)
        if solid.moves and not spec.is_bolted:
            body.add_freejoint()
        self._furnish(body, solid, share)

    def hang(self, joint: SpatialJoint, solids: Mapping[str, Solid], share: float) -> None:
        """Add a body that rides on a chained joint and keeps `share` of its mass: it may close a loop, too."""
        self._furnish(add_link(self.bodies, joint, solids), solids[joint.spec.b], share)

    def _furnish(self, body: mujoco.MjsBody, solid: Solid, share: float) -> None:
        """Give a body its mass and its shapes."""
        spec = solid.spec
        body.name = f"b{len(self.bodies)}"
        if solid.moves:
            body.mass, body.explicitinertial = share * spec.mass, True
            body.ipos, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
            set_inertia(body, share * solid.inertia)
        self.bodies[spec.name] = body
        for shape in spec.shapes:
            self._add_shape(body, solid, shape)
        if spec.wheeled and solid.moves:
            self._add_feet(body, solid)

    def compile(
        self, moving: Sequence[Solid], ways: Sequence[str], holds: Sequence[SpatialJoint], integrator: str
    ) -> Model:
        """Return the model of all that was added."""
        model = compiled(self.spec)
        ids = [self.bodies[solid.spec.name].id for solid in moving]
        # MuJoCo numbers geoms by bodies, not in the order in which they were added
        surfaces = [noted[1:] for noted in sorted(self._surfaces, key=lambda noted: int(noted[0].id))]
        # not needed any more, and larger than the model
        del self.spec, self.bodies, self._surfaces
        model, data = self.trees.with_data(model)
        joints = model.body_jntadr[ids].astype(np.int64) if ids else np.zeros(0, np.int64)
        rows = np.full(model.nbody, -1, np.int64)
        rows[ids] = np.arange(len(ids))
        slides = np.array([model.joint(name).id for name in ways], np.int64)
        first, count = model.body_geomadr[ids].astype(np.int64), model.body_geomnum[ids].astype(np.int64)
        # a world without chains needs no mirror: its rows are MuJoCo's own numbers
        is_plain = not any(hold.spec.is_chained for hold in holds) and not any(solid.spec.is_bolted for solid in moving)
        own = np.column_stack([7 * np.arange(len(ids)), 6 * np.arange(len(ids))])
        return Model(
            model=model,
            data=data,
            places=_addresses(model, joints) if is_plain else own,
            ways=_addresses(model, slides),
            spans=np.column_stack([first, first + count]),
            rows=rows[model.geom_bodyid],
            parts=model.geom_bodyid.astype(np.int64),
            is_foot=np.array([is_foot for _, is_foot in surfaces], np.bool_),
            meets=model.geom_conaffinity.copy(),
            surfaces=np.column_stack([[surface for surface, _ in surfaces], _of_links(model), np.zeros(model.ngeom)]),
            masses=np.array([solid.spec.mass for solid in moving], np.float64),
            inverses=np.linalg.inv(np.array([s.inertia for s in moving]).reshape(-1, 3, 3)).astype(np.float64),
            normal=self._normal,
            mirror=None if is_plain else Mirror.of(model, ids, moving, holds),
            flying=_flying(
                model,
                ids,
                moving if integrator in REFINED else (),
                holds,
                may_lie=self._is_level and integrator != AWAKE,
            ),
            integrator=integrator,
        )

    def _lay_floor(self, friction: float, orientation: Vector3) -> None:
        """Lay the floor twice: MuJoCo loses the contacts of a plane with a cylinder that stands almost upright."""
        turn = quaternion(*orientation)
        self._normal, self._is_level = np.array(turned(turn, (0.0, 0.0, 1.0))), not any(orientation[:2])
        world = self.spec.worldbody
        sunk = turned(turn, (0.0, 0.0, -0.5 * _DEEPEST))
        floor = {"quat": turn, "conaffinity": 0, **_RIGID}
        plane = world.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[0.0, 0.0, 1.0], contype=PLANE, **floor)
        sides = [_WIDEST, _WIDEST, 0.5 * _DEEPEST]
        slab = world.add_geom(type=mujoco.mjtGeom.mjGEOM_BOX, size=sides, pos=sunk, contype=SLAB, **floor)
        self._surfaces += [(geom, (friction, 0.0, 1.0, 0.0), False) for geom in (plane, slab)]

    def _add_shape(self, body: mujoco.MjsBody, solid: Solid, shape: ShapeSpec) -> None:
        if shape.kind == POLYGON:
            for hull in hulls(shape):
                self._add_shape(body, solid, hull)
            return
        (length, width, height), base = raised(solid.spec, shape)
        kind, sides = _sides(shape.kind, length, width, height)
        # see `_lay_floor`: a plane loses cylinders
        floor = SLAB if kind == mujoco.mjtGeom.mjGEOM_CYLINDER else PLANE
        usual = SOLID, SOLID | floor if solid.moves else SOLID
        contype, conaffinity = self._meetings.get(solid.spec.name, usual)
        middle, mesh = (0.0, 0.0, 0.5 * height), {}
        if shape.points is not None:
            kind, sides, middle, mesh = mujoco.mjtGeom.mjGEOM_MESH, [0.0] * 3, (0.0, 0.0, 0.0), self._add_hull(shape)
        geom = body.add_geom(
            type=kind,
            size=sides,
            pos=minus(plus(base, turned(shape.turn, middle)), solid.centre),
            quat=shape.turn,
            contype=contype,
            conaffinity=conaffinity,
            # balls alone roll: for others friction against rolling costs rows of the solver for nothing
            condim=6 if shape.kind == "sphere" and solid.spec.soft is None else 3,
            **mesh,
            **_RIGID,
        )
        radius = 0.5 * length if shape.kind == "sphere" else 0.0
        resistance = solid.spec.rolling * radius if rolls(solid.spec) else 0.0
        self._surfaces.append((geom, (shape.friction, _PATCH * radius, shape.restitution, resistance), False))

    def _add_hull(self, shape: ShapeSpec) -> dict[str, str]:
        """Add the mesh of a hull, and return how a geom names it; bodies of one shape share it."""
        name = self._hulls.setdefault(shape.points or (), f"m{len(self._hulls)}")
        if self.spec.mesh(name) is None:
            # only its corners count: what it weighs is the body's
            inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
            self.spec.add_mesh(name=name, uservert=list(shape.points or ()), inertia=inertia)
        return {"meshname": name}

    def _add_feet(self, body: mujoco.MjsBody, solid: Solid) -> None:
        for foot in feet(solid):
            x, y, z = minus(foot.position, solid.centre)
            geom = body.add_geom(
                type=mujoco.mjtGeom.mjGEOM_SPHERE,
                size=[foot.radius, 0.0, 0.0],
                # feet stand out by what they sink in, so that bases are at the height of the file
                pos=(x, y, z - _SAG),
                contype=SOLID,
                conaffinity=SOLID | PLANE,
                # no friction, and before that of the floor: motors and tyres are a servo's business
                condim=1,
                priority=1,
                **_RIGID,
            )
            self._surfaces.append((geom, (0.0, 0.0, 0.0, 0.0), True))


def _of_links(model: mujoco.MjModel) -> Floats:
    """Return for each geom 1 where its body moves on joints of its own, else 0.

    What is welded to another body is what that is: a pad is a part of its finger, the base of an arm is fixed.
    """
    moves_freely = np.zeros(model.nbody, np.bool_)
    moves_freely[model.jnt_bodyid[model.jnt_type == mujoco.mjtJoint.mjJNT_FREE]] = True
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


def _sides(kind: str, length: float, width: float, height: float) -> tuple[mujoco.mjtGeom, list[float]]:
    if kind == "box":
        return mujoco.mjtGeom.mjGEOM_BOX, [0.5 * length, 0.5 * width, 0.5 * height]
    if kind == "cylinder":
        return mujoco.mjtGeom.mjGEOM_CYLINDER, [0.5 * length, 0.5 * height, 0.0]
    if math.isclose(length, height, rel_tol=1e-9):
        return mujoco.mjtGeom.mjGEOM_SPHERE, [0.5 * length, 0.0, 0.0]
    return mujoco.mjtGeom.mjGEOM_ELLIPSOID, [0.5 * length, 0.5 * width, 0.5 * height]
