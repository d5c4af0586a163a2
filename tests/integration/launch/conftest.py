"""Launchers whose processes are stand-ins."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from launch_scenes import Seen, spec

from coopsim.launch.launcher import Launcher
from coopsim.launch.options import RunOptions
from coopsim.launch.programs import Programs
from coopsim.launch.report import Report
from coopsim.robots import RunSpec

ONE_ROBOT = spec()
STANDIN = Path(__file__).with_name("launch_standin.py")


@pytest.fixture
def view() -> Seen:
    return Seen()


@pytest.fixture
def launch(view: Seen) -> Callable[..., Report]:
    """Return a function that runs stand-ins of given behaviours."""

    def run(
        physics: str = "good",
        host: str = "good",
        spec: RunSpec = ONE_ROBOT,
        tracks: bool = False,
        ready: Path | None = None,
        **patience: float,
    ) -> Report:
        programs = Programs(
            (sys.executable, str(STANDIN), physics, "physics"),
            (sys.executable, str(STANDIN), host, "host"),
            **{"start": 20.0, "grace": 5.0, "stop": 5.0, **patience},
        )
        options = RunOptions(port=0, max_robots=10, allow_commands=True, tracks=tracks, ready=ready)
        return Launcher(spec, options, view, programs).run()

    return run
