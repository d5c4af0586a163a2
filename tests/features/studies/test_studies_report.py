"""The page of a study, and what two of them say together."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from coopsim.app import main
from coopsim.errors import BadArgument
from coopsim.features.studies.comparing import differences
from coopsim.features.studies.report import MOST_ROWS, comparison_words
from coopsim.features.studies.table import read_study

pytestmark = pytest.mark.timeout(400)  # plotly and scipy are long in coming on a busy machine


def keep(folder: Path, offset: float = 0.0, runs: int = 40) -> Path:
    """Write a study of two values; the second one makes ways longer by 1."""
    chance = np.random.default_rng(0)
    rows = []
    for number in range(runs):
        speed = "0.2" if number % 2 else "0.4"
        way = float(chance.normal(1.0 + (speed == "0.4") + offset, 0.1))
        goals: list[dict[str, object]] = [
            {"name": "g", "kind": "score", "of": "way", "met": None, "at": None, "value": way},
            {"name": "there", "kind": "reach", "of": "red", "met": number % 4 == 0, "at": None, "value": way},
        ]
        row = {"number": number, "values": {"wander.speed": speed}, "seed": number // 2, "success": number != 3}
        rows.append({**row, "goals": goals, "metrics": {"time": 2.0, "noise": float(chance.random()), "way": way}})
    rows[3] |= {"goals": [], "metrics": {}, "error": "</script> it fell over"}
    folder.mkdir()
    (folder / "runs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows) + '{"torn')
    return folder


def test_the_page_says_it_in_words_figures_and_a_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = keep(tmp_path / "study")
    assert main.run(["report", str(folder)]) == 0
    printed = capsys.readouterr().out
    page = (folder / "report.html").read_text()
    assert "39 of 40 runs succeeded, 1 failed." in printed
    assert "Goal there: met in 10 of 39 runs.\n1 run failed: </script> it fell over\n" in printed
    assert "time:" not in printed  # it is the same in all runs
    assert page.index("<h2>way</h2>") < page.index("<h2>noise</h2>")
    assert page.count('<div class="figure">') == 6
    rows = json.loads(re.search(r'<script id="rows"[^>]*>(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert rows[0]["error"] == "</script> it fell over"
    assert len(rows) == 40
    assert not re.search(r"<(script|link|img)[^>]* (src|href)=", page)


def test_a_large_study_makes_a_page_that_can_be_opened(tmp_path: Path) -> None:
    folder = keep(tmp_path / "study", runs=3000)
    assert main.run(["report", str(folder), "--out", str(tmp_path / "page.html")]) == 0
    page = (tmp_path / "page.html").read_text()
    assert len(page) < 8e6
    assert page.count('"run": ') == MOST_ROWS


def test_two_studies_differ_where_chance_does_not_explain_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    left, right = keep(tmp_path / "one"), keep(tmp_path / "other", 0.5)
    difference_of = {difference.name: difference for difference in differences(read_study(left), read_study(right))}
    assert difference_of["way"].low < 0.5 < difference_of["way"].high
    assert difference_of["way"].is_clear
    assert not difference_of["success"].is_clear
    assert main.run(["report", str(left), str(right)]) == 0
    printed = capsys.readouterr().out
    assert "way: 1.5" in printed
    assert (left / "report-other.html").exists()


def test_two_studies_of_different_versions_are_said_to_be(tmp_path: Path) -> None:
    asked = {"versions": {"coopsim": "1.0", "numpy": "2.1", "numba": "0.6"}, "plugins": {"law.py": "aa"}}
    newer = {"versions": {"coopsim": "1.1", "numpy": "2.1", "mujoco": "3"}, "plugins": {"law.py": "bb"}}
    folders = [keep(tmp_path / "one", runs=4), keep(tmp_path / "other", runs=4), keep(tmp_path / "unknown", runs=4)]
    for folder, text in zip(folders, (asked, newer), strict=False):
        (folder / "study.json").write_text(json.dumps(text))
    left, two, unknown = map(read_study, folders)
    lines = comparison_words(left, two, [])
    assert "coopsim 1.0 and 1.1, numba 0.6 and none, mujoco none and 3" in lines[0]
    assert "different plugins: law.py" in lines[1]
    assert len(comparison_words(left, left, [])) == len(comparison_words(left, unknown, [])) == 1


def test_a_folder_without_a_study_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadArgument, match="holds no study"):
        read_study(tmp_path)


@pytest.mark.parametrize(
    ("line", "missing"), [('{"number": 0, "values": {}}', "goals, metrics"), ("null", "everything")]
)
def test_rows_of_another_version_are_told(
    tmp_path: Path, line: str, missing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = keep(tmp_path / "study", runs=4)
    with (folder / "runs.jsonl").open("w") as file:
        file.write(f"{line}\n")
    assert main.run(["report", str(folder)]) == 1
    said = capsys.readouterr().err
    assert "not written by this version of coopsim" in said
    assert missing in said


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"goals": [{"name": "g", "met": True}]}, "goals: expected goals with name, kind, of, met"),
        ({"goals": 7}, "goals: expected goals"),
        ({"metrics": {"way": "far"}}, "metrics: expected numbers by name, found {'way': 'far'}"),
        ({"values": ["0.2"]}, "values: expected words and numbers by name"),
        ({"number": "3"}, "number: expected a whole number from 0, found '3'"),
        ({"success": None}, "success: expected true or false"),
        ({"error": {"a": 1}}, "error: expected a text"),
    ],
)
def test_a_row_of_the_wrong_types_is_told_with_its_line(
    tmp_path: Path, change: dict[str, object], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = keep(tmp_path / "study", runs=4) / "runs.jsonl"
    lines = file.read_text().splitlines()
    lines[2] = json.dumps(json.loads(lines[2]) | change)
    file.write_text("\n".join(lines))
    assert main.run(["report", str(file.parent)]) == 1
    said = capsys.readouterr().err
    assert f"runs.jsonl:3:1: {told}" in said


def test_nothing_in_a_row_ends_the_script_that_holds_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = keep(tmp_path / "study", runs=8) / "runs.jsonl"
    file.write_text(file.read_text().replace('"0.2"', '"<!--<script>"'))
    assert main.run(["report", str(file.parent)]) == 0
    page = (file.parent / "report.html").read_text()
    capsys.readouterr()
    assert "<!--<script>" not in page
    (rows,) = re.findall(r'<script id="rows"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert "<" not in rows
    assert any(row["wander.speed"] == "<!--<script>" for row in json.loads(rows))


def test_a_study_answers_questions_in_sql(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    left, right = str(keep(tmp_path / "one")), str(keep(tmp_path / "other", 0.5))
    sql = 'select "wander.speed" as speed, count(*) as runs, avg(way) > 1.5 as far from runs group by 1 order by 1'
    assert main.run(["report", left, "--query", sql, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert rows == [{"speed": 0.2, "runs": 20, "far": False}, {"speed": 0.4, "runs": 20, "far": True}]
    sql = "select avg(other.way - runs.way) as more from runs join other using (run)"
    assert main.run(["report", left, right, "--query", sql]) == 0
    assert re.fullmatch(r"more\s+-*\s*0\.(5|49|50)\d*\s*", capsys.readouterr().out)
    assert main.run(["report", left, "--query", "select wya from runs"]) == 1
    assert '"way"' in capsys.readouterr().err  # DuckDB names the nearest column
