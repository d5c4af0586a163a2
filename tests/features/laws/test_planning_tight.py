"""Ways pulled tight: shorter, in sight of themselves, and with few turns."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.features.laws.planning.sight import sees
from coopsim.features.laws.planning.tight import tighten
from coopsim.geometry import Bools, Floats


def tightened(blocked: Bools, points: list[tuple[float, float]]) -> Floats:
    way = np.array(points)
    return way[: tighten(blocked, way)]


def length(way: Floats) -> float:
    return float(np.hypot(*np.diff(way, axis=0).T).sum())


def is_seen(blocked: Bools, way: Floats) -> bool:
    return all(sees(blocked, *begin, *end) for begin, end in pairwise(way))


def test_where_nothing_is_in_the_way_it_is_a_straight_line() -> None:
    way = tightened(np.zeros((10, 20), np.bool_), [(0.5, 0.5), (5.5, 8.5), (9.5, 2.5), (18.5, 8.5)])
    assert way.tolist() == [[0.5, 0.5], [18.5, 8.5]]


def test_two_turns_around_a_low_wall_become_one_where_that_is_no_great_detour() -> None:
    blocked = np.zeros((16, 46), np.bool_)
    blocked[:3, 20:24] = True
    way = tightened(blocked, [(0.5, 0.5), (19.5, 3.5), (24.5, 3.5), (45.5, 0.5)])
    assert way.tolist() == [[0.5, 0.5], [21.5, 3.5], [45.5, 0.5]]


def test_two_turns_around_a_high_wall_stay_two_where_one_would_be_a_detour() -> None:
    blocked = np.zeros((30, 46), np.bool_)
    blocked[:12, 20:24] = True
    way = tightened(blocked, [(10.5, 0.5), (19.5, 12.5), (24.5, 12.5), (33.5, 0.5)])
    assert len(way) == 4


def test_turns_keep_off_corners_by_half_a_cell() -> None:
    blocked = np.zeros((20, 20), np.bool_)
    blocked[5:15, 5:15] = True
    way = tightened(blocked, [(2.5, 2.5), (2.5, 17.5), (17.5, 17.5)])
    assert way.tolist() == [[2.5, 2.5], [4.5, 15.5], [17.5, 17.5]]


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_way_that_sees_itself_still_does_and_is_hardly_longer(seed: int) -> None:
    random = np.random.default_rng(seed)
    blocked = random.random((15, 15)) < 0.15
    way = [(7.5, 7.5)]
    blocked[7, 7] = False
    while len(way) < 6:
        x, y = np.floor(random.uniform(0.0, 15.0, 2)) + 0.5
        for u, v in ((x, y), (way[-1][0], y), (x, way[-1][1]), way[-1]):
            if sees(blocked, *way[-1], u, v):
                way.append((u, v))
                break
    tight = tightened(blocked, way)
    assert is_seen(blocked, tight)
    assert (tight[0].tolist(), tight[-1].tolist()) == (list(way[0]), list(way[-1]))
    assert length(tight) <= length(np.array(way)) + len(way)
