"""Recordings of builds that made joints otherwise: links of loops weighed more, hinges had no armature."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.proof import stated
from coopsim.features.proof.verify import verify
from coopsim.features.space.engine import MujocoEngine
from coopsim.recording import Recording
from coopsim.replay.about import BEGINS_RUN
from coopsim.replay.outcome import Outcome
from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.testkit.recorded_run import RecordedRun

LINK = "[LINK_{}]\nname {}\ntype box\nsize {}\nmass {}\nposition {}\n"
JOINT = "[JOINT_{}]\nname {}\ntype hinge\nbodies {}\naxis 0 1 0\nanchor {}\n"
# two cranks and a bar that hangs on both: a parallelogram, whose last joint closes it
ROBOT = "[ROBOT]\narticulated yes\n[BODY]\ntype box\nsize 0.1 0.1 0.1\nmass 1\nbolted yes\n" + "".join(
    [
        LINK.format(1, "left", "0.1 0.1 0.5", 1, "0 0 -0.5"),
        LINK.format(2, "right", "0.1 0.1 0.5", 1, "0.8 0 -0.5"),
        LINK.format(3, "bar", "0.8 0.1 0.1", 2, "0.4 0 -0.55"),
        JOINT.format(1, "l", "base left", "0 0 0"),
        JOINT.format(2, "r", "base right", "0.8 0 0"),
        JOINT.format(3, "b", "left bar", "0 0 -0.5"),
    ]
)
LOOP = "[JOINT_1]\nname loop\ntype hinge\nbodies a.right a.bar\naxis 0 1 0\nanchor 0 0 0\n"
SCENE = (
    LOOP + "[ROBOT_1]\ntype bars\nname a\nposition 0 0 2\norientation 0 20 0\n[SIMULATION]\nengine mujoco\nstep 0.01\n"
)


@pytest.fixture
def scene(tmp_path: Path) -> Path:
    (tmp_path / "bars.robot").write_text(ROBOT)
    (tmp_path / "run.scenario").write_text(SCENE)
    return tmp_path / "run.scenario"


def swung(run: Simulation, ticks: int = 40) -> np.ndarray:
    for _ in range(ticks):
        run.tick()
    return run.engine.joint_position.copy()


def recorded(scene: Path, name: str) -> Path:
    path = scene.parent / name
    with RecordedRun(Simulation(load(scene)), path) as run:
        run.tick(60)
    return path


def is_repeated(path: Path, scene: Path) -> bool:
    with Recording.open(path) as recording:
        return bool(verify(recording, load(scene)).identical)


def test_a_recording_repeats_with_the_weight_that_its_version_gave_a_loop(
    scene: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert is_repeated(recorded(scene, "now.mcap"), scene)
    now = swung(Simulation(load(scene)))
    monkeypatch.setattr(MujocoEngine, "weighs_once", False)
    former = recorded(scene, "former.mcap")
    before = swung(Simulation(load(scene)))
    monkeypatch.undo()
    assert abs(now - before).max() > 1e-4
    assert is_repeated(former, scene)


@pytest.mark.parametrize(
    "change",
    [Simulation.start_over, Simulation.put_back_poses, lambda run: run.load(run.spec)],
    ids=["reset", "poses", "load"],
)
def test_what_goes_on_from_an_earlier_version_keeps_its_weight(
    change: Callable[[Simulation], object], scene: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MujocoEngine, "weighs_once", False)
    former = Simulation(load(scene))
    begun, expected = snapshot(former), swung(former)
    monkeypatch.undo()
    run = Simulation(load(scene))
    restore(run, begun)
    assert np.array_equal(swung(run), expected)
    change(run)
    assert np.array_equal(swung(run), expected)
    assert b" loops" not in run.engine.snapshot()[:40]


def test_snapshots_without_chains_say_nothing_of_loops(scene: Path) -> None:
    chained = Simulation(load(scene)).engine.snapshot()
    scene.write_text("[ROBOT_1]\ntype single\nname a\n[SIMULATION]\nengine mujoco\n")
    plain = Simulation(load(scene)).engine
    assert b" loops" in chained[:40]
    assert b" loops" not in plain.snapshot()
    plain.restore(plain.snapshot())
    assert plain.weighs_once


GEARED = (
    "[OBJECT_1]\ntype box\nname post\nsize 0.2 0.2 0.2\nposition 0 0 1\nmass 0\n"
    "[OBJECT_2]\ntype box\nname door\nsize 0.5 0.1 0.1\nposition 0.5 0 1\nmass 1\n"
    "[JOINT_1]\nname swing\ntype hinge\nbodies post door\naxis 0 1 0\nanchor 0 0 0\narmature 0.5\n"
)


@pytest.mark.parametrize("is_former", [True, False], ids=["another build", "this build"])
def test_joints_that_an_earlier_build_made_without_armature_count_as_recorded(
    is_former: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "gate.scenario"
    path.write_text("[SIMULATION]\nengine mujoco\nstep 0.01\n[WORLD]\nfile gate\n")
    (tmp_path / "gate.world").write_text(GEARED.replace("armature 0.5", "armature 0"))
    with RecordedRun(Simulation(load(path)), tmp_path / "gate.mcap", metadata={"begins": BEGINS_RUN}) as run:
        run.tick(60)
    if is_former:
        monkeypatch.setattr(stated, "program", lambda: {"version": "0.1.0", "build": "of today"})
    (tmp_path / "gate.world").write_text(GEARED)
    with Recording.open(tmp_path / "gate.mcap") as recording:
        verdict = verify(recording, load(path))
    if not is_former:
        assert verdict.outcome is Outcome.DIFFERENT
        return
    assert (verdict.outcome, verdict.ticks, verdict.difference) == (Outcome.PARTIAL, 60, None)
    (reason,) = verdict.open
    assert "of swing, is 0.0 and 0.5; of these files this build makes other bodies or joints" in reason
    assert "use that build, or record the run again" in reason
