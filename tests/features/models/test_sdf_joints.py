"""Joints of SDF about several axes: `ball`, `universal` and `revolute2` move as their frames and axes say."""

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest

from coopsim.features.models.frames import quaternion_matrix
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.robots import check, load
from coopsim.robots.type_files import read_type
from coopsim.scene import Problems
from coopsim.simulation import Simulation

SCENE = "[ROBOT_1]\nmodel arm.sdf\nname a\nposition 0 0 2\n[SIMULATION]\nengine mujoco\nstep {}\n"
GO = command_numbers(JOINTS).set_positions
SHIN = (0.1, -0.2, -0.4, 0.3, 0.2, 0.9)
FOOT = (0.2, 0.1, -0.9, -0.5, 0.4, 0.1)
TOE = (0.3, 0.2, -1.2, 0.1, -0.6, 0.5)
HIP_AT, KNEE_AT, ANKLE_AT = (
    (0.05, 0.02, 0.2, 0.4, -0.3, 0.2),
    (0.0, 0.03, 0.25, 0.1, 0.7, -0.2),
    (0.02, 0.0, 0.2, 0, 0, 1),
)
FIRST, SECOND = np.array([0.6, 0.0, 0.8]), np.array([0.0, 1.0, 0.0])


def link(name: str, pose: tuple[float, ...], mass: float = 1.0) -> str:
    moments = f"<ixx>{0.02 * mass}</ixx><iyy>{0.025 * mass}</iyy><izz>{0.01 * mass}</izz>"
    return (
        f'<link name="{name}"><pose>{" ".join(map(str, pose))}</pose><inertial><pose>.02 .01 -.1 0 0 0</pose>'
        f"<mass>{mass}</mass><inertia>{moments}</inertia></inertial></link>"
    )


def joint(name: str, kind: str, ends: tuple[str, str], pose: tuple[float, ...], inside: str = "") -> str:
    parent, child = ends
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
        f"<pose>{' '.join(map(str, pose))}</pose>{inside}</joint>"
    )


def axes(first: str = "", second: str = "") -> str:
    words = [" ".join(map(str, along)) for along in (FIRST, SECOND)]
    return f"<axis><xyz>{words[0]}</xyz>{first}</axis><axis2><xyz>{words[1]}</xyz>{second}</axis2>"


def model(*parts: str) -> str:
    stand = joint("stand", "fixed", ("world", "hull"), (0, 0, 0, 0, 0, 0))
    return f'<sdf version="1.9"><model name="arm">{link("hull", (0,) * 6)}{stand}{"".join(parts)}</model></sdf>'


EVERY = model(
    link("shin", SHIN),
    link("foot", FOOT),
    link("toe", TOE, 0.1),
    joint("hip", "universal", ("hull", "shin"), HIP_AT, axes()),
    joint("knee", "revolute2", ("shin", "foot"), KNEE_AT, axes()),
    joint("ankle", "ball", ("foot", "toe"), ANKLE_AT),
)


def simulation(folder: Path, text: str, step: float = 0.01) -> Simulation:
    (folder / "arm.sdf").write_text(text)
    (folder / "run.scenario").write_text(SCENE.format(step))
    return Simulation(load(folder / "run.scenario"))


