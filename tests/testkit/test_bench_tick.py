"""The yardstick of ticks, and how ticks are compared with it."""

from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from coopsim.features.doctor.crowds import engine_of
from coopsim.kernels.threads import THREADS
from coopsim.robots import load_type
from coopsim.robots.catalogue import type_names
from coopsim.robots.engines import unfit
from coopsim.scene import TEAM
from coopsim.simulation import Simulation
from coopsim.testkit.bench import tick as bench_tick
from coopsim.testkit.bench.measuring import type_crowds, workload
from coopsim.testkit.bench.measuring.bare_chipmunk import Discs, real_time_factor
from coopsim.testkit.bench.tick import BOUNDS, BOUNDS_OF_TWO_CORES, row_of

OUTCOME = {"real_time_factor": 60.0, "us_per_robot_step": 1.5, "rss_mb": 150.0, "bare": 500.0}


def test_the_discs_of_the_yardstick_wander_and_stay_between_the_walls() -> None:
    discs = Discs(50)
    assert discs.step(1) > 0.0
    before = discs.places.copy()
    discs.step(2001)
    assert np.abs(discs.places).max() < discs.half
    assert np.linalg.norm(discs.places - before, axis=1).mean() > 0.5


def test_the_yardstick_is_some_times_as_fast_as_real_time() -> None:
    assert real_time_factor(10, seconds=0.01, repeats=1) > 1.0


@pytest.mark.parametrize(("bare", "ok"), [(500.0, True), (600.0, False)])
def test_a_bound_is_a_share_of_the_yardstick(bare: float, *, ok: bool) -> None:
    row = row_of("W", 10, OUTCOME | {"bare": bare})
    assert (row["raw"], row["ratio"], row["bound"], row["ok"]) == (bare, round(60.0 / bare, 3), BOUNDS[10], ok)


def test_without_a_yardstick_nothing_is_bound() -> None:
    row = row_of("single", 10, OUTCOME | {"bare": None})
    assert [row[name] for name in ("raw", "ratio", "bound", "ok")] == [None] * 4


@pytest.mark.parametrize(("threads", "bound"), [(2, BOUNDS_OF_TWO_CORES[1000]), (3, None)])
def test_several_cores_have_rows_and_bounds_of_their_own(threads: int, bound: float | None) -> None:
    row = row_of("W", 1000, OUTCOME | {"bare": 100.0}, threads)
    assert (row["case"], row["bound"], row["ok"]) == (f"W, {threads} cores", bound, None if bound is None else True)


