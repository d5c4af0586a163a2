"""`coopsim components`: the challenge through both scenarios, and what is wrong said in words."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coopsim import plugins
from coopsim.app.main import run
from coopsim.features.amsa.components.files import BUILT_IN
from coopsim.features.amsa.components.measures import FIGURES


@pytest.fixture(autouse=True)
def _own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    monkeypatch.setattr("signal.signal", lambda *_: None)
    monkeypatch.chdir(tmp_path)
    yield
    for loose in plugins.loose_files():
        plugins.forget(loose.path)


def figures(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
    assert run(["components", "run", "challenge", *words, "--json"]) == 0
    report: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    return report


def test_the_last_line_holds_the_figures_of_each_phase(capsys: pytest.CaptureFixture[str]) -> None:
    report = figures(capsys, "--scenario", "scenario2", "--plot", "distance.svg")
    assert [phase["at"] for phase in report["phases"]] == [0.0, 100.0]
    assert set(report["phases"][0]) == {"at", "parameters", *FIGURES}
    assert report["phases"][1]["parameters"]["MyFollowerController.Kv"] == 0.05
    assert report["real_time_factor"] > 0
    assert "reference 15" in Path("distance.svg").read_text()


def test_parameters_are_set_at_the_start_and_costs_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    report = figures(capsys, "--set", "MyNormalizePower.motorCoef=0", "--duration", "10", "--settle", "0", "--cost")
    (phase,) = report["phases"]
    assert phase["final_distance"] == pytest.approx(15 + 4.35 * 9.9)  # the follower stands, the leader drives
    assert {leaf["name"]: leaf["steps"] for leaf in report["leaves"]}["FollowerGPS"] == 40


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_all_data_over_time_become_a_table(suffix: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = figures(capsys, "--duration", "5", "--settle", "0", "--series", f"all{suffix}")
    if suffix == ".parquet":
        rows = pytest.importorskip("pyarrow.parquet").read_table("all.parquet").to_pylist()
    elif suffix == ".jsonl":
        rows = [json.loads(line) for line in Path("all.jsonl").read_text().splitlines()]
    else:
        names, *lines = (line.split(",") for line in Path("all.csv").read_text().splitlines())
        rows = [dict(zip(names, map(float, line), strict=True)) for line in lines]
    assert len(rows[0]) == 16  # the time and fifteen data
    assert [row["time"] for row in rows[:4]] == pytest.approx([0.0, 0.1, 0.2, 0.25])
    assert rows[-1]["distanceFollowerLeader"] == report["phases"][0]["final_distance"]
    assert max(row["distanceFollowerLeader"] for row in rows) == report["phases"][0]["max_distance"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["run", "chalenge"], "no file 'chalenge'; did you mean 'challenge'?"),
        (["run", "challenge", "--scenario", "scenario3"], "no file 'scenario3'; did you mean 'scenario"),
        (["run", "challenge", "--set", "Kv=1"], "expected LEAF.NAME=VALUE"),
        (["run", "challenge", "--set", "MyFollowerController.Kv=3"], "Kv must lie within 0 and 2"),
        (["run", "challenge", "--set", "Folower.Kv=3"], "no component 'Folower' (Folower → Follower?)"),
        (["run", "challenge", "--series", "a.txt"], "--series a.txt: expected a name that ends with .csv"),
        (["run", "challenge", "--series", "no/where/a.csv"], "there is no folder"),
        (["run", "bad.amsa"], "bad.amsa:1:12: expected"),
        (["check", "bad.amsa"], "bad.amsa:1:12: expected"),
        (["run", "unknown.amsa"], "nothing says what template 'T' does"),
        (["format", "bad.amsa"], "bad.amsa:1:12: expected"),
    ],
)
def test_a_mistake_is_said_in_words(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.amsa").write_text("System s { 3 }")
    Path("unknown.amsa").write_text("Template T { output x } System s { sensor a : T { x -> d; } }")
    assert run(["components", *words]) in (1, 2)
    printed = "".join(capsys.readouterr())
    assert said in printed
    assert "Traceback" not in printed


def test_a_leaf_that_fails_is_named_once_and_the_exit_code_says_it(capsys: pytest.CaptureFixture[str]) -> None:
    Path("half.py").write_text('PLUGINS = {"components": {"Half": lambda inputs, _: 1 / 0}}')
    Path("half.amsa").write_text("Template Half { output x } System s { sensor a : Half { x -> d; } }")
    assert run(["components", "run", "half.amsa", "--plugin", "half.py", "--duration", "5"]) == 1
    printed = capsys.readouterr().err
    assert printed.count("half.py:1: component a: ZeroDivisionError") == 1
    assert "a is switched off" in printed


def test_check_prints_the_order_and_draw_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["components", "check", "challenge", str(BUILT_IN / "scenario1.amsascenario")]) == 0
    assert "order of challenge: Leader LeaderGPS" in capsys.readouterr().err
    assert run(["components", "draw", "challenge", "-o", "graph.svg"]) == 0
    drawn = Path("graph.svg").read_text()
    assert drawn.count("stroke-dasharray") == 6  # five late links, and the legend
    assert "MyFollowerController" in drawn


def test_format_changes_a_file_once(capsys: pytest.CaptureFixture[str]) -> None:
    file = Path("mine.amsascenario")
    file.write_text((BUILT_IN / "scenario1.amsascenario").read_text())
    assert run(["components", "format", "--check", str(file)]) == 1
    assert run(["components", "format", str(file)]) == 0
    assert run(["components", "format", "--check", str(file)]) == 0
    assert capsys.readouterr().out.splitlines() == [f"would change: {file}", f"changed: {file}"]


MISSPELT = """Scenario wrong {
  ParamEvent at 0 on scenarioNode { FolowerGPS.lostDataGPS = 50; }
  ParamEvent at 5 on NoSuch { Leader.behavior = 2; }
}"""


@pytest.mark.parametrize("words", [["check", "challenge", "wrong.amsascenario"], ["run", "challenge", "--scenario"]])
def test_a_scenario_names_leaves_or_the_system_and_nothing_near_them(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """A-59, A-87: events are on leaves or on the system."""
    Path("wrong.amsascenario").write_text(MISSPELT)
    assert run(["components", *words, *(["wrong.amsascenario"] if words[0] == "run" else [])]) == 1
    said = "".join(capsys.readouterr())
    assert "wrong.amsascenario:2:37: no component 'FolowerGPS'; did you mean 'FollowerGPS'?" in said
    assert "wrong.amsascenario:3:22: no component 'NoSuch'" in said
    assert "    ParamEvent at 5 on NoSuch {" in said  # the line itself


def test_a_scenario_is_checked_against_the_systems_that_are_given_with_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["components", "check", "challenge", "scenario2"]) == 0
    assert "scenario scenario2 fits system challenge" in capsys.readouterr().err
    Path("far.amsascenario").write_text("Scenario far { ParamEvent at 0 on Leader { behavior.x = 1; Leader.Kv = 9; } }")
    assert run(["components", "check", "challenge", "far.amsascenario"]) == 1
    said = capsys.readouterr().out
    assert "no component 'behavior'" in said
    assert "Leader has no parameter 'Kv'" in said


def test_a_parameter_that_several_leaves_have_is_told_with_its_leaf(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["components", "run", "challenge", "--scenario", "scenario2", "--duration", "30"]) == 0
    said = capsys.readouterr().out
    assert "motorCoef=60 LeaderGPS.lostDataGPS=10" in said


def test_phases_are_compared_by_the_figure_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    report = figures(capsys, "--scenario", "scenario2", "--best", "rms_error", "--best", "max_error")
    assert report["best"] == {"rms_error": 0.0, "max_error": 100.0}
    assert run(["components", "run", "challenge", "--best", "rms_eror"]) == 2
    assert "did you mean 'rms_error'?" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("two.amsascenario", "Scenario a { }\nScenario b { }", "two.amsascenario:2:10: expected one Scenario, found 2"),
        ("none.amsa", "", "none.amsa:1:1: expected a System"),
        ("bare.amsa", "System x { }", "bare.amsa:1:8: system x has no components"),
        (
            "by.amsa",
            "Template T { output x } System s { sensor a : T { x -> d; } evaluate d reference 1 by rms; }",
            "rms",
        ),
    ],
)
def test_files_that_say_too_little_or_too_much_are_told(
    name: str, text: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path(name).write_text(text)
    words = ["run", "challenge", "--scenario", name] if name.startswith("two") else ["check", name]
    assert run(["components", *words]) == 1
    assert said in "".join(capsys.readouterr())
    if words[0] == "check":
        assert run(words) == 1  # `coopsim check` says the same
        assert said in "".join(capsys.readouterr())
