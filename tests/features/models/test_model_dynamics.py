"""Dynamics of joints that models say: damping, friction, springs, speeds, and joints that follow others."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.errors import BadFile
from coopsim.features.models.models import read_model
from coopsim.features.proof.verify import verify
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.robots.type_files import read_type
from coopsim.scene import Joint, JointDynamics, Problems, find_entry
from coopsim.simulation import Simulation
from coopsim.simulation.joined import Joined
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.testkit.recorded_run import RecordedRun

GO, RELEASE = command_numbers(JOINTS).set_positions, command_numbers(JOINTS).release
INERTIAL = """<inertial><origin xyz="0 0 .2"/><mass value="1"/>
<inertia ixx=".02" iyy=".02" izz=".02" ixy="0" ixz="0" iyz="0"/></inertial>"""
URDF = """<robot name="r"><link name="rail">{0}</link><link name="a">{0}</link><link name="b">{0}</link>
<joint name="lead" type="revolute"><parent link="rail"/><child link="a"/><axis xyz="0 1 0"/>
 <limit lower="-1" upper="1" effort="40" velocity="3"/><dynamics damping=".8" friction=".1"/></joint>
<joint name="tail" type="revolute"><parent link="rail"/><child link="b"/><origin xyz="0 1 0"/><axis xyz="0 1 0"/>
 <limit lower="-1" upper="1" effort="40" velocity="3"/>{1}</joint></robot>"""
SDF = """<sdf version="1.9"><model name="m"><link name="rail"/><link name="a"/>
<link name="b"><pose>0 1 0 0 0 0</pose></link>
<joint name="lead" type="revolute"><parent>rail</parent><child>a</child><axis><xyz>0 1 0</xyz>
 <limit><velocity>2</velocity></limit>
 <dynamics><damping>.8</damping><friction>.1</friction><spring_stiffness>3</spring_stiffness>
 <spring_reference>.2</spring_reference></dynamics></axis></joint>
<joint name="tail" type="revolute"><parent>rail</parent><child>b</child><axis><xyz>0 1 0</xyz>
 <mimic joint="lead"><multiplier>2</multiplier><offset>.1</offset><reference>.3</reference></mimic></axis></joint>
