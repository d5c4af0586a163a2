"""A package of a stranger, as docs/plugins.md shows it: commands, readers, panels, laws and studies by entry points."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[3] / "docs" / "plugins.md"
SCENE = """[ROBOT_1]
type        dinghy
name        boat
[CONTROLLER_1]
run         moor
robots      boat
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the package of the page, as pip would leave it there."""
    text = PAGE.read_text(encoding="utf-8").partition("## A package\n")[2]
    module, project, jobs = re.findall(r"^```(?:python|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)[:3]
    folder = tmp_path_factory.mktemp("site")
    (folder / "harbour.py").write_text(module, encoding="utf-8")
    (folder / "tank.py").write_text(jobs, encoding="utf-8")
    facts = folder / "harbour-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: harbour\nVersion: 1.0\n")
    entries = re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", project).replace('"', "")
    (facts / "entry_points.txt").write_text(entries)
    return folder


def _run(installed: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(installed)}
    command = [sys.executable, "-m", "coopsim", *words]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def test_a_command_of_a_package_is_listed_and_done(installed: Path, tmp_path: Path) -> None:
    overview = _run(installed, tmp_path, "--help").stdout
    assert "Harbour:\n  tide  Say how high the water is.\n" in overview
    assert _run(installed, tmp_path, "tide", "--level", "2").stdout == "2 m\n"
    misspelt = _run(installed, tmp_path, "tid")
    assert (misspelt.returncode, "did you mean 'tide'?" in misspelt.stderr) == (2, True)


@pytest.mark.integration
def test_robots_of_files_that_a_package_reads_are_driven_by_its_law(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "dinghy.boat").write_text("2.5")
    (tmp_path / "sea.scenario").write_text(SCENE)
    checked = _run(installed, tmp_path, "check", "sea.scenario")
    assert checked.returncode == 0, checked.stderr
    run = _run(
        installed, tmp_path, "run", "sea.scenario", "--mode", "real-time", "--duration", "60", "--no-gui", "--port", "0"
    )
    assert run.returncode == 0, run.stderr
    assert "moored boat" in run.stdout + run.stderr


def test_a_reader_that_raises_is_named_with_its_line(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "dinghy.boat").write_text("long")
    (tmp_path / "sea.scenario").write_text(SCENE)
    checked = _run(installed, tmp_path, "check", "sea.scenario")
    assert checked.returncode == 1
    assert re.search(r"harbour\.py:\d+: .*ValueError: could not convert", checked.stderr + checked.stdout)
    assert "Traceback" not in checked.stderr


def test_a_law_of_a_package_checks_the_sections_that_run_it(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "dinghy.boat").write_text("2.5")
    second = "[ROBOT_2]\ntype        dinghy\nname        second\nposition    5 0 0\n"
    (tmp_path / "sea.scenario").write_text(f"{second}{SCENE} second\n".replace("boat\n second", "boat second"))
    checked = _run(installed, tmp_path, "check", "sea.scenario")
    assert checked.returncode == 1
    assert "sea.scenario:8:1: one boat is moored at a time" in checked.stderr + checked.stdout


def test_files_of_a_package_are_studied_by_its_kind_of_job(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "harbour.tank").write_text("30")
    words = ("sweep", "harbour.tank", "--set", "pump.flow=10,20,0", "--out", "study")
    swept = _run(installed, tmp_path, *words)
    rows = [json.loads(line) for line in (tmp_path / "study" / "runs.jsonl").read_text().splitlines()]
    results = {
        row["values"]["pump.flow"]: (row["success"], row["metrics"].get("hours"), row.get("error")) for row in rows
    }
    assert results == {
        "10": (False, 3.0, None),
        "20": (True, 1.5, None),
        "0": (False, None, "ZeroDivisionError: float division by zero (tank.py:13)"),
    }
    assert swept.returncode == 1, swept.stderr
    refused = _run(installed, tmp_path, *words[:4], "--jitter", "0.1", "--out", "second")
    assert (refused.returncode, "harbour.tank: the study of a tank has no --jitter" in refused.stderr) == (1, True)
