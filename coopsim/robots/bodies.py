"""What has a body, as an engine wants it. Targets and the floor have none."""

from collections.abc import Iterable

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.geometry import Vector3, quaternion
from coopsim.robots.blueprint import RobotBlueprint, RunSpec
from coopsim.scene import Floor, Object, RobotPlacement


def object_body(thing: Object, floor_friction: float = Floor().friction) -> BodySpec:
    """Return the body of an object or a wall.

    Args:
        thing: Mass 0 = fixed.
        floor_friction: Friction of the floor it may slide on.
    """
    shape = ShapeSpec(thing.shape, thing.size, thing.friction, thing.restitution)
    rolling = thing.rolling if thing.shape == "sphere" else thing.friction * floor_friction
    rolling = rolling if thing.mass > 0 else 0.0
    pose = _pose(thing.position, thing.orientation)
    return BodySpec(thing.name, pose, thing.mass, (shape,), rolling, span=thing.span)


def robot_body(blueprint: RobotBlueprint, placement: RobotPlacement) -> BodySpec:
    """Return the body of a robot: its chassis. The wheels are a servo's business and roll freely."""
    shape = ShapeSpec(blueprint.shape, blueprint.size, blueprint.friction)
    pose = _pose(placement.position, placement.orientation)
    return BodySpec(placement.name, pose, blueprint.mass, (shape,), 0.0, wheeled=True, span=placement.span)


def world_spec(spec: RunSpec) -> WorldSpec:
    """Return everything a physics engine is built from, as a scenario begins."""
    scenario = spec.scenario
    floor = scenario.world.floor
    objects = [object_body(thing, floor.friction) for thing in scenario.world.objects]
    robots = [robot_body(spec.types[placement.type], placement) for placement in scenario.robots]
    return world_with(floor, (*objects, *robots))


def world_with(floor: Floor, bodies: Iterable[BodySpec], joints: Iterable[JointSpec] = ()) -> WorldSpec:
    """Return a world with this floor."""
    return WorldSpec(tuple(bodies), tuple(joints), floor.size, floor.friction, floor.orientation, floor.span)


def _pose(position: Vector3, orientation: Vector3) -> tuple[float, float, float, float, float, float, float]:
    return (*position, *quaternion(*orientation))