</model></sdf>"""
MJCF = """<mujoco><default><joint damping="0.8"/></default><worldbody><body name="a">
<joint name="lead" axis="0 1 0" stiffness="3" springref="30" frictionloss=".1"/><geom size=".1"/></body>
<body name="b" pos="0 1 0"><joint name="tail" axis="0 1 0"/><geom size=".1"/></body></worldbody>
<equality><joint joint1="tail" joint2="lead" polycoef=".1 2 {} 0 0"/>{}</equality></mujoco>"""


def read(path: Path, text: str) -> tuple[dict[str, Joint], list[str], dict[str, str]]:
    path.write_text(text)
    problems = Problems()
    robot = read_model(path, problems)
    assert not problems, str(problems)
    entries = {
        section.name: " ".join(entry.values)
        for section in robot.devices
        if (entry := find_entry(section.settings, "max_velocity")) is not None
    }
    return {joint.name: joint for joint in robot.joints}, [str(problem) for problem in problems.warnings], entries


def test_resistance_below_0_is_none_and_the_robot_moves(tmp_path: Path) -> None:
    """S-3: robots of others, as `panda.xml` of dm_robotics."""
    text = MJCF.format(0, "").replace('damping="0.8"', 'damping="-.0132"').replace('stiffness="3"', 'stiffness="-3"')
    joints, said, _ = read(tmp_path / "r.xml", text)
    assert joints["lead"].dynamics == JointDynamics(friction=0.1)
    assert sum("has the damping -0.0132; it has none here" in line for line in said) == 2
    assert sum("'lead' has the stiffness -3; it has none here" in line for line in said) == 1
    (tmp_path / "run.scenario").write_text("[ROBOT_1]\nmodel r.xml\nname a\n[SIMULATION]\nengine mujoco\n")
    run = Simulation(load(tmp_path / "run.scenario"))
    run.tick()
    assert np.isfinite(run.engine.poses).all()


def test_urdf_says_damping_friction_speeds_and_what_mimics_what(tmp_path: Path) -> None:
    mimic = '<mimic joint="lead" multiplier="-.5" offset=".1"/>'
    joints, said, speeds = read(tmp_path / "r.urdf", URDF.format(INERTIAL, mimic))
    assert joints["lead"].dynamics == JointDynamics(damping=0.8, friction=0.1)
    assert joints["tail"].dynamics == JointDynamics(follows="lead", ratio=-0.5, offset=0.1)
    assert (speeds, said) == ({"joints": "3", "passive": "3"}, [])


def test_sdf_says_springs_and_a_reference_of_what_mimics(tmp_path: Path) -> None:
    joints, said, speeds = read(tmp_path / "r.sdf", SDF)
    assert joints["lead"].dynamics == JointDynamics(0.8, 0.1, 3.0, 0.2)
    tail = joints["tail"].dynamics
    assert tail is not None
    assert (tail.follows, tail.ratio, tail.offset) == ("lead", 2.0, pytest.approx(0.1 - 0.6))
    assert (speeds, said) == ({"joints": "2"}, [])


def test_mjcf_says_springs_and_couples_joints_and_what_is_no_straight_line_is_told(tmp_path: Path) -> None:
    joints, said, _ = read(tmp_path / "r.mjcf", MJCF.format(0, ""))
    lead = joints["lead"].dynamics
    assert lead is not None
    assert (lead.damping, lead.friction, lead.stiffness) == (0.8, 0.1, 3.0)
    assert lead.rest == pytest.approx(np.radians(30))
    assert joints["tail"].dynamics == JointDynamics(damping=0.8, follows="lead", ratio=2.0, offset=0.1)
    assert said == []
    _, said, _ = read(tmp_path / "r.mjcf", MJCF.format(0.5, '<weld body1="a" body2="b" active="false"/>'))
    assert any("follows another one by a curve" in text for text in said)
    assert any("welds bodies, is left out" in text for text in said)


@pytest.mark.parametrize("leader", ["nobody", "tail"])
def test_who_mimics_what_does_not_move_is_told_with_its_line(tmp_path: Path, leader: str) -> None:
    joints, said, _ = read(tmp_path / "r.urdf", URDF.format(INERTIAL, f'<mimic joint="{leader}"/>'))
    assert joints["tail"].dynamics is None
    assert len(said) == 1
    assert "r.urdf:7:1" in said[0]
    assert f"mimics '{leader}'" in said[0]


def test_a_ratio_that_is_no_number_is_a_mistake_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF.format(INERTIAL, '<mimic joint="lead" multiplier="two"/>'))
    problems = Problems()
    read_model(tmp_path / "r.urdf", problems)
    assert [problem.text for problem in problems] == ["multiplier of <mimic> takes a number, got 'two'"]


def test_an_imported_joint_goes_where_it_is_sent_and_its_follower_moves_along(tmp_path: Path) -> None:
    (tmp_path / "r.urdf").write_text(URDF.format(INERTIAL, '<mimic joint="lead" multiplier="-.5" offset=".1"/>'))
    scene = "[ROBOT_1]\nmodel r.urdf\nname a\nposition 0 0 1\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
    (tmp_path / "run.scenario").write_text(scene)
    simulation = Simulation(load(tmp_path / "run.scenario"))
    for _ in range(150):
        simulation.command("a", "joints", GO, (0.5,))
        simulation.command("a", "passive", RELEASE)
        simulation.tick()
    lead, tail = (list(simulation.engine.joints).index(f"a.{name}") for name in ("lead", "tail"))
    reached = simulation.engine.joint_position
    # the servo bears damping and friction of its joint
    assert reached[lead] == pytest.approx(0.5, abs=2e-3)
    assert reached[tail] == pytest.approx(0.1 - 0.25, abs=2e-3)
    # what resists its joints, and what follows, comes back with a snapshot
    raw, again = snapshot(simulation), Simulation(load(tmp_path / "run.scenario"))
    restore(again, raw)
    dynamics = {joint.spec.name: joint.spec.dynamics for joint in again.joints.values()}
    assert dynamics["a.lead"] == JointDynamics(damping=0.8, friction=0.1)
    assert dynamics["a.tail"] == JointDynamics(follows="a.lead", ratio=-0.5, offset=0.1)
    assert snapshot(again) == raw
    for run in (simulation, again):
        run.tick()
    assert again.state_hash() == simulation.state_hash()
    bad = simulation.joints["a.lead"].to_plain()
    bad[0][-1] = ["much"]
    with pytest.raises(BadFile, match="the snapshot cannot be read"):
        Joined.from_plain(bad)


def test_a_recording_of_joints_with_damping_friction_springs_and_followers_verifies(tmp_path: Path) -> None:
    (tmp_path / "r.mjcf").write_text(MJCF.format(0, ""))
    scene = "[ROBOT_1]\nmodel r.mjcf\nname a\nposition 0 0 1\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
    (tmp_path / "run.scenario").write_text(scene)
    with RecordedRun(Simulation(load(tmp_path / "run.scenario")), tmp_path / "run.mcap") as run:
        run.tick(30)
    with Recording.open(tmp_path / "run.mcap") as recording:
        verdict = verify(recording, load(tmp_path / "run.scenario"))
    assert verdict.identical


def test_limits_with_a_softness_of_their_own_are_told_once(tmp_path: Path) -> None:
    """A model whose limits are those of MuJoCo's default is not told of."""
    arm = '<body pos="0 0 -{0}"><joint name="j{0}" range="-9 9" {1}/><geom size=".1"/></body>'
    for name, words, count in (("soft", 'solimplimit="0 .99 .01"', 1), ("usual", "", 0)):
        bodies = "".join(arm.format(number, words) for number in (1, 2))
        (tmp_path / f"{name}.mjcf").write_text(f"<mujoco><worldbody>{bodies}</worldbody></mujoco>")
        problems = Problems()
        read_type(tmp_path / f"{name}.mjcf", problems)
        assert sum("as soft as MuJoCo's default" in warning.text for warning in problems.warnings) == count
