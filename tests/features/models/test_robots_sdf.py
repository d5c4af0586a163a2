"""SDF models as robots."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.interfaces import JOINTS
from coopsim.robots import check, load
from coopsim.robots.type_files import read_type
from coopsim.scene import Problems
from coopsim.simulation import Simulation

ROUND = "<ixx>.02</ixx><iyy>.02</iyy><izz>.005</izz>"
SDF = f"""<?xml version="1.0"?>
<sdf version="1.9"><model name="pointer">
  <link name="foot">
    <inertial><mass>4</mass><inertia><ixx>.1</ixx><iyy>.1</iyy><izz>.1</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.2 0.2 0.1</size></box></geometry>
      <surface><friction/></surface></collision>
  </link>
  <link name="upper"><pose>0 0 0.05 0 0 1.5708</pose>
    <inertial><pose>0 0 0.1 0 0 0</pose><mass>2</mass><inertia>{ROUND}</inertia></inertial>
    <collision name="c"><pose>0 0 0.2 0 0 0</pose>
      <geometry><cylinder><radius>0.04</radius><length>0.4</length></cylinder></geometry></collision>
  </link>
  <link name="tip"><pose>0 0 0.45 0 0 0</pose>
    <inertial><mass>1e-3</mass><inertia><ixx>1e-6</ixx><iyy>1e-6</iyy><izz>1e-6</izz></inertia></inertial></link>
  <joint name="stand" type="fixed"><parent>world</parent><child>foot</child></joint>
  <joint name="shoulder" type="revolute"><parent>foot</parent><child>upper</child>
    <axis><xyz expressed_in="__model__">0 1 0</xyz>
      <limit><lower>-1</lower><upper>1.5</upper><effort>50</effort></limit></axis></joint>
  <joint name="end" type="fixed"><parent>upper</parent><child>tip</child></joint>
  <plugin name="motor" filename="libmotor.so"><topic>/x</topic></plugin>
