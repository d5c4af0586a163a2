"""A scenario of two robots that nobody drives."""

from pathlib import Path

import pytest
from app_runs import QUIET


@pytest.fixture
def quiet(tmp_path: Path) -> str:
    file = tmp_path / "quiet.scenario"
    file.write_text(QUIET)
    return str(file)
