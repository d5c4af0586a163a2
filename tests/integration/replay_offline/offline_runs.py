"""Real runs that are recorded, and recordings that are worked on by real commands."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

DEADLINE = 100.0
COOPSIM = (sys.executable, "-m", "coopsim")
CRASH = """
[ROBOT_1]
type single
name robot1
position 0 0 0

[ROBOT_2]
type single
name robot2
position 1.5 0.1 0
orientation 0 0 180

[SIMULATION]
mode free
seed 7
duration 4

[EVENT_1]
at 0.5
set robot1.sonars.noise 0.05
"""


def coopsim(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end; it must succeed."""
    done = completed(*arguments, **environment)
    assert done.returncode == 0, f"{arguments}: {done.stdout}{done.stderr}"
    return done


def completed(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    env = {key: value for key, value in os.environ.items() if key != "DISPLAY"} | environment
    return subprocess.run(
        [*COOPSIM, *arguments], capture_output=True, text=True, timeout=DEADLINE, env=env, check=False
    )


def last_json(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    """Return what a command said with --json."""
    return dict(json.loads(done.stdout.splitlines()[-1]))


def recorded(path: Path, scenario: str, *options: str, **environment: str) -> Path:
    """Run and record a scenario."""
    coopsim("run", scenario, "--no-gui", "--port", "0", "--record", str(path), *options, **environment)
    return path
