"""Pairs of places that are near each other, against a look at every pair."""

import numpy as np
import pytest

from coopsim.features.laws.going import Situation
from coopsim.features.laws.nearby import nearest, pairs_within
from coopsim.features.laws.orca import OrcaParameters, orca
from coopsim.features.laws.potential import PotentialParameters, potential
from coopsim.features.laws.social_force import SocialForceParameters, social_force


def _crowd(seed: int, count: int) -> np.ndarray:
    """Return places, some of them equal, in rows, or far astray."""
    random = np.random.default_rng(seed)
    places = random.uniform(0.0, np.sqrt(count), (count, 2))
    if seed % 2:
        places = np.round(2.0 * places) / 2.0
    places[:: count // 3] += 1e7
    return places


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("count", [3, 60, 300])
def test_pairs_are_those_of_a_look_at_every_pair(seed: int, count: int) -> None:
    points, others = _crowd(seed, count), _crowd(seed + 1, count)
    points[1], others[2] = np.nan, np.inf
    for reach in (0.25, 1.0, 1e9):
        away = np.linalg.norm(others[np.newaxis] - points[:, np.newaxis], axis=-1)
        expected = np.nonzero(away <= reach)
        assert [rows.tolist() for rows in pairs_within(points, others, reach)] == [rows.tolist() for rows in expected]


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("count", "most"), [(1, 3), (3, 5), (60, 10), (300, 1), (300, 10)])
def test_nearest_others_are_those_of_a_look_at_all(seed: int, count: int, most: int) -> None:
    places = _crowd(seed, max(count, 3))[:count]
    away = np.linalg.norm(places[np.newaxis] - places[:, np.newaxis], axis=-1)
    np.fill_diagonal(away, np.inf)
    expected = np.argsort(away, axis=1, kind="stable")[:, : min(most, count - 1)]
    assert nearest(places, most).tolist() == expected.tolist()


def test_who_is_nowhere_is_near_to_nobody_but_has_others() -> None:
    places = _crowd(0, 100)
    places[7] = np.nan
    near = nearest(places, 4)
    assert near.shape == (100, 4)
    assert not (near[:7] == 7).any()


@pytest.mark.parametrize("count", [40, 200])
def test_robots_far_away_change_nothing_for_those_that_are_near(count: int) -> None:
    random = np.random.default_rng(count)
    positions = 0.7 * np.stack(np.meshgrid(np.arange(count // 10), np.arange(10)), axis=-1).reshape(-1, 2)
    positions = positions + random.uniform(-0.1, 0.1, positions.shape)
    doubled = np.concatenate([positions, positions + 1e4])
    wanted = random.uniform(-0.2, 0.2, positions.shape)
    for law, parameters in (
        (orca, OrcaParameters()),
        (potential, PotentialParameters()),
        (social_force, SocialForceParameters()),
    ):
        alone, both = (
            law(Situation(places, 0.5 * ways, ways, np.empty((len(ways), 0, 2)), 0.3, 0.3), parameters)
            for places, ways in ((positions, wanted), (doubled, np.concatenate([wanted, wanted])))
        )
        assert both[:count] == pytest.approx(alone, abs=1e-9)
        assert np.abs(alone - wanted).max() > 1e-3