</model></sdf>
"""
SCENE = "[ROBOT_1]\nmodel {}\nname a\nposition 0 0 0.1\n[SIMULATION]\nengine mujoco\nstep 0.01\n"


def scene(folder: Path, text: str) -> Path:
    (folder / "pointer.sdf").write_text(text)
    (folder / "run.scenario").write_text(SCENE.format("pointer.sdf"))
    return folder / "run.scenario"


def test_an_sdf_model_is_a_robot_with_its_masses_its_joints_and_a_tool(tmp_path: Path) -> None:
    """The axis is that of the model, though the link is turned by a quarter."""
    simulation = Simulation(load(scene(tmp_path, SDF)))
    masses = dict(zip(simulation.engine.names, simulation.engine.mass, strict=True))
    assert (masses["a.foot"], masses["a.upper"]) == (4.0, 2.0)
    simulation.command("a", "joints", JOINTS.command("set_positions").number, (0.5,))
    for _ in range(200):
        simulation.tick()
    assert simulation.reading("a", "joints")[0] == pytest.approx(0.5, abs=1e-3)
    assert simulation.reading("a", "joints")[2] == pytest.approx(-2.0 * 9.81 * 0.1 * np.sin(0.5), abs=0.02)
    tip = simulation.engine.poses[list(simulation.engine.names).index("a.tip"), :3]
    np.testing.assert_allclose(tip, (0.4 * np.sin(0.5), 0.0, 0.15 + 0.4 * np.cos(0.5)), atol=6e-3)
    simulation.command("a", "joints", JOINTS.command("set_positions").number, (9.0,))
    for _ in range(300):
        simulation.tick()
    assert simulation.reading("a", "joints")[0] == pytest.approx(1.5, abs=0.01)


def test_what_is_left_out_is_named_with_its_line_and_what_is_inside_it_is_not(tmp_path: Path) -> None:
    scene(tmp_path, SDF)
    warnings = [str(problem) for problem in check(tmp_path / "pointer.sdf")]
    assert len(warnings) == 2
    assert any(":6:" in line or ":7:" in line for line in warnings if "<surface> is left out" in line)
    assert any("<plugin> is left out" in line for line in warnings)


def test_a_model_without_a_joint_to_the_world_is_free_and_falls(tmp_path: Path) -> None:
    stand = '<joint name="stand" type="fixed"><parent>world</parent><child>foot</child></joint>'
    file = scene(tmp_path, SDF.replace(stand, ""))
    file.write_text(file.read_text().replace("position 0 0 0.1", "position 0 0 1"))
    simulation = Simulation(load(file))
    place = list(simulation.engine.names).index("a.foot")
    before = float(simulation.engine.poses[place, 2])
    for _ in range(30):
        simulation.tick()
    assert float(simulation.engine.poses[place, 2]) == pytest.approx(before - 0.5 * 9.81 * 0.3**2, abs=0.05)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<mass>4</mass>", "<mass>four</mass>", "<mass> takes a finite number, got 'four'"),
        ("<parent>foot</parent>", "<parent>food</parent>", "names the link 'food'; there is none"),
        ("<parent>world</parent>", "<parent>tip</parent>", "joints that go round in a ring"),
        (
            "<pose>0 0 0.45 0 0 0</pose>",
            '<pose relative_to="uper">0 0 0 0 0 0</pose>',
            "relative to 'uper'; there is no such frame in the model: foot, upper",
        ),
        ("<pose>0 0 0.45 0 0 0</pose>", "<pose>0 0 0.45</pose>", "<pose> takes 6 finite numbers"),
        ("<pose>0 0 0.45 0 0 0</pose>", "<pose>0 0 nan 0 0 0</pose>", "<pose> takes 6 finite numbers"),
        (
            "<box><size>0.2 0.2 0.1</size></box>",
            "<mesh><uri>model://p/foot.obj</uri></mesh>",
            "no file 'model://p/foot.obj'",
        ),
        ("<box><size>0.2 0.2 0.1</size></box>", "<blob/>", "<blob> is no shape that is read"),
        ("<model name", "<world name", "expected <sdf> with a <model>"),
        ("</model></sdf>", "", "no complete XML"),
        ('<?xml version="1.0"?>', '<!DOCTYPE a [<!ENTITY b "c">]>', "pointer.sdf"),
    ],
)
def test_mistakes_are_named_with_their_place(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = SDF.replace(old, new)
    text = text.replace("</model>", "</world>") if "<world name" in new else text
    assert text != SDF
    with pytest.raises(BadFile, match=said.replace("<", ".*<", 1) if said.startswith("<") else said):
        load(scene(tmp_path, text))


AXIS = """<sdf version="{}"><model name="m"><link name="foot">{}</link>
<link name="arm"><pose>0 0 1 0 0 1.570796327</pose>
</link><joint name="j" type="revolute"><parent>foot</parent><child>arm</child><axis><xyz>1 0 0</xyz>{}</axis></joint>
</model></sdf>"""


@pytest.mark.parametrize(
    ("version", "frame", "axis"),
    [
        ("1.9", "", (0.0, 1.0, 0.0)),
        ("1.6", "<use_parent_model_frame>1</use_parent_model_frame>", (1.0, 0.0, 0.0)),
        ("1.6", "<use_parent_model_frame>0</use_parent_model_frame>", (0.0, 1.0, 0.0)),
        ("1.4", "", (1.0, 0.0, 0.0)),
    ],
)
def test_an_axis_is_in_the_frame_that_the_version_of_sdf_means(
    version: str, frame: str, axis: tuple[float, ...], tmp_path: Path
) -> None:
    (tmp_path / "m.sdf").write_text(AXIS.format(version, "", frame))
    robot = read_type(tmp_path / "m.sdf", Problems())
    (joint,) = [joint for joint in robot.joints if joint.kind == "hinge"]
    assert joint.axis == pytest.approx(axis, abs=1e-6)


def test_a_link_without_inertial_has_a_kilogram_as_sdf_says(tmp_path: Path) -> None:
    (tmp_path / "m.sdf").write_text(AXIS.format("1.9", "", ""))
    robot = read_type(tmp_path / "m.sdf", Problems())
    assert [link.mass for link in robot.links] == [1.0, 1.0]
    assert robot.links[1].tensor == pytest.approx((1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    assert not robot.is_bolted


def test_a_model_whose_carrying_link_has_the_mass_0_is_held_with_a_warning(tmp_path: Path) -> None:
    massless = "<inertial><mass>0</mass></inertial>"
    (tmp_path / "m.sdf").write_text(AXIS.format("1.9", massless, ""))
    problems = Problems()
    assert read_type(tmp_path / "m.sdf", problems).is_bolted
    assert "the link 'foot' carries the model and has the mass 0: it is held" in [p.text for p in problems.warnings]
