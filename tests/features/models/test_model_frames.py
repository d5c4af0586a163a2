"""Frames of imported links: forward kinematics are those of another library, and hulls collide as their meshes do."""

import math
from pathlib import Path

import numpy as np
import pytest
import yourdfpy

from coopsim.engines.rotations import matrix
from coopsim.features.models.frames import angles, quaternion_matrix
from coopsim.geometry import quaternion
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.robots import load
from coopsim.simulation import Simulation

SCENE = "[ROBOT_1]\nmodel {}\nname a\nposition 0 0 {}\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
MASS = '<mass value="1"/><inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/>'
GO = command_numbers(JOINTS).set_positions
# every way in which frames are turned, pitches of a right angle among them, as exporters write them
ORIGINS = [
    "0 0 0",
    "1.5707963 0 0",
    "0 1.5707963267948966 0",
    "0 -1.570796 0.3",
    "0.1 -0.7 2.9",
    "3.14159 1.5708 -3.14159",
]
WEDGE = """v 0 0 0\nv .4 0 0\nv .4 .2 0\nv 0 .2 0\nv 0 0 .2\nv 0 .2 .2
f 1 3 2\nf 1 4 3\nf 1 2 5\nf 4 6 3\nf 2 3 6\nf 2 6 5\nf 1 5 6\nf 1 6 4
"""


def arm(origins: list[str]) -> str:
    """Return a chain with a collision box away from each link's frame."""
    shape = '<collision><origin xyz=".1 .2 .3" rpy=".3 .2 .1"/><geometry><box size=".1 .2 .05"/></geometry></collision>'
    inside = f'<inertial><origin xyz=".1 0 .05"/>{MASS}</inertial>{shape}'
    links = [f'<link name="l{k}">{inside}</link>' for k in range(len(origins) + 1)]
    kinds = ("revolute", "prismatic", "continuous")
    joints = [
        f'<joint name="j{k}" type="{kinds[k % 3]}"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz=".1 {0.05 * k:g} .2" rpy="{turn}"/><axis xyz="{("0 0 -1", ".6 0 .8", "0 1 0")[k % 3]}"/>'
        '<limit lower="-1" upper="1" effort="400" velocity="9"/></joint>'
        for k, turn in enumerate(origins)
    ]
    return f'<robot name="arm">{"".join(links)}{"".join(joints)}</robot>'


def simulation(folder: Path, name: str, text: str, height: float = 0.0) -> Simulation:
    (folder / name).write_text(text)
    (folder / "run.scenario").write_text(SCENE.format(name, height))
    return Simulation(load(folder / "run.scenario"))


def test_links_are_where_another_library_has_them(tmp_path: Path) -> None:
    run = simulation(tmp_path, "arm.urdf", arm(ORIGINS))
    theirs = yourdfpy.URDF.load(str(tmp_path / "arm.urdf"), load_meshes=False)
    for _ in range(60):
        run.command("a", "joints", GO, (0.4, -0.2, 0.7, -0.5, 0.3, 0.6))
        run.tick()
    engine = run.engine
    joints = [name.removeprefix("a.") for name in engine.joints]
    places = dict(zip(joints, engine.joint_position.tolist(), strict=True))
    theirs.update_cfg({name: places[name] for name in theirs.actuated_joint_names})
    for k in range(len(ORIGINS) + 1):
        expected = theirs.get_transform(f"l{k}", "l0")
        pose = engine.poses[list(engine.names).index(f"a.l{k}")]
        np.testing.assert_allclose(pose[:3], expected[:3, 3], atol=1e-9)
        np.testing.assert_allclose(quaternion_matrix(pose[3:]), expected[:3, :3], atol=1e-9)
    assert max(map(abs, places.values())) > 0.1


def test_the_tool_is_at_the_frame_of_the_last_link(tmp_path: Path) -> None:
    run = simulation(tmp_path, "arm.urdf", arm(ORIGINS[:2]))
    run.tick()
    part = run.layout.robot["a"].type.module("pose")
    assert part is not None
    sensed = run.readings[run.layout.robot["a"].reading_offset + part.reading_offset :][:7]
    last = run.engine.poses[list(run.engine.names).index("a.l2")]
    np.testing.assert_allclose(sensed[:3], last[:3], atol=1e-9)


@pytest.mark.parametrize("pitch", [0.5 * math.pi, -0.5 * math.pi, 0.5 * math.pi - 1e-9, 1.5707963, 0.3])
def test_angles_of_a_pitch_of_a_right_angle_keep_their_digits(pitch: float) -> None:
    for roll, yaw in ((0.0, 0.0), (0.3, -2.0), (3.0, 1.0)):
        turn = matrix(quaternion(roll, pitch, yaw))
        np.testing.assert_allclose(matrix(quaternion(*angles(turn))), turn, atol=1e-11)


def test_a_mesh_collides_as_its_hull_and_not_as_the_box_around_it(tmp_path: Path) -> None:
    (tmp_path / "wedge.obj").write_text(WEDGE)
    model = """<mujoco><asset><mesh name="w" file="wedge.obj"/></asset><worldbody><body name="wedge" pos="0 0 .05">
    <freejoint/><inertial pos=".13 .1 .07" mass="1" diaginertia=".01 .01 .01"/><geom type="mesh" mesh="w"/>
    <geom type="capsule" size=".02 .05" pos=".1 .1 .3"/></body></worldbody></mujoco>"""
    run = simulation(tmp_path, "wedge.mjcf", model, 0.1)
    for _ in range(200):
        run.tick()
    pose = run.engine.poses[list(run.engine.names).index("a.wedge")]
    # it lies on its base: a box would be, too; its slope is what a box has not
    assert pose[2] == pytest.approx(0.0, abs=2e-3)
    assert abs(pose[4]) + abs(pose[5]) < 1e-2
