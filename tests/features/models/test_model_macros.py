"""Models with macros: expanded, packages found without ROS, mistakes told with the file."""

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from coopsim.errors import PluginFailed
from coopsim.features.models import xacro_child, xacro_models
from coopsim.features.models.import_command import robot as robot_command
from coopsim.features.models.xacro_models import read_xacro
from coopsim.robots import check, load
from coopsim.robots.type_files import read_type
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
        ("our_description)", "nowhere)", "r.urdf.xacro:3:2: xacro cannot expand this model: unknown macro"),
        ("our_description)", "nowhere)", "$(find nowhere): there is no such package"),
        ("bar.xacro", "bars.xacro", "r.urdf.xacro:2:55: xacro cannot expand this model: No such file"),
        ("${-pi / 2}", "${-pie / 2}", "r.urdf.xacro:5:18: xacro cannot expand this model: name 'pie' is not"),
        ('<xacro:bar name="foot"/>', "<xacro:baz/>", "r.urdf.xacro:3:2: xacro cannot expand this model: unknown macro"),
        (
            '<xacro:bar name="foot"/>',
            "<xacro:bar/>",
            "bar.xacro:2:14: xacro cannot expand this model: Undefined parameters [name] (in the macro bar)",
        ),
        (
            '<xacro:arg name="tip" default="tip"/>',
            "",
            "--arg tip:=VALUE`, or in a .robot file by `model r.urdf.xacro tip:=",
        ),
        ("</robot>", "", "r.urdf.xacro:5:78: xacro cannot expand this model: no complete XML"),
        ('<parent link="foot"/>', '<parent link="fot"/>', "names the link 'fot'"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, before: str, after: str, words: str) -> None:
    path = model(tmp_path, MODEL.replace(before, after))
    problems = Problems()
    read_xacro(path, problems)
    assert words in str(problems), str(problems)
    assert str(path.parent) in str(problems)


def test_macros_that_never_end_are_told(tmp_path: Path) -> None:
    endless = '<xacro:macro name="again" params=""><xacro:again/></xacro:macro><xacro:again/></robot>'
    path = model(tmp_path, MODEL.replace("</robot>", endless), "r.xacro")
    assert any("without an end" in problem.text or "recursion" in problem.text for problem in check(path))


def test_expressions_that_never_end_or_fill_the_memory_take_their_process_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds = xacro_child.MOST_SECONDS
    shorter = f"import sys\nfrom {xacro_child.__name__} import main\nimport {xacro_child.__name__} as child\n"
    monkeypatch.setattr(xacro_models, "_COMMAND", ("-c", f"{shorter}child.MOST_SECONDS = 1\nsys.exit(main())"))
    path = model(tmp_path, MODEL.replace("-pi / 2", "python.sum(python.range(10**12))"))
    problems = Problems()
    read_xacro(path, problems)
    assert f"its macros have not ended after {seconds} s of processor time" in str(problems)
    path.write_text(MODEL.replace("-pi / 2", "len('a' * 10**10)"))
    problems = Problems()
    read_xacro(path, problems)
    assert "of memory" in str(problems), str(problems)


def test_an_include_of_a_package_that_is_nowhere_is_left_out_where_nothing_needs_it(tmp_path: Path) -> None:
    """As a robot's description includes those of all devices that it can carry."""
    extra = '<xacro:include filename="$(find our_lidar)/lidar.xacro"/><xacro:bar name="foot"/>'
    path = model(tmp_path, MODEL.replace('<xacro:bar name="foot"/>', extra))
    problems = Problems()
    robot = read_xacro(path, problems)
    assert [link.name for link in robot.links] == ["foot", "tip"]
    (warning,) = problems.warnings
    assert str(warning.span).endswith("r.urdf.xacro:3:26")
    assert warning.text == "what is included from the package 'our_lidar' is left out: there is no such package"


def test_arguments_are_given_in_a_robot_file_and_by_the_command(tmp_path: Path) -> None:
    path = model(tmp_path, MODEL.replace('<xacro:arg name="tip" default="tip"/>', ""))
    own = path.parent / "own.robot"
    own.write_text("[ROBOT]\nmodel r.urdf.xacro tip:=nose\n")
    assert [link.name for link in read_type(own, Problems()).links] == ["foot", "nose"]
    written = path.parent / "written.robot"
    outcome = CliRunner().invoke(robot_command, [str(path), "-o", str(written), "--arg", "tip:=beak"])
    assert outcome.exit_code == 0, outcome.output
    assert [link.name for link in read_type(written, Problems()).links] == ["foot", "beak"]
    wrong = CliRunner().invoke(robot_command, [str(path), "-o", str(path.parent / "w.robot"), "--arg", "tip=beak"])
    assert "expected NAME:=VALUE" in wrong.output


def test_arguments_of_a_model_without_macros_are_refused(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="foot"/></robot>')
    (tmp_path / "own.robot").write_text("[ROBOT]\nmodel r.urdf tip:=nose\n")
    problems = Problems()
    read_type(tmp_path / "own.robot", problems)
    assert "own.robot:2:14: 'r.urdf' takes no arguments" in str(problems)


def test_without_xacro_the_command_that_adds_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "xacro", None)
    with pytest.raises(PluginFailed, match=r"need the package xacro: .*models"):
        read_xacro(model(tmp_path), Problems())
