"""SDF models of several files, nested models and frames: one robot, whose links are where the specification says."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.geometry import Floats, Vector3, rotation_matrix
from coopsim.robots.type_files import read_type
from coopsim.scene import Problems, RobotFile

ARM = """<sdf version="1.9"><model name="arm"><pose>0 0 7 0 0 0</pose>
<frame name="grip" attached_to="hand"><pose>0 0 0.1 0 0 0</pose></frame>
<link name="shoulder"><pose>0 0 0.2 0 0 0</pose></link>
<link name="hand"><pose relative_to="shoulder">0.5 0 0 0 0 1.5707963267948966</pose></link>
<joint name="elbow" type="revolute"><parent>shoulder</parent><child>hand</child><axis><xyz>1 0 0</xyz></axis></joint>
</model></sdf>"""
CART = """<sdf version="1.9"><model name="cart"><link name="chassis"/>{}</model></sdf>"""
PLACED = "<include><uri>model://arm</uri><name>{}</name>{}</include>"
ON_TOP = '<joint name="bolt" type="fixed"><parent>chassis</parent><child>left::shoulder</child></joint>'


def robot(folder: Path, text: str) -> tuple[RobotFile, Problems]:
    (folder / "arm").mkdir(exist_ok=True)
    (folder / "arm" / "model.sdf").write_text(ARM)
    (folder / "cart.sdf").write_text(text)
    problems = Problems()
    return read_type(folder / "cart.sdf", problems), problems


def places(read: RobotFile) -> dict[str, Vector3]:
    return {link.name: link.position for link in read.links}


def test_an_included_model_is_a_part_whose_links_have_its_name_and_are_where_it_is_put(tmp_path: Path) -> None:
    include = PLACED.format("left", "<pose>1 2 3 0 0 1.5707963267948966</pose>")
    read, problems = robot(tmp_path, CART.format(include + ON_TOP))
    assert not problems.total, str(problems)
    # the place of the model's own file gives way; a quarter turn puts the hand along y
    assert places(read)["left__shoulder"] == pytest.approx((1.0, 2.0, 3.2), abs=1e-12)
    assert places(read)["left__hand"] == pytest.approx((1.0, 2.5, 3.2), abs=1e-12)
    (elbow,) = [joint for joint in read.joints if joint.kind == "hinge"]
    assert elbow.name == "left__elbow"
    # along x of the hand, which is turned by a quarter in the frame of the shoulder
    assert elbow.axis == pytest.approx((0.0, 1.0, 0.0), abs=1e-9)


def test_an_include_without_a_pose_keeps_that_of_its_model(tmp_path: Path) -> None:
    read, _ = robot(tmp_path, CART.format(PLACED.format("left", "") + ON_TOP))
    assert places(read)["left__shoulder"] == pytest.approx((0.0, 0.0, 7.2), abs=1e-12)


def test_a_merged_model_keeps_its_names(tmp_path: Path) -> None:
    merged = '<include merge="true"><uri>arm</uri><pose relative_to="top"/></include>'
    top = '<frame name="top" attached_to="chassis"><pose>0 0 1 0 0 0</pose></frame>'
    bolt = '<joint name="bolt" type="fixed"><parent>chassis</parent><child>shoulder</child></joint>'
    camera = (
        '<link name="camera"><pose relative_to="grip"/></link>'
        '<joint name="mount" type="fixed"><parent>grip</parent><child>camera</child></joint>'
    )
    read, problems = robot(tmp_path, CART.format(top + merged + bolt + camera))
    assert not problems.total, str(problems)
    assert places(read) == {
        "chassis": (0.0, 0.0, 0.0),
        "shoulder": pytest.approx((0.0, 0.0, 1.2), abs=1e-12),
        "hand": pytest.approx((0.5, 0.0, 1.2), abs=1e-12),
        "camera": pytest.approx((0.5, 0.0, 1.3), abs=1e-12),
    }


def test_a_placement_frame_is_put_where_the_pose_says(tmp_path: Path) -> None:
    include = PLACED.format("left", "<placement_frame>grip</placement_frame><pose>4 5 6 0 0 0</pose>")
    read, problems = robot(tmp_path, CART.format(include + ON_TOP))
    assert not problems.total, str(problems)
    # the hand is a decimetre below the frame `grip`, and the arm half a metre beside it
    assert places(read)["left__hand"] == pytest.approx((4.0, 5.0, 5.9), abs=1e-12)
    assert places(read)["left__shoulder"] == pytest.approx((4.0, 5.5, 5.9), abs=1e-12)


def test_nested_models_hang_on_frames_of_each_other(tmp_path: Path) -> None:
    nested = (
        '<model name="mast"><pose>0 0 1 0 0 0</pose><link name="pole"><pose degrees="true">0 0 0 0 90 0</pose></link>'
        '<frame name="tip" attached_to="pole"><pose>0.3 0 0 0 0 0</pose></frame></model>'
        '<model name="lamp"><pose relative_to="mast::tip"/><link name="bulb"/></model>'
        '<joint name="a" type="fixed"><parent>chassis</parent><child>mast::pole</child></joint>'
        '<joint name="b" type="fixed"><parent>mast::tip</parent><child>lamp</child></joint>'
    )
    read, problems = robot(tmp_path, CART.format(nested))
    assert not problems.total, str(problems)
    assert places(read)["lamp__bulb"] == pytest.approx((0.0, 0.0, 0.7), abs=1e-12)
    held = {(joint.a, joint.b) for joint in read.joints}
    assert {("chassis", "mast__pole"), ("mast__pole", "lamp__bulb")} <= held


def composed(first: Floats, second: Floats) -> Floats:
    return np.block([[first[:3, :3] @ second[:3, :3], first[:3, :3] @ second[:3, 3:] + first[:3, 3:]], [0, 0, 0, 1]])


def test_a_chain_of_frames_is_the_product_of_their_matrices(tmp_path: Path) -> None:
    """Against matrices that are multiplied here, for poses at random."""
    random = np.random.default_rng(3)
    poses = random.uniform(-2.0, 2.0, (6, 6))
    frames, whole = [], np.eye(4)
    for number, pose in enumerate(poses[:-1]):
        base = f' relative_to="f{number - 1}"' if number else ""
        frames.append(f'<frame name="f{number}"><pose{base}>{" ".join(map(repr, pose.tolist()))}</pose></frame>')
    for pose in poses:
        step = np.eye(4)
        step[:3, :3], step[:3, 3] = rotation_matrix(*pose[3:]), pose[:3]
        whole = composed(whole, step)
    words = " ".join(map(repr, poses[-1].tolist()))
    link = f'<link name="far"><pose relative_to="f4">{words}</pose></link>'
    read, problems = robot(tmp_path, CART.format("".join(reversed(frames)) + link))
    assert not problems.total, str(problems)
    (far,) = [link for link in read.links if link.name == "far"]
    np.testing.assert_allclose(far.position, whole[:3, 3], atol=1e-9)
    np.testing.assert_allclose(rotation_matrix(*far.orientation), whole[:3, :3], atol=1e-9)


def test_a_joint_on_a_frame_turns_about_that_frame(tmp_path: Path) -> None:
    lid = (
        '<link name="lid"><pose>0 0 1 0 0 0.2</pose></link>'
        '<frame name="edge" attached_to="lid"><pose>0.25 0 0 0 0 0</pose></frame>'
        '<joint name="hinge" type="revolute"><parent>chassis</parent><child>edge</child>'
        '<axis><xyz expressed_in="tilted">1 0 0</xyz></axis></joint>'
        '<frame name="tilted"><pose>0 0 0 0 0 0.5</pose></frame>'
    )
    read, problems = robot(tmp_path, CART.format(lid))
    assert not problems.total, str(problems)
    (hinge,) = [joint for joint in read.joints if joint.kind == "hinge"]
    assert hinge.anchor == pytest.approx((0.25 * math.cos(0.2), 0.25 * math.sin(0.2), 1.0), abs=1e-9)
    assert hinge.axis == pytest.approx((math.cos(0.5), math.sin(0.5), 0.0), abs=1e-9)


def test_poses_are_read_as_quaternions_and_in_degrees(tmp_path: Path) -> None:
    half = math.sqrt(0.5)
    links = (
        f'<link name="b"><pose rotation_format="quat_xyzw">1 0 0 0 0 {half} {half}</pose></link>'
        '<link name="c"><pose degrees="1">1 0 0 0 0 90</pose></link>'
    )
    read, problems = robot(tmp_path, CART.format(links))
    assert not problems.total, str(problems)
    turns = {link.name: link.orientation for link in read.links}
    assert turns["b"] == pytest.approx((0.0, 0.0, math.pi / 2), abs=1e-9)
    assert turns["c"] == pytest.approx((0.0, 0.0, math.pi / 2), abs=1e-9)


def test_an_included_model_finds_its_meshes_from_its_own_file(tmp_path: Path) -> None:
    (tmp_path / "box").mkdir()
    (tmp_path / "box" / "box.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"
    )
    shape = '<collision name="c"><geometry><mesh><uri>box.obj</uri></mesh></geometry></collision>'
    text = f'<sdf version="1.9"><model name="box"><link name="body">{shape}</link></model></sdf>'
    (tmp_path / "box" / "model.sdf").write_text(text)
    _, problems = robot(tmp_path, CART.format("<include><uri>model://box</uri></include>"))
    assert not problems.total, str(problems)


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        (
            "<include><uri>model://none</uri></include>",
            "cart.sdf:1:61: <include> names 'model://none'; there is no such",
        ),
        (2 * PLACED.format("left", ""), "the model 'left' is there twice: give one another name"),
        (
            '<frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame>'
            '<link name="b"><pose relative_to="f">0 0 0 0 0 0</pose></link>',
            "is relative to itself, over other frames",
        ),
        ('<link name="chassis"/>', "the link 'chassis' is there twice"),
        ('<link name="b"><pose relative_to="arm::none"/></link>', "relative to 'arm::none'; there is no such frame"),
        (
            '<joint name="j" type="fixed"><parent>chassis</parent><child>none::link</child></joint><frame name="f"/>',
            "the joint 'j' names the link 'none::link'; there is none",
        ),
        (20 * '<model name="m"><link name="l"/>' + 20 * "</model>", "more than 16 models are in each other"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(inside: str, words: str, tmp_path: Path) -> None:
    _, problems = robot(tmp_path, CART.format(inside))
    assert words in str(problems), str(problems)


def test_models_that_include_each_other_are_refused(tmp_path: Path) -> None:
    for name, included in (("a", "b"), ("b", "a")):
        (tmp_path / name).mkdir()
        text = f'<sdf version="1.9"><model name="{name}"><include><uri>model://{included}</uri></include></model></sdf>'
        (tmp_path / name / "model.sdf").write_text(text)
    problems = Problems()
    read_type(tmp_path / "a" / "model.sdf", problems)
    assert "which includes this file: a model cannot be in itself" in str(problems)


def test_a_world_without_its_ground_still_gives_its_robot(tmp_path: Path) -> None:
    text = (
        '<sdf version="1.9"><world name="w"><include><uri>model://sun</uri></include>'
        '<model name="m"><link name="l"/></model></world></sdf>'
    )
    read, problems = robot(tmp_path, text)
    assert [link.name for link in read.links] == ["l"]
    assert not problems.total
    assert "'model://sun'; there is no such model" in problems.warnings[0].text


def test_models_of_fuel_are_found_where_gazebo_keeps_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GZ_FUEL_CACHE_PATH", str(tmp_path / "fuel"))
    for version, mass in ((2, 5.0), (10, 6.0)):
        kept = tmp_path / "fuel" / "fuel.gazebosim.org" / "openrobotics" / "models" / "wheel" / str(version)
        kept.mkdir(parents=True)
        link = f'<link name="rim"><inertial><mass>{mass}</mass></inertial></link>'
        (kept / "model.sdf").write_text(f'<sdf version="1.9"><model name="wheel">{link}</model></sdf>')
    address = "https://fuel.gazebosim.org/1.0/OpenRobotics/models/Wheel"
    read, problems = robot(tmp_path, CART.format(f"<include><uri>{address}</uri></include>"))
    assert not problems.total, str(problems)
    assert {link.name: link.mass for link in read.links}["wheel__rim"] == 6.0
