"""Tendons of MJCF: couplings, limits, motors and ropes move as in MuJoCo, and what is left out has its line."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import CoopsimError
from coopsim.features.accuracy.packages.motion import mujoco_motion, our_motion
from coopsim.features.models.models import read_model
from coopsim.robots import load
from coopsim.scene import Problems, RobotFile, find_entry
from coopsim.simulation import Simulation

GEOM = '<geom type="capsule" size=".02" fromto="0 0 0 .3 0 0" mass="{}" contype="0" conaffinity="0"/>'
MODEL = f"""<mujoco><default><joint damping=".3"/></default><worldbody>
<body name="upper"><joint name="first" axis="0 1 0"/>{GEOM.format(1)}
 <body name="lower" pos=".3 0 0"><joint name="second" axis="0 1 0"/>{GEOM.format(1)}
  <body name="tip" pos=".3 0 0"><joint name="third" axis="0 1 0"/>{GEOM.format(0.3)}</body></body></body>
<body name="post" pos="0 1 0"><joint name="mast" axis="0 0 1"/>{GEOM.format(1)}<site name="top" pos=".3 0 0"/></body>
<body name="ball" pos=".3 1 0"><joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
 <geom size=".05" mass=".5" contype="0" conaffinity="0"/><site name="ball"/></body>
</worldbody><tendon>
<fixed name="pair"><joint joint="first" coef=".5"/><joint joint="second" coef="-.25"/></fixed>
<fixed name="one"><joint joint="first" coef="2"/></fixed>
<spatial name="string"><site site="top"/><site site="ball"/></spatial>
</tendon></mujoco>"""
HELD = '<equality><tendon tendon1="pair" polycoef="0 0 0 0 0" solref=".002 1" solimp=".99 .9999"/></equality>'
LIMITED = '<fixed name="one" limited="true" range="-.2 1">'
ROPE = '<spatial name="string" limited="true" range="0 .2">'


def changed(*changes: tuple[str, str]) -> str:
    text = MODEL
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    return text


def robot_of(path: Path, text: str) -> tuple[RobotFile, list[str]]:
    path.write_text(text)
    problems = Problems()
    robot = read_model(path, problems)
    assert not problems, str(problems)
    return robot, [str(problem) for problem in problems.warnings]


@pytest.mark.parametrize(
    "change",
    [
        ("</mujoco>", f"{HELD}</mujoco>"),
        ('<fixed name="one">', LIMITED),
        ('<spatial name="string">', ROPE),
        ('<spatial name="string">', '<spatial name="string" stiffness="40" damping=".5" springlength=".1">'),
        ('name="first"', 'name="first" limited="true" range="-30 40" margin=".05"'),
    ],
)
def test_what_tendons_do_moves_links_as_in_mujoco(change: tuple[str, str], tmp_path: Path) -> None:
    (tmp_path / "arm.xml").write_text(changed(change))
    (tmp_path / "plain.xml").write_text(MODEL)
    ours, home, plain = (
        our_motion(tmp_path / "arm.xml"),
        *(mujoco_motion(tmp_path / name, is_aloft=True)[0] for name in ("arm.xml", "plain.xml")),
    )
    rows = [ours.names.index(name) for name in home.names]
    shift = home.frames[0, 0, :3] - ours.frames[0, rows[0], :3]
    apart = np.linalg.norm(ours.frames[:, rows, :3] + shift - home.frames[:, :, :3], axis=2)
    assert apart.max() < 1e-4
    # without it they would be elsewhere
    assert np.linalg.norm(plain.frames[:, :, :3] - home.frames[:, :, :3], axis=2).max() > 0.05


def test_joints_that_a_motor_pulls_by_a_tendon_are_driven_with_their_share(tmp_path: Path) -> None:
    motor = '<actuator><motor tendon="pair" gear="3" ctrllimited="true" ctrlrange="-2 2"/></actuator>'
    robot, said = robot_of(tmp_path / "arm.xml", changed(("</mujoco>", f"{motor}</mujoco>")))
    modules = {device.name: device.settings for device in robot.devices if device.type == "joints"}
    driven, efforts = (find_entry(modules["joints"], key) for key in ("joints", "max_effort"))
    assert driven is not None
    assert efforts is not None
    assert (driven.values, efforts.values) == (("first", "second"), ("3", "1.5"))
    assert said == []


def test_what_of_tendons_is_left_out_is_told_with_its_line(tmp_path: Path) -> None:
    text = changed(
        ('joint="first" coef="2"', 'joint="third" coef="2"'),
        ('<fixed name="pair">', '<fixed name="pair" stiffness="3" limited="true" range="-1 1">'),
        ('<site site="top"/>', '<site site="top"/><site site="ball"/><pulley divisor="2"/><site site="top"/>'),
        ('<spatial name="string">', '<spatial name="string" damping="1">'),
        ("</mujoco>", '<equality><tendon tendon1="pair" tendon2="one"/></equality></mujoco>'),
    )
    _, said = robot_of(tmp_path / "arm.xml", text)
    assert any("arm.xml:9:1" in line and "'pair' of 2 joints: left out: spring, limits" in line for line in said), said
    assert any("arm.xml:11:1" in line and "over more than two sites" in line and "damping" in line for line in said)
    assert any("arm.xml:9:1" in line and "which couples tendons, is left out" in line for line in said)
    assert len(said) == 3


WORLD = """[OBJECT_1]
type box
name beam
size 2 .2 .2
position 0 0 3
[OBJECT_2]
type sphere
name load
size .2 .2 .2
position {}
mass 3
[JOINT_1]
name rope
type spring
bodies beam load
stiffness 0
limits 0 {}
"""
SCENE = "[WORLD]\nfile hoist.world\n[SIMULATION]\nengine {}\nstep .005\n"


def hoist(folder: Path, engine: str, length: float, place: str = "0 0 2.5") -> Simulation:
    (folder / "hoist.world").write_text(WORLD.format(place, length))
    (folder / "hoist.scenario").write_text(SCENE.format(engine))
    return Simulation(load(folder / "hoist.scenario"))


def test_a_rope_holds_what_hangs_on_it_and_tells_its_tension(tmp_path: Path) -> None:
    run = hoist(tmp_path, "mujoco", 0.8)
    for _ in range(600):
        run.tick()
    row = list(run.engine.names).index("load")
    assert run.engine.poses[row, 2] == pytest.approx(3.0 - 0.8, abs=2e-3)
    assert run.engine.joint_state()[0, 3:] == pytest.approx((0.0, 0.0, 3.0 * 9.81), abs=0.1)


def test_a_planar_engine_refuses_ropes_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(CoopsimError, match=r"hoist\.world:12:1.*is a rope; pymunk knows none"):
        hoist(tmp_path, "pymunk", 5, "0 1 0")
