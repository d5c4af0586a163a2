"""Bodies as an engine wants them. Targets and the floor have none."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeAlias

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.engines.contract import CLOSING
from coopsim.engines.plane.footprints import lowest
from coopsim.engines.rotations import plus, times, turned
from coopsim.geometry import Quaternion, Vector3, quaternion
from coopsim.robots.blueprint import RobotBlueprint, RunSpec
from coopsim.robots.links import name_in
from coopsim.scene import Floor, Joint, LinkSpec, Object, ObjectPart, RobotPlacement
from coopsim.scene.measures import POLYGON

Pose: TypeAlias = tuple[float, float, float, float, float, float, float]
_LYING = 1e-6  # m
_shape = lru_cache(ShapeSpec)  # robots of a type share theirs: thousands have the same few


def object_body(thing: Object, floor_friction: float = Floor().friction) -> BodySpec:
    """Return the body of an object or a wall.

    Args:
        thing: Mass 0 = fixed.
        floor_friction: Friction of the floor it may slide on.
    """
    shapes = tuple(_object_shape(thing, shape) for shape in thing.shapes)
    is_ball = thing.shape == "sphere" and not thing.parts
    rolling = thing.rolling if is_ball else _standing_friction(shapes) * floor_friction
    rolling = rolling if thing.mass > 0 else 0.0
    pose = _pose(thing.position, thing.orientation)
    return BodySpec(thing.name, pose, thing.mass, shapes, rolling, span=thing.span, soft=thing.soft)


def robot_body(
    blueprint: RobotBlueprint, placement: RobotPlacement, floor_friction: float = Floor().friction
) -> BodySpec:
    """Return the body of a robot: its chassis. The wheels are a servo's business and roll freely.

    Args:
        blueprint: Its type.
        placement: Where it stands.
        floor_friction: Friction of the floor that brakes a robot without wheels.
    """
    shape, hull = _shape(blueprint.shape, blueprint.size, blueprint.friction), blueprint.hull
    if hull is not None:
        place, points = _in_body(hull)
        shape = replace(shape, kind=hull.shape, size=hull.size, position=place, points=points)
    pose, wheels = _pose(placement.position, placement.orientation), blueprint.has_wheels
    rolling = 0.0 if wheels else blueprint.friction * floor_friction
    bolted = blueprint.is_bolted
    return BodySpec(
        placement.name, pose, blueprint.mass, (shape,), rolling, wheeled=wheels, span=placement.span, is_bolted=bolted
    )


def robot_bodies(
    blueprint: RobotBlueprint, placement: RobotPlacement, floor_friction: float = Floor().friction
) -> tuple[BodySpec, ...]:
    """Return all bodies of a robot, the chassis first; arguments as those of `robot_body`."""
    base = robot_body(blueprint, placement, floor_friction)
    return base, *(_link_body(link, base.pose, placement, floor_friction) for link in blueprint.links)


def robot_joints(blueprint: RobotBlueprint, bodies: Sequence[BodySpec]) -> tuple[JointSpec, ...]:
    """Return the joints of a robot whose bodies stand as `robot_bodies` says."""
    poses, robot = {body.name: body.pose for body in bodies}, bodies[0].name
    is_arm = blueprint.is_articulated
    # loose links move as they did before joints of all kinds had an armature
    return tuple(
        joint_spec(joint, poses, is_arm and joint.kind not in CLOSING, robot=robot) for joint in blueprint.joints
    )


def joint_spec(joint: Joint, poses: Mapping[str, Pose], is_chained: bool = False, robot: str = "") -> JointSpec:
    """Return a joint as an engine wants it.

    Args:
        joint: Its bodies are named as those of the engine, or as parts of `robot`.
        poses: Of the engine's bodies, by name; for one that is not there the origin counts: an engine will refuse it.
        is_chained: See `JointSpec`.
        robot: Name of the robot whose joint it is: one that is not chained has no armature then. "" = of none.
    """
    name, a, b, dynamics = joint.name, joint.a, joint.b, joint.dynamics
    if robot:
        name, a, b = f"{robot}.{name}", name_in(robot, a), name_in(robot, b)
        if dynamics is not None and dynamics.follows:
            dynamics = replace(dynamics, follows=f"{robot}.{dynamics.follows}")
    place, turn = _frame(a, poses)
    far, far_turn = _frame(b, poses)
    lower, upper = joint.limits or (-math.inf, math.inf)
    return JointSpec(
        name,
        joint.kind,
        a,
        b,
        plus(place, turned(turn, joint.anchor)),
        turned(turn, joint.axis),
        limit=joint.travel or math.inf,
        stiffness=joint.stiffness,
        damping=joint.damping,
        carriage=joint.carriage,
        span=joint.span,
        lower=lower,
        upper=upper,
        is_chained=is_chained,
        armature=joint.armature if is_chained or not robot else 0.0,
        far_anchor=plus(far, turned(far_turn, joint.far_anchor or (0.0, 0.0, 0.0))) if joint.kind == "spring" else None,
        length=joint.length,
        dynamics=dynamics,
    )


def _frame(body: str, poses: Mapping[str, Pose]) -> tuple[Vector3, Quaternion]:
    x, y, z, w, i, j, k = poses.get(body, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))
    return (x, y, z), (w, i, j, k)


def world_spec(spec: RunSpec) -> WorldSpec:
    """Return everything a physics engine is built from, as a scenario begins."""
    scenario = spec.scenario
    floor = scenario.world.floor
    objects = [object_body(thing, floor.friction) for thing in scenario.world.objects]
    bodies = list(objects)
    joints: list[JointSpec] = []
    for placement in scenario.robots:
        kind = spec.types[placement.type]
        own = robot_bodies(kind, placement, floor.friction)
        bodies += own
        joints += robot_joints(kind, own)
    poses = {body.name: body.pose for body in bodies}
    joints += [joint_spec(joint, poses) for joint in (*scenario.world.joints, *scenario.joints)]
    return world_with(floor, bodies, joints)


def floor_body(floor: Floor) -> BodySpec:
    """Return the body of a floor as rays see it: they miss it beyond its edges."""
    turn = quaternion(*floor.orientation)
    base = turned(turn, (0.0, 0.0, -floor.size[2]))
    return BodySpec(floor.name, (*base, *turn), 0.0, (ShapeSpec("box", floor.size),), span=floor.span)


def world_with(floor: Floor, bodies: Iterable[BodySpec], joints: Iterable[JointSpec] = ()) -> WorldSpec:
    """Return a world with this floor."""
    return WorldSpec(tuple(bodies), tuple(joints), floor.size, floor.friction, floor.orientation, floor.span)


def _object_shape(thing: Object, part: ObjectPart) -> ShapeSpec:
    friction = thing.friction if part.friction is None else part.friction
    share = part.mass / thing.mass if part.mass is not None and thing.mass > 0.0 else 0.0
    turn, (place, points) = quaternion(*part.orientation), _in_body(part)
    return ShapeSpec(part.shape, part.size, friction, thing.restitution, place, share, turn, points)


def _in_body(part: ObjectPart) -> tuple[Vector3, tuple[float, ...] | None]:
    """Return where a part stands in its body, and its points; engines want those of a polygon in the body's frame."""
    x, y, z = part.position
    if part.shape != POLYGON or part.points is None or not (x or y):
        return part.position, part.points
    return (0.0, 0.0, z), tuple(along + (y if place % 2 else x) for place, along in enumerate(part.points))


