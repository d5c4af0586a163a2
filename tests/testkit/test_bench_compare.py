"""Two runs of a benchmark side by side."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.files.figures import at_least, at_most
from coopsim.testkit.bench.command import bench
from coopsim.testkit.bench.compare import Pair


def run_of(folder: Path, name: str, *rows: dict[str, Any], before: str = "") -> str:
    file = folder / f"{name}.json"
    file.write_text(before + json.dumps({"results": rows}), encoding="utf-8")
    return str(file)


def cost(case: str, value: float | None) -> dict[str, Any]:
    return {"case": case, "unit": "ms", "value": value}


def rate(case: str, value: float) -> dict[str, Any]:
    return {"case": case, "unit": "x", "value": value}


def compared(*arguments: str) -> Result:
    return CliRunner().invoke(bench, ["compare", *arguments], standalone_mode=False)


def line_of(case: str, result: Result) -> str:
    (line,) = (line for line in result.output.splitlines() if line.startswith(f"{case} "))
    return line


def test_what_takes_less_time_is_better_and_so_is_what_is_faster(tmp_path: Path) -> None:
    first = run_of(tmp_path, "a", cost("open", 10.0), rate("tick", 20.0), cost("seek", 4.0))
    second = run_of(tmp_path, "b", cost("open", 5.0), rate("tick", 10.0), cost("seek", 4.1))
    result = compared(first, second)
    assert result.return_value == 0
    assert line_of("open", result).split()[-2:] == ["2", "better"]
    assert line_of("tick", result).split()[-2:] == ["0.5", "WORSE"]
    assert line_of("seek", result).endswith("same")


@pytest.mark.parametrize("unit", ["x", "x real time", "ratio", "images/s", "frames/s"])
def test_of_rates_more_is_better(tmp_path: Path, unit: str) -> None:
    first, second = ({"case": "one camera", "unit": unit, "value": value} for value in (100.0, 200.0))
    result = compared(run_of(tmp_path, "a", first), run_of(tmp_path, "b", second))
    assert line_of("one camera", result).split()[-2:] == ["2", "better"]


@pytest.mark.parametrize("bound", [0.5, 1.5, 3.0])
def test_a_bound_says_whether_more_is_better(tmp_path: Path, bound: float) -> None:
    runs = [[at_least("speed", "1", value, bound), at_most("delay", "1", value, bound)] for value in (1.0, 2.0)]
    result = compared(run_of(tmp_path, "a", *runs[0]), run_of(tmp_path, "b", *runs[1]))
    assert line_of("speed", result).split()[-2:] == ["2", "better"]
    assert line_of("delay", result).split()[-2:] == ["0.5", "WORSE"]


def test_a_bound_of_the_ratio_says_nothing_of_the_value(tmp_path: Path) -> None:
    rows = [{**cost("step", us), "ratio": 100.0 / us, "bound": 0.8, "ok": us < 125.0} for us in (100.0, 50.0)]
    result = compared(run_of(tmp_path, "a", rows[0]), run_of(tmp_path, "b", rows[1]))
    assert line_of("step", result).split()[-2:] == ["2", "better"]


def test_what_is_worse_than_fail_below_is_named_and_is_exit_code_1(tmp_path: Path) -> None:
    first = run_of(tmp_path, "a", cost("open", 10.0), cost("seek", 10.0))
    second = run_of(tmp_path, "b", cost("open", 11.0), cost("seek", 30.0))
    assert compared(first, second, "--fail-below", "0.3").return_value == 0
    result = compared(first, second, "--fail-below", "0.5", "--json")
    assert result.return_value == 1
    assert "below 0.5: seek\n" in result.output
    report = json.loads(result.output.splitlines()[-1])
    assert (report["ok"], [row["verdict"] for row in report["results"]]) == (False, ["same", "WORSE"])


def test_cases_of_one_run_alone_are_listed_and_do_not_count(tmp_path: Path) -> None:
    first = run_of(tmp_path, "a", cost("open", 1.0), cost("old", 1.0), cost("never", None))
    second = run_of(tmp_path, "b", cost("new", 1.0), cost("open", 1.0), cost("never", None))
    result = compared(first, second, "--fail-below", "1")
    assert result.return_value == 0
    assert line_of("old", result).endswith("only in A")
    assert line_of("new", result).endswith("only in B")
    assert line_of("never", result).endswith("not measured")


def test_the_same_case_with_other_numbers_of_robots_is_another_case(tmp_path: Path) -> None:
    rows = [{**rate("W", value), "robots": robots} for value, robots in ((3.0, 10), (2.0, 100))]
    result = compared(run_of(tmp_path, "a", *rows), run_of(tmp_path, "b", *reversed(rows)))
    assert "W, 10 robots" in result.output
    assert result.output.count("same") == 2


def test_cases_of_one_name_are_told_apart_by_their_order(tmp_path: Path) -> None:
    first = run_of(tmp_path, "a", cost("step", 1.0), cost("step", 2.0))
    second = run_of(tmp_path, "b", cost("step", 1.0), cost("step", 8.0))
    assert line_of("step #2", compared(first, second)).split()[-2:] == ["0.25", "WORSE"]


def test_the_output_of_a_benchmark_with_its_table_is_read_too(tmp_path: Path) -> None:
    first = run_of(tmp_path, "a", cost("open", 1.0), before="case  value\n----  -----\nopen      1\n")
    assert compared(first, first).return_value == 0


def test_nothing_lost_stays_the_same_and_something_lost_is_worse() -> None:
    assert Pair("ticks lost", "1", 0.0, 0.0).gain == 1.0
    assert Pair("ticks lost", "1", 0.0, 3.0).verdict(0.1) == "WORSE"
    assert Pair("ticks lost", "1", 3.0, 0.0).verdict(0.1) == "better"


@pytest.mark.parametrize("text", ["", "no JSON", "[]", '{"results": 3}', '{"results": [3]}', '{"results": [{}]}', "3"])
def test_a_file_that_is_no_run_is_refused_with_the_command_that_makes_one(tmp_path: Path, text: str) -> None:
    file = tmp_path / "a.json"
    file.write_text(text, encoding="utf-8")
    result = compared(str(file), str(file))
    assert "a.json: no run of a benchmark; `coopsim bench NAME --json > FILE` saves one" in str(result.exception)


def test_runs_of_different_benchmarks_are_refused(tmp_path: Path) -> None:
    first, second = run_of(tmp_path, "a", cost("open", 1.0)), run_of(tmp_path, "b", cost("seek", 1.0))
    assert "no case in common" in str(compared(first, second).exception)


def test_a_case_in_two_units_is_refused(tmp_path: Path) -> None:
    first, second = run_of(tmp_path, "a", cost("open", 1.0)), run_of(tmp_path, "b", rate("open", 1.0))
    assert "open: one file has it in ms and the other in x" in str(compared(first, second).exception)


@given(st.floats(1e-6, 1e6), st.floats(1e-6, 1e6), st.booleans())
def test_a_gain_seen_from_the_other_side_is_its_inverse(first: float, second: float, is_rate: bool) -> None:
    forward, back = Pair("", "x", first, second, is_rate).gain, Pair("", "x", second, first, is_rate).gain
    assert forward is not None
    assert back is not None
    assert forward * back == pytest.approx(1.0)
