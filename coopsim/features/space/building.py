"""Descriptions of worlds: bodies, shapes and joints of ours as MuJoCo's."""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from coopsim.engines.contract import ShapeSpec
from coopsim.engines.plane.footprints import rolls
from coopsim.engines.rotations import minus, plus, turned, unit
from coopsim.features.space.binding import mujoco
from coopsim.features.space.chains import add_link, separate_chains
from coopsim.features.space.description import OF_MUJOCO, Part, Trees, carriages, compiled, empty_description
from coopsim.features.space.dynamics import add_followers
from coopsim.features.space.friction import SETTLING
from coopsim.features.space.grips import SpatialJoint, ends
from coopsim.features.space.joints import JointMaker, set_inertia, shares
from coopsim.features.space.kernels import PLANE, SLAB, SOLID
from coopsim.features.space.merging import AFTER, AT_A_TIME, CompiledPart, pad
from coopsim.features.space.soft import add_flexes, add_node, meetings, rest_places, soft_bodies
from coopsim.features.space.solids import Solid, feet, hulls, raised
from coopsim.geometry import Vector3, quaternion
from coopsim.scene.measures import POLYGON

_WIDEST = 1e5  # m; half of the slab
_DEEPEST = 10.0  # m; its thickness
_STIFF, _HARD = (SETTLING, 1.0), (0.95, 0.99, 0.001, 0.5, 2.0)
_SAG = 7.04e-5  # m; how deep feet sink under the weight of any robot, in steps of up to 10 ms
_PATCH = 0.1  # of its radius; what a ball touches the floor with
_RIGID = {"solref": _STIFF, "solimp": _HARD}

Surface: TypeAlias = tuple[float, float, float, float]
"""Friction, radius of the patch [m], restitution, and the lever of its weight that resists rolling [m]."""


