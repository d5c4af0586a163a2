"""Resistance of joints in files: read, written as it was, refused where it makes no sense."""

import math
from pathlib import Path

import pytest

from coopsim.robots import check, joint_spec
from coopsim.robots.plain import from_plain, to_plain
from coopsim.scene import Joint, JointDynamics, read_additions
from coopsim.scene.placing import lines

OWN = "damping 0.8\nfriction 0.1\nstiffness 3\nrest 30\nfollows other -0.5 10"
ROBOT = """[ROBOT]
articulated yes
[BODY]
type box
size 0.1 0.1 0.1
mass 1
bolted yes
[LINK_1]
name arm
type box
size 0.1 0.1 0.5
mass 1
position 0 0 0.1
[JOINT_1]
name swing
type hinge
bodies base arm
axis 0 1 0
{}
"""


def joint(kind: str, keys: str) -> Joint:
    read, problems = read_additions(f"[JOINT_1]\nname j\ntype {kind}\nbodies a b\n{keys}\n")
    assert not list(problems), [str(problem) for problem in list(problems)]
    return read.joints[0]


def test_a_hinge_says_angles_in_degrees_and_a_slide_says_metres() -> None:
    degrees = JointDynamics(0.8, 0.1, 3.0, math.radians(30), "other", -0.5, math.radians(10))
    assert joint("hinge", OWN).dynamics == degrees
    assert joint("slide", OWN).dynamics == JointDynamics(0.8, 0.1, 3.0, 30.0, "other", -0.5, 10.0)
    assert joint("slide", "follows other").dynamics == JointDynamics(follows="other")
    assert joint("hinge", "damping 0").dynamics is None
    assert (joint("support", "damping 7").damping, joint("support", "damping 7").dynamics) == (7.0, None)


@pytest.mark.parametrize("kind", ["hinge", "slide"])
@pytest.mark.parametrize("keys", [OWN, "damping 2", "follows other 2", "axis 0 1 0\narmature 0.5"])
def test_what_is_written_is_read_back_and_goes_through_snapshots(kind: str, keys: str) -> None:
    first = joint(kind, keys)
    written = "\n".join(" ".join([key, *words]) for key, words in lines(first, "j"))
    read, problems = read_additions(f"[JOINT_1]\n{written}\n")
    assert not list(problems)
    assert read.joints[0] == first
    assert from_plain(to_plain(first)) == first


@pytest.mark.parametrize(
    ("kind", "keys", "words"),
    [
        ("weld", "damping 1", "a weld has no damping"),
        ("pivot", "friction 1", "a pivot has no friction"),
        ("support", "rest 1", "a support has no rest"),
        ("hinge", "follows other 1 2 3", "takes the name of a joint, a ratio and an offset"),
        ("hinge", "follows other two", "two"),
        ("hinge", "friction -1", "friction"),
    ],
)
def test_keys_that_make_no_sense_are_noted(kind: str, keys: str, words: str) -> None:
    _, problems = read_additions(f"[JOINT_1]\nname j\ntype {kind}\nbodies a b\n{keys}\n")
    assert any(words in problem.text for problem in list(problems)), [str(problem) for problem in list(problems)]


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ("damping 1", ""),
        ("follows swnig", "no hinge or slide is so called"),
        ("follows swing", "follows itself"),
    ],
)
def test_a_robot_whose_joint_follows_what_is_not_there_is_refused(tmp_path: Path, keys: str, words: str) -> None:
    (tmp_path / "arm.robot").write_text(ROBOT.format(keys))
    texts = [problem.text for problem in check(tmp_path / "arm.robot")]
    assert any(words in text for text in texts) if words else not texts, texts


def test_an_armature_is_that_of_any_hinge_in_a_robot_or_a_world(tmp_path: Path) -> None:
    bodies = "".join(f"[OBJECT_{k}]\ntype box\nname b{k}\nsize 1 1 1\nposition {3 * k} 0 0\nmass 1\n" for k in (1, 2))
    text = f"{bodies}[JOINT_1]\nname j\ntype hinge\nbodies b1 b2\narmature 0.1\n"
    (tmp_path / "swing.robot").write_text(ROBOT.format("armature 0.1"))
    additions, problems = read_additions(text)
    assert not list(problems)
    assert joint_spec(additions.joints[0], {}).armature == 0.1
    assert not [problem for problem in check(tmp_path / "swing.robot") if "armature" in problem.text]


def test_an_armature_of_a_robot_that_is_not_articulated_is_told_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "swing.robot").write_text(ROBOT.format("armature 0.1").replace("articulated yes\n", ""))
    (warning,) = [problem for problem in check(tmp_path / "swing.robot") if "armature" in problem.text]
    assert "armature is left out: it needs `articulated yes`" in warning.text
