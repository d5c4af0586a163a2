"""Who is near whom, by kernels, is what plain NumPy finds."""

import numpy as np
import pytest

from coopsim.features.games.logic.nearness import (
    HIGH_X,
    LOW_X,
    MIDDLE_X,
    SPAN_WIDTH,
    SPEED_X,
    aim,
    find_enemies,
    first_meetings,
    lined_up,
    measure_spans,
    overlapping,
)
from coopsim.features.games.polygons import inside_any, packed
from coopsim.geometry import Bools, Floats, in_polygon

SQUADS = ((3, 0, 7), (1, 4), (2, 5, 6, 8, 9))
PLAYERS = np.array([0, 1, 1, 0, 1, 1, 1, 0, 1, 1])


@pytest.fixture(params=range(4))
def noise(request: pytest.FixtureRequest) -> np.random.Generator:
    return np.random.default_rng(request.param)


def test_a_span_is_the_box_speed_and_middle_of_who_counts(noise: np.random.Generator) -> None:
    places, speeds = noise.normal(size=(2, 10, 2))
    alive = np.array([True] * 10)
    alive[[1, 4, 5]] = False
    obeying = alive.copy()
    obeying[[0, 2]] = False
    spans = np.empty((3, SPAN_WIDTH))
    measure_spans(lined_up(SQUADS), places, speeds, (alive, obeying), spans)
    for squad, row in zip(map(list, SQUADS), spans, strict=True):
        living = [robot for robot in squad if alive[robot]]
        middle = [robot for robot in squad if obeying[robot]] or living or squad
        assert row[MIDDLE_X:].tolist() == places[middle].mean(axis=0).tolist()
        if living:
            assert row[LOW_X:HIGH_X].tolist() == places[living].min(axis=0).tolist()
            assert row[HIGH_X:SPEED_X].tolist() == places[living].max(axis=0).tolist()
            assert row[SPEED_X:MIDDLE_X].tolist() == speeds[living].mean(axis=0).tolist()
        else:
            assert row[:SPEED_X].tolist() == [np.inf, np.inf, -np.inf, -np.inf]


def nearest_enemies(places: Floats, alive: Bools) -> tuple[Floats, list[int]]:
    gaps = np.hypot(*(places[:, np.newaxis] - places).transpose(2, 0, 1))
    gaps[:, ~alive] = gaps[~alive] = np.inf
    gaps[PLAYERS[:, np.newaxis] == PLAYERS] = np.inf
    return gaps, np.where(np.isfinite(gaps.min(axis=1)), gaps.argmin(axis=1), -1).tolist()


def test_the_nearest_enemy_is_found_of_all_who_take_part(noise: np.random.Generator) -> None:
    places, alive = noise.normal(size=(10, 2)), noise.random(10) < 0.8
    nearest, distances = np.empty(10, np.int64), np.empty(10)
    find_enemies(places, PLAYERS, alive, (nearest, distances))
    gaps, expected = nearest_enemies(places, alive)
    assert nearest.tolist() == expected
    assert distances == pytest.approx(gaps.min(axis=1))


def test_robots_aim_at_the_nearest_enemy_within_range(noise: np.random.Generator) -> None:
    places, alive, armed = noise.normal(size=(10, 2)), noise.random(10) < 0.8, noise.random(10) < 0.8
    ranges = noise.uniform(0.2, 1.5, 10)
    aims, sees = np.empty(10, np.int64), np.empty(10, np.bool_)
    bodies = places, np.zeros(10), np.empty((0, 4))
    aim(bodies, PLAYERS, (alive, armed), ranges, (aims, sees))
    gaps, nearest = nearest_enemies(places, alive)
    may = alive & armed & (gaps.min(axis=1) <= ranges)
    assert aims.tolist() == np.where(may, nearest, -1).tolist()
    assert sees.tolist() == may.tolist()  # points hide nobody


HIDDEN = np.array([(0.0, 0.0), (2.0, 0.0), (0.0, 2.5), (1.0, 0.05), (-1.0, 9.0)])
"""Who looks, two enemies, and a robot before the nearer of them; another one is far away."""


@pytest.mark.parametrize(
    ("radius", "wall", "aimed", "sees"),
    [
        (0.01, (5.0, 5.0, 6.0, 5.0), 1, True),
        (0.2, (5.0, 5.0, 6.0, 5.0), 2, True),
        (0.01, (1.5, -1.0, 1.5, 1.0), 2, True),
        (0.2, (-1.0, 1.0, 1.0, 1.0), 1, False),
        (0.01, (-2.0, -1.0, 2.5, -1.0), 1, True),
        (0.01, (2.5, -1.0, 2.5, 1.0), 1, True),
    ],
)
def test_robots_aim_at_whom_they_see(radius: float, wall: tuple[float, ...], aimed: int, *, sees: bool) -> None:
    aims, seen = np.empty(5, np.int64), np.empty(5, np.bool_)
    bodies = HIDDEN, np.full(5, radius), np.array([wall])
    players, masks = np.array([0, 1, 1, 0, 0]), (np.array([True, True, True, False, True]), np.ones(5, np.bool_))
    aim(bodies, players, masks, np.full(5, 3.0), (aims, seen))
    assert (aims[0], bool(seen[0])) == (aimed, sees)
    assert aims[3:].tolist() == [-1, -1]


def test_the_first_meeting_with_a_squad_is_the_earliest_of_all_pairs(noise: np.random.Generator) -> None:
    places, speeds, radii = noise.normal(size=(10, 2)) * 3.0, noise.normal(size=(10, 2)), noise.uniform(0.1, 0.6, 10)
    own, enemies, meetings = np.array([3, 0, 7]), SQUADS[1:], np.empty((2, 2))
    first_meetings(own, lined_up(enemies), (places, speeds, radii), (4.0, 0.1), meetings)
    for squad, (when, distance) in zip(enemies, meetings, strict=True):
        pairs = [
            _meeting(places[j] - places[i], speeds[j] - speeds[i], radii[i] + radii[j]) for i in own for j in squad
        ]
        expected = min(pairs)
        assert when == pytest.approx(expected[0])
        assert np.isinf(when) or distance == pytest.approx(expected[1])


def _meeting(gap: Floats, speed: Floats, reach: float) -> tuple[float, float]:
    """Return when and how far away two robots come too near to each other."""
    when = -float(gap @ speed) / float(speed @ speed)
    closest = float(np.hypot(*(gap + np.clip(when, 0.0, 4.0) * speed)))
    return (when, float(np.hypot(*gap))) if when > 0.0 and closest < reach + 0.1 else (np.inf, np.inf)


def test_bodies_that_are_in_each_other_overlap_both(noise: np.random.Generator) -> None:
    places, squares = noise.normal(size=(10, 2)), np.full((10, 10), 0.3)
    overlap = np.empty(10, np.bool_)
    overlapping(places, squares, overlap)
    gaps = ((places[:, np.newaxis] - places) ** 2).sum(axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert overlap.tolist() == (gaps < 0.3).any(axis=1).tolist()
    assert overlap.sum() > 0


def test_points_are_in_one_of_several_polygons_or_in_none(noise: np.random.Generator) -> None:
    polygons = [noise.uniform(-2.0, 2.0, (corners, 2)) for corners in (3, 4, 6)]
    points: Floats = noise.uniform(-2.0, 2.0, (200, 2))
    inside: Bools = np.empty(200, np.bool_)
    inside_any(points, packed(polygons), inside)
    assert inside.tolist() == np.any([in_polygon(points, polygon) for polygon in polygons], axis=0).tolist()
    inside_any(points, packed([]), inside)
    assert not inside.any()
