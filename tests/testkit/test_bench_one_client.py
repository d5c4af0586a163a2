"""One client that drives a whole crowd: its scenario, its times and its row."""

import pytest

from coopsim.testkit.bench.measuring import one_client


def test_a_step_of_a_crowd_takes_longer_than_its_tick() -> None:
    taken, ticks = one_client.measure(20, steps=4, rounds=2)
    assert len(taken) == len(ticks) == 2
    assert min(taken) > 0.0
    assert min(ticks) > 0.0


def test_the_grid_has_room_for_all() -> None:
    assert "count 10000\ngrid 100x100 1.0" in one_client.scenario(10_000)
    assert "count 12\ngrid 4x3 1.0" in one_client.scenario(12)


@pytest.mark.parametrize(("bound", "ok"), [(1.5, False), (2.5, True), (None, None)])
def test_the_ratio_is_of_the_same_round(bound: float | None, *, ok: bool | None) -> None:
    row = one_client.row(10, [20.0, 40.0, 60.0], [10.0, 20.0, 20.0], bound)
    assert (row["value"], row["raw"], row["ratio"], row["bound"], row["ok"]) == (40.0, 20.0, 2.0, bound, ok)
