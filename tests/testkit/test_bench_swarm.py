"""Rows of `bench swarm`: orders beside the tables of the paper, and what is bound."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from coopsim.robots import check
from coopsim.testkit.bench.command import bench
from coopsim.testkit.own_bench import swarm as bench_swarm
from coopsim.testkit.own_bench.measuring import squad_orders
from coopsim.testkit.own_bench.measuring.squad_orders import OrderTimes, SquadDesk, column

ORDERS = [OrderTimes(10.0, 2.0, 1.0, 30.0), OrderTimes(20.0, 4.0, 1.0, 50.0), OrderTimes(30.0, 6.0, 4.0, 40.0)]


def test_each_stage_stands_beside_what_the_paper_prints_of_it() -> None:
    rows = {row["case"]: row for row in bench_swarm.table_3(ORDERS)}
    heard = "table 3: player to swarm intelligence"
    assert [rows[f"{heard}, {what}"]["value"] for what in ("mean", "least", "largest")] == [20.0, 10.0, 30.0]
    assert rows[f"{heard}, deviation"]["value"] == pytest.approx(np.std([10.0, 20.0, 30.0]), abs=1e-4)
    assert [rows[f"{heard}, {what}"]["printed"] for what in ("mean", "deviation", "least", "largest")] == [9, 3, 6, 15]
    assert len(rows) == 3 * 4 + 4


def test_the_work_and_the_whole_way_have_bounds() -> None:
    rows = [row for row in bench_swarm.table_3(ORDERS) if "bound" in row]
    assert [row["bound"] for row in rows] == [*bench_swarm.WORK_BOUNDS, *bench_swarm.WHOLE_BOUNDS]
    median, tail, whole, whole_tail = rows
    assert median["value"] == 5.0  # of 3, 5 and 10
    assert median["ok"]
    assert tail["value"] == pytest.approx(9.9)
    assert (whole["value"], whole["ok"]) == (25.0, True)
    assert whole_tail["value"] == pytest.approx(np.quantile([13.0, 25.0, 40.0], 0.99), abs=1e-4)
    slow = [OrderTimes(10.0, 5.5, 0.0, 1.0)] * 3
    assert [row["ok"] for row in bench_swarm.table_3(slow) if "bound" in row] == [False, True, True, True]


def test_orders_at_an_interval_are_told_with_how_many_were_carried_out() -> None:
    planned, obeyed, carried = bench_swarm.table_4(250, 5, ORDERS)
    assert (planned["value"], planned["printed"]) == (4.0, 740)
    assert (obeyed["value"], obeyed["printed"]) == (40.0, 696)
    assert (carried["case"], carried["value"]) == ("table 4: every 250 ms, carried out of 5 orders", 3)


def test_the_way_of_an_order_ends_at_the_last_robot() -> None:
    assert column(ORDERS, "whole").tolist() == [13.0, 25.0, 40.0]
    assert column(ORDERS, "obeyed").tolist() == [30.0, 50.0, 40.0]


def test_no_order_is_given_twice_and_each_sends_the_squad_far_away() -> None:
    desk = SquadDesk.__new__(SquadDesk)
    desk._count = 0
    lines = [desk._line() for _ in range(40)]
    assert len(set(lines)) == 40
    places = np.array([[float(word) for word in line.split()[2:4]] for line in lines])
    assert (np.hypot(*np.diff(places, axis=0).T) > 5.0).all()
    assert {line.split()[0] for line in lines} == {"a"}


def test_the_field_of_the_orders_is_a_scenario_without_mistakes(tmp_path) -> None:
    path = tmp_path / "field.scenario"
    path.write_text(squad_orders._FIELD)
    assert [str(problem) for problem in check(path) if "warning:" not in str(problem)] == []


def test_tables_are_chosen_and_unknown_ones_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_swarm, "costs", lambda *, quick: [{"case": f"costs {quick}", "value": 1}])
    done = CliRunner().invoke(bench, ["swarm", "--tables", "0", "--quick", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output.splitlines()[-1])["results"] == [{"case": "costs True", "value": 1}]
    refused = CliRunner().invoke(bench, ["swarm", "--tables", "3,6"])
    assert refused.exit_code == 2
    assert "there are tables 3, 4 and 5" in refused.output


def test_costs_are_bound_by_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_swarm, "on_board", lambda robots, repeats: robots / 1000.0 + repeats / 1000.0)
    monkeypatch.setattr(bench_swarm, "match_speed", lambda *, seed: 19.0 + seed)
    quick = bench_swarm.costs(quick=True)
    assert [(row["value"], row["ok"]) for row in quick] == [(1.002, False)]
    board, match = bench_swarm.costs(quick=False)
    assert (board["value"], match["value"], match["ok"]) == (1.04, 20.0, True)
