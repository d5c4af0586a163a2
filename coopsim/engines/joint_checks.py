"""Joints that cannot be made, with errors for the author; the same for every engine."""

import math
from collections.abc import Container, Iterable, Mapping, Sequence

from coopsim.engines.contract import JOINT_KINDS, BodySpec, JointSpec
from coopsim.engines.plane.footprints import FARTHEST, located
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.scene import JointDynamics
from coopsim.scene.joints import SHORTEST_AXIS

_LEVEL = 1e-9  # of a unit vector: what rounding leaves of an axis that a file gives by angles


def check_joints(joints: Sequence[JointSpec], bodies: Mapping[str, BodySpec]) -> None:
    """Refuse the joints of a world, as `check_joint` does one by one."""
    taken: set[str] = set()
    for joint in joints:
        check_joint(joint, bodies, taken)
        taken.add(joint.name)
    check_followers(joints)


def check_joint(joint: JointSpec, bodies: Mapping[str, BodySpec], taken: Container[str]) -> None:
    """Refuse a joint that no engine can make.

    Args:
        joint: What is asked for.
        bodies: All bodies by name.
        taken: Names of the joints there are.

    Raises:
        EngineCannot: An unknown kind.
        NoSuchName: It joins a body that is not there.
        BadArgument: A name twice, a body with itself, two fixed bodies, or a number out of range.
    """
    if joint.kind not in JOINT_KINDS:
        raise EngineCannot(f"{_begin(joint)} is a {joint.kind!r}; expected {', '.join(JOINT_KINDS)}")
    if joint.name in taken:
        raise BadArgument(f"{located(joint.span)}there is already a joint named {joint.name!r}")
    for name in (joint.a, joint.b):
        if name not in bodies:
            raise NoSuchName(f"{_begin(joint)} joins {joint.a!r} and {joint.b!r}, but there is no body {name!r}")
    if joint.a == joint.b:
        raise BadArgument(f"{_begin(joint)} joins {joint.a!r} with itself; name two bodies")
    if bodies[joint.a].mass == bodies[joint.b].mass == 0.0:  # nothing could give way: solvers would divide by no mass
        raise BadArgument(f"{_begin(joint)} joins two fixed bodies; give one of them a mass")
    _check_numbers(joint)


def check_followers(joints: Iterable[JointSpec]) -> None:
    """Refuse joints that follow what does not move, or each other in a ring.

    Raises:
        NoSuchName: There is no such joint.
        BadArgument: It has no position, or a joint follows itself through others.
    """
    by_name = {joint.name: joint for joint in joints}
    for joint in by_name.values():
        line = [joint]
        while (dynamics := line[-1].dynamics) is not None and dynamics.follows:
            leader = by_name.get(dynamics.follows)
            if leader is None:
                raise NoSuchName(f"{_begin(line[-1])} follows {dynamics.follows!r}, and there is no such joint")
            if not leader.is_movable:
                raise BadArgument(f"{_begin(line[-1])} follows {leader.name!r}, a {leader.kind}, which has no position")
            if leader is joint:
                raise BadArgument(f"{_begin(joint)} follows itself; remove `follows` of one of the joints between")
            if leader in line:
                break  # the ring is that of others, and is told there
            line.append(leader)


def check_planar_joint(joint: JointSpec, engine: str) -> None:
    """Refuse a joint that would tilt or lift a body.

    Raises:
        EngineCannot: The hinge is not upright, or the slide not level.
    """
    # links of arms have an armature for other engines; it is left out here
    if joint.dynamics is not None or (joint.armature and not joint.is_chained):
        text = f"has damping, friction, a spring, armature or a leader; the {engine} engine moves joints freely"
        raise EngineCannot(f"{_begin(joint)} {text}, so remove these keys, or choose the engine mujoco")
    if joint.kind == "spring" and joint.limits != (-math.inf, math.inf):
        raise EngineCannot(f"{_begin(joint)} is a rope; {engine} knows none: remove `limits`, or choose mujoco")
    # files give any length: only directions are compared
    x, y, z = (side / math.hypot(*joint.axis) for side in joint.axis)
    if joint.kind == "hinge" and math.hypot(x, y) > _LEVEL:
        raise EngineCannot(
            f"{_begin(joint)} turns about {joint.axis}; the {engine} engine turns bodies about the vertical axis "
            "alone, so give it the axis (0, 0, 1), or choose an engine in three dimensions"
        )
    if joint.kind == "slide" and abs(z) > _LEVEL:
        raise EngineCannot(
            f"{_begin(joint)} slides along {joint.axis}; the {engine} engine keeps bodies at their height, so give "
            "it a level axis, or choose an engine in three dimensions"
        )


def _check_numbers(joint: JointSpec) -> None:
    # `not <=` instead of `>`, here and below: NaN compares with nothing, and is refused, too
    if not all(abs(value) <= FARTHEST for value in (*joint.anchor, *joint.axis, *joint.far)):
        raise BadArgument(f"{_begin(joint)} has a place or an axis that is not finite or beyond {FARTHEST:g} m")
    if not math.hypot(*joint.axis) >= SHORTEST_AXIS:
        raise BadArgument(
            f"{_begin(joint)} has the axis {joint.axis}; expected a direction, {SHORTEST_AXIS:g} to {FARTHEST:g} long"
        )
    is_offset = joint.is_chained or joint.kind == "spring"
    if not (joint.lower <= joint.upper if is_offset else joint.lower <= 0.0 <= joint.upper):
        raise BadArgument(
            f"{_begin(joint)} has the limits {joint.lower!r} and {joint.upper!r}; expected the first up to 0 and the "
            "second from 0 on, because a joint is at 0 where it is made"
        )
    if not joint.limit > 0.0:
        raise BadArgument(f"{_begin(joint)} may travel {joint.limit!r} m; expected more than 0, or use a weld")
    for what, value in (("stiffness", joint.stiffness), ("damping", joint.damping), ("armature", joint.armature)):
        if not 0.0 <= value < math.inf:
            raise BadArgument(f"{_begin(joint)} has the {what} {value!r}; expected 0 or more")
    if joint.length is not None and not 0.0 <= joint.length <= FARTHEST:
        raise BadArgument(f"{_begin(joint)} has the length {joint.length!r} m; expected 0 to {FARTHEST:g}")
    if joint.dynamics is not None:
        _check_dynamics(joint, joint.dynamics)
    if not 0.0 < joint.carriage < math.inf:
        raise BadArgument(f"{_begin(joint)} has a carriage of {joint.carriage!r} kg; expected more than 0")


def _check_dynamics(joint: JointSpec, dynamics: JointDynamics) -> None:
    if not joint.is_movable:
        raise BadArgument(f"{_begin(joint)} is a {joint.kind}; only hinges and slides have friction of their own")
    for what in ("damping", "friction", "stiffness"):
        if not 0.0 <= getattr(dynamics, what) < math.inf:
            raise BadArgument(f"{_begin(joint)} has the {what} {getattr(dynamics, what)!r}; expected 0 or more")
    for what in ("rest", "ratio", "offset"):
        if not math.isfinite(getattr(dynamics, what)):
            raise BadArgument(f"{_begin(joint)} has the {what} {getattr(dynamics, what)!r}; expected a finite number")


def _begin(joint: JointSpec) -> str:
    return f"{located(joint.span)}the joint {joint.name!r}"
