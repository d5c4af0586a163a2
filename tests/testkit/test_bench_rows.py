"""Rows of the benchmarks of lockstep, faults and serving: what is compared with what."""

import contextlib
import json
import os
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from coopsim.errors import NoReply
from coopsim.features.files.figures import at_least
from coopsim.testkit.bench.command import bench
from coopsim.testkit.bench.lockstep import BATCHED, GROUPS, NAIVE, PLAIN, STRANGER, Round, rows_of
from coopsim.testkit.bench.measuring import cpu
from coopsim.testkit.bench.measuring.workers import COMMAND
from coopsim.testkit.own_bench import edits as bench_edits
from coopsim.testkit.own_bench import faults as bench_faults
from coopsim.testkit.own_bench import serve as bench_serve
from coopsim.testkit.own_bench import window as bench_window
from coopsim.testkit.own_bench.measuring import window_parts
from coopsim.testkit.own_bench.measuring.misbehaving import Subprocess
from coopsim.testkit.own_bench.measuring.pacing import STEP_NS, pace
from coopsim.testkit.own_bench.measuring.step_parts import PARTS, StepParts
from coopsim.testkit.own_bench.step import path_of
from coopsim.testkit.own_bench.step import rows_of as step_rows


def test_a_value_is_compared_with_its_bound_and_with_raw() -> None:
    row = bench_faults._row("x", "ms", 4.0, 5.0, 2.0)
    assert (row["ok"], row["ratio"]) == (True, 2.0)
    assert not bench_faults._row("x", "ms", 6.0, 5.0)["ok"]


def test_exchanges_of_others_are_bound_by_their_ratio() -> None:
    assert bench_faults._others("x", 100.0, 199.0)["ok"]
    assert not bench_faults._others("x", 100.0, 201.0)["ok"]


def test_lateness_counts_from_the_schedule_of_the_punctual_records() -> None:
    ticks = np.arange(1000.0)
    walls = ticks * STEP_NS + 5e6
    walls[500] += 3e6
    late = bench_serve._behind(walls - ticks * STEP_NS)
    assert late[500] == pytest.approx(3.0)
    assert np.delete(late, 500).max() == 0.0


def test_a_process_that_dies_at_its_work_is_told_from_one_that_works() -> None:
    assert Subprocess(sum, (1, 2))() == 3
    with pytest.raises(NoReply, match="abort"):
        Subprocess(__import__("os").abort)()


def test_ticks_are_paced_and_never_early() -> None:
    begun, bare, is_permitted = pace(0.2, has_priority=False)
    assert is_permitted
    assert begun.shape == bare.shape == (20,)
    assert min(begun.min(), bare.min()) >= 0.0


