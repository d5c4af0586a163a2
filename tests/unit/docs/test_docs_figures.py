"""The script that measures what the pages say in numbers: which benchmarks, and what is kept of a run."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

from coopsim.testkit.bench.command import bench

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def figures() -> Iterator[ModuleType]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
        import figures

        yield figures


def test_every_benchmark_of_the_program_is_measured_and_has_a_table(figures: ModuleType) -> None:
    measured = figures.benchmarks()
    assert {*bench.list_commands(click.Context(bench)), "types", "install"} == {*measured, *figures.NO_BENCHMARKS}
    page = "".join(
        (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        for name in ("performance", "accuracy", "robots", "web")
    )
    for name in [*measured, "first_hour"]:
        assert f"<!-- generated: figures {name} -->" in page


def test_a_trial_is_quick_where_the_benchmark_can_be(figures: ModuleType) -> None:
    assert figures.quickened("faults", ["coopsim", "bench", "faults"])[-1] == "--quick"
    assert figures.quickened("types", figures.benchmarks()["types"])[-4:] == ["--robots", "100", "--seconds", "0.05"]
    assert figures.quickened("install", ["python", "install.py"]) == ["python", "install.py"]


def test_a_run_is_kept_with_its_machine_its_versions_and_its_load(
    figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "bench.py"
    program.write_text('print(\'a table\'); print(\'{"results": [{"case": "x", "value": 1}]}\')', encoding="utf-8")
    monkeypatch.setattr(figures, "RESULTS", tmp_path / "results")
    figures.keep("mine", figures.measured(["python", str(program)]))
    kept = json.loads((tmp_path / "results" / "mine.json").read_text(encoding="utf-8"))
    assert kept["results"] == [{"case": "x", "value": 1}]
    assert kept["machine"]["cores"] >= 1
    assert set(kept["versions"]) > {"Python", "numpy"}
    assert kept["load"] >= 0.0


def test_a_benchmark_that_is_not_there_is_wrong_usage(figures: ModuleType) -> None:
    with pytest.raises(SystemExit) as ended:
        figures.main(["nothing"])
    assert ended.value.code == 2


def test_a_benchmark_that_fails_is_exit_code_1_and_keeps_nothing(
    figures: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(command: object) -> None:
        raise subprocess.CalledProcessError(3, str(command))

    monkeypatch.setattr(figures, "measured", fail)
    monkeypatch.setattr(figures, "RESULTS", tmp_path)
    monkeypatch.setattr(figures, "PAGES", tmp_path / "pages.py")
    (tmp_path / "pages.py").write_text("", encoding="utf-8")
    assert figures.main(["tick"]) == 1
    assert "tick: exit code 3" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.json"))
