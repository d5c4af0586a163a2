"""`coopsim explain` and `coopsim completion`: what errors mean, and what a shell completes."""

import json
import shutil
import subprocess

import pytest

from coopsim.app.main import run
from coopsim.errors import all_errors


@pytest.fixture(autouse=True)
def _no_handlers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)


def test_each_error_is_explained_with_its_cure(capsys: pytest.CaptureFixture[str]) -> None:
    for number, error in all_errors().items():
        assert run(["explain", str(number)]) == 0
        shown = capsys.readouterr().out
        assert shown.startswith(f"{number} {error.__name__}: ")
        assert "What to do: " in shown
        assert shown.partition("What to do: ")[2].strip(), number


def test_all_errors_are_listed_a_line_each_for_people_and_whole_for_scripts(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain"]) == 0
    listed = capsys.readouterr().out
    assert all(f"{number:3}" in listed for number in all_errors())
    assert run(["explain", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["number"] for row in rows] == list(all_errors())
    assert all(row["means"] and row["name"] == all_errors()[row["number"]].__name__ for row in rows)
    assert run(["explain", "204", "--json"]) == 0
    (one_row,) = json.loads(capsys.readouterr().out)
    assert one_row == next(row for row in rows if row["number"] == 204)


@pytest.mark.parametrize("words", [["99999"], ["99999", "--json"]])
def test_a_number_of_no_error_is_refused_with_those_there_are(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["explain", *words]) == 1
    said = capsys.readouterr()
    assert "there is no error 99999; there are: " in said.err
    assert "204" in said.err
    assert not said.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_each_shell_gets_a_text_that_it_reads(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    said = capsys.readouterr()
    assert "_COOPSIM_COMPLETE" in said.out
    assert said.err.startswith("# ")
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=said.out, text=True, check=True, timeout=30)


def test_bash_completes_files_beside_names_of_scenes(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "bash"]) == 0
    text = capsys.readouterr().out
    assert "compgen -f" in text
    assert "compopt -o default" not in text


def test_a_shell_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "bash" in capsys.readouterr().err
