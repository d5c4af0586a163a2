"""Edits of who is there, as functions from scene to scene."""

from dataclasses import replace

from coopsim.robots import sections, update_entity
from coopsim.simulation.scene import Scene
from coopsim.state.edits import Insert, Remove, Update


def inserted(scene: Scene, edit: Insert) -> Scene:
    """Return a scene with the entities and joints of some sections.

    Raises:
        BadFile: The sections have mistakes; the error carries all of them.
        BadArgument: A name is taken.
    """
    found = sections(edit.text, scene.types, [*scene.names, *scene.joint_names])
    known = replace(scene, types={**scene.types, **found.types})
    return known.with_entities([*found.objects, *found.targets, *found.robots]).with_joints(found.joints)


def updated(scene: Scene, edit: Update) -> Scene:
    """Return a scene in which an entity has other entries.

    Raises:
        NoSuchName: It is not there.
        BadFile: The entries have mistakes.
    """
    return scene.with_entity(update_entity(scene.find(edit.name), edit.text))


def removed(scene: Scene, edit: Remove) -> Scene:
    """Return a scene without an entity and the joints of its bodies, or without a joint.

    Raises:
        NoSuchName: It is not there.
        BadArgument: It is the floor, or the joint is a part of a robot.
    """
    if edit.name in scene.joint_names:
        return scene.without_joint(edit.name)
    return scene.without_entity(edit.name)
