"""Joints that cannot be: each number, name and body that is refused, and with which words."""

import math
from dataclasses import replace
from typing import Any

import pytest
from engine_standins import body

from coopsim.engines.contract import JointSpec
from coopsim.engines.joint_checks import check_followers, check_joint, check_joints, check_planar_joint
from coopsim.engines.plane.footprints import FARTHEST
from coopsim.errors import BadArgument, EngineCannot, NoSuchName
from coopsim.scene import JointDynamics

BODIES = {name: body(name, mass=mass) for name, mass in (("wall", 0.0), ("floor", 0.0), ("arm", 1.0), ("hand", 2.0))}
HINGE = JointSpec("elbow", "hinge", "arm", "hand")


def refused(error: type[Exception], **changes: Any) -> str:
    with pytest.raises(error) as refusal:
        check_joint(replace(HINGE, **changes), BODIES, ("taken",))
    return str(refusal.value)


def test_a_joint_that_can_be_passes() -> None:
    for kind in ("pivot", "hinge", "weld", "slide", "spring", "support"):
        check_joint(replace(HINGE, kind=kind), BODIES, ())
    check_joint(replace(HINGE, a="wall", limit=0.1, lower=0.0, upper=0.0, stiffness=0.0, damping=0.0), BODIES, ())
    check_joint(replace(HINGE, anchor=(FARTHEST, 0.0, 0.0), length=FARTHEST), BODIES, ())


@pytest.mark.parametrize(
    ("error", "changes", "says"),
    [
        (EngineCannot, {"kind": "glue"}, "the joint 'elbow' is a 'glue'; expected "),
        (BadArgument, {"name": "taken"}, "there is already a joint named 'taken'"),
        (NoSuchName, {"b": "foot"}, "joins 'arm' and 'foot', but there is no body 'foot'"),
        (BadArgument, {"b": "arm"}, "joins 'arm' with itself; name two bodies"),
        (BadArgument, {"a": "wall", "b": "floor"}, "joins two fixed bodies; give one of them a mass"),
        (BadArgument, {"anchor": (0.0, math.nan, 0.0)}, "a place or an axis that is not finite or beyond"),
        (BadArgument, {"anchor": (0.0, 2.0 * FARTHEST, 0.0)}, "a place or an axis that is not finite or beyond"),
        (BadArgument, {"far_anchor": (0.0, 0.0, math.inf)}, "a place or an axis that is not finite or beyond"),
        (BadArgument, {"axis": (0.0, 0.0, 0.0)}, "has the axis (0.0, 0.0, 0.0); expected a direction"),
        (BadArgument, {"lower": 0.1}, "has the limits 0.1 and inf; expected the first up to 0"),
        (BadArgument, {"upper": -0.1}, "has the limits -inf and -0.1"),
        (BadArgument, {"lower": math.nan}, "has the limits nan and inf"),
        (BadArgument, {"limit": 0.0}, "may travel 0.0 m; expected more than 0, or use a weld"),
        (BadArgument, {"limit": math.nan}, "may travel nan m"),
        (BadArgument, {"stiffness": -1.0}, "has the stiffness -1.0; expected 0 or more"),
        (BadArgument, {"stiffness": math.inf}, "has the stiffness inf"),
        (BadArgument, {"damping": math.nan}, "has the damping nan"),
        (BadArgument, {"length": -0.5}, "has the length -0.5 m; expected 0 to"),
        (BadArgument, {"carriage": 0.0}, "has a carriage of 0.0 kg; expected more than 0"),
        (BadArgument, {"carriage": math.inf}, "has a carriage of inf kg"),
    ],
)
def test_what_cannot_be_is_refused_with_its_number(error: type[Exception], changes: dict[str, Any], says: str) -> None:
    assert says in refused(error, **changes)


