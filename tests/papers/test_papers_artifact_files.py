"""Items of SwarmSimX on artifacts that an XML file defines; the names of the tests say which."""

from pathlib import Path

import numpy as np
import pytest

from coopsim import plugins
from coopsim.engines.rotations import turned
from coopsim.geometry import quaternion
from coopsim.robots import RunSpec, check, examine, load, load_type
from coopsim.robots.edits import sections
from coopsim.robots.finding import SCENARIOS
from coopsim.robots.plugging import plug
from coopsim.simulation import Simulation

PAGE = Path(__file__).parents[2] / "docs" / "artifacts.md"
DOOR = PAGE.read_text(encoding="utf-8").partition("<!-- file: door.xml -->\n```xml\n")[2].partition("```")[0]
SCENE = "[ROBOT_1]\n{}\nname a\nposition 1 2 0\norientation 0 0 90\n[SIMULATION]\nengine mujoco\n"
TREE = """<artifact>
  <body type="box" size="1 1 0.2" mass="50" wheels="no" bolted="yes">
    <visual name="plate" type="box" size="0.5 0.5 0.1" position="0 0 0.2">
      <visual name="knob" type="sphere" size="0.1 0.1 0.1" position="0 0 0.1"/>
    </visual>
    <body name="post" type="box" size="0.1 0.1 1" mass="2" position="0.3 0 0.2" orientation="0 0 90">
      <sensor type="simulation_time" name="clock"/>
      <body name="arm" type="box" size="0.1 0.6 0.1" mass="1" position="0.2 0 1" orientation="30 0 0">
        <joint type="hinge" axis="1 0 0" limits="-90 90"/>
        <visual type="box" color="255 0 0"/>
      </body>
    </body>
  </body>
</artifact>
"""


def door_scene(folder: Path) -> RunSpec:
    """Return the scene with the door, as it finds the door in this folder."""
    text = (SCENARIOS / "door.scenario").read_text(encoding="utf-8").replace("../worlds/passage", "passage")
    (folder / "door.scenario").write_text(text)
    return load(folder / "door.scenario")


def test_s_16_the_door_as_xml_is_the_door_of_the_text_form_bit_by_bit(tmp_path: Path) -> None:
    (tmp_path / "door.xml").write_text(DOOR)
    assert not check(tmp_path / "door.xml")
    spec, built_in = door_scene(tmp_path), load("door")
    assert spec.types["door"].span.file.endswith("door.xml")
    ours, theirs = Simulation(spec), Simulation(built_in)
    for _ in range(60):
        assert ours.state_hash() == theirs.state_hash()
        ours.tick()
        theirs.tick()


def test_s_10_and_s_11_a_child_is_placed_relative_to_its_parent(tmp_path: Path) -> None:
    (tmp_path / "post.xml").write_text(TREE)
    (tmp_path / "run.scenario").write_text(SCENE.format("model post.xml"))
    simulation = Simulation(load(tmp_path / "run.scenario"))
    placed = dict(zip(simulation.engine.names, simulation.engine.poses, strict=True))
    base = np.array([1.0, 2.0, 0.2])
    post, arm = placed["a.post"], placed["a.arm"]
    np.testing.assert_allclose(post[:3] - base, [0.0, 0.3, 0.0], atol=1e-9)
    # the base is turned by 90 degrees, and the post in it once more
    np.testing.assert_allclose(arm[:3] - post[:3], [-0.2, 0.0, 1.0], atol=1e-9)
    w, x, y, z = arm[3:]
    turn = quaternion(0.0, 0.0, np.pi)
    expected = turned(turn, turned(quaternion(np.pi / 6.0, 0.0, 0.0), (0.0, 0.0, 1.0)))
    np.testing.assert_allclose(turned((w, x, y, z), (0.0, 0.0, 1.0)), expected, atol=1e-9)
    assert dict(zip(simulation.engine.names, simulation.engine.mass, strict=True))["a.arm"] == 1.0
    assert dict(zip(simulation.engine.names, simulation.engine.mass, strict=True))["a.post"] == 2.0


