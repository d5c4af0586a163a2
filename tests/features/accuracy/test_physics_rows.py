"""Errors of the engines, as `coopsim bench physics` prints them."""

import json
import math
import sys
from collections.abc import Callable, Iterable
from functools import cache, partial

import pytest
from click.testing import CliRunner

from coopsim.features.accuracy import flying as flying_rows
from coopsim.features.accuracy import holding as holding_rows
from coopsim.features.accuracy import swinging
from coopsim.features.accuracy.command import physics
from coopsim.features.accuracy.contacts import held, hitting, incline, oblique, sliding
from coopsim.features.accuracy.coupled import coupled, parallelogram
from coopsim.features.accuracy.driving import driving, robot_with
from coopsim.features.accuracy.flying import cushioned, flying, precessing
from coopsim.features.accuracy.free import fall, fall_with_drag, free_motion, tumbling
from coopsim.features.accuracy.rows import Row
from coopsim.features.space import building
from coopsim.testkit.bench.command import bench

TOPICS = (free_motion, sliding, holding_rows.holding, swinging.swinging, coupled, hitting, driving, flying)


@cache
def rows_of(topic: Callable[[], Iterable[Row]]) -> tuple[Row, ...]:
    """Measure a topic, once."""
    return tuple(topic())


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.__name__)
def test_every_error_is_within_its_bound(topic) -> None:
    rows = rows_of(topic)
    assert len(rows) > 5
    assert [row for row in rows if not row.is_kept] == []
    assert all(row.bound > 0.0 for row in rows)


def test_an_error_that_is_no_number_is_beyond_every_bound() -> None:
    assert not Row("mujoco", "x", "m", lambda: math.nan, 1.0).is_kept
    assert not Row("mujoco", "x", "m", lambda: -2.0, 1.0).is_kept
    assert Row("mujoco", "x", "m", lambda: -0.5, 1.0).plain()["error"] == 0.5


def test_coarser_integration_is_measured_as_such() -> None:
    """The rows can fail: the former integrator falls 0.1 m too far at 20 ms, and its brick gains energy."""
    assert abs(fall("mujoco+semi_implicit", 0.02).error) == pytest.approx(0.0981, rel=1e-3)
    energy, momentum = tumbling("flight+semi_implicit", 0.02)
    assert energy.error == pytest.approx(16.1, abs=0.5)
    assert not energy.is_kept
    assert not momentum.is_kept
    assert fall_with_drag("mujoco+semi_implicit", 0.02).error > 0.02


def test_rotors_without_ground_effect_or_spin_are_off_their_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(kind: str, module: str, **settings: float):
        kept = {name: value for name, value in settings.items() if name not in ("ground_effect", "rotor_inertia")}
        return robot_with(kind, module, **kept)

    monkeypatch.setattr(flying_rows, "robot_with", plain)
    assert cushioned("flight", 0.02).error < -0.01
    precession, rate = precessing("flight", 0.02)
    assert abs(precession.error) > 0.1
    assert rate.is_kept


def test_what_should_slide_slides_and_what_should_hold_holds() -> None:
    assert held("mujoco", 14.0).is_kept
    assert incline(35.0, 0.6).is_kept
    assert swinging._integrated(swinging._SWINGS[1])[-1] != swinging._integrated(swinging._SWINGS[0])[-1]


def test_the_command_prints_rows_and_fails_where_none_is_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    for topic in TOPICS:
        monkeypatch.setattr(sys.modules[topic.__module__], topic.__name__, partial(rows_of, topic))
    done = CliRunner().invoke(bench, ["physics", "--only", "free fall", "--json"], standalone_mode=False)
    assert done.return_value == 0
    rows = json.loads(done.stdout)["results"]
    assert {row["engine"] for row in rows} == {"mujoco", "flight"}
    assert all(row["ok"] for row in rows)
    none = CliRunner().invoke(physics, ["--only", "tides"])
    assert none.exit_code == 2
    assert "no row holds 'tides'" in none.output


def test_the_command_measures_the_rows_that_are_asked_for_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []

    def rows(topic: str) -> Iterable[Row]:
        for case in ("speed", "way"):
            yield Row("mujoco", f"{topic}: {case}", "m", lambda case=case: float(measured.append(case) or 0.0), 1.0)

    for topic in TOPICS:
        monkeypatch.setattr(sys.modules[topic.__module__], topic.__name__, partial(rows, topic.__name__))
    done = CliRunner().invoke(bench, ["physics", "--only", "flying: way", "--json"], standalone_mode=False)
    assert (done.return_value, measured) == (0, ["way"])


def test_a_link_that_closes_a_loop_weighs_what_it_weighs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The carriage of the joint that closes it has a part of the link's mass, not one more."""
    angle, open_by = parallelogram("mujoco+4")
    assert abs(angle.error) < 0.02
    monkeypatch.setattr(building, "shares", lambda joints, solids: dict.fromkeys(solids, 0.5))
    heavy, _ = parallelogram("mujoco+4")
    assert open_by.is_kept
    assert not heavy.is_kept


def test_pushes_a_little_beyond_the_limit_move_stacks_and_crates_that_slid(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows can fail: with 4 % more, what 0.98 of the limit holds gives way, and what had slid goes on."""
    assert holding_rows.restless((0.02,)).error == 0.0
    assert all(holding_rows.pushed(pile, 0.98, (0.02,)) < 1e-3 for pile in holding_rows._PILES)
    monkeypatch.setattr(holding_rows, "GRAVITY", 1.04 * 9.81)
    assert holding_rows.restless((0.02,)).error >= 18.0
    assert all(holding_rows.pushed(pile, 0.98, (0.02,)) > 0.02 for pile in holding_rows._PILES)


@pytest.mark.parametrize("engine", ["mujoco", "pymunk"])
@pytest.mark.parametrize("step", [0.0005, 0.001, 0.002, 0.005, 0.01])
def test_friction_in_an_oblique_impact_is_coulombs_at_each_step(engine: str, step: float) -> None:
    row = oblique(engine, 0.49, step)
    assert row.is_kept, row
    assert (row.unit, row.bound) == ("%", 10.0)
