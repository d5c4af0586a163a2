"""Force-torque sensors and skins on the MuJoCo engine: known masses, known motions, and a box that is pushed."""

import math
from pathlib import Path

import mujoco
import numpy as np
import pytest
from device_standins import rig_for

from coopsim.app.main import run as main
from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.errors import BadFile
from coopsim.features.sensors.force_torque import ForceTorque
from coopsim.features.sensors.touch_interface import FORCE_TORQUE
from coopsim.features.sensors.touch_kernels import feel, sum_level_contacts
from coopsim.features.space.engine import MujocoEngine
from coopsim.robots import check, load, load_type
from coopsim.simulation import Simulation

G = 9.81
ARM = """[ROBOT]
articulated  yes

[BODY]
type         box
size         0.2 0.2 0.2
mass         50
bolted       yes

[LINK_1]
name         wrist
type         box
size         0.1 0.1 0.1
mass         1
position     0 0 0.2

[LINK_2]
name         load
type         box
size         0.1 0.1 0.1
mass         2
position     0.3 0 0.2

[JOINT_1]
name         turn
type         hinge
bodies       base wrist
anchor       0 0 0.2
axis         0 0 1

[JOINT_2]
name         bolt
type         weld
bodies       wrist load

[DEVICE_1]
type         hinge
name         turn
max_effort   1000
max_velocity 2000

[DEVICE_2]
type         force_torque
name         sensor
body         wrist
"""


def arm(folder: Path, more: str = "") -> Simulation:
    (folder / "turner.robot").write_text(ARM + more)
    scenario = folder / "a.scenario"
    (folder / "bare.world").write_text("[FLOOR]\nsize 20 20 0.1\n")
    scenario.write_text(
        "[SIMULATION]\nengine mujoco\nstep 0.005\n[WORLD]\nfile bare\n"
        "[ROBOT_1]\ntype turner\nname robot1\nposition 0 0 0\n"
    )
    return Simulation(load(str(scenario)))


def run(simulation: Simulation, ticks: int) -> np.ndarray:
    for _ in range(ticks):
        simulation.tick()
    return simulation.reading("robot1", "sensor").copy()


def test_a_known_mass_at_rest_is_its_weight_and_its_lever(tmp_path: Path) -> None:
    wrench = run(arm(tmp_path), 100)
    # 3 kg; 2 kg of them 0.3 m ahead pull the nose down, so the torque that holds them turns about -y
    assert wrench == pytest.approx([0.0, 0.0, 3.0 * G, 0.0, -0.3 * 2.0 * G, 0.0], abs=0.02)


def test_a_link_on_joints_that_give_way_reads_0_and_says_so_once(tmp_path: Path) -> None:
    simulation = arm(tmp_path)
    text = (tmp_path / "turner.robot").read_text()
    (tmp_path / "turner.robot").write_text(
        text.replace("articulated  yes", "summary  loose").replace("bolted", "wheels").replace("yes", "no")
    )
    loose = Simulation(load(str(tmp_path / "a.scenario")))
    assert run(loose, 5) == pytest.approx([0.0] * 6)
    (remark,) = [remark.text for remark in loose.failures.remarks]
    assert "robot1: force_torque reads 0, since its link hangs on joints that give way" in remark
    assert "articulated yes" in remark
    run(simulation, 5)
    assert not simulation.failures.remarks


def test_a_sensor_that_would_read_0_is_told_before_a_run_with_its_line_and_the_cure(tmp_path: Path) -> None:
    (tmp_path / "loose.robot").write_text(ARM.replace("articulated  yes", "summary  loose"))
    (tmp_path / "chain.robot").write_text(ARM)
    (warning,) = check(tmp_path / "loose.robot")
    assert (warning.is_warning, warning.source) == (True, "body         wrist")
    assert "force_torque reads 0 on the link 'wrist'" in warning.text
    assert "write `articulated yes` in the section [ROBOT]" in warning.text
    assert check(tmp_path / "chain.robot") == []
    (tmp_path / "chain.robot").write_text(ARM.replace("body         wrist", ""))
    (mistake,) = check(tmp_path / "chain.robot")
    assert (mistake.is_warning, mistake.source) == (False, "type         force_torque")
    assert "say `body` and the name of a link" in mistake.text