def test_s_13_and_s_15_bodies_and_visuals_are_parallel_trees_and_both_logics_are_optional(tmp_path: Path) -> None:
    (tmp_path / "post.xml").write_text(TREE)
    kind = load_type("post", folder=tmp_path)
    assert [(visual.shape, visual.parent, visual.body) for visual in kind.visuals] == [
        ("box", -1, ""),
        ("sphere", 0, ""),
        ("box", -1, "arm"),
    ]
    assert [(device.kind, device.body) for device in kind.devices] == [("simulation_time", "post")]
    assert [(joint.kind, joint.a, joint.b) for joint in kind.joints] == [
        ("weld", "base", "post"),
        ("hinge", "post", "arm"),
    ]
    (tmp_path / "run.scenario").write_text(SCENE.format("model post.xml"))
    entities = Simulation(load(tmp_path / "run.scenario")).layout.entities
    (visuals,) = (entity.visuals for entity in entities if entity.name == "a")
    assert sorted(visual.body for visual in visuals if visual.body) == ["arm", "post"]  # the post as it is pushed


def test_s_14_an_artifact_of_a_file_is_inserted_by_its_name(tmp_path: Path) -> None:
    file = tmp_path / "gate_of_xml.xml"
    file.write_text(DOOR)
    plug(file)
    try:
        scene = sections("[ROBOT_1]\ntype gate_of_xml\nposition 1 0 0\n")
    finally:
        plugins.forget(file)
    assert [robot.type for robot in scene.robots] == ["gate_of_xml"]
    assert [link.name for link in scene.types["gate_of_xml"].links] == ["leaf"]


def test_s_32_an_artifact_has_one_driver_at_most_also_of_a_plugin(tmp_path: Path) -> None:
    bell = PAGE.read_text(encoding="utf-8").partition("<!-- file: bell.py -->\n```python\n")[2].partition("```")[0]
    plugin, door = tmp_path / "bell.py", tmp_path / "door.xml"
    plugin.write_text(bell)
    door.write_text(DOOR.replace("</artifact>", '<driver type="bell"/></artifact>'))
    plug(plugin)
    try:
        problems, _ = examine(door)
    finally:
        plugins.forget(plugin)
    assert [problem.text for problem in problems if "only one driver drives an artifact" in problem.text]


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('  <sensor type="presence"', '  <driver type="automatic_door"', "11:", "only one driver drives an artifact"),
        ('type="presence"', 'type="slide"', "9:17", "'slide' is no sensor; write <device>"),
        ('driver type="automatic_door"', 'driver type="presence"', "11:17", "'presence' is no driver; write <device>"),
        ("0 1 0", "0 1 q", "5:49", "axis expects a number, got 'q'"),
        ('mass="10"', 'weight="10"', "4:54", "<body> knows no key 'weight'"),
        ('mass="10"', 'mass=""', "4:54", "'mass' has no value"),
        ("<device", "<devise", "8:3", "<artifact> knows no element 'devise' (devise → device?)"),
        ("</artifact>", "", "", "no complete XML: no element found"),
        ("</artifact>", "<body/></artifact>", "12:1", "has one outermost body, that on line 3; put this one into it"),
        ("</artifact>", "loud</artifact>", "2:1", "<artifact> has text, which is not read; write attributes"),
        ("<artifact ", "<!DOCTYPE a [<!ENTITY b 'bb'>]><artifact ", "2:13", "no document type and no entities"),
        ("</artifact>", "<visual>" * 70, "12:", "more than 64 elements are in each other"),
        ("artifact", "world", "2:1", "expected <artifact>, got '<world>'"),
        ("<joint ", '<joint type="weld"/><joint ', "5:27", "one joint holds a body, and that on line 5 does"),
        ('wheels="no"', 'name="post"', "3:65", "the outermost body is called base"),
        ("    <body", '    <joint type="weld"/><body', "4:5", "no joint holds the outermost body; remove it"),
        ("", "<", "1:2", "no complete XML: not well-formed"),
    ],
)
def test_a_mistake_in_an_artifact_is_said_with_its_place(
    tmp_path: Path, old: str, new: str, place: str, said: str
) -> None:
    """S-32: one driver at most, any number of sensors."""
    text = DOOR.replace(old, new) if old == "artifact" else DOOR.replace(old, new, 1)
    (tmp_path / "door.xml").write_text(text)
    problems, _ = examine(tmp_path / "door.xml")
    assert any(said in problem.text and f"door.xml:{place}" in f"{problem.span}" for problem in problems), [
        f"{problem.span} {problem.text}" for problem in problems
    ]


def test_other_xml_beside_a_scenario_is_no_robot_type(tmp_path: Path) -> None:
    (tmp_path / "door.xml").write_text("<!-- <artifact> --><project/>")
    (tmp_path / "single.xml").write_text("<mujoco/>")
    (tmp_path / "run.scenario").write_text("[ROBOT_1]\ntype door\n")
    assert load(tmp_path / "run.scenario").types["door"].span.file.endswith("door.robot")
