"""`coopsim export`: which options belong together, said before anything is read."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from coopsim.features.export.command import export


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ((), "say what to make: --csv, --jsonl, --parquet, --html, --mcap, --images or --yarp"),
        (("--csv", "t", "--full"), "--full belongs to --html PAGE"),
        (("--html", "p.html", "--wide"), "--wide belongs to --csv, --jsonl or --parquet"),
        (("--mcap", "m.mcap", "--wide"), "--wide belongs to --csv"),
        (("--html", "p.html", "--rate", "5"), "--rate belongs to --csv, --jsonl, --parquet, --mcap or --yarp"),
        (("--csv", "t", "--rate", "0"), "0"),
        (("--html", "p.txt"), ".html"),
        (("--mcap", "m.html"), ".mcap"),
    ],
)
def test_options_that_do_not_fit_are_wrong_usage(words: tuple[str, ...], says: str) -> None:
    result = CliRunner().invoke(export, ["gone.mcap", *words])
    assert result.exit_code == 2
    assert says in result.output


@pytest.mark.parametrize("words", [("--csv", "t"), ("--jsonl", "t", "--wide"), ("--html", "p.html", "--full")])
def test_options_that_fit_lead_to_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(export, ["gone.mcap", *words])
    assert "Usage" not in result.output
    assert "belongs" not in result.output
    assert result.exit_code != 0
    assert "gone.mcap" in f"{result.output} {result.exception}"
