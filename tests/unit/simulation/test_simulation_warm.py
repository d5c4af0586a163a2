"""Which kernels are compiled before they are needed, and by whom."""

import subprocess
from pathlib import Path

import pytest

from coopsim.errors import CoopsimError
from coopsim.features.doctor import warm
from coopsim.robots import load_type
from coopsim.simulation import warming

ROOT = Path(__file__).parents[3]


def test_of_a_scene_only_its_own_robots_are_ticked() -> None:
    steps = warm._steps(["--scene", "formation"])
    assert [(step.engine, step.blueprint.name, step.number) for step in steps] == [("pymunk", "single", 2)]
    first = warm._steps(["--first"])
    assert [(step.blueprint.name, step.number) for step in first] == [("single", 1), ("single", 2)]


def test_one_process_begins_with_what_takes_longest_and_the_other_ends_with_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared: list[list[str]] = []
    monkeypatch.setattr(
        warm,
        "prepare",
        lambda _make, _engine, robots, **_: prepared.append([device.kind for device in robots[0][0].devices]),
    )
    for ready in ("kernels_ready", "kernel_ready"):
        monkeypatch.setattr(warm, ready, lambda: None)
    steps = warm._steps(["--scene", "formation"])
    warm._begin_with_longest(steps[0])
    warm._begin_elsewhere(steps)
    (mine, theirs) = prepared
    assert mine[0] == "sonars"
    assert theirs[-1] == "sonars"
    assert set(mine) == set(theirs)
    assert mine.index("differential_drive") < mine.index("odometry")  # which needs it above


def test_a_process_whose_ticks_wait_for_no_clock_prepares_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "_ready", set())
    scenes: list[object] = []

    def make(spec: object) -> warming.Ticking:
        scenes.append(spec)
        raise CoopsimError("enough")  # an error of a scene is left to the run itself

    robots = [(load_type("single"), 2)]
    warming.prepare(make, "kinematic", robots, engine_first=False)
    assert len(scenes) == 1
    monkeypatch.setattr(warming, "_ready", set())
    warming.leave_out()
    warming.prepare(make, "kinematic", robots, engine_first=False)
    assert len(scenes) == 1


def test_make_run_compiles_what_its_scene_needs_and_shows_no_commands() -> None:
    command = ["make", "-n", "-B", ".venv/.first-scene"]
    planned = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "coopsim.features.doctor.warm --scene formation" in planned.stdout
    recipes = [line for line in (ROOT / "Makefile").read_text(encoding="utf-8").splitlines() if "doctor.warm" in line]
    assert recipes
    assert all(line.startswith("\t@") for line in recipes)
