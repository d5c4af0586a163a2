"""Motors of robots that stand on legs of their own: they bear what rests on them, and learn which others yield."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.features.proof.verify import verify
from coopsim.features.space.engine import MujocoEngine
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.testkit.recorded_run import RecordedRun

GO = command_numbers(JOINTS).set_positions
THIGH, SHIN = 0.7, -1.4


def leg(name: str, place: str) -> str:
    """Return a leg of 0.7 kg that ends in a ball."""
    knee = f'<joint name="{name}_knee" axis="0 1 0" range="-150 10"/>'
    shin = f"""<body name="{name}_shin" pos="0 0 -.2">{knee}
    <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".01" mass=".1"/>
    <geom pos="0 0 -.2" size=".02" mass=".05"/></body>"""
    thigh = f"""<body name="{name}_thigh"><joint name="{name}_hip" axis="0 1 0" range="-90 90"/>
    <geom type="capsule" fromto="0 0 0 0 0 -.2" size=".015" mass=".5"/>{shin}</body>"""
    return f"""<body name="{name}" pos="{place}"><joint name="{name}_roll" axis="1 0 0" range="-45 45"/>
    <geom size=".02" mass=".05"/>{thigh}</body>"""


def quadruped(folder: Path, *, step: float = 0.01, effort: float = 40.0, load_mass: float = 12.0) -> Path:
    """Write a robot of twelve motors whose base weighs much more than its legs, straight above the floor."""
    places = {"fl": ".2 .1 0", "fr": ".2 -.1 0", "rl": "-.2 .1 0", "rr": "-.2 -.1 0"}
    legs = "".join(leg(name, place) for name, place in places.items())
    joints = [f"{name}_{joint}" for name in places for joint in ("roll", "hip", "knee")]
    motors = "".join(f'<motor joint="{joint}" gear="{effort}" ctrlrange="-1 1"/>' for joint in joints)
    base = f'<body name="trunk"><freejoint/><geom type="box" size=".25 .1 .05" mass="{load_mass}"/>{legs}</body>'
    (folder / "r.xml").write_text(f"<mujoco><worldbody>{base}</worldbody><actuator>{motors}</actuator></mujoco>")
    (folder / "legged.robot").write_text("[ROBOT]\nmodel r.xml\n")
    run = f"[ROBOT_1]\ntype legged\nname a\nposition 0 0 0.43\n[SIMULATION]\nengine mujoco\nstep {step}\n"
    (folder / "run.scenario").write_text(run)
    return folder / "run.scenario"


def crouched(run: Simulation, seconds: float, step: float) -> np.ndarray:
    """Return how far the joints are from a crouch that they were set to, shape (12,) [rad]."""
    modules = {module.name: module for module in run.layout.robot["a"].type.modules if module.name.startswith("joints")}
    goals = np.tile([0.0, THIGH, SHIN], 4)
    for _ in range(round(seconds / step)):
        for name, begin in zip(modules, (0, 8), strict=True):
            run.command("a", name, GO, [*goals[begin : begin + 8], *[0.0] * 8][:8])
        run.tick()
    names = list(run.engine.joints)
    legs = [f"a.{name}_{joint}" for name in ("fl", "fr", "rl", "rr") for joint in ("roll", "hip", "knee")]
    far: np.ndarray = run.engine.joint_position[[names.index(name) for name in legs]] - goals
    return far


def trunk_height(run: Simulation) -> float:
    return float(run.engine.poses[list(run.engine.names).index("a"), 2])


@pytest.mark.parametrize("step", [0.01, 0.02])
def test_a_robot_on_light_legs_stands_in_the_posture_that_it_is_set_to(
    step: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = quadruped(tmp_path, step=step)
    run = Simulation(load(scene))
    far = crouched(run, 4.0, step)
    assert np.abs(far).max() < 2e-3
    assert 0.25 < trunk_height(run) < 0.4
    assert np.abs(run.engine.joint_velocity).max() < 0.01
    monkeypatch.setattr(MujocoEngine, "is_grounded", False)
    far = crouched(Simulation(load(scene)), 0.6, step)
    assert np.abs(far).max() > 0.5  # its legs fold where a light leg sets the gain


def test_knees_of_a_robot_that_stands_bear_its_weight_by_closed_form(tmp_path: Path) -> None:
    run = Simulation(load(quadruped(tmp_path)))
    crouched(run, 4.0, 0.01)
    efforts = np.concatenate([np.split(run.reading("a", name), 3)[2] for name in ("joints", "joints_2")])
    # each foot bears a fourth of 14.8 kg, as far from its knee as the shin leans; what hangs on the knee pulls at it
    lever = 0.2 * np.sin(-(THIGH + SHIN))
    borne, hanging = 14.8 / 4.0 * 9.81 * lever, (0.1 * 0.5 + 0.05) * 9.81 * lever
    assert np.abs(efforts[2::3]).mean() == pytest.approx(borne - hanging, rel=0.05)


def test_kernels_and_calls_from_python_say_the_same_of_motors_that_bear_a_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = quadruped(tmp_path)
    compiled = crouched(Simulation(load(scene)), 1.0, 0.01)
    monkeypatch.setattr(MujocoEngine, "joint_calls", None)
    assert np.array_equal(crouched(Simulation(load(scene)), 1.0, 0.01), compiled)


def test_motors_that_cannot_do_what_is_wanted_yield_and_throw_nothing_about(tmp_path: Path) -> None:
    run = Simulation(load(quadruped(tmp_path, effort=8.0)))
    fastest = 0.0
    for _ in range(40):
        crouched(run, 0.1, 0.01)
        fastest = max(fastest, float(np.abs(run.engine.joint_velocity).max()))
    # 5 rad/s; 70 where others take a motor at its limit for one that moves as wanted
    assert fastest < 15.0


def test_a_robot_that_falls_from_a_tower_stays_finite_and_stands_up(tmp_path: Path) -> None:
    scene = quadruped(tmp_path)
    scene.write_text(scene.read_text().replace("0 0 0.43", "0 0 30"))
    run = Simulation(load(scene))
    crouched(run, 2.6, 0.01)
    most = 0.0
    for _ in range(40):
        far = crouched(run, 0.1, 0.01)
        most = max(most, float(np.abs(run.engine.joint_velocity).max()))
    assert most < 100.0
    assert np.abs(far).max() < 0.1


def test_a_recording_repeats_with_the_motors_of_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = quadruped(tmp_path)

    def recorded(name: str) -> Path:
        with RecordedRun(Simulation(load(scene)), tmp_path / name) as run:
            run.tick(40)
        return tmp_path / name

    def is_repeated(path: Path) -> bool:
        with Recording.open(path) as recording:
            return bool(verify(recording, load(scene)).identical)

    now = recorded("now.mcap")
    assert is_repeated(now)
    monkeypatch.setattr(MujocoEngine, "is_grounded", False)
    former = recorded("former.mcap")
    begun = Simulation(load(scene)).engine.snapshot()
    assert b" grounded" not in begun[:90]
    monkeypatch.undo()
    assert is_repeated(former)
    assert b" grounded" in Simulation(load(scene)).engine.snapshot()[:90]
