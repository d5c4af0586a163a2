"""Which kernels are compiled before they are needed, and by whom."""

import pickle
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from coopsim.errors import CoopsimError
from coopsim.features.doctor import second_compiler, warm
from coopsim.robots import DeviceBlueprint, load_type
from coopsim.simulation import warming
from coopsim.simulation.warming import SecondCompiler

ROOT = Path(__file__).parents[3]


def test_of_a_scene_only_its_own_robots_are_ticked() -> None:
    steps = warm._steps(["--scene", "formation"])
    assert [(step.engine, step.blueprint.name, step.number) for step in steps] == [("pymunk", "single", 2)]
    first = warm._steps(["--first"])
    assert [(step.blueprint.name, step.number) for step in first] == [("single", 1), ("single", 2)]


def test_one_process_begins_with_what_takes_longest_and_the_other_leaves_it(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[list[DeviceBlueprint]] = []
    for module in (warm, second_compiler):
        monkeypatch.setattr(
            module, "prepare", lambda _make, _engine, robots, **_: prepared.append([*robots[0][0].devices])
        )
    for ready in ("kernels_ready", "kernel_ready"):
        monkeypatch.setattr(second_compiler, ready, lambda: None)
    (step,) = warm._steps(["--scene", "formation"])
    warm._begin_with_longest(step)
    second_compiler.compile_from_end([(step.engine, step.blueprint, step.number)])
    mine, turned, theirs = ([device.kind for device in devices] for devices in prepared)
    assert mine[0] == "sonars"
    assert mine.index("differential_drive") < mine.index("odometry")  # which needs it above
    assert "sonars" not in theirs
    assert {*mine} == {*theirs, "sonars"}
    assert turned == theirs
    targets = [device.settings for devices in prepared[1:] for device in devices if device.kind == "target"]
    assert [target["occlusion"] for target in targets] == [1.0, 0.0]  # what only parameters ask for comes first


def test_plugins_do_not_run_in_the_second_process(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared: list[list[str]] = []
    monkeypatch.setattr(
        second_compiler,
        "prepare",
        lambda _make, _engine, robots: prepared.append([d.kind for d in robots[0][0].devices]),
    )
    robot = load_type("single")
    robot = replace(robot, devices=(replace(robot.devices[0], kind="lidar_of_theirs"), *robot.devices[:2]))
    second_compiler.compile_from_end([("engine_of_theirs", robot, 1), ("pymunk", robot, 1)])
    assert prepared == [["differential_drive"]] * 2


def second_process(kind: str) -> SecondCompiler:
    return SecondCompiler([("pymunk", load_type(kind), 1)])


def test_the_second_process_ends_with_the_one_that_began_it(monkeypatch: pytest.MonkeyPatch) -> None:
    # a module that takes for ever in the place of the one that compiles
    busy = f"import {second_compiler.__name__} as s, threading\n"
    busy += "s.compile_from_end = lambda _: threading.Event().wait()\ns.main()"
    monkeypatch.setattr(warming.plugins, "process_command", lambda _: (sys.executable, "-c", busy))
    with second_process("single") as second:
        second.start()
        process = second._process
        assert process is not None
        second.start()
        assert second._process is process
        assert process.poll() is None
    assert process.returncode == -signal.SIGKILL
    # one whose parent is gone reads the end of its input
    command = (sys.executable, "-c", busy)
    steps = pickle.dumps([("pymunk", load_type("single"), 1)])
    assert subprocess.run(command, input=steps, timeout=120, check=False).returncode == 0


@pytest.mark.parametrize("name", ["usable_cores", "CACHE", "plugins"])
def test_with_one_core_or_where_nothing_is_kept_or_without_the_feature_there_is_no_second_process(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lacking = {"usable_cores": lambda: 1, "CACHE": SimpleNamespace(is_kept=False)}
    lacking["plugins"] = SimpleNamespace(registered=lambda _: {})
    monkeypatch.setattr(warming, "usable_cores", lambda: 2)
    monkeypatch.setattr(warming, name, lacking[name])
    with second_process("single") as second:
        second.start()
        assert second._process is None


def test_a_second_process_that_dies_at_once_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warming, "usable_cores", lambda: 2)
    monkeypatch.setattr(warming.plugins, "process_command", lambda _: (sys.executable, "-c", "0"))
    robot = load_type("single")
    with SecondCompiler(("pymunk", robot, count) for count in range(20_000)) as second:
        second.start()  # more than a pipe holds


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
