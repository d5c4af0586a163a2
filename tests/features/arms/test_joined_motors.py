"""Motors of robots with more joints than one module drives, and with bases that are free: none swings up."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.arms.devices.motors import ArmJoints
from coopsim.features.proof.verify import verify
from coopsim.features.space.engine import MujocoEngine
from coopsim.interfaces import JOINTS, command_numbers
from coopsim.recording import Recording
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.testkit.recorded_run import RecordedRun

GO = command_numbers(JOINTS).set_positions
GOALS = {"joints": (0.2, -0.3, 0.4, -0.2, 0.3, 0.2, -0.4, 0.3), "joints_2": (0.2, -0.2, 0.3, -0.3)}


def link(number: int, inner: str, place: str) -> str:
    axis = "0 1 0" if number % 2 else "1 0 0"
    return (
        f'<body name="l{number}" pos="{place}"><joint name="j{number}" axis="{axis}"/>'
        f'<geom type="box" size=".03 .03 .1" pos="0 0 -.1" mass="1"/>{inner}</body>'
    )


def line(numbers: range, place: str) -> str:
    """Return links that hang below each other."""
    text = ""
    for number in reversed(numbers):
        text = link(number, text, place if number == numbers[0] else "0 0 -.2")
    return text


def robot(scene: Path, limbs: str, *, is_free: bool, height: float, more: str = "") -> Path:
    """Write a robot of twelve driven hinges on a light base, and a scene with it."""
    base = f'<body name="base"><geom type="box" size=".1 .1 .05" mass=".5"/>{limbs}</body>'
    motors = "".join(f'<motor joint="j{k}" gear="500" ctrlrange="-1 1"/>' for k in range(12))
    (scene / "r.xml").write_text(f"<mujoco><worldbody>{base}</worldbody><actuator>{motors}</actuator></mujoco>")
    (scene / "many.robot").write_text(f"[ROBOT]\nmodel r.xml\nfree {'yes' if is_free else 'no'}\n")
    run = f"[ROBOT_1]\ntype many\nname a\nposition 0 0 {height}\n{more}[SIMULATION]\nengine mujoco\nstep 0.01\n"
    (scene / "run.scenario").write_text(run)
    return scene / "run.scenario"


def hanging(scene: Path) -> Path:
    return robot(scene, line(range(12), "0 0 -.1"), is_free=False, height=4.0, more="orientation 20 10 0\n")


def falling(scene: Path) -> Path:
    """Write a robot of four limbs, which outweigh its base many times, high above the floor."""
    places = ("-.2 -.2 0", "-.2 .2 0", ".2 -.2 0", ".2 .2 0")
    limbs = "".join(line(range(3 * k, 3 * k + 3), place) for k, place in enumerate(places))
    return robot(scene, limbs, is_free=True, height=30.0, more="orientation 20 10 0\n")


WRITES = pytest.mark.parametrize("write", [hanging, falling])


def driven(scene: Path, ticks: int, run: Simulation | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return how far the joints are from their goals after some ticks, and how fast they are, shape (12,)."""
    run = run or Simulation(load(scene))
    goals = dict(zip((f"a.j{k}" for k in range(12)), [goal for part in GOALS.values() for goal in part], strict=True))
    for _ in range(ticks):
        for module, values in GOALS.items():
            run.command("a", module, GO, values)
        run.tick()
    names = list(run.engine.joints)
    rows = [names.index(name) for name in goals]
    return run.engine.joint_position[rows] - list(goals.values()), run.engine.joint_velocity[rows]