@pytest.mark.parametrize("what", ["damping", "friction", "stiffness"])
@pytest.mark.parametrize("value", [-0.01, math.inf, math.nan])
def test_what_resists_a_joint_is_zero_or_more(what: str, value: float) -> None:
    assert f"has the {what} {value!r}; expected 0 or more" in refused(
        BadArgument, dynamics=JointDynamics(**{what: value})
    )
    for allowed in (0.0, 0.5, 1e6):
        check_joint(replace(HINGE, dynamics=JointDynamics(**{what: allowed})), BODIES, ())


@pytest.mark.parametrize("what", ["rest", "ratio", "offset"])
def test_other_numbers_of_a_joint_are_finite(what: str) -> None:
    assert f"has the {what} inf; expected a finite number" in refused(
        BadArgument, dynamics=JointDynamics(**{what: math.inf})
    )
    check_joint(replace(HINGE, dynamics=JointDynamics(**{what: -2.5})), BODIES, ())


def test_only_what_moves_has_friction_of_its_own() -> None:
    assert "is a weld; only hinges and slides have friction" in refused(
        BadArgument, kind="weld", dynamics=JointDynamics(friction=0.1)
    )


def test_the_second_joint_of_a_name_is_refused() -> None:
    with pytest.raises(BadArgument, match="already a joint named 'elbow'"):
        check_joints([HINGE, replace(HINGE, kind="slide")], BODIES)


def following(name: str, leader: str, kind: str = "hinge") -> JointSpec:
    dynamics = JointDynamics(follows=leader) if leader else None
    return replace(HINGE, name=name, kind=kind, dynamics=dynamics)


def test_a_joint_may_follow_one_that_follows_another() -> None:
    check_followers([following("a", "b"), following("b", "c"), following("c", "", "slide")])


@pytest.mark.parametrize(
    ("joints", "error", "says"),
    [
        ([following("a", "x")], NoSuchName, "the joint 'a' follows 'x', and there is no such joint"),
        ([following("a", "b"), following("b", "", "weld")], BadArgument, "follows 'b', a weld, which has no position"),
        ([following("a", "a")], BadArgument, "the joint 'a' follows itself"),
        ([following("a", "b"), following("b", "a")], BadArgument, "the joint 'a' follows itself"),
        ([following("d", "a"), following("a", "b"), following("b", "a")], BadArgument, "the joint 'a' follows itself"),
    ],
)
def test_joints_that_follow_in_a_ring_or_nobody_are_refused(
    joints: list[JointSpec], error: type[Exception], says: str
) -> None:
    with pytest.raises(error) as refusal:
        check_followers(joints)
    assert says in str(refusal.value)


@pytest.mark.parametrize(
    ("kind", "axis", "says"),
    [
        ("hinge", (0.0, 0.0, 1.0), ""),
        ("hinge", (0.0, 0.0, -3.0), ""),
        ("hinge", (1e-12, 0.0, 1.0), ""),
        ("hinge", (0.01, 0.0, 1.0), "about the vertical axis alone"),
        ("slide", (1.0, 2.0, 0.0), ""),
        ("slide", (1.0, 0.0, 0.01), "keeps bodies at their height"),
        ("weld", (1.0, 1.0, 1.0), ""),
    ],
)
def test_in_the_plane_hinges_are_upright_and_slides_level(
    kind: str, axis: tuple[float, float, float], says: str
) -> None:
    joint = replace(HINGE, kind=kind, axis=axis)
    if not says:
        check_planar_joint(joint, "pymunk")
        return
    with pytest.raises(EngineCannot) as refusal:
        check_planar_joint(joint, "pymunk")
    assert says in str(refusal.value)
    assert "the pymunk engine" in str(refusal.value)


def test_in_the_plane_joints_move_freely() -> None:
    with pytest.raises(EngineCannot, match="choose the engine mujoco"):
        check_planar_joint(replace(HINGE, dynamics=JointDynamics(damping=0.1)), "pymunk")
    with pytest.raises(EngineCannot, match="armature or a leader; the pymunk engine"):
        check_planar_joint(replace(HINGE, armature=0.1), "pymunk")
