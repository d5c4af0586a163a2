"""Robots of several bodies and joints between bodies in files: what is read, refused, and written again."""

from dataclasses import replace
from pathlib import Path

import pytest

from coopsim.robots import Sources, check, compose, load, load_type, robot_bodies, robot_joints
from coopsim.robots.plain import from_plain, to_plain
from coopsim.scene import BASE, RobotPlacement

BODY = "[BODY]\ntype box\nsize 0.4 0.4 0.2\nmass 10\n"
ARM = "[LINK_1]\nname arm\ntype box\nsize 0.4 0.1 0.1\nmass 1\nposition 0.3 0 0.2\n"
JOINT = "[JOINT_1]\nname shoulder\ntype hinge\nbodies base arm\nanchor 0.1 0 0.2\nlimits -90 90\n"
MOTOR = "[DEVICE_1]\ntype hinge\nname shoulder\n"
SCENE = """\
[WORLD]
file yard.world

[ROBOT_1]
type single
name ann

[JOINT_1]   # a tow bar
name tow
type pivot
bodies ann crate
anchor 0 0 0.1
"""
YARD = """\
[OBJECT_1]
name crate
type box
size 0.4 0.4 0.4
position 1 0 0
mass 2

[OBJECT_2]
name lid
type box
size 0.4 0.4 0.1
position 1 0 0.4
mass 1

[JOINT_1]
name lid_hinge
type hinge
bodies crate lid
limits -30 90
"""


@pytest.fixture
def yard(tmp_path: Path) -> Path:
    (tmp_path / "yard.world").write_text(YARD)
    (tmp_path / "yard.scenario").write_text(SCENE)
    return tmp_path / "yard.scenario"


def robot(folder: Path, *sections: str) -> Path:
    path = folder / "reach.robot"
    path.write_text("".join(sections))
    return path


def test_a_robot_has_the_bodies_and_joints_of_its_file(tmp_path: Path) -> None:
    robot(tmp_path, BODY, ARM, JOINT, MOTOR)
    kind = load_type("reach", folder=tmp_path)
    placed = robot_bodies(kind, RobotPlacement("r", "reach", (1.0, 2.0, 0.0), (0.0, 0.0, 1.5707963267948966)))

    assert [body.name for body in placed] == ["r", "r.arm"]
    assert placed[1].pose[:3] == pytest.approx((1.0, 2.3, 0.2))
    (joint,) = robot_joints(kind, placed)
    assert (joint.name, joint.a, joint.b) == ("r.shoulder", "r", "r.arm")
    assert joint.anchor == pytest.approx((1.0, 2.1, 0.2))
    assert joint.limits == pytest.approx((-1.5707963, 1.5707963))
    assert kind.devices[0].settings["joint"] == "shoulder"
    assert from_plain(to_plain(kind)) == kind


@pytest.mark.parametrize(
    ("key", "device", "has_wheels"),
    [
        ("", "[DEVICE_1]\ntype differential_drive\nname motors\n", True),
        ("", "[DEVICE_1]\ntype compass\nname compass\n", False),
        ("wheels yes\n", "", True),
        ("wheels no\n", "[DEVICE_1]\ntype differential_drive\nname motors\n", False),
    ],
)
def test_wheels_are_a_property_of_the_file(tmp_path: Path, key: str, device: str, *, has_wheels: bool) -> None:
    robot(tmp_path, BODY, key, device)
    kind = load_type("reach", folder=tmp_path)

    body = robot_bodies(kind, RobotPlacement("r", "reach"))[0]

    assert (kind.has_wheels, body.wheeled, body.rolling == 0.0) == (has_wheels,) * 3


def test_the_shipped_robots_that_drive_stand_on_wheels_and_the_reacher_has_an_arm() -> None:
    assert all(load_type(name).has_wheels for name in ("single", "scout", "bench", "reacher"))
    assert [link.name for link in load_type("reacher").links] == ["arm"]
    assert {device.body for device in load_type("reacher").devices} == {BASE}


@pytest.mark.parametrize(
    ("sections", "problem"),
    [
        ((BODY, ARM), "5:1: no joint holds the link 'arm'"),
        ((BODY, ARM, JOINT.replace("base arm", "base arn")), "no body 'arn' (arn → arm?)"),
        ((BODY, ARM, ARM.replace("_1", "_2"), JOINT), "'arm' is already taken"),
        ((BODY, ARM, JOINT, MOTOR.replace("name shoulder", "name elbow")), "no hinge 'elbow'"),
        ((BODY, ARM, JOINT.replace("hinge", "weld")), "a weld has no limits"),
        ((BODY, ARM, JOINT.replace("-90 90", "10 90")), "a joint is at 0 where it is made"),
        ((BODY, ARM, JOINT, MOTOR, "body leg\n"), "no body 'leg'"),
        ((BODY, ARM.replace("mass 1", "mass 0"), JOINT), "mass of a link must be greater than 0 kg"),
    ],
)
def test_mistakes_in_links_and_joints_are_told_by_their_place(
    tmp_path: Path, sections: tuple[str, ...], problem: str
) -> None:
    messages = [str(mistake) for mistake in check(robot(tmp_path, *sections))]

    assert any(problem in message for message in messages), messages


def test_joints_between_entities_are_read_and_their_names_checked(yard: Path) -> None:
    spec = load(yard)
    assert [joint.name for joint in spec.scenario.joints] == ["tow"]
    assert [joint.name for joint in spec.scenario.world.joints] == ["lid_hinge"]
    assert from_plain(to_plain(spec)) == spec

    yard.write_text(SCENE.replace("ann crate", "ann crates"))
    messages = [str(mistake) for mistake in check(yard)]
    assert any("no object or robot 'crates' (crates → crate?)" in message for message in messages), messages


def test_a_scene_with_joints_is_saved_as_it_was_and_as_it_became(yard: Path) -> None:
    scenario = load(yard).scenario
    world = yard.with_suffix(".world")
    sources = Sources(yard, world, {yard: SCENE, world: YARD})
    scene = replace(scenario, joints=(*scenario.world.joints, *scenario.joints))
    assert compose(scene, sources, yard, [world]) == {yard: SCENE}

    rope = replace(scenario.joints[0], name="rope", kind="hinge", limits=(-0.5, 1.5707963267948966))
    text = compose(replace(scene, joints=(*scene.joints, rope)), sources, yard, [world])[yard]

    assert text.startswith(SCENE.rstrip("\n"))
    yard.write_text(text)
    assert load(yard).scenario.joints == (*scenario.joints, rope)
    assert "# a tow bar" not in compose(replace(scene, joints=scenario.world.joints), sources, yard, [world])[yard]