def _standing_friction(shapes: Sequence[ShapeSpec]) -> float:
    """Return the friction of what a body stands on, the mean over the area where that is several shapes."""
    bases = [lowest(shape) for shape in shapes]
    below = [shape for shape, base in zip(shapes, bases, strict=True) if base - min(bases) < _LYING]
    areas = [body.size[0] * body.size[1] for body in below]
    if len(below) == 1 or not math.fsum(areas) > 0.0:  # sizes that no engine has checked yet
        return below[0].friction
    return math.fsum(body.friction * area for body, area in zip(below, areas, strict=True)) / math.fsum(areas)


def _link_body(link: LinkSpec, base: Pose, placement: RobotPlacement, floor_friction: float) -> BodySpec:
    """Return a link; one that lies on the floor is braked by it."""
    x, y, z, w, i, j, k = base
    turn = (w, i, j, k)
    place = plus((x, y, z), turned(turn, link.position))
    pose = (*place, *times(turn, _turn_of(link)))
    rolling = link.friction * floor_friction if abs(place[2]) < _LYING else 0.0
    name, owner, inertia = f"{placement.name}.{link.name}", placement.name, (link.centre, link.tensor)
    shapes = _link_shapes(link)
    return BodySpec(name, pose, link.mass, shapes, rolling, False, placement.span, owner, False, *inertia)


@lru_cache
def _turn_of(link: LinkSpec) -> Quaternion:
    return quaternion(*link.orientation)


@lru_cache
def _link_shapes(link: LinkSpec) -> tuple[ShapeSpec, ...]:
    if link.parts is None:
        return (_shape(link.shape, link.size, link.friction),)
    return tuple(
        ShapeSpec(
            part.shape,
            part.size,
            link.friction if part.friction is None else part.friction,
            position=part.position,
            turn=quaternion(*part.orientation),
            points=part.points,
        )
        for part in link.parts
    )


def _pose(position: Vector3, orientation: Vector3) -> Pose:
    return (*position, *quaternion(*orientation))
