"""A folder with a plugin, a robot that carries it, and scenarios."""

from pathlib import Path

import pytest
from plugin_runs import LAW, MOODY, ROBOT, SCENARIO


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "moody.py").write_text(MOODY)
    (tmp_path / "carrier.robot").write_text(ROBOT)
    (tmp_path / "quiet.scenario").write_text(SCENARIO)
    (tmp_path / "brief.py").write_text(LAW.replace("LAST", "pass"))
    driven = SCENARIO + "[CONTROLLER_1]\nrun brief\nrobots robot1 robot2\n"
    (tmp_path / "driven.scenario").write_text(driven)
    return tmp_path
