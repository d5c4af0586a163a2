"""Motors before joints that nothing drives: a load on a loose joint gives way, and motors know it."""

import math
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

from coopsim.engines import BodySpec, JointSpec, ShapeSpec, WorldSpec
from coopsim.features.proof.verify import verify
from coopsim.features.space.engine import MujocoEngine
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.scene import JointDynamics
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.testkit.recorded_run import RecordedRun

GO = command_numbers(JOINTS).set_positions
GOAL = np.array([0.4, -0.5, 0.6, 0.3])
DRIVEN = tuple(f"j{k}" for k in range(4))


def arm(load_joint: str, scene: Path, more: str = "") -> Path:
    """Write an arm of four driven hinges that carries 1 kg on a further joint, and a scene with it."""
    links = "".join(
        f'<body pos="0 0 .3"><joint name="{name}" axis="{k % 2} {1 - k % 2} 0"/>'
        '<geom type="box" size=".03 .03 .14" pos="0 0 .15" mass=".5"/>'
        for k, name in enumerate(DRIVEN)
    )
    load_body = f'<body pos="0 0 .3">{load_joint}<geom type="box" size=".05 .05 .1" pos="0 0 -.15" mass="1"/></body>'
    motors = "".join(f'<motor joint="{name}" gear="100" ctrlrange="-1 1"/>' for name in DRIVEN)
    text = f"<mujoco><worldbody>{links}{load_body}{'</body>' * 4}</worldbody><actuator>{motors}</actuator></mujoco>"
    (scene / "r.mjcf").write_text(text)
    run = f"[ROBOT_1]\nmodel r.mjcf\nname a\nposition 0 0 1\n{more}[SIMULATION]\nengine mujoco\nstep 0.01\n"
    (scene / "run.scenario").write_text(run)
    return scene / "run.scenario"


