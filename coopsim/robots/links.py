"""Robots of several bodies: what their files must say of links, joints, and where devices sit."""

from collections.abc import Iterable

from coopsim.engines.contract import MOVABLE
from coopsim.interfaces import Interface, Value
from coopsim.scene import BASE, DeviceSection, Joint, LinkSpec, Problems, RobotFile, choices, find_entry, hint, quoted

_JOINT = "joint"
"""The parameter by which a device names the joint that it drives."""


def check_bodies(file: RobotFile, problems: Problems) -> None:
    """Note joints between bodies that are not there, and links that hang on no joint."""
    bodies = [BASE, *(link.name for link in file.links)]
    for joint in file.joints:
        for name, span in ((joint.a, joint.a_span), (joint.b, joint.b_span)):
            if name not in bodies:
                problems.add(
                    span, f"this robot has no body {quoted(name)}{hint(name, bodies)}; it has {choices(bodies)}"
                )
    _check_leaders(file.joints, problems)
    held = reached(file.joints)
    for link in file.links:
        if link.name not in held:
            text = f"no joint holds the link {quoted(link.name)} on the robot; it needs a section [JOINT_1]"
            problems.add(link.span, text)


def _check_leaders(joints: Iterable[Joint], problems: Problems) -> None:
    """Note joints that follow what is no joint of theirs, or themselves."""
    leaders = {
        joint.name: joint.dynamics.follows if joint.dynamics else "" for joint in joints if joint.kind in MOVABLE
    }
    for joint in joints:
        leader = leaders.get(joint.name, "")
        if leader and leader not in leaders:
            text = f"{quoted(joint.name)} follows {quoted(leader)}{hint(leader, leaders)}"
            problems.add(joint.span, f"{text}, and no hinge or slide is so called")
        line = [joint.name]
        while leader in leaders and leader not in line:
            line.append(leader)
            leader = leaders[leader]
        if leader == joint.name:
            problems.add(joint.span, f"{quoted(joint.name)} follows itself; remove `follows` of one of {choices(line)}")


def check_place(
    section: DeviceSection, interface: Interface, settings: dict[str, Value], file: RobotFile, problems: Problems
) -> None:
    """Note a device on a body, or of a joint, that is not there or of no use; without a name its joint has its own."""
    bodies = [BASE, *(link.name for link in file.links)]
    if section.body not in bodies:
        text = f"this robot has no body {quoted(section.body)}{hint(section.body, bodies)}; it has {choices(bodies)}"
        problems.add(section.body_span, text)
    elif interface.is_of_chain and section.body == BASE:
        text = f"{section.type} sits between a link and what carries it"
        problems.add(section.type_span, f"{text}: say `body` and the name of a link")
    elif interface.is_of_chain and not file.is_articulated:
        text = f"{section.type} reads 0 on the link {quoted(section.body)}, whose joints give way"
        problems.warn(section.body_span, f"{text}; write `articulated yes` in the section [ROBOT]")
    if any(parameter.name == _JOINT and parameter.kind is str for parameter in interface.parameters):
        name = settings[_JOINT] = settings[_JOINT] or section.name
        joints = [joint.name for joint in file.joints if joint.kind == interface.kind]
        if name not in joints:
            entry = find_entry(section.settings, _JOINT)
            advice = f"{hint(str(name), joints)}; it has {choices(joints)}" if joints else ""
            place = entry.value_spans[0] if entry else section.span
            problems.add(place, f"this robot has no {interface.kind} {quoted(str(name))}{advice}")


def reached(joints: Iterable[Joint]) -> set[str]:
    """Return the bodies that joints hold together with the base, itself among them."""
    bodies, left = {BASE}, list(joints)
    while True:
        near = [joint for joint in left if joint.a in bodies or joint.b in bodies]
        if not near:
            return bodies
        bodies.update(name for joint in near for name in (joint.a, joint.b))
        left = [joint for joint in left if joint not in near]


def body_names(robot: str, links: Iterable[LinkSpec]) -> tuple[str, ...]:
    """Return what the bodies of a robot are called among all bodies: its own name, then `robot1.arm`."""
    return robot, *(f"{robot}.{link.name}" for link in links)


def name_in(robot: str, part: str) -> str:
    """Return what a body or a joint of a robot is called among those of all robots."""
    return robot if part == BASE else f"{robot}.{part}"
