"""`coopsim compare`: how the run is begun that is compared."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest

from coopsim.errors import RunError
from coopsim.features.studies.commands import compare
from coopsim.launch import launcher


class Begun:
    """Takes the place of the launcher; notes with which options it was asked for."""

    options: Any = None
    exit_code, writes = 0, True

    def __init__(self, _spec: Any, options: Any, _talk: Any) -> None:
        Begun.options = options

    def run(self) -> SimpleNamespace:
        if Begun.writes:
            Begun.options.record.write_bytes(b"recording")
        return SimpleNamespace(exit_code=Begun.exit_code, reason="the controller of robot1 failed")


@pytest.fixture(autouse=True)
def _begun(monkeypatch: pytest.MonkeyPatch) -> None:
    Begun.options, Begun.exit_code, Begun.writes = None, 0, True
    monkeypatch.setattr(launcher, "Launcher", Begun)


def test_a_run_is_recorded_on_the_first_engine_at_any_free_port(tmp_path: Path) -> None:
    """So comparisons run beside one another, and beside a simulation on the usual port."""
    path = compare._recorded("single", ["kinematic", "pymunk"], 2.5, tmp_path)
    options = Begun.options
    assert (options.engine, options.duration, options.port) == ("kinematic", 2.5, 0)
    assert path == options.record
    assert path.is_file()


@pytest.mark.parametrize(
    ("section", "mode"), [("", "free"), ("[CONTROLLER_1]\nrun cruise\nrobots single\n", "lockstep")]
)
def test_controllers_are_waited_for_where_there_are_some(tmp_path: Path, section: str, mode: str) -> None:
    (tmp_path / "a.scenario").write_text(f"[ROBOT_1]\ntype single\nname single\n{section}")
    compare._recorded(str(tmp_path / "a.scenario"), ["pymunk", "kinematic"], 1.0, tmp_path)
    assert Begun.options.mode == mode


@pytest.mark.parametrize("code", [130, 143])
def test_who_ends_it_by_hand_is_not_told_more(tmp_path: Path, code: int) -> None:
    Begun.exit_code = code
    with pytest.raises(click.Abort):
        compare._recorded("single", ["pymunk", "kinematic"], 1.0, tmp_path)


@pytest.mark.parametrize(("code", "writes"), [(1, True), (0, False)])
def test_a_run_that_failed_is_not_compared(tmp_path: Path, code: int, writes: bool) -> None:
    Begun.exit_code, Begun.writes = code, writes
    with pytest.raises(RunError, match="the run on pymunk cannot be compared: the controller of robot1 failed"):
        compare._recorded("single", ["pymunk", "kinematic"], 1.0, tmp_path)
