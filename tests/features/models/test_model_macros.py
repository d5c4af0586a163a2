"""Models with macros: expanded, packages found without ROS, mistakes told with the file."""

import sys
from pathlib import Path

import pytest

from coopsim.errors import PluginFailed
from coopsim.features.models.xacro_models import read_xacro
from coopsim.robots import check, load
from coopsim.scene import Problems
from coopsim.simulation import Simulation

MACRO = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
<xacro:macro name="bar" params="name mass:=2"><link name="${name}"><inertial><mass value="${mass * 2}"/>
<inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial></link></xacro:macro></robot>"""
MODEL = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="tip" default="tip"/>
<xacro:include filename="$(find our_description)/urdf/bar.xacro"/>
<xacro:bar name="foot"/><xacro:bar name="$(arg tip)" mass="3"/>
<joint name="turn" type="revolute"><parent link="foot"/><child link="$(arg tip)"/><axis xyz="0 0 1"/>
<limit lower="${-pi / 2}" upper="${pi / 2}" effort="4" velocity="1"/></joint></robot>"""


def model(folder: Path, text: str = MODEL, name: str = "r.urdf.xacro") -> Path:
    (folder / "our_description" / "urdf").mkdir(parents=True)
    (folder / "our_description" / "urdf" / "bar.xacro").write_text(MACRO)
    path = folder / "our_description" / "urdf" / name
    path.write_text(text)
    return path


def test_a_model_with_macros_is_a_robot_and_packages_are_found_beside_it(tmp_path: Path) -> None:
    path = model(tmp_path, name="r.xacro")
    (path.parent / "run.scenario").write_text("[ROBOT_1]\nmodel r.xacro\nname a\n[SIMULATION]\nengine mujoco\n")
    run = Simulation(load(path.parent / "run.scenario"))
    run.tick()
    masses = dict(zip(run.engine.names, run.engine.mass.tolist(), strict=True))
    assert (masses["a.foot"], masses["a.tip"]) == (4.0, 6.0)
    assert run.engine.joint_limits[list(run.engine.joints).index("a.turn")] == pytest.approx((-1.5707963, 1.5707963))


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("our_description)", "nowhere)", "$(find nowhere): there is no such package"),
        ("${-pi / 2}", "${-pie / 2}", "pie"),
        ('<xacro:bar name="foot"/>', "<xacro:baz/>", "unknown macro name: xacro:baz"),
        ("</robot>", "", "no complete XML"),
        ('<parent link="foot"/>', '<parent link="fot"/>', "names the link 'fot'"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, before: str, after: str, words: str) -> None:
    path = model(tmp_path, MODEL.replace(before, after))
    problems = Problems()
    read_xacro(path, problems)
    assert words in str(problems), str(problems)
    assert str(path) in str(problems)


def test_macros_that_never_end_are_told(tmp_path: Path) -> None:
    endless = '<xacro:macro name="again" params=""><xacro:again/></xacro:macro><xacro:again/></robot>'
    path = model(tmp_path, MODEL.replace("</robot>", endless), "r.xacro")
    assert any("without an end" in problem.text or "recursion" in problem.text for problem in check(path))


def test_without_xacro_the_command_that_adds_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(PluginFailed, match=r"need the package xacro: .*models"):
        read_xacro(model(tmp_path), Problems())
