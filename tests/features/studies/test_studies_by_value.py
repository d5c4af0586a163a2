"""Studies value by value, and the values that are best: printed, in JSON, in `study.json` and on the page."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import pytest

from coopsim.app.main import run
from coopsim.features.studies.by_value import same_samples, summaries
from coopsim.features.studies.figures import effects, groups_of
from coopsim.features.studies.job import Row
from coopsim.features.studies.table import StudyTable, read_study

SWEEP = ["challenge", "--set", "FollowerController.Kv=0.05,0.35,1", "--set", "MyNormalizePower.motorCoef=60,100"]


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a study of the challenge: each gain with each wear, three seeds."""
    folder = tmp_path_factory.mktemp("swept")
    line = [*SWEEP, "--set", "Leader.behavior=4", "--seeds", "3", "--duration", "40", "--workers", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("signal.signal", lambda *_: None)
        assert run(["sweep", *line, "--best", "rms_error", "--out", str(folder / "study")]) == 0
    return folder / "study"


@pytest.fixture(autouse=True)
def _own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.chdir(tmp_path)


def row(value: str, seed: int, metric: float, state: str = "") -> Row:
    names = {"number": seed, "values": {"law.gain": value}, "seed": seed, "success": True, "goals": []}
    return {**names, "metrics": {"error": metric}, "ticks": 1, "state_hash": state or str(metric)}


def test_each_value_has_mean_deviation_and_number() -> None:
    rows = [row("10", 0, 4.0), row("2", 0, 1.0), row("2", 1, 2.0), row("2", 2, 6.0)]
    two, ten = summaries(rows, ["error"])
    assert (two.value, ten.value) == ("2", "10")  # as numbers
    assert (two.mean, two.sd, two.n) == (3.0, pytest.approx(stdev([1.0, 2.0, 6.0])), 3)
    assert ten.cells == ("law.gain", "10", "error", "4", "-", "1")
    assert ten.to_json()["sd"] is None


def test_samples_that_are_all_the_same_are_said() -> None:
    assert same_samples([row("1", 0, 4.0), row("1", 1, 5.0)]) == ""
    assert "every combination are identical" in same_samples([row("1", 0, 4.0), row("1", 1, 4.0)])
    some = [row("1", 0, 4.0), row("1", 1, 4.0), row("2", 0, 4.0), row("2", 1, 5.0)]
    assert "1 of 2 combinations are identical" in same_samples(some)
    assert same_samples([row("1", 0, 4.0, "a"), row("1", 1, 4.0, "b")]) == ""  # other runs with the same figure


def of_seeds(folder: Path, gain: str, wear: str) -> list[float]:
    rows = [row for row in read_study(folder).rows if list(row["values"].values())[:2] == [gain, wear]]
    return [row["metrics"]["rms_error"] for row in rows]


def test_the_best_of_each_context_is_in_the_folder(swept: Path) -> None:
    kept = json.loads((swept / "study.json").read_text(encoding="utf-8"))
    assert kept["best_by"] == ["rms_error"]
    assert kept["laws"] == ["FollowerController.Kv"]
    worn, new = kept["best"]
    assert worn["context"] == {"MyNormalizePower.motorCoef": "60", "Leader.behavior": "4"}
    for winner in (worn, new):
        samples = {
            gain: of_seeds(swept, gain, winner["context"]["MyNormalizePower.motorCoef"])
            for gain in ("0.05", "0.35", "1")
        }
        least = min(samples, key=lambda gain: mean(samples[gain]))
        assert winner["values"] == {"FollowerController.Kv": least}
        assert winner["mean"] == pytest.approx(mean(samples[least]))
        assert winner["sd"] == pytest.approx(stdev(samples[least]))
        assert winner["n"] == 3


def report(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["report", *words]) == 0
    return capsys.readouterr().out


def test_a_report_says_the_best_and_a_line_for_each_value(
    swept: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("plotly")
    page = tmp_path / "page.html"
    said = report(capsys, str(swept), "--out", str(page))
    text = page.read_text(encoding="utf-8")
    for line in re.findall(r"motorCoef=.*best by rms_error Kv=.*", said):
        assert f"<p>{line}</p>" in text
    assert len(re.findall(r"best by rms_error", said)) == 2
    assert re.search(r"FollowerController.Kv +0.35 +rms_error +[\d.]+ +[\d.]+ +6", said)
    assert "<td>FollowerController.Kv</td><td>0.35</td><td>rms_error</td>" in text
    output = report(capsys, str(swept), "--out", str(page), "--best", "overshoot", "--json")
    whole: dict[str, Any] = json.loads(output)
    assert {best["by"] for best in whole["best"]} == {"overshoot"}
    assert {value["n"] for value in whole["values"] if value["name"] == "FollowerController.Kv"} == {6}


def test_a_sweep_prints_the_same_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "single", "--set", "wander.speed=0.2,0.4", "--seeds", "2", "--duration", "1", "--workers", "1"]
    assert run([*words, "--best", "path_length_mean:max", "--out", "speeds", "--json"]) == 0
    whole: dict[str, Any] = json.loads(capsys.readouterr().out)
    (best,) = whole["best"]
    assert (best["values"], best["end"], best["n"]) == ({"wander.speed": "0.4"}, "max", 2)
    slow = [value for value in whole["values"] if (value["value"], value["metric"]) == ("0.2", "path_length_mean")]
    assert slow[0]["mean"] < best["mean"]
    assert slow[0]["n"] == 2


def of_study(rows: Sequence[Row]) -> StudyTable:
    import numpy as np

    metrics = {"error": np.array([row["metrics"]["error"] for row in rows])}
    return StudyTable("study", rows, ("law.gain",), metrics, (), {}, {})


def test_numbers_stand_as_far_apart_on_an_axis_as_they_are() -> None:
    pytest.importorskip("plotly")
    study = of_study([row("0.05", 0, 1.0), row("0.1", 1, 2.0), row("0.35", 2, 3.0)])
    (figure,) = effects(study, "error", {"law.gain": groups_of(study, "law.gain")})
    assert figure["layout"]["xaxis"]["type"] == "linear"
    assert figure["data"][0]["x"] == [0.05, 0.1, 0.35]
    words = of_study([row("vee", 0, 1.0), row("line", 1, 2.0)])
    (figure,) = effects(words, "error", {"law.gain": groups_of(words, "law.gain")})
    assert figure["layout"]["xaxis"]["type"] == "category"
