"""A robot of a match that a player drives in the window: orders begin when its limits are known. G-6."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from coopsim.errors import NoReply
from coopsim.features.games.window.by_hand import ByHand


class LateLink:
    """A connection whose replies come when the test says so."""

    def __init__(self) -> None:
        self.replies: list[tuple[Callable[[Any], object], Callable[[Any], object], Callable[[Any], object]]] = []

    def ask(self, work: Any, *, then: Any, failed: Any) -> None:
        self.replies.append((work, then, failed))

    def reply(self, speed: float, turn: float) -> None:
        """Let the question for the limits be answered."""
        work, then, _ = self.replies.pop()
        module = SimpleNamespace(parameters={"speed": speed, "turn": turn})
        then(work(SimpleNamespace(module=lambda target: {"/a1/intelligence": module}[target])))


class Hand:
    """A hand on robot a1, and the orders that it gave."""

    def __init__(self) -> None:
        self.link, self.orders, self.notes = LateLink(), list[str](), list[str]()
        fighters = {"a1": SimpleNamespace(health=100.0)}
        self.battle = SimpleNamespace(fighters=fighters, held="", is_mine=lambda robot: robot == "a1")
        control: Any = SimpleNamespace(battle=self.battle, order=self.orders.extend)
        session: Any = SimpleNamespace(link=self.link, note=self.notes.append)
        self.way = ByHand(session, control, "a1")
        self.way.begin()


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_a_key_that_is_pressed_before_the_limits_are_known_drives_when_they_are_g6(hand: Hand) -> None:
    hand.way.drive(0.4, 0.0)
    assert hand.orders == ["a1 take"], "no limits are known"
    hand.link.reply(0.2, 1.0)
    assert hand.orders == ["a1 take", "a1 drive 0.20 0.00"]


def test_a_key_that_was_released_before_the_limits_are_known_drives_nothing(hand: Hand) -> None:
    hand.way.drive(0.4, 0.0)
    hand.way.drive(0.0, 0.0)
    hand.link.reply(0.2, 1.0)
    assert hand.orders == ["a1 take"]


def test_who_was_given_back_before_the_limits_are_known_is_driven_no_more(hand: Hand) -> None:
    hand.way.drive(0.4, 0.0)
    hand.way.end()
    hand.link.reply(0.2, 1.0)
    assert hand.orders == ["a1 take", "a1 give"]


def test_who_is_out_before_the_limits_are_known_is_not_driven(hand: Hand) -> None:
    hand.way.drive(0.4, 0.0)
    hand.battle.fighters["a1"].health = 0.0
    hand.link.reply(0.2, 1.0)
    hand.way.end()
    assert hand.orders == ["a1 take"]


def test_speeds_are_kept_a_little_below_the_limits_to_both_sides(hand: Hand) -> None:
    hand.link.reply(1.0, 2.0)
    hand.way.drive(-3.0, 5.0)
    hand.way.drive(0.25, -0.5)
    hand.way.drive(0.0, 0.0)
    assert hand.orders[1:] == ["a1 drive -0.99 1.98", "a1 drive 0.25 -0.50", "a1 drive 0.00 0.00"]


def test_limits_that_nobody_tells_are_noted_in_one_line(hand: Hand) -> None:
    _, _, failed = hand.link.replies.pop()
    failed(NoReply("/a1/intelligence", 1.0))
    assert len(hand.notes) == 1
    assert "\n" not in hand.notes[0]
