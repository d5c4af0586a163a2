"""Escape of robots that are stuck: when they turn, to which side, for how long, and when they drive off."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.laws.escaping import DRIVE, LONGEST_TURN, PATIENCE, ROOM, STILL, Escapes, advance, calm

BEARINGS = np.radians([-60.0, 0.0, 60.0])
OPEN, LEFT_SHUT, RIGHT_SHUT = (3.0, 3.0, 3.0), (3.0, 0.2, 0.2), (0.2, 0.2, 3.0)


def step(now: Escapes, dt: float = 0.1, **changes: Any) -> Escapes:
    """Go on with one robot that stands in a corner and wants to move, unless something else is said."""
    facts: dict[str, Any] = {"speed": 0.0, "wants": True, "gaps": LEFT_SHUT, "way": 0.2} | changes
    return advance(
        now,
        speeds=np.array([facts["speed"]]),
        wants=np.array([facts["wants"]]),
        gaps=np.array([facts["gaps"]]),
        bearings=BEARINGS,
        way=np.array([facts["way"]]),
        dt=dt,
    )


def stuck() -> Escapes:
    return step(calm(1), dt=PATIENCE + 0.1)


def test_a_robot_that_stands_though_it_wants_to_move_turns_once_it_has_stood_too_long() -> None:
    now = calm(1)
    for _ in range(round(PATIENCE / 0.125)):
        now = step(now, dt=0.125)
    assert not now.active.any()
    now = step(now, dt=0.125)
    assert now.active.all()
    assert now.still.tolist() == [0.0]


@pytest.mark.parametrize("changes", [{"wants": False}, {"speed": STILL}, {"speed": -STILL}])
def test_who_moves_or_wants_nothing_is_never_stuck(changes: dict[str, Any]) -> None:
    now = step(calm(1), dt=PATIENCE - 0.1)
    now = step(now, **changes)
    assert now.still.tolist() == [0.0]
    assert not step(now, dt=PATIENCE - 0.05).active.any()


@pytest.mark.parametrize(("gaps", "side"), [(LEFT_SHUT, -1.0), (RIGHT_SHUT, 1.0), (OPEN, 1.0)])
def test_it_turns_to_the_side_with_more_room(gaps: tuple[float, ...], side: float) -> None:
    assert step(calm(1), dt=PATIENCE + 0.1, gaps=gaps).side.tolist() == [side]


def test_the_side_stays_while_it_turns() -> None:
    now = step(stuck(), gaps=RIGHT_SHUT)
    assert now.side.tolist() == [-1.0]


def test_where_there_is_room_ahead_it_drives_off_and_then_wants_something_again() -> None:
    now = step(stuck(), way=ROOM + 0.01)
    assert (now.turning.tolist(), now.driving.tolist()) == ([0.0], [DRIVE])
    now = step(now, dt=DRIVE - 0.1, way=0.2)
    assert now.active.all()
    assert not step(now, dt=0.2).active.any()


def test_without_room_it_turns_no_longer_than_it_may_and_drives_off_anyway() -> None:
    now = step(stuck(), dt=LONGEST_TURN - 0.1)
    assert now.turning.tolist() == pytest.approx([0.1])
    assert now.active.all()
    assert now.driving.tolist() == [0.0]
    assert step(now, dt=0.2).driving.tolist() == [DRIVE]


def test_time_spent_escaping_is_no_time_stood_still() -> None:
    now = step(stuck(), dt=2.0)
    assert now.still.tolist() == [0.0]


@given(st.lists(st.tuples(st.floats(0.01, 3.0), st.booleans(), st.floats(0.0, 3.0)), max_size=40))
def test_robots_do_not_see_each_other_and_no_time_is_below_zero(steps: list[tuple[float, bool, float]]) -> None:
    both, alone = calm(2), calm(1)
    for dt, wants, way in steps:
        gaps = np.array([LEFT_SHUT, RIGHT_SHUT])
        both = advance(
            both, speeds=np.zeros(2), wants=np.array([wants, True]), gaps=gaps, bearings=BEARINGS,
            way=np.array([way, 0.1]), dt=dt,
        )  # fmt: skip
        alone = step(alone, dt=dt, wants=wants, way=way)
        assert [part[0] for part in (both.still, both.turning, both.driving, both.side)] == [
            part[0] for part in (alone.still, alone.turning, alone.driving, alone.side)
        ]
        assert min(both.still.min(), both.turning.min(), both.driving.min()) >= 0.0
        assert both.turning.max() <= LONGEST_TURN
