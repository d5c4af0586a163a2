"""URDF and MJCF models as robots."""

import re
from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.interfaces import JOINTS
from coopsim.robots import check, load
from coopsim.simulation import Simulation

URDF = """<?xml version="1.0"?>
<robot name="pointer">
  <link name="foot">
    <inertial><mass value="4"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><mesh filename="package://pointer/foot.obj"/></geometry></visual>
    <collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision>
  </link>
  <link name="upper">
    <inertial><origin xyz="0 0 0.1"/><mass value="2"/>
      <inertia ixx=".02" iyy=".02" izz=".005" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><origin xyz="0 0 0.2"/><geometry><cylinder radius="0.04" length="0.4"/></geometry></collision>
  </link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute"><parent link="foot"/><child link="upper"/><origin xyz="0 0 0.05"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1.5" effort="50" velocity="2"/></joint>
  <joint name="end" type="fixed"><parent link="upper"/><child link="tip"/><origin xyz="0 0 0.4"/></joint>
  <transmission name="motor"/>
</robot>
"""
MJCF = """<mujoco><worldbody><body name="box" pos="0 0 0.2"><freejoint/><geom type="box" size=".1 .1 .1" mass="1"/>
<body name="lid" pos="0 0 .1"><joint name="lid" type="slide" axis="0 0 1" range="0 .2"/>
<geom type="capsule" size=".02 .05" pos="0 0 .07" mass=".1"/></body></body></worldbody></mujoco>"""
SCENE = "[ROBOT_1]\nmodel {}\nname a\nposition 0 0 0.1\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
MESH = "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n"


def simulation(folder: Path, name: str, text: str) -> Simulation:
    (folder / name).write_text(text)
    (folder / "foot.obj").write_text(MESH)
    (folder / "run.scenario").write_text(SCENE.format(name))
    return Simulation(load(folder / "run.scenario"))


def test_a_urdf_model_is_a_robot_with_its_masses_its_joints_and_a_tool(tmp_path: Path) -> None:
    """C-5: a platform that was modelled elsewhere is a robot here."""
    sim = simulation(tmp_path, "pointer.urdf", URDF)
    masses = dict(zip(sim.engine.names, sim.engine.mass, strict=True))
    assert (masses["a.foot"], masses["a.upper"]) == (4.0, 2.0)
    sim.command("a", "joints", JOINTS.command("set_positions").number, (0.5,))
    for _ in range(200):
        sim.tick()
    assert sim.reading("a", "joints")[0] == pytest.approx(0.5, abs=1e-3)
    # the load is the weight of the upper link, 0.1 m up, and of a tip without mass
    assert sim.reading("a", "joints")[2] == pytest.approx(-2.0 * 9.81 * 0.1 * np.sin(0.5), abs=0.02)
    names = list(sim.engine.names)
    tip = sim.engine.poses[names.index("a.tip"), :3]
    np.testing.assert_allclose(tip - (0, 0, 0.1), sim.reading("a", "pose")[:3], atol=1e-6)
    sim.command("a", "joints", JOINTS.command("set_positions").number, (9.0,))
    for _ in range(300):
        sim.tick()
    assert sim.reading("a", "joints")[0] == pytest.approx(1.5, abs=0.01)


def test_an_mjcf_model_that_is_free_falls_onto_the_floor(tmp_path: Path) -> None:
    sim = simulation(tmp_path, "chest.mjcf", MJCF)
    for _ in range(200):
        sim.tick()
    height = dict(zip(sim.engine.names, sim.engine.poses[:, 2], strict=True))
    assert height["a.box"] == pytest.approx(0.1, abs=0.01)  # its frame is in its middle
    assert sim.reading("a", "joints")[0] == pytest.approx(0.0, abs=0.01)


def test_elements_that_are_left_out_are_named_as_warnings(tmp_path: Path) -> None:
    simulation(tmp_path, "pointer.urdf", URDF)
    (said,) = check(tmp_path / "pointer.urdf")
    assert str(said.span).endswith("pointer.urdf:17:3")
    assert "the element <transmission> is left out" in said.text


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        (
            URDF.replace("foot.obj", "none.stl").replace("visual>", "collision>"),
            "5:26",
            "no file 'package://pointer/none.stl'; looked for beside this",
        ),
        (URDF[:300], "6:26", "no complete XML"),
        ("<!DOCTYPE r [<!ENTITY a 'aa'>]><robot name='x'/>", "1:", "no document type and no entities"),
        (
            "<robot name='x'>" + "<link>" * 70 + "</link>" * 70 + "</robot>",
            "1:",
            "more than 64 elements are in each other",
        ),
        ("<robot name='x'><link name='a'/><link name='a'/></robot>", "1:33", "the link 'a' is there twice"),
        ("nothing", "1:", "no complete XML"),
        ("<mujoco><include file='/etc/x'/></mujoco>", "1:9", "<include> names the file '/etc/x'; there is none"),
    ],
)
def test_a_model_that_cannot_be_read_is_refused_with_its_place(
    tmp_path: Path, text: str, place: str, said: str
) -> None:
    with pytest.raises(BadFile) as refused:
        simulation(tmp_path, "pointer.urdf", text)
    assert f"pointer.urdf:{place}" in str(refused.value)
    assert said in str(refused.value)