def driven(scene: Path, ticks: int = 400) -> np.ndarray:
    """Return how far the driven joints are from their goal in the last ticks, shape (t, 4) [rad]."""
    run = Simulation(load(scene))
    rows, far = [list(run.engine.joints).index(f"a.{name}") for name in DRIVEN], []
    for _ in range(ticks):
        run.command("a", "joints", GO, tuple(GOAL))
        run.tick()
        far.append(run.engine.joint_position[rows] - GOAL)
    return np.array(far[-ticks // 4 :])


@pytest.mark.parametrize(
    "joint", ['<joint type="ball" damping=".02"/>', '<joint axis="1 0 0"/>'], ids=["ball", "undamped hinge"]
)
def test_motors_hold_an_arm_whose_load_swings_on_a_loose_joint(
    joint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = arm(joint, tmp_path)
    assert np.abs(driven(scene)).max() < 1e-4
    monkeypatch.setattr(MujocoEngine, "is_loose", False)
    assert np.abs(driven(scene)).max() > 5e-3  # as if the load were bolted to the arm


def test_kernels_and_calls_from_python_say_the_same_of_loose_joints(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = arm('<joint type="ball" damping=".02" range="0 20"/>', tmp_path)
    compiled = driven(scene, 60)
    monkeypatch.setattr(MujocoEngine, "joint_calls", None)
    assert np.array_equal(driven(scene, 60), compiled)


def ticked(run: Simulation, ticks: int) -> np.ndarray:
    for _ in range(ticks):
        run.tick()
    return run.engine.joint_position.copy()


def recorded(scene: Path, name: str) -> Path:
    path = scene.parent / name
    with RecordedRun(Simulation(load(scene)), path) as run:
        run.tick(40)
    return path


def is_repeated(path: Path, scene: Path) -> bool:
    with Recording.open(path) as recording:
        return bool(verify(recording, load(scene)).identical)


def test_a_recording_repeats_with_the_loads_of_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # tilted, so that its load moves without a command
    scene = arm('<joint axis="1 0 0"/>', tmp_path, more="orientation 30 20 0\n")
    now = Simulation(load(scene))
    assert is_repeated(recorded(scene, "now.mcap"), scene)
    monkeypatch.setattr(MujocoEngine, "is_loose", False)
    former = Simulation(load(scene))
    path, begun = recorded(scene, "former.mcap"), snapshot(former)
    expected = ticked(former, 40)
    monkeypatch.undo()
    assert is_repeated(path, scene)
    assert np.abs(ticked(now, 40) - expected).max() > 1e-5
    restore(now, begun)
    now.start_over()
    assert np.array_equal(ticked(now, 40), expected)
    assert b" loose" not in now.engine.snapshot()[:50]
    assert b" loose" in Simulation(load(scene)).engine.snapshot()[:50]


BOX = (ShapeSpec("box", (0.1, 0.1, 0.4)),)
BASE = BodySpec("a", (0, 0, 1, 1, 0, 0, 0), 5.0, BOX, is_bolted=True)
LINKS = tuple(BodySpec(f"a.{k}", (0, 0, 1.2 + 0.4 * k, 1, 0, 0, 0), 1.0, BOX, part_of="a") for k in range(3))


def hinge(number: int, dynamics: JointDynamics | None = None, lower: float = -math.inf) -> JointSpec:
    parent = f"a.{number - 1}" if number else "a"
    joint = JointSpec(f"a.h{number}", "hinge", parent, f"a.{number}", (0, 0, 1.2 + 0.4 * number), (0, 1, 0))
    return replace(joint, is_chained=True, dynamics=dynamics, lower=lower)


def accelerations(engine: MujocoEngine, loose: list[int], dt: float = 0.0) -> np.ndarray:
    """Return how joints are accelerated, by MuJoCo itself, where the efforts are those of the engine, shape (3,)."""
    wanted = np.array([2.0, -1.0, 0.5])
    engine.step(1e-4)
    efforts = engine.inverse_dynamics(wanted, (np.array([loose]), dt))
    efforts[loose] = 0.0
    model, data = engine.solved().model, engine.solved().data
    data.qfrc_applied[:] = efforts
    mujoco.mj_forward(model, data)
    return np.asarray(data.qacc)


@pytest.mark.parametrize("loose", [[2], [1, 2], [1], [0, 2]])
def test_driven_joints_get_their_accelerations_whatever_loose_ones_do(loose: list[int]) -> None:
    """MuJoCo's own forward dynamics return what was wanted of the joints that are driven."""
    resists = JointDynamics(damping=0.4, stiffness=3.0, rest=0.5)
    tilted = BodySpec("a", (0, 0, 1, 0.8, 0, 0.6, 0), 5.0, BOX, is_bolted=True)
    joints = tuple(hinge(k, resists if k in loose else None) for k in range(3))
    engine = MujocoEngine(WorldSpec((tilted, *LINKS), joints))
    for _ in range(300):
        engine.step(1e-3)
    driven_rows = [k for k in range(3) if k not in loose]
    expected = np.array([2.0, -1.0, 0.5])[driven_rows]
    np.testing.assert_allclose(accelerations(engine, loose)[driven_rows], expected, atol=1e-6)


def test_a_loose_joint_at_its_stop_counts_as_rigid_while_it_presses_against_it() -> None:
    engine = MujocoEngine(WorldSpec((BASE, *LINKS), (hinge(0), hinge(1), hinge(2, lower=0.0))))
    engine.step(1e-4)
    still = engine.inverse_dynamics(np.zeros(3))
    # pushed forwards the last link stays behind, against the stop; the other way it swings
    for wanted, is_held in ((3.0, True), (-3.0, False)):
        rigid = engine.inverse_dynamics(np.array([wanted, 0.0, 0.0])) - still
        given = engine.inverse_dynamics(np.array([wanted, 0.0, 0.0]), (np.array([[2]]), 1e-3)) - still
        assert np.isclose(rigid[0], given[0], rtol=1e-9) == is_held


def test_followers_move_with_their_leader_whose_motor_bears_them_and_closed_chains_count_as_rigid() -> None:
    follower = JointDynamics(follows="a.h1", ratio=1.0)
    engine = MujocoEngine(WorldSpec((BASE, *LINKS), (hinge(0), hinge(1), hinge(2, follower))))
    given = engine.inverse_dynamics(np.array([1.0, 2.0, 0.0]), (np.array([[2]]), 1e-3))
    moving = engine.inverse_dynamics(np.array([1.0, 2.0, 2.0]))
    np.testing.assert_allclose(given, [moving[0], moving[1] + moving[2], moving[2]], rtol=1e-12)
    # one that has a motor of its own bears itself
    alone = engine.inverse_dynamics(np.array([1.0, 2.0, 0.0]), (np.zeros((1, 0), np.int64), 1e-3))
    np.testing.assert_array_equal(alone, engine.inverse_dynamics(np.array([1.0, 2.0, 0.0])))
    closing = JointSpec("z", "pivot", "a", "a.2", (0, 0, 2.2))
    engine = MujocoEngine(WorldSpec((BASE, *LINKS), (hinge(0), hinge(1), hinge(2), closing)))
    given = engine.inverse_dynamics(np.array([1.0, 0.0, 0.0, 0.0]), (np.array([[1, 2]]), 1e-3))
    np.testing.assert_array_equal(given, engine.inverse_dynamics(np.array([1.0, 0.0, 0.0, 0.0])))


def test_motors_know_of_loose_joints_above_and_below_them_in_the_file(tmp_path: Path) -> None:
    """Modules of one robot tell each other, in either order."""
    text = "[ROBOT]\narticulated yes\n[BODY]\ntype box\nsize .1 .1 .1\nmass 1\nbolted yes\n"
    for number, (name, parent) in enumerate((("up", "base"), ("down", "up")), start=1):
        text += f"[LINK_{number}]\nname {name}\ntype box\nsize .1 .1 .3\nmass 1\nposition 0 0 {0.3 * number}\n"
        text += f"[JOINT_{number}]\nname j{number}\ntype hinge\nbodies {parent} {name}\naxis 0 1 0\nanchor 0 0 0\n"
    driving = "[DEVICE_{}]\ntype joints\nname arm\njoints j1\n"
    loose = "[DEVICE_{}]\ntype joints\nname rest\njoints j2\nmax_effort 0\n"
    efforts = []
    for order in (driving.format(1) + loose.format(2), loose.format(1) + driving.format(2)):
        (tmp_path / "two.robot").write_text(text + order)
        scene = "[ROBOT_1]\ntype two\nname a\nposition 0 0 1\norientation 0 30 0\n[SIMULATION]\nengine mujoco\n"
        (tmp_path / "run.scenario").write_text(scene)
        run = Simulation(load(tmp_path / "run.scenario"))
        ticked(run, 20)
        efforts.append(run.reading("a", "arm")[2])
        assert run.engine.joint_position[list(run.engine.joints).index("a.j1")] == pytest.approx(0.0, abs=1e-6)
    assert efforts[0] == efforts[1]