class WorldBuilder:
    """Describes and compiles a world, in one part or several.

    Args:
        solids: All bodies by name.
        joints: All of them, in the order in which they are read.
        floor: Coulomb coefficient of the floor, and its rotation about x, y, z [rad].
        integrator: Name of one of `free_flight.INTEGRATORS`, or `AWAKE`.
        weighs_once: See `snapshot.EngineMark`.

    Attributes:
        spec: Of the part that was begun; the first has the floor.
        ids: MuJoCo's numbers of the bodies of closed parts, by name.
        surfaces: Of their geoms, in MuJoCo's order, and whether each is a foot.
        ways: Names of the joints of the carriages of each joint, by its name.
        normal: Of the floor, shape (3,).
        is_level: Whether the floor is.
    """

    def __init__(
        self,
        solids: Mapping[str, Solid],
        joints: Sequence[SpatialJoint],
        floor: tuple[float, Vector3],
        integrator: str,
        *,
        weighs_once: bool,
    ) -> None:
        self._solids, self._share, self._weighs_once = solids, shares(joints, solids), weighs_once
        self._soft = soft_bodies(solids)
        self._rests, self._meetings = rest_places(self._soft), meetings(self._soft)
        self._hulls: dict[tuple[float, ...], str] = {}
        self.ids: dict[str, int] = {}
        self.surfaces: list[tuple[Surface, bool]] = []
        self.ways: dict[str, list[str]] = {}
        self._points = self._count = self._bodies_before = self._dofs = self._padding = 0
        self._begin(empty_description(len(solids) + carriages(joints)))
        self.spec.option.integrator = OF_MUJOCO[integrator]
        self._lay_floor(*floor)

    def begin(self) -> None:
        """Begin another part, without a floor, see `CompiledPart`."""
        self._begin(empty_description(0))
        self._padding = pad(self.spec, self._dofs % AT_A_TIME)

    def _begin(self, spec: mujoco.MjSpec) -> None:
        self.spec, self._trees = spec, Trees(spec, 0)
        self._bodies: dict[str, mujoco.MjsBody] = {}
        self._surfaces: list[tuple[mujoco.MjsGeom, Surface, bool]] = []

    def fill(self, part: Part, holder: Mapping[str, SpatialJoint]) -> None:
        """Add the bodies and joints of a part; `holder` has the chained joints of bodies by their names."""
        names, joints = part
        self._trees = Trees(self.spec, len(names))
        for name in names:
            share = self._share.get(name, 1.0)
            if name in holder:
                self._hang(holder[name], share if self._weighs_once else 1.0)
            else:
                self._add(self._solids[name], share)
        self._trees.attach()
        separate_chains(self.spec, self._bodies, {name: holder[name] for name in names if name in holder})
        add_flexes(self.spec, {name: body.name for name, body in self._bodies.items()}, self._soft)
        self._join(joints)

    def close_part(self, *, is_last: bool) -> CompiledPart:
        """Compile the part that was begun, see `close`; after the last one nothing moves."""
        before, after = self._padding, 0 if is_last else pad(self.spec, AFTER)
        model = self.close()
        # what comes next has no numbers of the padding before it
        self._bodies_before -= (before > 0) + (after > 0)
        self._dofs += model.nv - before - after
        return CompiledPart(model, before, after)

    def close(self) -> mujoco.MjModel:
        """Compile what was begun, and note the numbers of its bodies in the whole.

        Raises:
            EngineCannot: MuJoCo refuses it.
        """
        model = compiled(self.spec)
        shift = self._bodies_before - (self._padding > 0)
        self.ids |= {name: body.id + shift for name, body in self._bodies.items()}
        # MuJoCo numbers geoms by bodies, not in the order in which they were added
        self.surfaces += [noted[1:] for noted in sorted(self._surfaces, key=lambda noted: int(noted[0].id))]
        # each part has a row for the world
        self._bodies_before += model.nbody - 1
        return model

    def _join(self, joints: Sequence[SpatialJoint]) -> None:
        maker = JointMaker(self.spec, self._bodies, self._solids, self._share, self._points)
        self.ways |= {joint.spec.name: maker.add(joint) for joint in joints}
        self._points = maker.points
        # after all others: their forces are read by their places
        movable = {joint.spec.name: self.ways[joint.spec.name][0] for joint in joints if joint.spec.is_movable}
        add_followers(self.spec, joints, movable, lambda spec: 1.0 if ends(spec, self._solids)[0] == spec.a else -1.0)

    def _add(self, solid: Solid, share: float) -> None:
        """Add a body that keeps `share` of its mass."""
        spec = solid.spec
        if spec.soft is not None:
            self._trees.attach()
            self._furnish(add_node(self.spec, solid, self._rests[spec.name]), solid, share)
            return
        turn = unit(spec.pose[3:])
        x, y, z = spec.pose[:3]
        place = plus((x, y, z), turned(turn, solid.centre))
        # meshes and lattices belong to the whole
        is_whole = any(shape.points is not None for shape in spec.shapes)
        body = self._trees.parent(is_whole=is_whole).add_body(pos=place, quat=turn)
        if solid.moves and not spec.is_bolted:
            body.add_freejoint()
        self._furnish(body, solid, share)

    def _hang(self, joint: SpatialJoint, share: float) -> None:
        """Add a body that rides on a chained joint and keeps `share` of its mass: it may close a loop, too."""
        self._furnish(add_link(self._bodies, joint, self._solids), self._solids[joint.spec.b], share)

    def _furnish(self, body: mujoco.MjsBody, solid: Solid, share: float) -> None:
        """Give a body its mass and its shapes."""
        spec = solid.spec
        body.name, self._count = f"b{self._count}", self._count + 1
        if solid.moves:
            body.mass, body.explicitinertial = share * spec.mass, True
            body.ipos, body.iquat = [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
            set_inertia(body, share * solid.inertia)
        self._bodies[spec.name] = body
        for shape in spec.shapes:
            self._add_shape(body, solid, shape)
        if spec.wheeled and solid.moves:
            self._add_feet(body, solid)

    def _lay_floor(self, friction: float, orientation: Vector3) -> None:
        """Lay the floor twice: MuJoCo loses the contacts of a plane with a cylinder that stands almost upright."""
        turn = quaternion(*orientation)
        self.normal, self.is_level = np.array(turned(turn, (0.0, 0.0, 1.0))), not any(orientation[:2])
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


def _sides(kind: str, length: float, width: float, height: float) -> tuple[mujoco.mjtGeom, list[float]]:
    if kind == "box":
        return mujoco.mjtGeom.mjGEOM_BOX, [0.5 * length, 0.5 * width, 0.5 * height]
    if kind == "cylinder":
        return mujoco.mjtGeom.mjGEOM_CYLINDER, [0.5 * length, 0.5 * height, 0.0]
    if math.isclose(length, height, rel_tol=1e-9):
        return mujoco.mjtGeom.mjGEOM_SPHERE, [0.5 * length, 0.0, 0.0]
    return mujoco.mjtGeom.mjGEOM_ELLIPSOID, [0.5 * length, 0.5 * width, 0.5 * height]
