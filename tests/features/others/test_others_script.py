"""A script as a program of its own: what ended it is told by its own line, other errors as Python does."""

from pathlib import Path

import pytest

from coopsim.errors import BadArgument
from coopsim.features.others.robotarium.script import report, run_script


def ended(script: Path, text: str) -> Exception:
    """Return what a script raised."""
    script.write_text(text, encoding="utf-8")
    with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever it is
        run_script(script)
    return caught.value  # type: ignore[return-value]


def test_a_script_is_the_main_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "own.py"
    script.write_text("print(__name__, __file__.rpartition('/')[2])\n", encoding="utf-8")
    run_script(script)
    assert capsys.readouterr().out == "__main__ own.py\n"


def test_an_error_of_ours_is_told_with_the_line_of_the_script_and_its_cure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "own.py"
    text = "from coopsim.errors import BadArgument\n\ndef refuse():\n    raise BadArgument('too fast')\n\nrefuse()\n"
    report(ended(script, text), script)
    words = capsys.readouterr().err
    assert f"{script}:6: too fast" in words
    assert (BadArgument.cure or "x") in words
    assert "Traceback" not in words


def test_any_other_error_is_told_as_python_does_from_the_script_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "own.py"
    report(ended(script, "def f():\n    return 1 / 0\n\nf()\n"), script)
    words = capsys.readouterr().err
    assert words.startswith("Traceback")
    assert words.count("own.py") == 2
    assert "runpy" not in words
    assert words.rstrip().endswith("ZeroDivisionError: division by zero")