def turn_about(along: np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation of Rodrigues."""
    x, y, z = along
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross


def frame(pose: tuple[float, ...]) -> np.ndarray:
    x, y, z = np.eye(3)
    place = np.eye(4)
    place[:3, :3] = turn_about(z, pose[5]) @ turn_about(y, pose[4]) @ turn_about(x, pose[3])
    place[:3, 3] = pose[:3]
    return place


def turned_at(pose: tuple[float, ...], turn: np.ndarray) -> np.ndarray:
    """Return the motion of a link whose joint is at a pose in it and turns by a rotation, in the link's axes."""
    motion = np.eye(4)
    motion[:3, :3], anchor = turn, np.array(pose[:3])
    motion[:3, 3] = anchor - turn @ anchor
    return motion


def kinematics(angles: dict[str, float]) -> dict[str, np.ndarray]:
    """Return where the links are, from the file's own numbers."""
    places, parent, before = {}, np.eye(4), (0.0,) * 6
    for name, child, pose, at in (("hip", "shin", SHIN, HIP_AT), ("knee", "foot", FOOT, KNEE_AT)):
        along, values = [frame(at)[:3, :3] @ axis for axis in (FIRST, SECOND)], (angles[name], angles[f"{name}_axis2"])
        turn = turn_about(along[0], values[0]) @ turn_about(along[1], values[1])
        parent = parent @ np.linalg.inv(frame(before)) @ frame(pose) @ turned_at(at, turn)
        places[child], before = parent, pose
    turn = np.eye(3)
    for axis, letter in zip(np.eye(3), "xyz", strict=True):
        turn = turn @ turn_about(axis, angles[f"ankle_r{letter}"])
    places["toe"] = parent @ np.linalg.inv(frame(before)) @ frame(TOE) @ turned_at(ANKLE_AT, turn)
    return places


def test_links_on_balls_and_universal_joints_are_where_the_file_says(tmp_path: Path) -> None:
    run = simulation(tmp_path, EVERY)
    for _ in range(70):
        run.command("a", "joints", GO, (0.5, -0.4, 0.3, 0.7))
        run.tick()
    engine = run.engine
    names = [name.removeprefix("a.") for name in engine.joints]
    angles = dict(zip(names, engine.joint_position.tolist(), strict=True))
    for name, expected in kinematics(angles).items():
        pose = engine.poses[list(engine.names).index(f"a.{name}")]
        np.testing.assert_allclose(pose[:3] - (0.0, 0.0, 2.0), expected[:3, 3], atol=1e-9)
        np.testing.assert_allclose(quaternion_matrix(pose[3:]), expected[:3, :3], atol=1e-9)
    assert min(abs(angles[f"ankle_r{letter}"]) for letter in "xyz") > 0.02
    driven = [angles[name] for name in ("hip", "hip_axis2", "knee", "knee_axis2")]
    assert driven == pytest.approx([0.5, -0.4, 0.3, 0.7], abs=0.02)


def test_modules_say_the_states_of_their_joints(tmp_path: Path) -> None:
    run = simulation(tmp_path, EVERY)
    for _ in range(30):
        run.tick()
    robot = read_type(tmp_path / "arm.sdf", Problems())
    chosen = {device.name: device.settings[0].values for device in robot.devices if device.type == "joints"}
    assert chosen == {
        "joints": ("hip", "hip_axis2", "knee", "knee_axis2"),
        "passive": ("ankle_rx", "ankle_ry", "ankle_rz"),
    }
    angles = dict(zip(run.engine.joints, run.engine.joint_position.tolist(), strict=True))
    for module, names in chosen.items():
        positions = run.reading("a", module)[: len(names)]
        np.testing.assert_allclose(positions, [angles[f"a.{name}"] for name in names], atol=1e-12)


def test_a_pendulum_on_a_ball_swings_as_on_the_ball_of_mujoco(tmp_path: Path) -> None:
    run = simulation(
        tmp_path,
        model(
            link("bob", (0.3, 0.1, -0.4, 0, 0, 0)), joint("pin", "ball", ("hull", "bob"), (-0.3, -0.1, 0.4, 0, 0, 0))
        ),
        0.001,
    )
    theirs = mujoco.MjModel.from_xml_string("""<mujoco><option timestep=".001" integrator="implicitfast"/><worldbody>
    <body name="bob" pos=".3 .1 1.6"><joint type="ball" pos="-.3 -.1 .4"/>
    <inertial pos=".02 .01 -.1" mass="1" diaginertia=".02 .025 .01"/></body></worldbody></mujoco>""")
    data = mujoco.MjData(theirs)
    row, apart, lowest = list(run.engine.names).index("a.bob"), 0.0, 2.0
    for _ in range(1500):
        run.tick()
        mujoco.mj_step(theirs, data)
        mujoco.mj_kinematics(theirs, data)
        apart = max(apart, float(abs(run.engine.poses[row, :3] - data.xpos[1]).max()))
        lowest = min(lowest, float(run.engine.poses[row, 2]))
    assert lowest < 1.51
    assert apart < 3e-3


def test_each_axis_keeps_its_limits_its_speed_its_damping_and_what_it_follows(tmp_path: Path) -> None:
    limits = "<limit><lower>-{0}</lower><upper>{0}</upper><velocity>{1}</velocity></limit>"
    limits += "<dynamics><damping>{2}</damping></dynamics>"
    follows = '<mimic joint="knee" axis="axis2"><multiplier>2</multiplier></mimic>'
    text = model(
        link("shin", SHIN),
        link("foot", FOOT),
        joint(
            "knee", "universal", ("hull", "shin"), KNEE_AT, axes(limits.format(0.5, 3, 0.2), limits.format(0.9, 4, 0.3))
        ),
        joint("ankle", "universal", ("shin", "foot"), ANKLE_AT, axes("", follows)),
    )
    (tmp_path / "arm.sdf").write_text(text)
    robot = read_type(tmp_path / "arm.sdf", Problems())
    joints = {joint.name: joint for joint in robot.joints}
    assert joints["knee"].limits == pytest.approx((-0.5, 0.5))
    assert joints["knee_axis2"].limits == pytest.approx((-0.9, 0.9))
    assert [joints[name].dynamics.damping for name in ("knee", "knee_axis2")] == [0.2, 0.3]
    follower = joints["ankle_axis2"].dynamics
    assert (follower.follows, follower.ratio) == ("knee_axis2", 2.0)
    assert joints["ankle"].dynamics is None
    (module,) = [device for device in robot.devices if device.name == "joints"]
    settings = {entry.key: entry.values for entry in module.settings}
    assert settings["joints"] == ("knee", "knee_axis2", "ankle")
    assert settings["max_velocity"] == ("3", "4", "1.5")


@pytest.mark.parametrize(
    ("kind", "inside", "said"),
    [
        ("gearbox", "<axis><xyz>0 0 1</xyz></axis>", "'gearbox'; it is welded: those that move are revolute"),
        ("screw", "<thread_pitch>0</thread_pitch>", "<thread_pitch> of the joint 'knee' is 0; expected rad/m"),
        ("universal", "<axis><xyz>0 0 1</xyz></axis>", "has no <axis2>; it turns about one axis"),
        ("revolute", axes(), "has one axis; its <axis2> is left out"),
        ("ball", axes(), "is a ball and has no axis; what its <axis> says is left out"),
        ("ball", "", "becomes three hinges, about x, y and z of its body"),
    ],
)
def test_what_a_joint_cannot_be_is_told_with_its_line(kind: str, inside: str, said: str, tmp_path: Path) -> None:
    text = model(link("shin", SHIN), "\n", joint("knee", kind, ("hull", "shin"), KNEE_AT, inside))
    (tmp_path / "arm.sdf").write_text(text)
    problems = [str(problem) for problem in check(tmp_path / "arm.sdf")]
    assert any("arm.sdf:2:" in line and said in line for line in problems), problems


RELEASE = command_numbers(JOINTS).release
UP, PITCH = "<axis><xyz>0 0 1</xyz></axis>", 0.3
NEAR, FAR = (0.0, 0.0, -0.4, 0.0, 0.0, 0.0), (0.3, 0.0, -0.4, 0.0, 0.0, 0.0)


def released(run: Simulation, ticks: int) -> dict[str, float]:
    """Return positions of joints after ticks in which no motor acts."""
    for _ in range(ticks):
        run.command("a", "joints", RELEASE)
        run.tick()
    return dict(zip(run.engine.joints, run.engine.joint_position.tolist(), strict=True))


@pytest.mark.parametrize(
    ("thread", "sense"),
    [
        (f"<screw_thread_pitch>{PITCH}</screw_thread_pitch>", 1.0),
        (f"<thread_pitch>{2.0 * math.pi / PITCH}</thread_pitch>", -1.0),
    ],
)
def test_a_screw_sinks_as_its_thread_and_its_inertia_say(thread: str, sense: float, tmp_path: Path) -> None:
    text = model(link("shin", NEAR), joint("knee", "screw", ("hull", "shin"), (0.0,) * 6, thread + UP))
    positions = released(simulation(tmp_path, text, 0.002), 250)
    way = PITCH / (2.0 * math.pi)
    # 1 kg whose centre of mass is off the axis; falling 0.5 s turns it, too
    inertia = 0.01 + 0.02**2 + 0.01**2
    fallen = 0.5 * 9.81 / (1.0 + inertia / way**2) * 0.5**2
    assert positions["a.knee_slide"] == pytest.approx(-fallen, rel=0.01)
    assert positions["a.knee"] == pytest.approx(-sense * fallen / way, rel=0.01)


def test_a_gearbox_turns_one_hinge_against_the_other_by_its_ratio(tmp_path: Path) -> None:
    gears = "<gearbox_reference_body>hull</gearbox_reference_body><gearbox_ratio>3</gearbox_ratio>"
    axes_of_gears = "<axis><xyz>0 1 0</xyz></axis><axis2><xyz>0 -1 0</xyz></axis2>"
    text = model(
        link("shin", NEAR),
        link("foot", FAR),
        joint("gears", "gearbox", ("shin", "foot"), (0.0,) * 6, gears + axes_of_gears),
        joint("input", "revolute", ("hull", "shin"), (0.0,) * 6, "<axis><xyz>0 1 0</xyz></axis>"),
        joint("output", "revolute", ("hull", "foot"), (0.0,) * 6, "<axis><xyz>0 1 0</xyz></axis>"),
    )
    run = simulation(tmp_path, text)
    for _ in range(100):
        run.command("a", "joints", GO, (0.4,))
        run.tick()
    positions = dict(zip(run.engine.joints, run.engine.joint_position.tolist(), strict=True))
    assert positions["a.input"] == pytest.approx(0.4, abs=0.01)
    # the second axis points the other way
    assert positions["a.output"] == pytest.approx(3.0 * positions["a.input"], abs=1e-3)
    assert "gears" not in "".join(run.engine.joints)


def test_a_screw_between_a_hinge_and_a_slide_couples_them_as_a_nut(tmp_path: Path) -> None:
    thread = f"<screw_thread_pitch>{PITCH}</screw_thread_pitch>"
    text = model(
        link("shin", NEAR),
        link("foot", FAR),
        joint("lift", "prismatic", ("hull", "shin"), (0.0,) * 6, UP),
        joint("spindle", "revolute", ("hull", "foot"), (0.0,) * 6, UP),
        joint("nut", "screw", ("foot", "shin"), (0.0,) * 6, thread + UP),
        joint("loose", "screw", ("hull", "shin"), (0.0,) * 6, thread + UP),
    )
    positions = released(simulation(tmp_path, text, 0.002), 100)
    # the shin against the spindle: it sinks by the pitch for each turn back
    assert positions["a.lift"] < -0.01
    assert positions["a.spindle"] == pytest.approx(-positions["a.lift"] / PITCH * 2.0 * math.pi, rel=1e-3)
    said = [str(problem) for problem in check(tmp_path / "arm.sdf")]
    assert any("'loose' of the type 'screw' is left out: it couples a hinge and a slide" in line for line in said), said
