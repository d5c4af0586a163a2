"""`.robot` files that name a model and add to it."""

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from coopsim.errors import CannotSave
from coopsim.features.models.import_command import robot
from coopsim.features.models.robot_text import check_robot_text, model_name
from coopsim.robots import check, load, load_type
from coopsim.simulation import Simulation

INERTIAL = '<inertial><mass value="1"/><inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = f"""<robot name="cart"><link name="rail">{INERTIAL}</link><link name="pole">{INERTIAL}</link>
<joint name="swing" type="revolute"><parent link="rail"/><child link="pole"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="40" velocity="3"/></joint>
<gazebo reference="pole"/>
<gazebo/><transmission name="t"/></robot>"""
ROBOT = "[ROBOT]\nmodel cart.urdf\n"
SCENE = "[ROBOT_1]\ntype mine\nname a\nposition 0 0 1\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
IMU = "[DEVICE_1]\ntype imu\nname imu\nbody pole\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cart.urdf").write_text(URDF)
    return tmp_path


def written(folder: Path, text: str) -> Path:
    (folder / "mine.robot").write_text(text)
    return folder / "mine.robot"


def mistakes(path: Path) -> list[str]:
    return [
        f"{problem.span.line}:{problem.span.column} {problem.text}" for problem in check(path) if not problem.is_warning
    ]


def test_a_robot_is_its_model_and_the_devices_and_links_that_its_file_adds(folder: Path) -> None:
    flag = "[LINK_1]\nname flag\ntype box\nsize .1 .1 .1\nmass .2\nposition 0 0 .5\n"
    written(folder, f"{ROBOT}{IMU}{flag}[JOINT_1]\ntype weld\nbodies pole flag\n")
    blueprint = load_type("mine", folder=folder)
    assert [link.name for link in blueprint.links] == ["rail", "pole", "flag"]
    devices = {device.name: device for device in blueprint.devices}
    assert (devices["imu"].body, sorted(devices)) == ("pole", ["imu", "joints", "pose"])
    assert blueprint.is_bolted
    assert blueprint.summary == "model cart.urdf"


def test_a_section_of_a_module_of_the_model_changes_what_it_says_and_keeps_the_rest(folder: Path) -> None:
    written(folder, f"{ROBOT}[DEVICE_1]\ntype joints\nname joints\nmax_effort 7\n")
    joints, *_ = load_type("mine", folder=folder).devices
    assert (joints.settings["joints"], joints.settings["max_effort"]) == ("swing", "7")
    written(folder, f"{ROBOT}[DEVICE_1]\ntype imu\nname pose\n")
    kinds = {device.name: device.kind for device in load_type("mine", folder=folder).devices}
    assert kinds == {"joints": "joints", "pose": "imu"}


def test_a_section_that_names_fewer_joints_drives_those_by_the_models_own_limits(folder: Path) -> None:
    """S-3: robots of others, as a file changes them."""
    lift = """<joint name="lift" type="revolute"><parent link="pole"/><child link="arm"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="20" velocity="2"/></joint></robot>"""
    (folder / "cart.urdf").write_text(URDF.replace("</robot>", f'<link name="arm">{INERTIAL}</link>{lift}'))
    section = "[DEVICE_1]\ntype joints\nname joints\njoints"
    for joints, efforts, speeds in (("lift", "20", "2"), ("swing", "40", "3"), ("lift swing", "20 40", "2 3")):
        assert mistakes(written(folder, f"{ROBOT}{section} {joints}\n")) == []
        settings = load_type("mine", folder=folder).devices[0].settings
        assert (settings["joints"], settings["max_effort"], settings["max_velocity"]) == (joints, efforts, speeds)
    tip = "[LINK_1]\nname tip\ntype box\nsize .1 .1 .1\nmass .2\nposition 0 0 .5\n"
    hinge = "[JOINT_1]\nname turn\ntype hinge\nbodies pole tip\naxis 0 0 1\n"
    path = written(folder, f"{ROBOT}{tip}{hinge}{section} swing turn\n")
    place, cure = "17:14 the model says no", "in this section, a number for each joint"
    assert mistakes(path) == [
        f"{place} max_effort of 'turn'; name max_effort {cure}",
        f"{place} max_velocity of 'turn'; name max_velocity {cure}",
    ]
    path.write_text(path.read_text() + "max_effort 40 5\nmax_velocity 1\n")
    assert mistakes(path) == []


@pytest.mark.parametrize(("free", "fallen"), [("", 0.0), ("free yes\n", 0.5)])
def test_the_base_of_a_model_falls_where_its_file_says_that_it_is_free(folder: Path, free: str, fallen: float) -> None:
    written(folder, ROBOT + free)
    (folder / "run.scenario").write_text(SCENE)
    simulation = Simulation(load(folder / "run.scenario"))
    for _ in range(31):
        simulation.tick()
    height = float(simulation.engine.poses[simulation.engine.names.index("a"), 2])
    # 0.31 s of free fall are 0.47 m
    assert np.isclose(1.0 - height, fallen, atol=0.05)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[ROBOT]\nmodel none.urdf\n" + IMU, ["2:7 there is no file 'none.urdf', seen from the folder of this file"]),
        ("[ROBOT]\nmodel mine.robot\n", ["2:7 expected a model, a file with the suffix"]),
        (f"{ROBOT}[BODY]\nsize 1 1 1\nmass 1\n", ["3:1 the base of a robot with a model is that of the model"]),
        ("[ROBOT]\nfree yes\n[BODY]\nsize 1 1 1\nmass 1\n", ["2:6 'free' is for the base of a model"]),
        (ROBOT + IMU.replace("pole", "poll"), ["6:6 this robot has no body 'poll'"]),
        (ROBOT + "[LINK_1]\nname pole\ntype box\nsize 1 1 1\nmass 1\n", ["3:1 the model has a link 'pole' already"]),
        ("[ROBOT]\nmodel bad.urdf\n" + IMU, ["1:1 expected <robot> (URDF)"]),
    ],
)
def test_mistakes_are_said_once_and_where_they_are(folder: Path, text: str, said: list[str]) -> None:
    (folder / "bad.urdf").write_text("<other/>")
    lines = mistakes(written(folder, text))
    assert len(lines) == len(said)
    assert all(line.startswith(start) for line, start in zip(lines, said, strict=True)), lines


def test_an_imported_robot_is_that_of_its_model_and_its_report_lists_each_loss(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    outcome = CliRunner().invoke(robot, ["cart.urdf", "-o", "mine.robot", "--report"], standalone_mode=False)
    assert (outcome.exception, outcome.return_value) == (None, 0)
    said = outcome.stdout.splitlines()
    places = ["cart.urdf:4:1: <gazebo>", "cart.urdf:5:1: <gazebo>", "cart.urdf:5:10: <transmission>"]
    assert [line.partition(" is left")[0] for line in said] == places
    assert "left out: 2 <gazebo>, 1 <transmission>" in outcome.stderr
    mine, model = load_type("mine", folder=folder), load_type("cart", folder=folder)
    assert (mine.links, mine.joints, mine.devices) == (model.links, model.joints, model.devices)


def test_a_report_can_be_read_by_programs_and_nothing_is_overwritten(folder: Path) -> None:
    arguments = [str(folder / "cart.urdf"), "-o", str(folder / "mine.robot")]
    outcome = CliRunner().invoke(robot, [*arguments, "--json", "--free"], standalone_mode=False)
    report = json.loads(outcome.stdout)
    assert [loss["element"] for loss in report["left_out"]] == ["gazebo", "gazebo", "transmission"]
    assert "free     yes" in (folder / "mine.robot").read_text()
    again = CliRunner().invoke(robot, arguments)
    assert again.exit_code == 2
    assert "not overwritten" in again.stderr
    for name, reason in (("x.txt", "expected NAME.robot"), ("none/x.robot", "there is no folder")):
        refused = CliRunner().invoke(robot, [*arguments[:2], str(folder / name)])
        assert refused.exit_code == 2
        assert reason in refused.stderr


def test_a_model_is_named_from_its_robot_or_by_its_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = folder / "home" / "deep"
    home.mkdir(parents=True)
    package = folder / "lib" / "arms_description"
    package.mkdir(parents=True)
    (package / "arm.urdf").write_text(URDF)
    assert model_name(folder / "cart.urdf", folder / "mine.robot") == "cart.urdf"
    assert model_name(folder / "cart.urdf", home / "mine.robot") == "../../cart.urdf"
    monkeypatch.syspath_prepend(str(folder / "lib"))
    assert model_name(package / "arm.urdf", home / "mine.robot") == "package://arms_description/arm.urdf"
    (home / "mine.robot").write_text("[ROBOT]\nmodel package://arms_description/arm.urdf\n")
    assert load_type("mine", folder=home).links[-1].name == "pole"
    with pytest.raises(CannotSave, match="without '#'"):
        check_robot_text("[ROBOT]\nmodel    a #1.urdf\n", home / "mine.robot")
