"""Words that people and programs read: help that fits, JSON, warnings, cures."""

import json
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from coopsim.app.main import cli, run


@pytest.fixture(autouse=True)
def _own_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


def _every_command(group: click.Group, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*words, name)
        if isinstance(command, click.Group):
            yield from _every_command(command, (*words, name))


def test_help_and_its_examples_fit_into_80_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for words in _every_command(cli):
        assert run([*words, "--help"]) == 0
        wide = [line for line in capsys.readouterr().out.splitlines() if len(line) > 80]
        assert wide == [], words


def test_scenes_and_check_print_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scenes", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert "formation" in {scenario["name"] for scenario in listed["scenarios"]}
    assert all(Path(world["file"]).is_file() and world["about"] for world in listed["worlds"])
    (tmp_path / "a.world").write_text("[FLOOR]\nsize 8 8\n", encoding="utf-8")
    assert run(["check", str(tmp_path / "a.world"), "single", "--json"]) == 1
    wrong, right = json.loads(capsys.readouterr().out)
    assert "takes 3 numbers" in wrong["mistakes"][0]
    assert right == {"file": "single", "mistakes": [], "warnings": []}


def test_a_run_that_cannot_begin_prints_the_warnings_that_check_prints(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.scenario"
    robot = "type single\nname robot1\nposition 0 0 0\norientation 0 0 3.14\ncolour red\n"
    file.write_text(f"[WORLD]\nfile arena.world\n\n[ROBOT_1]\n{robot}", encoding="utf-8")
    assert run(["check", str(file)]) == 1
    assert "3.14" in capsys.readouterr().out
    assert run(["run", str(file)]) == 1
    complaint = capsys.readouterr().err
    assert "colour" in complaint
    assert "3.14 degrees" in complaint


def test_a_machine_without_any_temporary_directory_is_told_the_cure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("tempfile._candidate_tempdir_list", lambda: [str(tmp_path / "none")])
    assert run(["compare", "single", "--engines", "pymunk", "mujoco", "--duration", "0.1"]) == 1
    complaint = capsys.readouterr().err
    assert "No usable temporary directory" in complaint
    assert "error 503: make one that you can write, and name it: TMPDIR=" in complaint
