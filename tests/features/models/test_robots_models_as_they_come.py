"""Models as packages ship them: files in packages, several files, more joints, bodies that no solver holds."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.features.models.model_paths import find_model_file
from coopsim.interfaces import JOINTS
from coopsim.robots import check, load
from coopsim.simulation import Simulation

SCENE = "[ROBOT_1]\nmodel {}\nname a\nposition 0 0 1\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
INERTIAL = '<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>'
MESH = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"


def urdf(links: str, joints: str = "", name: str = "r") -> str:
    return f'<robot name="{name}">{links}\n{joints}</robot>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="0 0 .1"/><axis xyz="0 1 0"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}</joint>'


def simulation(folder: Path, name: str, text: str) -> Simulation:
    (folder / name).write_text(text)
    (folder / "run.scenario").write_text(SCENE.format(name))
    return Simulation(load(folder / "run.scenario"))


def warnings(path: Path) -> list[str]:
    problems = check(path)
    assert all(problem.is_warning for problem in problems), [str(problem) for problem in problems]
    return [problem.text for problem in problems]


def test_meshes_are_where_ros_packages_have_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = tmp_path / "our_description", tmp_path / "elsewhere" / "their_description"
    for folder in (ours / "urdf", ours / "meshes" / "far", theirs / "meshes"):
        folder.mkdir(parents=True)
    (ours / "meshes" / "far" / "a.obj").write_text(MESH)
    (theirs / "meshes" / "b.obj").write_text(MESH)
    model = ours / "urdf" / "r.urdf"
    # a folder that is called otherwise, as a checkout is, says its name in package.xml
    (ours / "package.xml").write_text("<package><name>alias</name></package>")
    for package in ("our_description", "alias"):
        assert find_model_file(f"package://{package}/meshes/far/a.obj", model) == ours / "meshes" / "far" / "a.obj"
    named = "model://their_description/meshes/b.obj"
    assert find_model_file(named, model) is None
    for variable in ("ROS_PACKAGE_PATH", "GZ_SIM_RESOURCE_PATH"):
        monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
        assert find_model_file(named, model) == theirs / "meshes" / "b.obj"
        monkeypatch.delenv(variable)
    monkeypatch.syspath_prepend(str(tmp_path / "elsewhere"))
    (theirs / "__init__.py").write_text("raise RuntimeError('a package of a model is not imported')")
    assert find_model_file(named, model) == theirs / "meshes" / "b.obj"


def test_two_meshes_of_one_name_are_two(tmp_path: Path) -> None:
    for folder, size in (("visual", 1.0), ("collision", 3.0)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.obj").write_text(MESH.replace(".1", f"{0.1 * size}"))
    shapes = "".join(
        f'<{kind}><geometry><mesh filename="{kind}/m.obj"/></geometry></{kind}>' for kind in ("visual", "collision")
    )
    sim = simulation(tmp_path, "r.urdf", urdf(link("only", INERTIAL + shapes)))
    (visual,) = [visual for visual in sim.layout.entity["a"].visuals if visual.mesh]
    assert visual.size == pytest.approx((0.1, 0.1, 0.1))


def test_gazebo_and_transmissions_are_left_out_with_all_that_is_in_them_and_told(tmp_path: Path) -> None:
    more = '<gazebo><plugin filename="libx.so" name="p"/><sensor><mesh/></sensor></gazebo><transmission/><gazebo/>'
    (tmp_path / "r.urdf").write_text(urdf(link("only"), more))
    assert warnings(tmp_path / "r.urdf") == [
        "the element <gazebo> is left out, here and 1 times below",
        "the element <transmission> is left out",
    ]


def test_more_than_eight_joints_are_driven_by_several_modules(tmp_path: Path) -> None:
    links = "".join(link(f"l{k}") for k in range(12))
    joints = "".join(joint(f"j{k}", f"l{k}", f"l{k + 1}") for k in range(11))
    sim = simulation(tmp_path, "r.urdf", urdf(links, joints))
    for _ in range(5):
        sim.tick()
    assert [sim.reading("a", name).size for name in ("joints", "joints_2")] == [3 * 8, 3 * 3]


def test_links_called_base_and_base_link_are_two(tmp_path: Path) -> None:
    text = urdf(link("base_link") + link("base"), joint("j", "base_link", "base"))
    names = simulation(tmp_path, "r.urdf", text).engine.names
    assert sorted(names) == ["a", "a.base_link", "a.base_link_2"]


def test_a_byte_0_ends_a_model_as_for_readers_in_c(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_bytes(urdf(link("only")).encode() + b"\n\0 rest")
    (said,) = check(tmp_path / "r.urdf")
    assert (said.is_warning, said.span.line) == (True, 3)
    assert said.text.startswith("NUL byte: it ends the text")


def test_inertias_that_no_body_has_are_mended_and_told_with_their_line(tmp_path: Path) -> None:
    wrong = INERTIAL.replace('izz=".01"', 'izz=".5"')
    text = urdf(link("massless", "") + "\n" + link("wrong", wrong), joint("j", "massless", "wrong"))
    (tmp_path / "r.urdf").write_text(text)
    (said,) = check(tmp_path / "r.urdf")
    assert said.span.line == 2
    assert "those of no body, since A + B < C; all become their mean" in said.text
    sim = simulation(tmp_path, "r.urdf", text)
    masses = dict(zip(sim.engine.names, sim.engine.mass, strict=True))
    assert masses["a.massless"] == pytest.approx(1e-6)
    inertia = dict(zip(sim.engine.names, sim.engine.inertia, strict=True))["a.wrong"]
    assert inertia == pytest.approx((0.01 + 0.01 + 0.5) / 3.0)


def test_a_model_beside_one_of_another_suffix_is_the_one_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "r.sdf").write_text('<sdf version="1.9"><model name="r"><link name="of_sdf"/></model></sdf>')
    (tmp_path / "r.urdf").write_text(urdf(link("of_urdf")))
    (tmp_path / "run.scenario").write_text(
        "[ROBOT_1]\nmodel r.urdf\nname a\n[ROBOT_2]\nmodel r.sdf\nname b\nposition 3 0 0\n[SIMULATION]\nengine mujoco\n"
    )
    names = Simulation(load(tmp_path / "run.scenario")).engine.names
    assert {"a.of_urdf", "b.of_sdf"} <= set(names)


def test_an_mjcf_model_of_several_files_is_one(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "m.obj").write_text(MESH)
    (tmp_path / "parts" / "body.xml").write_text(
        '<mujocoinclude><body name="b"><joint name="j" type="hinge"/><geom class="heavy" size=".1"/>'
        '<geom type="mesh" mesh="m" mass="0" contype="0" conaffinity="0"/></body></mujocoinclude>'
    )
    (tmp_path / "parts" / "defaults.xml").write_text(
        '<mujocoinclude><compiler meshdir="parts"/><default><default class="heavy"><geom mass="3"/></default></default>'
        "<asset><mesh file='m.obj'/></asset></mujocoinclude>"
    )
    text = (
        '<mujoco><include file="parts/defaults.xml"/><worldbody><include file="parts/body.xml"/></worldbody>'
        '<actuator><motor joint="j" gear="20" ctrlrange="-2 2"/></actuator></mujoco>'
    )
    sim = simulation(tmp_path, "whole.xml", text)
    assert dict(zip(sim.engine.names, sim.engine.mass, strict=True))["a.b"] == pytest.approx(3.0)


@pytest.mark.parametrize(
    ("name", "said"), [("main.xml", "is included already"), ("none.xml", "there is none, seen from the folder")]
)
def test_an_include_in_a_circle_or_of_nothing_is_a_mistake_with_its_line(tmp_path: Path, name: str, said: str) -> None:
    text = f'<mujoco>\n<include file="{name}"/></mujoco>'
    with pytest.raises(BadFile, match=said) as refused:
        simulation(tmp_path, "main.xml", text)
    assert "main.xml:2:1: " in str(refused.value)


def test_a_body_with_several_joints_moves_in_all_of_them_and_motors_drive_what_they_name(tmp_path: Path) -> None:
    joints = (
        '<joint name="x" type="slide" axis="1 0 0"/><joint name="swing" type="hinge" axis="0 1 0"/><joint type="ball"/>'
    )
    text = (
        f'<mujoco><worldbody><body name="b">{joints}<geom type="box" size=".1 .1 .1" mass="2" pos="0 0 -.3"/></body>'
        '</worldbody><actuator><motor joint="x" gear="50" ctrlrange="-1 1"/></actuator></mujoco>'
    )
    sim = simulation(tmp_path, "r.mjcf", text)
    assert sim.reading("a", "joints").size == 3  # one joint: position, velocity, effort
    assert sim.reading("a", "passive").size == 3 * 4
    assert sim.engine.mass.sum() == pytest.approx(1.0 + 2.0, abs=1e-3)
    assert any("the ball joint" in text for text in warnings(tmp_path / "r.mjcf"))


def test_a_free_body_with_a_joint_falls_as_one(tmp_path: Path) -> None:
    text = (
        '<mujoco><worldbody><body name="b"><freejoint/><geom type="sphere" size=".1" mass="2"/><body name="c">'
        '<joint type="hinge" axis="0 1 0"/><geom type="sphere" size=".05" mass=".1" pos=".2 0 0"/></body></body>'
        "</worldbody></mujoco>"
    )
    sim = simulation(tmp_path, "r.mjcf", text)
    for _ in range(20):
        sim.tick()
    height = dict(zip(sim.engine.names, sim.engine.poses[:, 2], strict=True))["a.b"]
    start = dict(zip(sim.engine.names, Simulation(load(tmp_path / "run.scenario")).engine.poses[:, 2], strict=True))
    assert height == pytest.approx(start["a.b"] - 0.5 * 9.81 * 0.2**2, abs=0.03)


def test_the_robot_of_a_world_is_what_moves_in_it_and_its_includes_are_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "elsewhere" / "cart").mkdir(parents=True)
    (tmp_path / "cart").mkdir()  # called as the model is, and none
    (tmp_path / "elsewhere" / "cart" / "model.config").write_text("<model><sdf version='1.5'>cart.sdf</sdf></model>")
    inertial = "<inertial><mass>5</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>"
    cart = f'<sdf version="1.5"><model name="cart"><link name="frame">{inertial}</link></model></sdf>'
    (tmp_path / "elsewhere" / "cart" / "cart.sdf").write_text(cart)
    text = (
        '<sdf version="1.5"><world name="w">\n<model name="house"><static>1</static><link name="wall"/></model>'
        "<include><uri>model://cart</uri></include></world></sdf>"
    )
    (tmp_path / "r.sdf").write_text(text)
    with pytest.raises(BadFile, match="<include> names 'model://cart'; there is no such model"):
        simulation(tmp_path, "r.sdf", text)
    monkeypatch.setenv("GZ_SIM_RESOURCE_PATH", str(tmp_path / "elsewhere"))
    sim = simulation(tmp_path, "r.sdf", text)
    assert dict(zip(sim.engine.names, sim.engine.mass, strict=True))["a.frame"] == pytest.approx(5.0)
    assert warnings(tmp_path / "r.sdf") == ["the model 'house' is left out: a robot is one, here 'cart'"]


def test_a_loop_that_a_slide_of_an_sdf_model_closes_is_left_open_and_told(tmp_path: Path) -> None:
    links = "".join(f'<link name="{name}"/>' for name in "abc")
    joints = "".join(
        f'<joint name="{a}{b}" type="{kind}"><parent>{a}</parent><child>{b}</child><axis/></joint>'
        for a, b, kind in (("a", "b", "revolute"), ("a", "c", "revolute"), ("b", "c", "prismatic"))
    )
    (tmp_path / "r.sdf").write_text(f'<sdf version="1.9"><model name="r">{links}{joints}</model></sdf>')
    assert warnings(tmp_path / "r.sdf") == [
        "the joint 'bc' of the type 'prismatic' would close a loop and is left out: hinges, balls and fixed joints do"
    ]


def test_a_mesh_that_is_flat_has_a_thickness_and_no_more_triangles_than_can_be_read(tmp_path: Path) -> None:
    flat = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv .1 .1 0\nf 1 2 3\nf 2 3 4\n"
    (tmp_path / "flat.obj").write_text(flat)
    shape = '<collision><geometry><mesh filename="flat.obj"/></geometry></collision>'
    sim = simulation(tmp_path, "r.urdf", urdf(link("only", INERTIAL + shape)))
    sim.tick()
    assert np.isfinite(sim.engine.poses).all()


def test_inertias_of_sdf_are_mended_and_a_link_may_be_called_world(tmp_path: Path) -> None:
    moments = "<ixx>0.01</ixx><iyy>0.01</iyy><izz>0.5</izz>"
    inertial = f"<inertial><mass>2</mass><inertia>{moments}</inertia></inertial>"
    text = f'<sdf version="1.9"><model name="r">\n<link name="world">{inertial}</link></model></sdf>'
    sim = simulation(tmp_path, "r.sdf", text)
    inertia = dict(zip(sim.engine.names, sim.engine.inertia, strict=True))["a.world_link"]
    assert inertia == pytest.approx((0.01 + 0.01 + 0.5) / 3.0)
    (said,) = check(tmp_path / "r.sdf")
    assert (said.is_warning, said.span.line) == (True, 2)


BENT = """<mujoco><option timestep=".01"/><worldbody><body name="bent"><joint name="j" axis="0 1 0" range="30 60"
 limited="true" damping=".1"/><geom size=".1" pos="0 0 .2" mass="1"/></body></worldbody></mujoco>"""


def test_a_joint_of_mjcf_that_begins_beyond_its_limits_is_pushed_between_them_as_in_mujoco(tmp_path: Path) -> None:
    sim = simulation(tmp_path, "bent.xml", BENT)
    sim.command("a", "joints", JOINTS.command("release").number, ())
    assert sim.reading("a", "joints")[0] == 0.0
    for _ in range(20):
        sim.tick()
    assert np.radians(29.0) < sim.reading("a", "joints")[0] < np.radians(61.0)
    (said,) = [text for text in warnings(tmp_path / "bent.xml") if "beyond" in text]
    assert said == "the joint 'j' begins beyond its limits, 0.5236 to 1.047; they push it back"


def test_a_joint_of_urdf_that_begins_beyond_its_limits_is_held_where_it_begins(tmp_path: Path) -> None:
    """As PyBullet does: it may come back, and goes no farther out."""
    limit = '<limit lower="{}" upper="{}" effort="9" velocity="9"/>'
    far = INERTIAL.replace("<mass", '<origin xyz=".3 0 0"/><mass')
    for ends, low, high in (((0.5, 1.0), 0.01, 1.01), ((-1.0, -0.5), -0.01, 0.01)):
        text = urdf(link("base") + link("tip", far), joint("j", "base", "tip", inside=limit.format(*ends)))
        sim = simulation(tmp_path, "r.urdf", text)
        sim.command("a", "joints", JOINTS.command("release").number, ())
        for _ in range(100):
            sim.tick()
        assert low < sim.reading("a", "joints")[0] < high
        assert any("they grow to where it begins" in text for text in warnings(tmp_path / "r.urdf"))


def test_an_arm_stands_beside_a_ball_that_is_free(tmp_path: Path) -> None:
    ball = '<body name="ball" pos="1 0 0"><freejoint/><geom size=".05" mass="1"/></body>'
    sim = simulation(tmp_path, "bent.xml", BENT.replace("</worldbody>", f"{ball}</worldbody>"))
    rows = [list(sim.engine.names).index(f"a.{name}") for name in ("bent", "ball")]
    before = sim.engine.poses[rows, 2].copy()
    for _ in range(30):
        sim.tick()
    fallen = before - sim.engine.poses[rows, 2]
    assert fallen == pytest.approx((0.0, 0.5 * 9.81 * 0.3**2), abs=0.02)
    # beside scenery that does not move, what is free is the robot
    scenery = BENT.replace('<joint name="j" axis="0 1 0" range="30 60"\n limited="true" damping=".1"/>', "")
    simulation(tmp_path, "bent.xml", scenery.replace("</worldbody>", f"{ball}</worldbody>"))
    assert not any("is free beside" in text for text in warnings(tmp_path / "bent.xml"))
