"""Two logics of one match: what they see at other moments is no disagreement, what only one of them sees is."""

from collections.abc import Sequence

import numpy as np
import pytest

from coopsim.features.games.logic.agreement import Agreement
from coopsim.features.games.logic.model import DataModel, Flag, RobotState
from coopsim.features.matches.events import MatchStatus


@pytest.fixture
def model() -> DataModel:
    facts = {"player": "south", "squad": "a", "abilities": frozenset(), "damage": 12.0, "range": 2.0, "radius": 0.15}
    robots = [
        RobotState(name, index=index, number=index, health=100.0, power=30.0, **facts)  # type: ignore[arg-type]
        for index, name in enumerate(("a1", "a2"))
    ]
    flags = {"blue": Flag("blue", "north", (1.0, 2.0))}
    return DataModel({robot.name: robot for robot in robots}, {}, flags, {}, np.zeros((2, 2)))


class Compared:
    """A logic that looks ten times a second, and hears the referee."""

    def __init__(self, model: DataModel) -> None:
        self.model, self.agreement = model, Agreement(model)

    def observe(self, seconds: float, told: Sequence[tuple[float, float, float]] = ()) -> list[str]:
        """Look for a while; `told` are times, health and power of a1. Return the robots that were disputed."""
        waiting, disputed = list(told), []
        for _ in range(round(10 * seconds)):
            self.model.time = round(self.model.time + 0.1, 6)
            heard = [event for event in waiting if event[0] <= self.model.time]
            waiting = waiting[len(heard) :]
            events = [(when, status_of(health, power)) for when, health, power in heard]
            disputed += [robot.name for robot in self.agreement.compare(events, "south")]
        return disputed


def status_of(health: float, power: float) -> MatchStatus:
    return {"robots": [("a1", health, power, "")], "flags": {}}


def test_who_shoots_and_is_hit_in_one_look_here_and_in_two_there_is_no_disagreement(model: DataModel) -> None:
    compared, robot = Compared(model), model.robots["a1"]
    compared.observe(1.0)
    robot.health, robot.power = 88.0, 29.0
    assert compared.observe(4.0, [(1.0, 100.0, 29.0), (1.1, 88.0, 29.0)]) == []
    assert (robot.health, robot.power, model.log) == (88.0, 29.0, [])


def test_what_comes_a_second_later_on_a_busy_machine_is_no_disagreement(model: DataModel) -> None:
    compared, robot = Compared(model), model.robots["a1"]
    assert compared.observe(1.9, [(1.0, 88.0, 30.0)]) == []
    robot.health = 88.0
    assert compared.observe(3.0, [(2.0, 88.0, 30.0)]) == []


def test_what_the_referee_alone_says_counts_and_all_else_stays_as_it_is_here(model: DataModel) -> None:
    compared, robot = Compared(model), model.robots["a1"]
    compared.observe(1.0)
    robot.power = 29.0
    assert compared.observe(3.0, [(1.5, 64.0, 30.0)]) == ["a1"]
    assert (robot.health, robot.power) == (64.0, 29.0)
    (entry,) = model.log
    assert (entry.source, entry.rule) == ("logic of south", "disagreement")
    assert entry.text == "a1 has health 100, power 29 here, and health 64, power 29 there, which counts"
    assert compared.observe(3.0, [(4.0, 64.0, 29.0)]) == []


def test_a_flag_that_only_this_logic_saw_picked_up_is_free_again(model: DataModel) -> None:
    compared, robot = Compared(model), model.robots["a1"]
    robot.holding, model.flags["blue"].carrier = "blue", "a1"
    assert compared.observe(3.0, [(1.0, 100.0, 30.0)]) == ["a1"]
    assert (robot.holding, model.flags["blue"].carrier) == ("", "")
