"""What this process makes of the scene, and what the end of the test run says about other Pythons."""

import pytest
from determinism_child import states
from determinism_pythons import Outcome

from coopsim.recording import versions

PYTHONS = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def here() -> Outcome:
    """Return what this process makes of the scene."""
    return Outcome(states(), versions())


@pytest.fixture
def report(request: pytest.FixtureRequest) -> list[str]:
    """Return lines that the end of the test run says."""
    return request.config.stash.setdefault(PYTHONS, [])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Name the other Pythons, and say what became of the same scene with each."""
    lines = config.stash.get(PYTHONS, [])
    if lines:
        terminalreporter.section("the same scene with other Pythons")
        for line in lines:
            terminalreporter.line(line)
