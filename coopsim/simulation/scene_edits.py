"""Edits of who is there, as functions from scene to scene."""

from dataclasses import replace

from coopsim.errors import BadArgument
from coopsim.robots import Sections, sections, update_entity
from coopsim.robots.teams import fold, joints_of, load_of, members
from coopsim.scene import TEAM, Object, RobotPlacement
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
    """Return a scene in which an entity, or a team as a whole, has other entries.

    Raises:
        NoSuchName: It is not there.
        BadFile: The entries have mistakes.
        BadArgument: The members of the team no longer stand, and look, as one.
    """
    team = _team(scene, edit.name)
    whole = update_entity(team or scene.find(edit.name), edit.text, edit.pictures)
    if team is None or not isinstance(whole, RobotPlacement):
        return scene.with_entity(whole)
    old: dict[str, RobotPlacement | Object] = {**scene.robots, **scene.objects}
    before, after = _parts(team), _parts(whole)
    for name in sorted(before.keys() - after.keys()):
        scene = scene.without_entity(name)
    for name, part in after.items():
        # who was not moved stays where it is to the last digit: otherwise it would be put back there
        is_moved = name not in before or part.position != before[name].position
        scene = scene.with_entity(part if is_moved else replace(part, position=old[name].position))
    return scene.with_joints(joint for joint in joints_of(whole) if joint.name not in scene.joints)


def _parts(team: RobotPlacement) -> dict[str, RobotPlacement | Object]:
    load = load_of(team)
    return {**{robot.name: robot for robot in members(team)}, load.name: load}


def _team(scene: Scene, name: str) -> RobotPlacement | None:
    """Return the placement that stands for a team, None = no team has this name."""
    robots = [robot for robot in scene.robots.values() if robot.name.startswith(f"{name}/")]
    if name in scene or not robots:
        return None
    team, *others = fold(robots, objects=scene.objects.values())
    if others or team.type != TEAM:
        raise BadArgument(f"{name} no longer stands, and looks, as one team: update its members and its load").bring(
            name
        )
    return team


def removed(scene: Scene, edit: Remove) -> Scene:
    """Return a scene without an entity, or a team, and the joints of its bodies, or without a joint.

    Raises:
        NoSuchName: It is not there.
        BadArgument: It is the floor, or the joint is a part of a robot.
    """
    if edit.name in scene.joint_names:
        return scene.without_joint(edit.name)
    crew = [name for name in scene.names if name.startswith(f"{edit.name}/")]
    for name in crew if edit.name not in scene and crew else [edit.name]:
        scene = scene.without_entity(name)
    return scene


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
