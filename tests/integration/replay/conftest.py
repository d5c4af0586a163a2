"""A recording that is made once."""

from pathlib import Path

import pytest
from replay_scenes import record


@pytest.fixture(scope="session")
def short(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a recording of two robots, ticks 0 to 200."""
    return record(tmp_path_factory.mktemp("short") / "short.mcap", 200)