def test_a_sensor_elsewhere_on_its_link_has_another_torque(tmp_path: Path) -> None:
    wrench = run(arm(tmp_path, "x 0.3\n"), 100)
    assert wrench == pytest.approx([0.0, 0.0, 3.0 * G, 0.0, 0.3 * 1.0 * G, 0.0], abs=0.02)


def test_what_turns_is_pulled_inward(tmp_path: Path) -> None:
    """m w^2 r towards the axis, in the frame that turns along."""
    simulation = arm(tmp_path)
    simulation.command("robot1", "turn", 11, (10.0,))
    wrench = run(simulation, 400)
    rate = simulation.reading("robot1", "turn")[1]
    assert rate == pytest.approx(10.0, rel=0.01)
    assert wrench[0] == pytest.approx(-2.0 * rate**2 * 0.3, rel=0.02)
    assert wrench[2] == pytest.approx(3.0 * G, rel=0.01)


def test_it_reads_what_mujocos_own_sensors_read() -> None:
    """Two links that swing freely, with a sensor of force and one of torque in the elbow."""
    shapes = (
        (ShapeSpec("box", (0.2, 0.2, 0.2)),),
        (ShapeSpec("box", (0.1, 0.1, 0.4)),),
        (ShapeSpec("box", (0.1, 0.1, 0.3)),),
    )
    base = BodySpec("arm", (0, 0, 1, 1, 0, 0, 0), 5.0, shapes[0], is_bolted=True)
    upper = BodySpec("arm.upper", (0, 0, 1.2, 1, 0, 0, 0), 2.0, shapes[1], part_of="arm")
    lower = BodySpec("arm.lower", (0, 0, 1.6, 1, 0, 0, 0), 1.0, shapes[2], part_of="arm")
    joints = (
        JointSpec("s", "hinge", "arm", "arm.upper", (0, 0, 1.2), (0, 1, 0), is_chained=True),
        JointSpec("e", "hinge", "arm.upper", "arm.lower", (0, 0, 1.6), (0, 1, 0), is_chained=True),
    )
    engine = MujocoEngine(WorldSpec((base, upper, lower), joints))
    model = mujoco.MjModel.from_xml_string(
        """<mujoco><option gravity="0 0 -9.81" timestep="0.001"/><worldbody><body pos="0 0 1.2">
        <joint axis="0 1 0"/><geom type="box" size=".05 .05 .2" pos="0 0 .2" mass="2" contype="0"/>
        <body pos="0 0 .4"><joint axis="0 1 0"/><site name="x"/>
        <geom type="box" size=".05 .05 .15" pos="0 0 .15" mass="1" contype="0"/></body></body></worldbody>
        <sensor><force site="x"/><torque site="x"/></sensor></mujoco>"""
    )
    data = mujoco.MjData(model)
    row = list(engine.names).index("arm.lower")
    for step in range(1200):
        engine.joint_effort[list(engine.joints).index("s")] = data.qfrc_applied[0] = 3.0
        engine.step(0.001)
        mujoco.mj_step(model, data)
        if step % 100 == 99:
            assert engine.link_forces()[row] == pytest.approx(data.sensordata, abs=1e-6)


def test_tare_makes_the_present_reading_nought_and_a_snapshot_keeps_it(tmp_path: Path) -> None:
    simulation = arm(tmp_path)
    run(simulation, 50)
    device = simulation.tables.blocks[0].devices["sensor"]
    device.edit(0, 11, ())
    assert run(simulation, 1) == pytest.approx(np.zeros(6), abs=0.02)
    assert device.memory["tare"][0, 2] == pytest.approx(3.0 * G, abs=0.02)


