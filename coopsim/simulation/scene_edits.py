"""Edits of who is there, as functions from scene to scene."""

from dataclasses import replace

from coopsim.errors import BadArgument
from coopsim.robots import Sections, sections, update_entity
from coopsim.simulation.scene import Scene
from coopsim.state.edits import Insert, Join, Part, Remove, Update


def inserted(scene: Scene, edit: Insert) -> Scene:
    """Return a scene with the entities and joints of some sections.

    Raises:
        BadFile: The sections have mistakes; the error carries all of them.
        BadArgument: A name is taken.
    """
    # names of joints count, too: a text must not bring one that is taken
    read = sections(edit.text, scene.types, [*scene.names, *scene.joint_names], pictures=edit.pictures)
    extended = replace(scene, types={**scene.types, **read.types})
    return extended.with_entities([*read.objects, *read.targets, *read.robots, *read.areas]).with_joints(read.joints)


def updated(scene: Scene, edit: Update) -> Scene:
    """Return a scene in which an entity has other entries.

    Raises:
        NoSuchName: It is not there.
        BadFile: The entries have mistakes.
    """
    return scene.with_entity(update_entity(scene.find(edit.name), edit.text, edit.pictures))


def removed(scene: Scene, edit: Remove) -> Scene:
    """Return a scene without an entity and the joints of its bodies, or without a joint.

    Raises:
        NoSuchName: It is not there.
        BadArgument: It is the floor, or the joint is a part of a robot.
    """
    if edit.name in scene.joint_names:
        return scene.without_joint(edit.name)
    return scene.without_entity(edit.name)


def joined(scene: Scene, edit: Join) -> Scene:
    """Return a scene with a joint more.

    Raises:
        BadFile: Its keys have mistakes.
        BadArgument: Its name is taken, or the text holds sections of its own.
    """
    text = f"[JOINT_1]\ntype {edit.type}\nname {edit.name}\nbodies {edit.a} {edit.b}\n{edit.text}"
    read = sections(text, scene.types, [*scene.names, *scene.joint_names])
    if read != Sections(joints=read.joints[:1]):
        raise BadArgument("join makes one joint: give lines `key value` of it; insert takes sections")
    return scene.with_joints(read.joints)


def parted(scene: Scene, edit: Part) -> Scene:
    """Return a scene without a joint.

    Raises:
        NoSuchName: It is not there.
        BadArgument: It is a part of a robot.
    """
    return scene.without_joint(edit.name)
