"""Workload of the benchmarks: robots between walls, apart from each other, that drive and turn away."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.simulation import Simulation
from coopsim.state.layout import NUMBER, STAMP, VALUES
from coopsim.testkit.bench.measuring.workload import SET_VELOCITY, STEP, Avoidance, avoid, cost_of_tick, crowd
from coopsim.testkit.own_bench.measuring import recorded_crowd


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 400))
def test_each_robot_has_two_square_metres_between_the_walls_and_none_touches_another(count: int) -> None:
    scenario = crowd(count).scenario
    side = math.sqrt(2 * count)
    places = np.array([robot.position[:2] for robot in scenario.robots])
    assert len({robot.name for robot in scenario.robots}) == len(places) == count
    assert np.abs(places).max() < side / 2
    gaps = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1)) + 1e9 * np.eye(count)
    assert gaps.min() > 0.4


def test_four_walls_close_the_square_without_a_gap() -> None:
    spec = crowd(50)
    half = math.sqrt(100) / 2
    boxes = [(wall.position[:2], wall.size[:2]) for wall in spec.scenario.world.objects]
    assert len(boxes) == 4
    for corner in ((half + 0.1, half + 0.1), (half + 0.1, -half - 0.1), (-half - 0.1, half + 0.1)):
        assert any(all(abs(corner[k] - at[k]) <= size[k] / 2 for k in range(2)) for at, size in boxes)
    for edge in ((half + 0.1, 0.0), (-half - 0.1, 0.0), (0.0, half + 0.1), (0.0, -half - 0.1)):
        assert any(all(abs(edge[k] - at[k]) <= size[k] / 2 for k in range(2)) for at, size in boxes)


def test_the_same_crowd_stands_at_the_same_places() -> None:
    assert crowd(20).scenario.robots == crowd(20).scenario.robots


@pytest.mark.parametrize(
    ("ranges", "speed", "turn"),
    [
        ((2.0, 2.0, 2.0, 2.0, 2.0), 0.4, 0.0),
        ((0.3, 2.0, 2.0, 2.0, 2.0), 0.0, 1.5),
        ((2.0, 2.0, 2.0, 2.0, 0.3), 0.0, -1.5),
        ((2.0, 2.0, 0.5, 2.0, 1.9), 0.0, -1.5),
        ((0.6, 2.0, 2.0, 2.0, 2.0), 0.4, 0.0),
    ],
)
def test_a_robot_drives_on_or_turns_to_the_freer_side(ranges: tuple[float, ...], speed: float, turn: float) -> None:
    slots = np.zeros((1, VALUES + 2))
    avoid(np.array([ranges]), slots)
    assert slots[0, [NUMBER, VALUES, VALUES + 1]].tolist() == [SET_VELOCITY, speed, turn]
    assert slots[0, STAMP] == 1.0


def test_every_robot_drives_or_turns_by_its_program() -> None:
    simulation = Simulation(crowd(6), step=STEP, programs=[Avoidance()])
    before = simulation.engine.planar[:, :3].copy()
    for _ in range(60):
        simulation.tick()
    assert (np.abs(simulation.engine.planar[:, :3] - before).max(axis=1) > 0.01).all()


def test_the_cost_of_a_tick_is_the_mean_by_the_given_clock() -> None:
    simulation = Simulation(crowd(1), step=STEP)
    times = iter((10.0, 14.0))
    assert cost_of_tick(simulation, 8, lambda: next(times)) == 0.5
    assert simulation.tick_count == 8


def test_times_of_many_tries_are_told_by_median_and_the_slow_end(monkeypatch: pytest.MonkeyPatch) -> None:
    instants = iter([at for k in range(101) for at in (10.0 * k, 10.0 * k + k / 1000.0)])
    monkeypatch.setattr(recorded_crowd.time, "perf_counter", lambda: next(instants))
    calls: list[int] = []
    times = recorded_crowd._measured([lambda number=number: calls.append(number) for number in range(101)])  # type: ignore[misc]
    assert (times.p50, times.p99) == (pytest.approx(50.0), pytest.approx(99.0))
    assert calls == list(range(101))
