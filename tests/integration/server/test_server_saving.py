"""Scenes loaded, changed and saved in a real run, which is verified afterwards."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from coopsim.client import Client, connect
from coopsim.errors import CannotSave, ForbiddenFile, NoReply, SimulationEnded
from coopsim.robots import load
from coopsim.testkit.run import Run

pytestmark = pytest.mark.integration

WORLD = """\
# the yard
[FLOOR]
size 12 12 0.1

# stands in the way
[OBJECT_1]
type box
size 1 1 1
position 3 0 0
mass 4
"""
SCENARIO = """\
# two robots in a yard
[WORLD]
file    yard.world
[TARGET]
red     4 3 0
[ROBOT_1]
type    single
name    robot1
[ROBOT_2]   # the other one
type    single
name    robot2
position  0  2  0
"""


@pytest.fixture
def yard(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "yard.world").write_text(WORLD)
    (tmp_path / "yard.scenario").write_text(SCENARIO)
    (tmp_path / "other.scenario").write_text(SCENARIO.replace("robot2", "robot3"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def recorded(yard: Path) -> Iterator[Run]:
    """A recorded lockstep run of the yard."""
    with Run("yard.scenario", "--no-controllers", "--mode", "lockstep", "--record", "run.mcap") as run:
        yield run


def drive(sim: Client, steps: int = 50) -> None:
    with sim.stepper(["robot1"], timeout=20.0) as stepper:
        for _ in range(steps):
            stepper.step([(0.4, 0.1)])


def coopsim(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "coopsim", *words], capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_run_with_edits_loads_and_saves_is_verified_as_identical(recorded: Run, yard: Path) -> None:
    """C-57, C-74: loaded, edited, saved, loaded again while it is recorded."""
    with connect(recorded.endpoint, timeout=20.0) as sim:
        drive(sim)
        sim.world.update("robot2", "position 0 2.5 0")
        sim.world.remove("object_1")
        assert sim.world.save("new.scenario").files == (str(yard / "new.world"), str(yard / "new.scenario"))
        sim.world.load("other.scenario")
        assert (sim.clock.status().time, sim.info()["scenario"]) == (0.0, "other")
        assert set(sim.robots()) == {"robot1", "robot3"}
        drive(sim)
        sim.world.load("new.scenario")
        drive(sim)
        sim.world.reset()
        drive(sim)
    assert recorded.stop() == 130
    changed = SCENARIO.replace("yard.world", "new.world").replace("0  2  0", "0  2.5  0")
    assert (yard / "new.scenario").read_text() == changed
    assert (yard / "new.world").read_text() == "# the yard\n[FLOOR]\nsize 12 12 0.1\n"
    assert (yard / "yard.scenario").read_text() == SCENARIO
    for path in yard.glob("*.scenario"):
        path.unlink()
    assert "identical, 200 ticks" in coopsim("verify", "run.mcap")


def test_poses_are_saved_where_the_run_has_moved_them(yard: Path) -> None:
    with Run("yard.scenario", "--no-controllers", "--mode", "lockstep") as run, connect(run.endpoint) as sim:
        drive(sim, 100)
        sim.world.save("moved.scenario", poses=1)
        x, y = sim.world.get("robot1").pose[:2]
    robot1, robot2 = load(yard / "moved.scenario").scenario.robots
    assert robot1.position[:2] == pytest.approx((x, y), abs=1e-6)
    assert robot1.orientation[2] > 0.05
    assert robot2.position == (0.0, 2.0, 0.0)
    assert "[ROBOT_2]   # the other one\n" in (yard / "moved.scenario").read_text()


def test_strangers_cannot_reach_other_files_nor_replace_what_others_wrote(yard: Path) -> None:
    with Run("yard.scenario", "--no-controllers") as run, connect(run.endpoint) as sim:
        for name in ("/etc/passwd", "../secret.scenario"):
            with pytest.raises(ForbiddenFile):
                sim.world.load(name)
            with pytest.raises(ForbiddenFile):
                sim.world.save(name.replace("passwd", "x.world"))
        (yard / "yard.scenario").write_text(SCENARIO + "# mine\n")
        sim.world.update("robot1", "color red")
        with pytest.raises(CannotSave, match="changed by somebody else"):
            sim.world.save()
        assert (yard / "yard.scenario").read_text() == SCENARIO + "# mine\n"
        assert sim.world.save(overwrite=1).files == ("yard.scenario",)


def test_the_command_line_saves_and_loads(yard: Path) -> None:
    with Run("yard.scenario", "--no-controllers") as run:
        where = ("--endpoint", run.endpoint, "/sim/world")
        coopsim("call", *where, "update", "robot1", "color red")
        assert coopsim("call", *where, "save", "out.scenario").strip() == str(yard / "out.scenario")
        assert coopsim("call", *where, "load", "out.scenario").strip() == str(yard / "out.scenario")
        coopsim("check", "out.scenario")


def test_who_asks_at_the_end_of_the_run_is_answered(yard: Path) -> None:
    with Run("yard.scenario", "--no-controllers") as run, connect(run.endpoint, timeout=5.0) as sim:
        run.stop()
        with pytest.raises((SimulationEnded, NoReply)):
            sim.world.save("late.scenario")
    assert not (yard / "late.scenario").exists()
