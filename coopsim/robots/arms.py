"""Arms: which joints a module drives, and the chain of joints that moves a tool."""

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from coopsim.engines.contract import CLOSING
from coopsim.engines.rotations import plus, times, turned
from coopsim.geometry import Vector3, quaternion
from coopsim.interfaces import GRIPPER, HINGE, JOINTS, SLIDE, TOOL, Interface, Value
from coopsim.interfaces.arms import MOST_JOINTS
from coopsim.interfaces.chain_text import Chain, ChainJoint
from coopsim.scene import BASE, DeviceSection, Joint, Problems, RobotFile, choices, find_entry, hint, quoted

Found: TypeAlias = tuple[DeviceSection, Interface, dict[str, Value]]
_KEY = "joints"
_Turn: TypeAlias = tuple[float, float, float, float]


def fit_arms(devices: Sequence[Found], file: RobotFile, problems: Problems) -> None:
    """Name the joints that modules of arms drive, and the chains of tools; note what does not fit.

    Args:
        devices: Sections, interfaces and settings, which are completed.
        file: What the file says.
        problems: Takes every mistake.
    """
    _check_chain(file, problems)
    for section, interface, settings in devices:
        if interface in (JOINTS, GRIPPER):
            settings[_KEY] = settings[_KEY] or " ".join(_left(devices, file, interface))
            _check_joints(section, interface, settings, file, problems)
    for section, interface, settings in devices:
        if interface is TOOL:
            settings["chain"] = _chain(section, settings, devices, file).to_text()


def _left(devices: Sequence[Found], file: RobotFile, interface: Interface) -> list[str]:
    """Return the joints that no module names; of a gripper all slides."""
    taken = {word for _, _, settings in devices for word in str(settings.get(_KEY, "")).split()}
    taken |= {str(settings["joint"]) for _, interface, settings in devices if interface in (HINGE, SLIDE)}
    kinds = ("slide",) if interface is GRIPPER else ("hinge", "slide")
    return [joint.name for joint in file.joints if joint.kind in kinds and joint.name not in taken]


def _check_joints(
    section: DeviceSection, interface: Interface, settings: dict[str, Value], file: RobotFile, problems: Problems
) -> None:
    joint_names = [joint.name for joint in file.joints if joint.kind in ("hinge", "slide")]
    entry = find_entry(section.settings, _KEY)
    names = str(settings[_KEY]).split()
    for at, name in enumerate(names):
        if name not in joint_names:
            span = entry.value_spans[at] if entry else section.span
            text = f"this robot has no hinge or slide {quoted(name)}{hint(name, joint_names)}"
            problems.add(span, f"{text}; it has {choices(joint_names)}" if joint_names else text)
    most = MOST_JOINTS if interface is JOINTS else len(names)
    if not 1 <= len(names) <= most:
        text = f"drives 1 to {MOST_JOINTS} joints, got {len(names)}; name them by the key 'joints'"
        problems.add(section.span, f"{quoted(section.name)} {text}")
    for key in ("max_effort", "max_velocity") if interface is JOINTS else ():
        numbers = len(str(settings[key]).split())
        given = find_entry(section.settings, key)
        if numbers not in (1, len(names)) and given is not None:
            text = f"takes 1 number, or {len(names)}, as many as there are joints; got {numbers}"
            problems.add(given.span, f"{key} {text}")


def _check_chain(file: RobotFile, problems: Problems) -> None:
    """Note joints of an articulated robot that do not lead from the base outward, and what others leave out."""
    if not file.is_articulated:
        for joint in file.joints:
            if joint.armature:
                text = "armature is left out: it needs `articulated yes` in the section [ROBOT]"
                problems.warn(joint.span, text)
        return
    held, closing = {BASE}, [joint for joint in file.joints if joint.kind in CLOSING]
    left = [joint for joint in file.joints if joint.kind not in CLOSING]
    while joint_held := next((joint for joint in left if joint.a in held and joint.b not in held), None):
        held.add(joint_held.b)
        left.remove(joint_held)
    for joint in closing:
        if not {joint.a, joint.b} <= held:
            problems.add(joint.span, f"a {joint.kind} closes a loop here: both of its bodies hang on other joints")
    for joint in left:
        if joint.kind not in ("hinge", "slide", "weld"):
            problems.add(
                joint.span, f"an articulated robot has hinges, slides, welds, pivots and springs, not a {joint.kind}"
            )
        elif joint.b in held:
            text = f"{quoted(joint.b)} hangs on another joint already"
            problems.add(joint.span, f"{text}; in an articulated robot each body has one joint that holds it")
        else:
            problems.add(
                joint.span, "name the body that is nearer to the base first: `bodies` is what carries, then what rides"
            )


def _chain(section: DeviceSection, settings: dict[str, Value], devices: Sequence[Found], file: RobotFile) -> Chain:
    """Return the joints from the base to the body that a tool sits on."""
    holder = {joint.b: joint for joint in file.joints if joint.kind not in CLOSING}
    line: list[Joint] = []
    at = section.body
    while at in holder and len(line) < len(file.joints):
        line.append(holder[at])
        at = holder[at].a
    joints = [_seen(joint, devices, file) for joint in reversed(line) if joint.kind in ("hinge", "slide")]
    place, turn = _frame(section.body, file)
    point = plus(place, turned(turn, (0.0, 0.0, float(settings["offset"]))))
    return Chain(tuple(joints), (*point, *turn))


def _seen(joint: Joint, devices: Sequence[Found], file: RobotFile) -> ChainJoint:
    place, turn = _frame(joint.a, file)
    low, high = joint.limits or (-float("inf"), float("inf"))
    fastest = next((speed for name, speed in _speeds(devices) if name == joint.name), float("inf"))
    point, axis = plus(place, turned(turn, joint.anchor)), turned(turn, _unit(joint.axis))
    return ChainJoint(joint.name, joint.kind, point, axis, low, high, fastest)


def _speeds(devices: Sequence[Found]) -> Iterator[tuple[str, float]]:
    """Yield the largest speeds of joints by name."""
    for _, interface, settings in devices:
        if interface is JOINTS:
            names, speeds = str(settings[_KEY]).split(), [float(word) for word in str(settings["max_velocity"]).split()]
            speeds = speeds * len(names) if len(speeds) == 1 else speeds
            yield from zip(names, speeds, strict=False)


def _frame(body: str, file: RobotFile) -> tuple[Vector3, _Turn]:
    """Return place and orientation of a body in the frame of the base."""
    link = next((link for link in file.links if link.name == body), None)
    if link is None:
        return (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    return link.position, times((1.0, 0.0, 0.0, 0.0), quaternion(*link.orientation))


def _unit(axis: Vector3) -> Vector3:
    x, y, z = axis
    length = (x * x + y * y + z * z) ** 0.5
    return (x / length, y / length, z / length)
