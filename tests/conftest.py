"""Settings of all tests."""

import os
import signal
import subprocess
from collections.abc import Generator
from typing import Any

import forked_python
import pytest
import run_report
import shared_collection
from hypothesis import HealthCheck, settings

# programs of a run take a tenth of the time to begin
forked_python.install()

# on a machine that runs several test files at once, a process may get no processor for seconds
os.environ.setdefault("COOPSIM_TIMEOUT", "10")

# ... and an example that waits for it is no slow one; where CI is set, hypothesis does so by itself
if "CI" not in os.environ:
    settings.register_profile("busy machine", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy machine")

# no test opens a window on the desktop of whoever runs it
os.environ.pop("DISPLAY", None)

# ... nor does the width of their terminal break lines of what is compared
os.environ.pop("COLUMNS", None)

# a shell lets what it starts in the background ignore Ctrl-C, and so would the programs that the tests interrupt
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

PAGES, TOGETHER = "test_examples_pages.py", "features/web/window"
LONGEST = (
    "test_install_wheel.py",
    PAGES,
    "test_engines_in_runs.py",
    "test_conformance_clients.py",
    "test_recording_deaths.py",
    "test_replay_offline_commands.py",
    "test_client_run.py",
    "test_app_run.py",
    "test_plugins_run.py",
    "test_replay_run.py",
    "test_papers_amsa_ros.py",
    "test_launch_kill_table.py",
    "test_app_access.py",
    "test_faults_network.py",
    "test_recording_runs.py",
)
"""Files that take longest; they are begun first, so that all workers end together."""


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Let the workers of a run share what collecting costs."""
    shared_collection.begin(session.config)
    try:
        return (yield)
    finally:
        shared_collection.end()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the longest files first; the tests of each stay together."""
    rank = {name: number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: rank.get(item.path.name, len(rank)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let a test that failed say how its simulations stand."""
    report = yield
    if report.failed:
        run_report.add_to(report)
    return report


@pytest.fixture
def from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin programs from nothing: one that is forked has a process more, the server of its forks."""
    monkeypatch.setattr(subprocess, "Popen", forked_python.PlainPopen)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give each worker one file after another in this order, and one page after another, since pages share nothing.

    The files of a folder that share a browser stay together.
    """
    if config.getvalue("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class LongestFirst(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            folder = file.rpartition("/")[0]
            return nodeid if file.endswith(PAGES) else folder if folder.endswith(TOGETHER) else file

    config.option.loadscopereorder = False  # it would put the files with the most tests first
    return LongestFirst(config, log)
