"""The script that runs the examples of `rps` with it and with coopsim, on a small package of that name."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "robotarium.py"
LIMIT = 240.0
PACKAGE = """
import numpy as np


class Robotarium:
    TIME_STEP, BASE_LENGTH, WHEEL_RADIUS, MAX_WHEEL_VELOCITY = 0.033, 0.11, 0.016, 12.5
    COLLISION_DIAMETER, COLLISION_OFFSET = 0.135, 0.025
    BOUNDARIES = np.array([-1.6, 1.6, -1.0, 1.0])
    _distance_sensors_enabled = initializing = False

    def __init__(self, number_of_robots, initial_conditions, show_figure=True, skip_initialization=False, **choices):
        assert not choices["sim_in_real_time"]
        assert skip_initialization
        self.show_figure, self._sim_in_real_time = show_figure, False
        self._poses, self._velocities = initial_conditions.copy(), np.zeros((2, number_of_robots))
        self._errors = {}

    def get_poses(self):
        return self._poses.copy()

    def set_velocities(self, ids, velocities):
        self._velocities[:, ids] = velocities

    def step(self):
        self._errors = self._validate(self._errors)
        ahead, around = self.TIME_STEP * self._velocities
        self._poses[0] += ahead * np.cos(self._poses[2])
        self._poses[1] += ahead * np.sin(self._poses[2])
        self._poses[2] += around

    def _validate(self, errors):
        return {**errors, "exceeded_actuator_limits": 1 + errors.get("exceeded_actuator_limits", 0)}

    def simulate_accelerations(self): ...
    simulate_gyros = simulate_magnetometers = simulate_orientations = simulate_encoder_readings = simulate_accelerations
    get_accelerations = get_gyros = get_magnetic_fields = get_orientations = get_encoders = simulate_accelerations
"""
EXAMPLE = """
import numpy as np
from rps.robotarium import Robotarium

first = np.array([[0.0, 0.5], [0.0, 0.5], [0.0, 1.0]])
r = Robotarium(number_of_robots=2, initial_conditions=first, sim_in_real_time=True)
for _ in range(20):
    r.get_poses()
    r.set_velocities(np.arange(2), np.array([[0.1, 0.15], [0.5, 0.0]]))
    r.step()
"""


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a package `rps` and two examples, one of which fails."""
    folder = tmp_path_factory.mktemp("clone")
    examples = folder / "rps" / "examples" / "driving"
    examples.mkdir(parents=True)
    (folder / "rps" / "__init__.py").touch()
    (folder / "rps" / "robotarium.py").write_text(PACKAGE, encoding="utf-8")
    (examples / "curve.py").write_text(EXAMPLE, encoding="utf-8")
    (examples / "broken.py").write_text(
        "from rps.robotarium import Robotarium\nRobotarium(0, no=1)\n", encoding="utf-8"
    )
    (examples / "helper.py").write_text("ALONE = 1\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def script() -> Any:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("robotarium_examples", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_examples_run_with_both_and_a_row_tells_how_alike_they_are(clone: Path) -> None:
    words = [sys.executable, str(SCRIPT), str(clone)]
    done = subprocess.run(
        words, capture_output=True, text=True, env=dict(os.environ), timeout=LIMIT, check=False, cwd=clone
    )
    head, _, row = done.stdout.splitlines()
    assert head.startswith("| example | steps there, here |")
    cells = [cell.strip() for cell in row.strip("|").split("|")]
    assert cells[:2] == ["`curve`", "20, 20"]
    # along the chords of a curve of 0.1 m/s and 0.5 rad/s, not its tangents: 0.8 mm in 20 steps at most
    mean, largest, end = (float(cell) for cell in cells[2:5])
    assert 0.0 <= mean <= largest <= 0.001
    assert end <= largest
    assert cells[5:7] == ["fast 20", "none"]
    seconds = [float(cell) for cell in cells[7].split(",")]
    assert all(second > 0.0 for second in seconds)
    # the other one did not end, which is said and no row
    assert "broken: " in done.stderr
    assert done.returncode == 0


def test_a_row_has_the_distances_and_a_new_kind_of_violation_is_no_likeness(script: Any) -> None:
    def result(poses: np.ndarray, unsafe: dict[str, int], seconds: float) -> dict[str, Any]:
        return {"poses": poses, "unsafe": json.dumps(unsafe), "seconds": seconds}

    theirs = np.zeros((4, 3, 2))
    ours = np.zeros((3, 3, 2))
    ours[1, 0], ours[2, 1], ours[2, 2] = 0.3, 0.6, 9.0  # an angle is no distance
    row, is_alike = script.compared("two", result(theirs, {"fast": 2}, 1.26), result(ours, {"fast": 3}, 1.0))
    assert row == "| `two` | 4, 3 | 0.3000 | 0.600 | 0.600 | fast 2 | fast 3 | 1.3, 1.0 |"
    assert is_alike
    row, is_alike = script.compared("two", result(theirs, {"fast": 2}, 1.0), result(ours, {"close": 1}, 1.0))
    assert "| fast 2 | close 1 |" in row
    assert not is_alike
