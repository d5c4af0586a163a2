"""The scenes that end at a goal reach it; the others go on until their time is over."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from app_runs import coopsim

from coopsim.recording import Recording
from coopsim.robots import find_file

pytestmark = pytest.mark.integration


def test_the_formation_passes_the_gate_of_the_corridor_and_ends_at_the_target(tmp_path: Path) -> None:
    plot, file = tmp_path / "scene.svg", tmp_path / "corridor.mcap"
    drawn = ("--plot", str(plot), "--record", str(file))
    done = coopsim("run", "corridor", "--mode", "lockstep", "--port", "0", "--json", *drawn, timeout=240.0)
    assert done.returncode == 0, done.stderr
    assert "all controllers have ended" in done.stderr
    assert "[formation] triangle of 3 at red" in done.stderr
    assert "target red" in plot.read_text()
    assert 40.0 < json.loads(done.stdout.splitlines()[-1])["sim_time"] < 120.0
    assert min(_gaps_at(file, gate=-1.5)) > 0.4  # single file: nobody is beside who passes


def _gaps_at(file: Path, gate: float) -> Iterator[float]:
    """Yield how far along the corridor the nearest other robot is while one passes the gate, robot by robot."""
    with Recording.open(file) as recording:
        rows = [recording.layout(recording.generations[0]).robot[f"robot{n}"].body for n in (1, 2, 3)]
        along = np.array([record.poses[rows, 0] for record in recording.records()])
    for robot in range(3):
        passing = along[np.argmax(along[:, robot] > gate)]
        yield min(abs(passing[passed] - passing[robot]) for passed in range(3) if passed != robot)


def test_scouts_find_the_beacon_of_the_maze_that_walls_hide(tmp_path: Path) -> None:
    scene = tmp_path / "maze.scenario"
    world = find_file("maze", [".world"])
    text = find_file("maze", [".scenario"]).read_text().replace("../worlds/maze.world", str(world))
    scene.write_text(text.replace("target      red", "target      red\nfinders     2"))
    done = coopsim("run", str(scene), "--mode", "lockstep", "--port", "0", "--json")
    assert done.returncode == 0, done.stderr
    assert "all controllers have ended" in done.stderr
    assert len(re.findall(r"\[seek\] robot\d is at red", done.stderr)) == 2
    assert 5.0 < json.loads(done.stdout.splitlines()[-1])["sim_time"] < 100.0


@pytest.mark.parametrize(("name", "robots"), [("crowd", 100), ("lab", 5)])
def test_a_scene_without_a_goal_ends_when_its_time_is_over(name: str, robots: int) -> None:
    done = coopsim("run", name, "--mode", "lockstep", "--port", "0", "--duration", "4", "--json")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout.splitlines()[-1])
    assert (result["ticks"], len(result["robots"]), result["patience_fired"]) == (400, robots, 0)
    owned = [robot for robot in result["robots"].values() if robot["owner"]]
    assert len(owned) == robots


def test_a_search_for_what_is_not_there_says_what_is(tmp_path: Path) -> None:
    scene = tmp_path / "lost.scenario"
    scene.write_text(
        "[TARGET]\nred 3 0 0\n[ROBOT_1]\ntype scout\nname robot1\n"
        "[CONTROLLER_1]\nrun seek\nrobots robot1\ntarget green\n"
    )
    done = coopsim("run", str(scene), "--port", "0")
    assert done.returncode == 1
    assert "no target 'green'" in done.stderr
    assert "there are: red" in done.stderr
