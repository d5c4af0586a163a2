"""Scripts for the simulator of the Robotarium, run as a user runs them, with robots of coopsim behind them.

One package is the real one of the registry, with the interface before 2.0; the other stands in for 2.x.
"""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import coopsim
from coopsim.client import connect
from coopsim.testkit import Run

TODAY = Path(__file__).parents[2] / "standins" / "rps_today"
LIMIT = 120.0

BEFORE = """\
import sys

import numpy as np
import rps.robotarium as robotarium
from rps.utilities.controllers import create_clf_unicycle_position_controller

goals = np.array([[0.5, -0.6], [0.4, -0.2]])
first = np.array([[0.0, -0.2], [0.0, 0.5], [0.0, 3.0]])
r = robotarium.Robotarium(number_of_robots=2, show_figure=False, initial_conditions=first, sim_in_real_time=False)
steer = create_clf_unicycle_position_controller()
gap, x = 1.0, r.get_poses()
r.step()
while gap > 0.05:
    x = r.get_poses()
    gap = np.hypot(*(x[:2] - goals)).max()
    r.set_velocities(np.arange(2), steer(x, goals))
    r.step()
print("arrived", sys.argv[1:], __name__)
r.call_at_scripts_end()
"""

TODAYS = """\
import numpy as np
from rps.robotarium import Robotarium

wall = np.array([[[-0.5, 0.6], [0.5, 0.8]]])
r = Robotarium(
    number_of_robots=2,
    initial_conditions=np.array([[-0.5, 0.5], [0.0, 0.1], [0.0, 0.0]]),
    show_figure=True,
    sim_in_real_time=False,
    obstacles=wall,
)
first = r.get_poses()
r.set_velocities(np.arange(2), np.zeros((2, 2)))
r.step()
for k in range(40):
    poses = r.get_poses()
    r.set_velocities(np.arange(2), np.array([[0.3, 0.1], [0.0, 0.5]]))
    r.step()
    if k % 10 == 0:
        assert np.allclose(r.get_gyros()[2], [0.0, 0.5]) and np.allclose(r.get_gyros(), r.get_gyros())
poses[0] = 3.0  # their own
last = r.get_poses()
ways, turns = np.hypot(*(last - first)[:2]), np.angle(np.exp(1j * (last - first)[2]))
print("moved", *np.round([*ways, *turns], 3), r.simulated, r.drawn)
print("first", *np.round(first[:2].T.ravel(), 3))
r.debug()
"""


def _robotarium(tmp_path: Path, script: str, *words: str, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    place = {"PYTHONPATH": str(path)} if path is not None else {}
    return subprocess.run(
        [sys.executable, "-m", "coopsim", "robotarium", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, **place},
        timeout=LIMIT,
        check=False,
    )


def test_a_script_for_the_package_of_the_registry_arrives_is_recorded_and_proved(tmp_path: Path) -> None:
    done = _robotarium(tmp_path, BEFORE, "--no-gui", "--record", "two.mcap", "script.py", "--speed", "3")
    assert done.returncode == 0, done.stderr
    assert "arrived ['--speed', '3'] __main__" in done.stdout
    fast = int(done.stdout.split("Simulation had ")[1].split()[0])
    assert 50 < fast < 178
    assert f"outside 0, too close 0, too fast {fast}: the Robotarium would take it" in done.stderr
    assert "recorded to two.mcap" in done.stderr
    with coopsim.open_recording(tmp_path / "two.mcap") as recording:
        *_, last = recording.records()
        places = last.poses[:2, :2]
    assert np.hypot(*(places - [[0.5, 0.4], [-0.6, -0.2]]).T).max() < 0.06
    words = [sys.executable, "-m", "coopsim", "verify", "two.mcap"]
    proof = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=LIMIT, check=False)
    assert proof.stdout.startswith("identical"), proof.stdout + proof.stderr


