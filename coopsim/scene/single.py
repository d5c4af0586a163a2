"""One entity, or joint, as the section of a file that says it."""

from typing import TypeAlias

from coopsim.errors import NoSuchName
from coopsim.scene import blocks, placing, writing
from coopsim.scene.area_spec import Area
from coopsim.scene.joint_spec import Joint
from coopsim.scene.page import kind_of
from coopsim.scene.specs import Object, RobotPlacement, Scenario, TargetSpec

_Sectioned: TypeAlias = Object | RobotPlacement | TargetSpec | Joint | Area


def section_text(scene: Scenario, name: str) -> str:
    """Return the section of an entity or a joint; behind that of an entity the joints that hold it.

    Args:
        scene: What there is.
        name: Of the entity or joint.

    Raises:
        NoSuchName: It is not there, or the floor, which has no name of its own.
    """
    entities: list[_Sectioned] = [*scene.world.objects, *scene.robots, *scene.targets, *scene.joints, *scene.areas]
    entity_named = next((entity for entity in entities if entity.name == name), None)
    if entity_named is None:
        raise NoSuchName(f"there is no entity {name[:80]!r} with a section of its own").bring(name)
    holders = [] if isinstance(entity_named, Joint) else [joint for joint in scene.joints if _holds(joint, name)]
    texts = [_section(entity, number) for number, entity in enumerate((entity_named, *holders), 1)]
    return "\n\n".join(texts) + "\n"


def _holds(joint: Joint, name: str) -> bool:
    return name in {end.partition(".")[0] for end in (joint.a, joint.b)}


def _section(entity: _Sectioned, number: int) -> str:
    if isinstance(entity, TargetSpec):
        return "\n".join(blocks.new_section("TARGET", [(entity.name, writing.vector(entity.position))]))
    header = f"{kind_of(entity)}_{number}"
    return "\n".join(blocks.new_section(header, placing.lines(entity, entity.name)))
