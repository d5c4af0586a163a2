"""Teaching: what students wrote for a simulated robot drives a real one, with few parameters changed."""

import importlib
import sys
from collections.abc import Iterator
from functools import partial
from math import cos, dist, sin
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from coopsim.features.laws import cruise, orca, wander
from coopsim.inprocess import LocalServer
from coopsim.robots import load
from coopsim.simulation import Simulation

SOLUTIONS = Path(__file__).parents[2] / "docs" / "course" / "solutions"
CORNER = (0.6, 0.6)
DEAD_ZONE = 0.15  # of the real robot [m/s]


@pytest.fixture
def exercise(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Yield the last exercise of the course, solved."""
    monkeypatch.syspath_prepend(str(SOLUTIONS))
    before = {name: sys.modules.pop(name, None) for name in ("real_robot", "drive")}  # of other folders, same names
    yield importlib.import_module("real_robot")
    for name, module in before.items():
        del sys.modules[name]
        if module is not None:
            sys.modules[name] = module


def driven(exercise: ModuleType, settings: tuple[float, float], dead_zone: float) -> float:
    """Return how far from a corner a robot is after 20 s whose wheels stand while told less than `dead_zone`."""
    x = y = heading = 0.0
    half_track, step = exercise.HALF_TRACK, exercise.PERIOD
    for _ in range(400):
        if dist((x, y), CORNER) < exercise.NEAR:
            break
        command = exercise.command(SimpleNamespace(x=x, y=y, heading=heading), CORNER, settings[0])
        v, w = exercise.lifted(*command, settings[1])
        left, right = (speed if abs(speed) >= dead_zone else 0.0 for speed in (v - w * half_track, v + w * half_track))
        v, w = (left + right) / 2.0, (right - left) / (2.0 * half_track)
        x, y, heading = x + step * v * cos(heading), y + step * v * sin(heading), heading + step * w
    return dist((x, y), CORNER)


def test_the_law_of_the_simulated_robot_drives_the_real_one_with_other_parameters_C_82(exercise: ModuleType) -> None:
    assert exercise.command is importlib.import_module("drive").command
    simulated, real = exercise.SETTINGS["robot1"], exercise.SETTINGS["real2"]
    assert driven(exercise, simulated, 0.0) < exercise.NEAR
    assert driven(exercise, simulated, DEAD_ZONE) > 2.0 * exercise.NEAR
    assert driven(exercise, real, DEAD_ZONE) < exercise.NEAR


PLATFORMS = ("single", "scout", "transport")
APPLICATIONS = ((cruise.main, "--v", "0.2"), (wander.main,), (orca.main, "--goals", "{x} 3"))


@pytest.mark.parametrize("shift", range(3))
def test_c_102_each_platform_is_driven_by_each_control_application(shift: int, tmp_path: Path) -> None:
    """Several platforms and several control applications: any of them with any."""
    robots = [f"[ROBOT_{n}]\ntype {kind}\nname {kind}\nposition {4 * n} 0 0\n" for n, kind in enumerate(PLATFORMS, 1)]
    (tmp_path / "platforms.scenario").write_text("".join(robots))
    simulation = Simulation(load(tmp_path / "platforms.scenario"))
    programs = []
    for number, kind in enumerate(PLATFORMS):
        main, *words = APPLICATIONS[(number + shift) % 3]
        options = [word.format(x=4 * number + 4) for word in words]
        programs.append(partial(main, ["--robots", kind, *options]))
    before = simulation.engine.poses[:, :2].copy()
    assert LocalServer(simulation, duration=4.0, wait_for=PLATFORMS).run(*programs) == [0, 0, 0]
    ways = np.hypot(*(simulation.engine.poses[:, :2] - before).T)
    assert (ways > 0.3).all()
