"""Squads that defend a fixed camera: how often it is asked, whom they go to, and when they come back."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coopsim.features.games.logic.behaviours import DefendSquad


class Guarded:
    """A camera that a squad of the south defends, and two robots of the north that it may see."""

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.asked = 0
        self.notes: list[str] = []
        self.robots = {
            name: SimpleNamespace(name=name, player="north", is_alive=True, index=row)
            for row, name in enumerate(("b1", "b2"))
        }
        self.places = np.zeros((2, 2))
        self.intelligence: Any = SimpleNamespace(
            order=SimpleNamespace(verb="defend", subject="eye"),
            squad=SimpleNamespace(name="a", player="south", obeying=[]),
            is_new=False,
            is_part=False,
            planned_for=None,
        )
        model = SimpleNamespace(
            time=0.0,
            cameras={"eye": None},
            robots=self.robots,
            note=lambda source, _rule, text: self.notes.append(f"{source}: {text}"),
            position=lambda robot: self.places[robot.index],
        )
        self.view: Any = SimpleNamespace(model=model, seen_by=self.seen_by)
        self.behaviour = DefendSquad()
        self.behaviour.has_moved = lambda *_: False  # type: ignore[method-assign]

    def seen_by(self, _camera: str) -> list[Any]:
        self.asked += 1
        return [self.robots[name] for name in self.seen]

    def wants(self, seconds: float) -> bool:
        self.view.model.time += seconds
        return self.behaviour.wants(self.intelligence, self.view)


@pytest.fixture
def guarded() -> Guarded:
    return Guarded()


def test_the_camera_is_asked_twice_a_second_and_no_oftener(guarded: Guarded) -> None:
    for _ in range(80):  # four seconds
        guarded.wants(0.05)
    assert 7 <= guarded.asked <= 9


def test_whom_it_sees_the_squad_goes_to_and_back_when_it_sees_nobody(guarded: Guarded) -> None:
    assert not guarded.wants(1.0)
    guarded.seen = ["b2", "b1"]
    assert guarded.wants(1.0)
    assert not guarded.wants(1.0)
    guarded.seen = ["b1", "b2"]
    assert not guarded.wants(1.0)  # it stays with whom it saw first
    guarded.seen = []
    assert guarded.wants(1.0)
    assert guarded.notes == ["south: eye sees b2: a goes there", "south: eye sees no enemy"]


def test_who_is_out_or_of_ones_own_is_no_intruder(guarded: Guarded) -> None:
    guarded.seen = ["b1", "b2"]
    guarded.robots["b1"].is_alive = False
    guarded.robots["b2"].player = "south"
    assert not guarded.wants(1.0)
    assert guarded.notes == []


def test_it_is_planned_anew_when_the_intruder_has_moved_away(guarded: Guarded) -> None:
    guarded.seen = ["b1"]
    guarded.wants(1.0)
    guarded.intelligence.planned_for = np.zeros(2)
    assert not guarded.wants(1.0)
    guarded.places[0] = 3.0, 0.0
    assert guarded.wants(1.0)


@pytest.mark.parametrize(("verb", "subject"), [("attack", "eye"), ("defend", "base")])
def test_no_camera_is_asked_without_an_order_to_defend_it(guarded: Guarded, verb: str, subject: str) -> None:
    guarded.intelligence.order.verb, guarded.intelligence.order.subject = verb, subject
    assert not guarded.wants(math.inf)
    assert guarded.asked == 0
