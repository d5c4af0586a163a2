"""A folder for the programs of a page, and what the end of the test run says of pages that want a program."""

from pathlib import Path

import pytest
from blocks import ROOT

_WANTING = pytest.StashKey[list[str]]()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that looks like a clone, where programs may write."""
    for name in ("benchmarks", "clients", "docs", "scenarios", "worlds"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "recordings").mkdir()
    return tmp_path


@pytest.fixture
def wanting(request: pytest.FixtureRequest) -> list[str]:
    """Return lines that the end of the test run says."""
    return request.config.stash.setdefault(_WANTING, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the pages that were run only up to a block, for want of a program."""
    lines = config.stash.get(_WANTING, [])
    if lines:
        terminalreporter.section("pages that were not run to their end")
        for line in lines:
            terminalreporter.line(line)