@pytest.mark.parametrize(
    ("asked", "cores", "expected"),
    [
        ([], 2, [("W", 10, 1), ("W", 100, 1), ("W", 1000, 1), ("W", 10_000, 1), ("W", 1000, 2), ("W", 10_000, 2)]),
        ([], 1, [("W", 10, 1), ("W", 100, 1), ("W", 1000, 1), ("W", 10_000, 1)]),
        (["--robots", "1000", "--robots", "10"], 2, [("W", 1000, 1), ("W", 10, 1), ("W", 1000, 2)]),
        (["--robots", "1000", "--threads", "1"], 2, [("W", 1000, 1)]),
        (["--robots", "1000", "--threads", "3"], 2, [("W", 1000, 3)]),
        (["--robots", "1000", "--engine", "kinematic"], 2, [("W", 1000, 1)]),
    ],
)
def test_many_robots_are_measured_on_two_cores_too(
    asked: list[str], cores: int, expected: list[tuple[str, int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[str, int, int]] = []

    def apart(case: str, count: int, _seconds: float, _engine: str, threads: int) -> dict[str, str]:
        seen.append((case, count, threads))
        return {"case": case}

    monkeypatch.setattr(bench_tick, "_measure_apart", apart)
    monkeypatch.setattr(bench_tick.os, "cpu_count", lambda: cores)
    done = CliRunner().invoke(bench_tick.tick, ["--case", "W", *asked])
    assert done.exit_code == 0, done.output
    assert seen == expected


def test_on_several_cores_real_time_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(THREADS, "count", 1)
    cost = workload.measure(2, seconds=0.01, repeats=1, threads=2)
    assert THREADS.count == 2
    assert cost.real_time_factor > 0.0


@pytest.mark.parametrize("place", type_crowds.PLACES)
def test_crowds_of_a_type_drive_among_objects_and_without(place: str) -> None:
    spec = type_crowds.scene(load_type("single"), 12, place)
    assert len(spec.scenario.world.objects) == (2 if place == "laboratory" else 0)
    assert type_crowds.measure("single", 12, place, 0.01).moved > 0.0


@pytest.mark.parametrize(("place", "height"), [("crowd", 0.8), ("laboratory", 0.8), (type_crowds.LYING, 0.0)])
def test_what_flies_hovers_in_a_crowd_and_lies_on_the_floor(
    place: str, height: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulations: list[Simulation] = []

    def kept(*args: Any, **settings: Any) -> Simulation:
        simulations.append(Simulation(*args, **settings))
        return simulations[-1]

    begins = type_crowds.scene(load_type("quadrotor"), 2, place).scenario.robots
    assert [robot.position[2] > 0.0 for robot in begins] == [height > 0.0] * 2, "what falls to the floor lies, too"
    monkeypatch.setattr(type_crowds, "Simulation", kept)
    assert type_crowds.measure("quadrotor", 2, place, 0.01).real_time_factor > 0.0
    while simulations[0].tick_count < 100:
        simulations[0].tick()
    assert simulations[0].engine.height[:2] == pytest.approx([height] * 2, abs=0.25 if height else 1e-3)


def test_crowds_of_what_flies_have_a_place_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_tick, "_outcome", lambda _arguments, _environment: OUTCOME)
    rows: list[dict[str, object]] = []
    monkeypatch.setattr(bench_tick, "show", lambda measured, **_: rows.extend(measured))
    done = CliRunner().invoke(bench_tick.tick, ["--type", "quadrotor", "--type", "single", "--robots", "10"])
    assert done.exit_code == 0, done.output
    assert [row["case"] for row in rows] == [
        *(f"quadrotor, {place}" for place in (*type_crowds.PLACES, type_crowds.LYING)),
        *(f"single, {place}" for place in type_crowds.PLACES),
    ]


def test_crowds_of_a_type_on_several_cores_have_rows_of_their_own_in_real_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(THREADS, "count", 1)
    assert type_crowds.measure("single", 12, "crowd", 0.01, 2).real_time_factor > 0.0
    assert THREADS.count == 2
    given: list[list[str]] = []
    monkeypatch.setattr(bench_tick, "_outcome", lambda arguments, _environment: given.append(arguments) or OUTCOME)
    rows: list[dict[str, object]] = []
    monkeypatch.setattr(bench_tick, "show", lambda measured, **_: rows.extend(measured))
    asked = ["--type", "single", "--robots", "10", "--seconds", "0.5", "--threads", "2"]
    assert CliRunner().invoke(bench_tick.tick, asked).exit_code == 0
    assert [row["case"] for row in rows] == ["single, crowd, 2 cores", "single, laboratory, 2 cores"]
    assert [arguments[-5:] for arguments in given] == [
        ["single", place, "10", "0.5", "2"] for place in type_crowds.PLACES
    ]


def test_each_built_in_type_has_an_engine_that_holds_it() -> None:
    kinds = [name for name in type_names() if name != TEAM]
    engines = {name: engine_of(load_type(name)) for name in kinds}
    assert (engines["scout"], engines["quadrotor"], engines["abb_irb_120"]) == ("pymunk", "mujoco", "mujoco")
    for name, engine in engines.items():
        assert unfit(type_crowds.scene(load_type(name), 2, "laboratory"), engine) == []


def test_types_are_measured_instead_of_cases_and_a_refusal_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = iter([OUTCOME, OUTCOME, {"refusal": "too many"}, OUTCOME])
    monkeypatch.setattr(bench_tick, "_outcome", lambda _arguments, _environment: next(outcomes))
    rows: list[dict[str, object]] = []
    monkeypatch.setattr(bench_tick, "show", lambda measured, **_: rows.extend(measured))
    done = CliRunner().invoke(bench_tick.tick, ["--type", "single", "--robots", "10", "--robots", "20"])
    assert done.exit_code == 0, done.output
    assert [(row["case"], row["robots"], row["value"]) for row in rows] == [
        ("single, crowd", 10, 60.0),
        ("single, crowd", 20, 60.0),
        ("single, laboratory", 10, None),
        ("single, laboratory", 20, 60.0),
    ]
    assert rows[2]["refusal"] == "too many"