def test_a_script_of_today_drives_to_its_places_first_and_is_judged_and_limited_here(tmp_path: Path) -> None:
    words = "--no-gui", "--fast", "--record", "wall.mcap", "script.py"
    done = _robotarium(tmp_path, TODAYS, *words, path=TODAY)
    assert done.returncode == 0, done.stderr
    steps = int(done.stdout.split("debug ")[1].split()[0])
    # 40 steps of 0.033 s: the first at 0.2 m/s, which its wheels can, the second on a curve; both were at their places
    numbers = [float(word) for word in done.stdout.split("moved ")[1].split("{")[0].split()]
    assert numbers == pytest.approx([0.264, 0.131, 0.0, 0.66], abs=0.004)
    places = [float(word) for word in done.stdout.split("first ")[1].split("debug")[0].split()]
    assert places == pytest.approx([-0.5, 0.0, 0.5, 0.1], abs=0.04)
    assert f"{{'gyros': 4, 'encoders': {steps}}} 0" in done.stdout  # read four times, drawn never
    assert "{'exceeded_actuator_limits': 40}" in done.stdout
    assert "outside 0, too close 0, too fast 40: the Robotarium would take it" in done.stderr
    with coopsim.open_recording(tmp_path / "wall.mcap") as recording:
        assert "wall_1_1" in recording.attachments["run.json"]


def test_mistakes_of_a_script_are_its_own_and_named_by_its_line(tmp_path: Path) -> None:
    broken = BEFORE.replace("gap, x = 1.0", "gap, x = unknown")
    done = _robotarium(tmp_path, broken, "--no-gui", "script.py")
    assert done.returncode == 1
    assert done.stderr.startswith('Traceback (most recent call last):\n  File "')
    assert 'script.py", line 11, in <module>' in done.stderr
    assert "features/others" not in done.stderr
    endless = TODAYS.replace("[0.0, 0.5]]))", "[0.0, np.nan if k == 3 else 0.5]]))")
    done = _robotarium(tmp_path, endless, "--no-gui", "--fast", "script.py", path=TODAY)
    assert done.returncode == 1
    assert "script.py:18: expected finite velocities; those of robot 1 are [0.1, nan]" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_script_without_robots_and_a_missing_package_are_told(tmp_path: Path) -> None:
    done = _robotarium(tmp_path, "print('hello')", "--no-gui", "script.py")
    assert (done.returncode, done.stdout) == (1, "hello\n")
    assert "the script made no Robotarium: nothing was simulated" in done.stderr
    (tmp_path / "rps").mkdir()
    (tmp_path / "rps" / "__init__.py").touch()
    done = _robotarium(tmp_path, BEFORE, "--no-gui", "script.py")
    assert done.returncode == 1
    assert "the Python package rps, cannot be imported" in done.stderr
    assert "-m pip install git+https://github.com/robotarium" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_script_drives_robots_of_a_run_that_goes_on(tmp_path: Path) -> None:
    robots = "".join(f"[ROBOT_{k}]\ntype gternal\nname robot{k}\nposition {0.4 * k} 0 0\n\n" for k in range(1, 4))
    scenario = f"[SIMULATION]\nengine kinematic\nstep 0.033\nmode lockstep\n\n{robots}"
    with Run(scenario, "--no-controllers") as live:
        done = _robotarium(tmp_path, BEFORE, "--endpoint", live.endpoint, "script.py")
        assert done.returncode == 0, done.stderr
        assert "arrived" in done.stdout
        with connect(live.endpoint) as sim:
            place = sim.module("/robot1/tracker").call("pose").position
            assert np.hypot(place[0] - 0.5, place[1] - 0.4) < 0.06
            assert not sim.step.owners("robot1").owners
        many = TODAYS.replace("number_of_robots=2", "number_of_robots=9")
        many = many.replace("[[-0.5, 0.5], [0.0, 0.1], [0.0, 0.0]]", "[[0.1 * k for k in range(9)]] * 3")
        done = _robotarium(tmp_path, many, "--endpoint", live.endpoint, "--fast", "script.py", path=TODAY)
        assert done.returncode == 1
        assert "the script wants 9 robots; at the endpoint 3 have a module called tracker" in done.stderr
        done = _robotarium(tmp_path, BEFORE, "--endpoint", live.endpoint, "--record", "x.mcap", "script.py")
        assert done.returncode == 2
        assert "--record belongs to a simulation of this script's own" in done.stderr