BODY = '<body><joint type="hinge"/><geom type="box" size=".1 .1 .1" mass="1"/></body>'
COPIES = '<replicate count="1000">'
FLEX = '<flexcomp name="f" type="grid" count="{}" spacing=".1 .1 .1" mass="1" dim="2"/>'


def mjcf(body: str = BODY, before: str = "") -> str:
    return f"<mujoco>{before}<worldbody>\n{body}</worldbody></mujoco>"


def chain(count: int) -> str:
    links = "".join(f'<link name="l{k}"/>' for k in range(count))
    joints = "".join(
        f'<joint name="j{k}" type="revolute"><parent>l{k}</parent><child>l{k + 1}</child>'
        "<axis><xyz>0 0 1</xyz></axis></joint>"
        for k in range(count - 1)
    )
    return f'<sdf version="1.9"><model name="m">{links}\n{joints}</model></sdf>'


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        (
            "m.mjcf",
            mjcf(f'<replicate count="1000000000">{BODY}</replicate>'),
            "2:1: the model has more than 20000 elem",
        ),
        ("m.mjcf", mjcf(f"{COPIES}{COPIES}{BODY}</replicate></replicate>"), "2:25: the model has more than 20000 elem"),
        ("m.mjcf", mjcf(f'<replicate count="1001">{BODY}</replicate>'), "2:25: the model has more than 1000 bodies"),
        ("m.mjcf", mjcf(BODY + FLEX.format("2000 2000 1")), "<flexcomp> takes up to 10000 as count, got '2000 2000 1'"),
        ("m.mjcf", mjcf(COPIES + FLEX.format("90 90 1") + "</replicate>"), "every <flexcomp> of the model together"),
        (
            "m.mjcf",
            mjcf(before='<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>'),
            "1:39: <hfield> takes up to 4096 as nrow, got '100000'",
        ),
        (
            "m.mjcf",
            mjcf(before='<asset><hfield name="h" nrow="4000" ncol="4000" size="1 1 1 1"/></asset>'),
            "every <hfield> of the model together has more than 4000000 cells",
        ),
        (
            "m.mjcf",
            mjcf(
                before='<default><texture width="4096" height="4096"/></default>'
                '<asset><texture name="t" type="2d" builtin="flat"/></asset>'
            ),
            "every <texture> of the model together",
        ),
        ("m.mjcf", mjcf(before='<size nuser_body="2000000000"/>'), "<size> takes up to 100 as nuser_body"),
        ("m.mjcf", mjcf(before='<size memory="900G"/>'), "<size> takes up to 1073741824 as memory, got '900G'"),
        (
            "m.mjcf",
            mjcf(before='<asset><mesh name="m" builtin="supersphere" params="100000 1 1"/></asset>'),
            "up to 200 divisions",
        ),
        (
            "m.mjcf",
            mjcf(before='<asset><hfield name="h" file="/dev/zero" size="1 1 1 1"/></asset>'),
            "<hfield> names the file '/dev/zero'; only meshes are read from other files",
        ),
        (
            "m.urdf",
            '<robot name="m"><mujoco><size nuser_geom="2000000000"/></mujoco><link name="l"/></robot>',
            "<size> takes up to 100 as nuser_geom",
        ),
        ("m.sdf", chain(200), "1:1178: more than 64 links hang on each other"),
        ("m.sdf", chain(1500), "the model has more than 1000 bodies"),
    ],
)
def test_what_a_small_model_means_is_counted_before_it_is_made(
    tmp_path: Path, name: str, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def must_not_run(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("coopsim.features.models.models._compiled", must_not_run)
    (tmp_path / name).write_text(text)
    (tmp_path / "run.scenario").write_text(SCENE.format(name))
    with pytest.raises(BadFile, match=re.escape(said)) as caught:
        load(tmp_path / "run.scenario")
    assert re.search(rf"{name}:\d+:\d+: ", str(caught.value))


@pytest.mark.parametrize("problem", [RuntimeError("Caught an unknown exception!"), MemoryError(), ValueError("bad")])
def test_whatever_the_compiler_raises_is_a_mistake_of_the_file(
    tmp_path: Path, problem: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise problem

    monkeypatch.setattr("coopsim.features.space.model_files.compiled_model", fail)
    (tmp_path / "m.mjcf").write_text(mjcf())
    (tmp_path / "run.scenario").write_text(SCENE.format("m.mjcf"))
    with pytest.raises(BadFile, match=r"m\.mjcf:1:1: MuJoCo cannot read this model: \w+"):
        load(tmp_path / "run.scenario")


def test_copies_within_reason_are_made_and_a_chain_of_links_is_read(tmp_path: Path) -> None:
    sim = simulation(tmp_path, "few.mjcf", mjcf(f'<replicate count="3" offset="1 0 0">{BODY}</replicate>'))
    assert len(sim.engine.names) >= 3
    assert len(simulation(tmp_path, "chain.sdf", chain(8)).engine.names) >= 8


def test_a_robot_has_a_type_or_a_model(tmp_path: Path) -> None:
    (tmp_path / "both.scenario").write_text("[ROBOT_1]\ntype single\nmodel ../x.urdf\n")
    said = [problem.text for problem in check(tmp_path / "both.scenario")]
    assert "a robot has a type or a model, not both; remove one" in said
    assert any("must lie beside this file" in text for text in said)
