"""Joints that follow a light and damped one: they share its damping, and its motor bears them."""

from pathlib import Path

import numpy as np
import pytest

from coopsim.features.proof.verify import verify
from coopsim.features.space.engine import MujocoEngine
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.testkit.recorded_run import RecordedRun

GO, RELEASE = command_numbers(JOINTS).set_positions, command_numbers(JOINTS).release
FINGER = """<link name="{0}"><inertial><origin xyz=".02 0 0"/><mass value=".03"/>
<inertia ixx="4e-6" iyy="4e-6" izz="4e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="{0}_joint" type="revolute"><parent link="{1}"/><child link="{0}"/><origin xyz="{2}"/>
<axis xyz="0 1 0"/><limit lower="-.8" upper=".8" effort="1" velocity="2"/>{3}</joint>"""
PALM = """<link name="palm"><inertial><mass value="1"/>
<inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial></link>"""
RATIOS = {"outer": 1.0, "inner": -1.0, "tip": 0.5}
DAMPING = 0.03


def hand(scene: Path) -> Path:
    """Write a hand whose finger `lead` is followed by three, and a scene with it."""
    fingers = FINGER.format("lead", "palm", "0 0 0", f'<dynamics damping="{DAMPING}"/>')
    for number, (name, ratio) in enumerate(RATIOS.items()):
        carrier, place = ("outer", ".1 0 0") if name == "tip" else ("palm", f"0 {0.1 * number + 0.1} 0")
        mimic = f'<mimic joint="lead_joint" multiplier="{ratio}"/>'
        fingers += FINGER.format(name, carrier, place, mimic)
    (scene / "hand.urdf").write_text(f'<robot name="hand">{PALM}{fingers}</robot>')
    run = "[ROBOT_1]\nmodel hand.urdf\nname a\nposition 0 0 2\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
    (scene / "run.scenario").write_text(run)
    return scene / "run.scenario"


def moved(scene: Path, ticks: int, number: int | None = None, goal: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    """Return positions of `lead` after each tick, and how far its followers are from where it has them at most."""
    run, leads, gaps = Simulation(load(scene)), [], []
    names = list(run.engine.joints)
    followers = [names.index(f"a.{name}_joint") for name in RATIOS]
    for _ in range(ticks):
        if number is not None:
            run.command("a", "joints", number, (goal,))
        run.tick()
        leads.append(run.engine.joint_position[names.index("a.lead_joint")])
        places = run.engine.joint_position[followers]
        gaps.append(np.abs(places - leads[-1] * np.array(list(RATIOS.values()))).max())
    return np.array(leads), np.array(gaps)


def test_a_motor_holds_the_joints_that_follow_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = hand(tmp_path)
    leads, gaps = moved(scene, 100)
    assert np.abs(leads).max() < 3e-3
    assert gaps.max() < 0.01
    monkeypatch.setattr(MujocoEngine, "is_coupled", False)
    leads, _ = moved(scene, 100)
    assert np.abs(leads).max() > 0.1  # it sinks with the weight of those that follow


def test_a_motor_brings_its_joint_and_those_that_follow_to_a_goal(tmp_path: Path) -> None:
    leads, gaps = moved(hand(tmp_path), 150, GO, 0.4)
    assert leads[-1] == pytest.approx(0.4, abs=2e-3)
    assert leads.max() < 0.41
    assert gaps.max() < 0.08


def test_followers_do_not_swing_about_a_light_leader_and_resist_as_it_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = hand(tmp_path)
    _, gaps = moved(scene, 60, RELEASE)
    assert gaps.max() < 0.12
    engine = Simulation(load(scene)).engine
    assert isinstance(engine, MujocoEngine)
    model = engine._ready().model
    assert (model.dof_damping > 0.0).all()
    squares = np.array([1.0, *RATIOS.values()]) ** 2
    rows = [list(engine.joints).index(f"a.{name}_joint") for name in ("lead", *RATIOS)]
    assert squares @ model.dof_damping[engine._ready().ways[rows, 1]] == pytest.approx(DAMPING)
    assert engine.joint_resistance[rows, 0].tolist() == [DAMPING, 0.0, 0.0, 0.0]
    monkeypatch.setattr(MujocoEngine, "is_coupled", False)
    _, gaps = moved(scene, 60, RELEASE)
    assert gaps.max() > 0.3


def test_kernels_and_calls_from_python_say_the_same_of_coupled_joints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = hand(tmp_path)
    compiled, _ = moved(scene, 40, GO, 0.4)
    monkeypatch.setattr(MujocoEngine, "joint_calls", None)
    assert np.array_equal(moved(scene, 40, GO, 0.4)[0], compiled)


def test_a_recording_repeats_with_the_couplings_of_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = hand(tmp_path)

    def is_repeated(name: str) -> bool:
        with RecordedRun(Simulation(load(scene)), tmp_path / name) as run:
            run.tick(30)
        monkeypatch.undo()
        with Recording.open(tmp_path / name) as recording:
            return bool(verify(recording, load(scene)).identical)

    def ticked(run: Simulation) -> np.ndarray:
        for _ in range(30):
            run.tick()
        return run.engine.joint_position.copy()

    assert is_repeated("now.mcap")
    monkeypatch.setattr(MujocoEngine, "is_coupled", False)
    assert is_repeated("former.mcap")
    now = Simulation(load(scene))
    monkeypatch.setattr(MujocoEngine, "is_coupled", False)
    former = Simulation(load(scene))
    begun, expected = snapshot(former), ticked(former)
    assert b" coupled" not in former.engine.snapshot()[:60]
    monkeypatch.undo()
    assert b" coupled" in now.engine.snapshot()[:60]
    assert np.abs(ticked(now) - expected).max() > 1e-3
    restore(now, begun)
    now.start_over()
    assert np.array_equal(ticked(now), expected)