@WRITES
def test_twelve_joints_of_two_modules_come_to_their_goals(
    write: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = write(tmp_path)
    far, speeds = driven(scene, 200)
    assert np.abs(far).max() < 2e-3
    assert np.abs(speeds).max() < 0.01
    monkeypatch.setattr(MujocoEngine, "is_together", False)
    far, _ = driven(scene, 200)
    assert np.abs(far).max() > 0.05  # each module for itself swings up


@WRITES
def test_kernels_and_calls_from_python_say_the_same_of_joined_motors(
    write: Callable[[Path], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene = write(tmp_path)
    compiled = driven(scene, 40)
    monkeypatch.setattr(MujocoEngine, "joint_calls", None)
    assert np.array_equal(driven(scene, 40), compiled)


def test_a_recording_repeats_with_the_motors_of_its_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene = falling(tmp_path)

    def recorded(name: str) -> Path:
        with RecordedRun(Simulation(load(scene)), tmp_path / name) as run:
            run.tick(12)
        return tmp_path / name

    def is_repeated(path: Path) -> bool:
        with Recording.open(path) as recording:
            return bool(verify(recording, load(scene)).identical)

    def ticked(run: Simulation) -> np.ndarray:
        for _ in range(12):
            run.tick()
        return run.engine.joint_position.copy()

    now = Simulation(load(scene))
    assert is_repeated(recorded("now.mcap"))
    monkeypatch.setattr(MujocoEngine, "is_together", False)
    former = Simulation(load(scene))
    path, begun = recorded("former.mcap"), snapshot(former)
    expected = ticked(former)
    monkeypatch.undo()
    assert is_repeated(path)
    assert np.abs(ticked(now) - expected).max() > 1e-9
    restore(now, begun)
    now.start_over()
    assert np.array_equal(ticked(now), expected)
    assert b" together" not in now.engine.snapshot()[:50]


def test_motors_of_one_module_on_a_base_that_stands_are_reckoned_as_ever(tmp_path: Path) -> None:
    engine = Simulation(load(hanging(tmp_path))).engine
    rows = np.arange(12)
    assert isinstance(engine, MujocoEngine)
    assert not engine.are_unsteady([rows])
    assert engine.are_unsteady([rows[:8], rows[8:]])


ELBOW = """<mujoco><worldbody><body name="upper"><joint name="j0" axis="0 1 0" range="-180 180" limited="true"/>
<geom size=".05" pos="0 0 -1" mass="1"/><body name="lower" pos="0 0 -1">
<joint name="j1" axis="0 1 0" range="-120 120" limited="true"/><geom size=".05" pos="1 0 0" mass="1"/></body></body>
</worldbody><actuator><motor joint="j0" gear="500" ctrlrange="-1 1"/><motor joint="j1" gear="500" ctrlrange="-1 1"/>
</actuator></mujoco>"""


def test_modules_of_an_arm_that_is_steady_bent_and_not_stretched_are_joined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "r.xml").write_text(ELBOW)
    modules = {"joints": "j0", "joints_2": "j1"}
    sections = (f"type joints\nname {name}\njoints {joint}\nmax_effort 500\n" for name, joint in modules.items())
    devices = "".join(f"[DEVICE_{k}]\n{section}" for k, section in enumerate(sections, start=1))
    (tmp_path / "two.robot").write_text(f"[ROBOT]\nmodel r.xml\n{devices}")
    run = "[ROBOT_1]\ntype two\nname a\nposition 0 0 4\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
    (tmp_path / "run.scenario").write_text(run)

    def far() -> float:
        simulation = Simulation(load(tmp_path / "run.scenario"))
        for _ in range(300):
            simulation.command("a", "joints", GO, (-1.0,))
            simulation.command("a", "joints_2", GO, (1.5,))
            simulation.tick()
        names = list(simulation.engine.joints)
        positions = simulation.engine.joint_position[[names.index("a.j0"), names.index("a.j1")]]
        return float(np.abs(positions - [-1.0, 1.5]).max())

    assert far() < 1e-3
    engine = Simulation(load(tmp_path / "run.scenario")).engine
    assert isinstance(engine, MujocoEngine)
    rows = [np.array([list(engine.joints).index(f"a.{joint}")]) for joint in modules.values()]
    assert engine.are_unsteady(rows)
    monkeypatch.setattr(MujocoEngine, "is_coupled", False)
    engine = Simulation(load(tmp_path / "run.scenario")).engine
    assert isinstance(engine, MujocoEngine)
    assert not engine.are_unsteady(rows)
    assert far() > 0.01


@WRITES
@pytest.mark.parametrize(("broken", "its_joints"), [("joints_2", range(8, 12)), ("joints", range(8))])
@pytest.mark.parametrize("is_compiled", [True, False])
def test_joints_of_a_module_that_fails_go_limp_and_the_others_go_on(
    write: Callable[[Path], Path],
    broken: str,
    its_joints: range,
    is_compiled: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if not is_compiled:
        monkeypatch.setattr(MujocoEngine, "joint_calls", None)
    scene = write(tmp_path)
    # links that whirl without damping need shorter steps
    model = (
        (tmp_path / "r.xml")
        .read_text()
        .replace('"/><geom type="box" size=".03', '" damping=".05"/><geom type="box" size=".03')
    )
    (tmp_path / "r.xml").write_text(model)
    run = Simulation(load(scene))
    driven(scene, 20, run)
    working = run.tables.blocks[0].devices[{"joints": "joints_2", "joints_2": "joints"}[broken]]
    assert isinstance(working, ArmJoints)
    before = working.efforts.copy()
    fail_in_the_next_plan_of(run, broken, monkeypatch)
    far, _ = driven(scene, 1, run)
    assert not np.array_equal(working.efforts, before)  # a module that has planned gets its efforts in this tick too
    begun = far[its_joints].copy()
    far, _ = driven(scene, 200, run)
    rest = np.setdiff1d(range(12), its_joints)
    assert [failure.module for failure in run.failures] == [broken]
    assert np.abs(far[rest]).max() < 0.06
    assert np.abs(far[its_joints] - begun).max() > 0.3
    run.start_over()
    far, _ = driven(scene, 200, run)
    assert np.abs(far).max() < 2e-3


def fail_in_the_next_plan_of(run: Simulation, module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a device raise before it plans, once, in a tick that calls methods."""
    device, plan = run.tables.blocks[0].devices[module], ArmJoints.plan

    def fail(self: ArmJoints, *arguments: object) -> None:
        if self is device:
            raise ZeroDivisionError
        plan(self, *arguments)  # type: ignore[arg-type]

    run.connect()  # compiled ticks call no method of a device
    monkeypatch.setattr(ArmJoints, "plan", fail)