def test_noise_range_and_steps_are_those_of_the_file(tmp_path: Path) -> None:
    simulation = arm(tmp_path, "noise_force 0.5\nrange_force 29.5\nstep_torque 0.25\n")
    run(simulation, 50)
    readings = np.array([run(simulation, 1) for _ in range(400)])
    assert readings[:, 0].std() == pytest.approx(0.5, rel=0.15)
    assert readings[:, 2].max() == 29.5
    assert (np.mod(readings[:, 4], 0.25) == 0.0).all()


@pytest.mark.parametrize("preset", FORCE_TORQUE.presets, ids=lambda preset: preset.name)
def test_a_preset_has_values_that_could_be_set_and_reads_the_mass(tmp_path: Path, preset) -> None:
    for name, value in preset.values:
        assert FORCE_TORQUE.parameter(name).check(value) == value
    assert run(arm(tmp_path, f"preset {preset.name}\n"), 100)[2] == pytest.approx(3.0 * G, abs=0.5)


def test_a_sensor_on_the_base_is_refused_with_the_cure(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="say `body` and the name of a link"):
        ForceTorque(rig_for(ForceTorque))
    (tmp_path / "turner.robot").write_text(ARM + "noise_forces 1\n")
    with pytest.raises(BadFile, match=r"turner.robot:46:1: force_torque knows no setting 'noise_forces'"):
        load_type("turner", folder=tmp_path)


BOX = "[BODY]\ntype box\nsize 0.4 0.4 0.4\nmass 2\nwheels no\n[DEVICE_1]\ntype contact\nname sensor\n"


def boxes(folder: Path, engine: str, rest: str = "") -> Simulation:
    (folder / "bare.world").write_text("[FLOOR]\nsize 20 20 0.1\n")
    (folder / "crate.robot").write_text(BOX)
    scenario = folder / "a.scenario"
    scenario.write_text(
        f"[SIMULATION]\nengine {engine}\nstep 0.01\n[WORLD]\nfile bare\n"
        f"[ROBOT_1]\ntype crate\nname robot1\nposition 0 0 0\n{rest}"
    )
    return Simulation(load(str(scenario)))


def test_a_box_on_the_floor_feels_its_weight_in_the_middle_of_its_base(tmp_path: Path) -> None:
    felt = run(boxes(tmp_path, "mujoco"), 50)
    assert felt[0] == 1.0
    assert felt[1:4] == pytest.approx([0.0, 0.0, 2.0 * G], abs=0.02)
    assert felt[4:7] == pytest.approx([0.0, 0.0, 0.0], abs=0.005)


def test_friction_that_holds_a_box_and_that_brakes_it_is_felt(tmp_path: Path) -> None:
    simulation = boxes(tmp_path, "mujoco")
    run(simulation, 20)
    row = list(simulation.engine.names).index("robot1")
    for _ in range(30):
        simulation.engine.wrench[row, 0] = 5.0
        simulation.tick()
    assert simulation.reading("robot1", "sensor")[1] == pytest.approx(-5.0, rel=0.03)
    simulation.engine.set_state(np.array([row]), np.array([[0.0, 0.0, math.pi / 2, 3.0, 0.0, 0.0]]))
    run(simulation, 1)
    felt = run(simulation, 1)
    friction = simulation.engine.accelerations[row, 0] * 2.0
    assert friction < -5.0
    # ahead is to the left of the box, which has turned by a quarter
    assert felt[1:3] == pytest.approx([0.0, -friction], abs=0.03 * abs(friction))


def test_two_boxes_feel_each_other_with_opposite_forces_on_a_plane_and_in_space(tmp_path: Path) -> None:
    second_box = "[ROBOT_2]\ntype crate\nname robot2\nposition 0.4005 0 0\n"
    for engine in ("pymunk", "mujoco"):
        simulation = boxes(tmp_path, engine, second_box)
        names = list(simulation.engine.names)
        for _ in range(100):
            simulation.engine.wrench[names.index("robot1"), 0] = 40.0
            simulation.engine.wrench[names.index("robot2"), 0] = -40.0
            simulation.tick()
        left, right = (simulation.reading(name, "sensor").copy() for name in ("robot1", "robot2"))
        floor = 0.6 * 2.0 * G if engine == "mujoco" else 40.0
        assert (left[0], right[0]) == (1.0, 1.0)
        assert left[1] == pytest.approx(-right[1], rel=0.02)
        assert -41.0 < left[1] < -40.0 + floor
        if engine == "pymunk":
            assert left[4] > 0.0