def test_faults_reports_every_row_of_its_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    class Nothing:
        endpoint = plain = ""

        def __init__(self, *_: object) -> None: ...

        def __enter__(self) -> "Nothing":
            return self

        def __exit__(self, *_: object) -> None: ...

    monkeypatch.setattr(bench_faults, "Run", Nothing)
    monkeypatch.setattr(bench_faults, "LatencyProbe", Nothing)
    row = bench_faults._row("case", "ms", 1.0, 2.0)
    for part in ("_controllers", "_payloads", "_deaf", "_connections", "_churn"):
        monkeypatch.setattr(bench_faults, part, lambda *_, part=part: [{**row, "case": part}])
    done = CliRunner().invoke(bench, ["faults", "--quick", "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.output.splitlines()[-1])["results"]
    assert [row["case"] for row in rows] == ["_controllers", "_payloads", "_deaf", "_connections", "_churn"]
    assert {"case", "value", "raw", "ratio", "bound", "ok"} <= set(rows[0])


def test_a_lockstep_step_is_compared_with_bare_messages_and_its_tick_round_by_round() -> None:
    quiet = Round(80.0, 20.0, {BATCHED: 200.0, PLAIN: 100.0, NAIVE: 400.0, STRANGER: 250.0})
    # the machine was busy in this round, for all that is compared
    busy = Round(800.0, 200.0, {BATCHED: 2000.0, PLAIN: 1000.0, NAIVE: 4000.0, STRANGER: 2500.0})
    rows = rows_of(GROUPS[0], [quiet, busy, quiet])
    assert [(row["value"], row["raw"], row["ratio"]) for row in rows] == [
        (200.0, 100.0, 0.5),
        (100.0, 200.0, 2.0),
        (400.0, 100.0, 0.25),
        (250.0, 100.0, 0.4),
    ]
    assert [(row["bound"], row["ok"]) for row in rows] == [(0.8, False), (0.95, True), (0.35, False), (0.4, True)]


@pytest.mark.parametrize(("disturbed", "ok"), [(600.0, True), (620.0, False)])
def test_beside_a_busy_process_a_step_may_take_three_times_as_long(disturbed: float, *, ok: bool) -> None:
    steps = dict.fromkeys(GROUPS[0].ways, 200.0)
    *_, row = rows_of(GROUPS[0], [Round(80.0, 20.0, steps, disturbed=disturbed)] * 3)
    assert (row["case"], row["value"]) == ("1 robot in 1 process, ZeroMQ, beside a busy process", disturbed)
    assert (row["raw"], row["bound"], row["ok"]) == (200.0, 3.0, ok)
    assert [group.is_disturbed for group in GROUPS] == [True, False, False, False]


def test_lockstep_is_measured_with_so_many_robots_and_processes_as_it_is_bound_for() -> None:
    assert [(group.robots, group.processes, group.bound) for group in GROUPS] == [
        (1, 1, 0.8),
        (10, 10, 0.8),
        (100, 2, 6.0),
        (500, 1, 15.0),
    ]
    assert [len(share) for share in GROUPS[2].shares] == [50, 50]
    first, second = map(set, GROUPS[2].shares)
    assert first | second == {f"robot{n}" for n in range(1, 101)}


def test_the_window_is_measured_in_rows_with_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = {
        "interval": 16.9, "cost": 3.5, "rate": 30.0, "p99": 20.0, "first": 0.2, "picking": 0.5,
        "memory": 2.0, "objects": 0.0, "descriptors": 0.0,
    }  # fmt: skip
    shown: list[Any] = []
    run = SimpleNamespace(endpoint="", launcher=1)
    monkeypatch.setattr(bench_window, "Run", lambda *_: contextlib.nullcontext(run))
    monkeypatch.setattr(bench_window, "part", lambda *_, **__: measured)
    monkeypatch.setattr(bench_window, "_from_shell", list)
    monkeypatch.setattr(bench_window, "_cost", lambda _: [])
    monkeypatch.setattr(bench_edits, "part", lambda *_, **__: measured)
    for module in (bench_window, bench_edits):
        monkeypatch.setattr(module, "show", lambda rows, **_: shown.extend(rows))
    assert bench_window.window.callback is not None
    assert bench_edits.edits.callback is not None
    bench_window.window.callback(seconds=1.0, quick=False, as_json=False)
    bench_edits.edits.callback(cycles=100, quick=True, as_json=False)
    assert [row["ok"] for row in shown] == [True, False, True, False, *[True] * 7]
    assert shown[3]["case"] == "software GL, 10 robots: between frames, 99 of 100"


def test_what_a_viewer_costs_is_the_least_of_runs_by_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    worked = iter(
        [0.0, 3.0, 0.0, 5.0, 0.0, 4.0, 0.0, 2.08, 0.0, 2.0, 0.0, 9.0]
    )  # of the idle and the watched, by turns
    lateness, parts = iter([3.0, 8.0, 1.0, 2.0, 6.0, 4.0]), list[str]()
    clock = iter([0.0, 1.0] * 6)

    def begin(*_: Any) -> Any:
        run = SimpleNamespace(endpoint="", launcher=1, physics=1, stop=lambda: None)
        run.summary = {"lateness_p99": next(lateness)}
        return contextlib.nullcontext(run)

    monkeypatch.setattr(bench_window, "Run", begin)
    monkeypatch.setattr(bench_window, "part", lambda kind, *_, **__: parts.append(kind))
    monkeypatch.setattr(bench_window, "_worked", lambda _: next(worked))
    monkeypatch.setattr(bench_window, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    cost, late = bench_window._cost(1.0)
    assert parts == ["idle", "stream"] * 3
    assert (cost["value"], cost["ok"]) == (pytest.approx(4.0), True)
    assert (late["value"], late["raw"]) == (2000.0, 1000.0)


def test_the_time_of_a_process_is_that_of_all_its_threads_and_finer_than_a_clock_tick() -> None:
    before = bench_window._worked(os.getpid())
    thread = threading.Thread(target=lambda: sum(range(20_000)))
    thread.start()
    thread.join()
    assert 0.0 < bench_window._worked(os.getpid()) - before < 60.0


def test_frames_of_cameras_must_not_be_fewer_than_their_bound() -> None:
    assert at_least("a", "images/s", 59.0, 60.0)["ok"] is False
    assert at_least("a", "images/s", 60.0, 60.0)["ok"] is True


def test_a_step_consists_of_parts_that_add_up() -> None:
    rows = step_rows(1, 20)
    assert [row["case"] for row in rows] == [*(f"1 robot, {part}" for part in PARTS), "1 robot, all of these"]
    *parts, whole = rows
    assert all(part["value"] > 0.0 for part in parts)
    assert (
        sum(part["ratio"] for part in parts) == pytest.approx(whole["ratio"], abs=0.01) == pytest.approx(1.0, abs=0.01)
    )


def test_the_parts_of_a_step_do_what_the_step_does() -> None:
    scenario = next(group.scenario for group in GROUPS if group.robots == 10)
    parts = StepParts(scenario)
    parts.measure(40)
    speeds = [parts.simulation.reading(place.name, "motors")[0] for place in parts.simulation.layout.robots]
    assert speeds == pytest.approx([COMMAND[0]] * 10, abs=0.01)


def test_a_step_is_found_in_the_tick_that_it_has_waited_for() -> None:
    ticks = np.array([[100, 110, 130, 160, 200], [900, 920, 950, 990, 999], [1900, 1930, 1970, 2020, 2080]])
    steps = np.array(
        [[850, 860, 1100, 1120], [1300, 1310, 1500, 1510], [1800, 1820, 2300, 2350], [2400, 2410, 2500, 2510]]
    )
    path = path_of(1000 * steps, 1000 * ticks)  # the second one met no tick of compiled calls, the last one none
    assert list(path.values()) == [15.0, 60.0, 25.0, 35.0, 45.0, 195.0, 35.0]
    names = list(path)
    assert (names[0], names[-1]) == ("client: until it sends", "client: reads the answer")


def test_lateness_of_a_run_is_that_of_its_records_against_their_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [[(10, 0)], [(tick, round(tick * STEP_NS + (2e6 if tick == 60 else 0))) for tick in range(5, 100)]]
    monkeypatch.setattr(bench_serve, "_published", lambda _: shown.pop(0))
    monkeypatch.setattr(bench_serve.time, "sleep", lambda _: None)
    late = bench_serve._lateness(None, 1.0)
    assert len(late) == 89  # those after the record with which it began
    assert late[60 - 11] == pytest.approx(2.0)
    assert np.delete(late, 60 - 11).max() == pytest.approx(0.0, abs=1e-6)


def test_processor_time_is_counted_between_begin_and_end_and_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = {1: 100.0, 2: 300.0, 3: 50.0}
    monkeypatch.setattr(cpu, "busy_us", clock.__getitem__)
    spent = cpu.CpuMeter({"host": [1, 2], "client": [3], "nobody": []})
    for more in (10.0, 20.0):
        with spent:
            clock[1] += more
            clock[3] += 5.0
    assert spent.spent == {"host": 15.0, "client": 10.0, "nobody": 0.0}


def test_frames_of_a_window_that_lost_its_run_are_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    facts = SimpleNamespace(connection="live", problem="")
    window = SimpleNamespace(
        settings=SimpleNamespace(rate=60.0), session=SimpleNamespace(link=SimpleNamespace(facts=facts))
    )
    monkeypatch.setattr(window_parts, "_following", lambda _: contextlib.nullcontext(window))
    monkeypatch.setattr(window_parts, "_frames", lambda *_: [(0.01 * count, 0.0) for count in range(101)])
    assert window_parts._rate("1", "") == pytest.approx({"rate": 100.0, "p99": 10.0})
    facts.connection, facts.problem = "lost", "no stream"
    with pytest.raises(NoReply, match="lost its run: no stream"):
        window_parts._rate("1", "")