def test_what_is_not_touched_feels_nothing(tmp_path: Path) -> None:
    simulation = boxes(tmp_path, "mujoco")
    simulation.tick()
    simulation.engine.set_spatial_state(
        np.array([list(simulation.engine.names).index("robot1")]), np.array([[0, 0, 3.0, 1, 0, 0, 0]]), np.zeros((1, 6))
    )
    assert run(simulation, 2) == pytest.approx(np.zeros(7))


def test_the_place_of_level_contacts_is_weighted_by_their_forces() -> None:
    pairs = np.array([[0, -1], [0, -1], [1, 0]])
    points = np.array([[1.0, 2.0, 1.0, 0.0, 0.3], [5.0, 2.0, 1.0, 0.0, 0.1], [3.0, 6.0, 0.0, 1.0, 0.4]])
    sums = np.full((2, 7), np.nan)
    sum_level_contacts(pairs, points, 0.1, np.array([0.5, 0.7]), sums)
    # 3 N at 1, 1 N at 5, 4 N at 3; the normal points from the first to the second
    assert sums[0] == pytest.approx([3.0, -4.0, 4.0, 0.0, (3.0 + 5.0 + 12.0) / 8.0, (8.0 + 24.0) / 8.0, 0.5])
    assert sums[1] == pytest.approx([1.0, 0.0, -4.0, 0.0, 3.0, 6.0, 0.7])


def test_what_presses_less_than_the_threshold_is_no_touch() -> None:
    sums = np.array([[1.0, 0.0, 0.0, 0.3, 2.0, 0.0, 0.0]])
    poses = np.array([[1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]])
    felt = np.full((2, 7), np.nan)
    feel(sums, poses, np.zeros(2, np.int64), np.array([0.31, 0.29]), felt)
    assert felt[0] == pytest.approx([0.0] * 7)
    assert felt[1] == pytest.approx([1.0, 0.0, 0.0, 0.3, 1.0, 0.0, 0.0])


@pytest.mark.parametrize(
    ("engine", "remarks"),
    [
        ("pymunk", ["'turner' has 'sensor', which reads 0, since pymunk knows no forces in joints; choose mujoco"]),
        ("mujoco", []),
    ],
)
def test_a_sensor_that_an_engine_leaves_at_0_is_told_by_check_with_the_line_of_its_robot(
    engine: str, remarks: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "turner.robot").write_text(ARM)
    scenario = tmp_path / "a.scenario"
    robots = "".join(f"[ROBOT_{k}]\ntype turner\nposition {k} 0 0\n" for k in (1, 2))
    scenario.write_text(f"[SIMULATION]\nengine {engine}\n{robots}")
    assert main(["check", str(scenario)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if "warning" in line]
    assert lines == [f"{scenario}:4:6: warning: {remark}" for remark in remarks]


@pytest.mark.parametrize(("engine", "is_told"), [("pymunk", True), ("kinematic", True), ("flight", False)])
def test_check_warns_of_a_quadrotor_that_an_engine_keeps_on_the_floor(
    engine: str, is_told: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scenario = tmp_path / "a.scenario"
    scenario.write_text("[ROBOT_1]\ntype quadrotor\nname a\nposition 0 0 1\n")
    assert main(["check", str(scenario), "--engine", engine]) == 0
    text = capsys.readouterr().out
    assert (f":2:6: warning: 'quadrotor' flies by its rotors, and {engine} moves robots" in text) is is_told
    assert (main(["check", str(scenario), "--engine", engine, "--strict"]) == 1) is is_told
