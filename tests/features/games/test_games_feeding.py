"""Robots that carry out one command at a time: the next step is sent when the last one is done."""

import numpy as np
import pytest

from coopsim.features.games.interfaces.games import INTELLIGENCE, STEP_WIDTH
from coopsim.features.games.logic.feeding import SequenceFeeder
from coopsim.features.games.logic.model import DataModel, RobotState
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.rows import COLUMN, row_at
from coopsim.geometry import Floats
from coopsim.interfaces import command_numbers

COMMAND = command_numbers(INTELLIGENCE)
STEPS = (COMMAND.go_to, 1.0, 0.0), (COMMAND.pick_up, 7.0, 0.0), (COMMAND.go_to, 2.0, 0.0), (COMMAND.beep, 0.0, 0.0)


class Fed:
    """Robot a1, which takes one step at a time, and a2, which takes whole sequences."""

    def __init__(self) -> None:
        facts = {
            "player": "south",
            "squad": "a",
            "abilities": frozenset(),
            "damage": 12.0,
            "range": 2.0,
            "radius": 0.15,
        }
        self.robots = {
            name: RobotState(name, index=row, number=row, health=100.0, power=30.0, is_stepwise=row == 0, **facts)  # type: ignore[arg-type]
            for row, name in enumerate(("a1", "a2"))
        }
        self.model = DataModel(self.robots, {}, {}, {}, np.zeros((2, 2)))
        self.feeder = SequenceFeeder(self.model)
        self.rows: Floats = np.array([row_at(0.0, 0.0), row_at(0.0, 0.0)])

    def split(self, *commands: RobotCommand) -> list[tuple[str, tuple[float, ...]]]:
        return [(command.command, command.values[:STEP_WIDTH]) for command in self.feeder.split(commands)]

    def feed(self, doing: float = 0.0, **columns: float) -> list[tuple[float, ...]]:
        """Let a1 report; return the steps that it is sent."""
        for name, value in {"doing": doing, **columns}.items():
            self.rows[0, getattr(COLUMN, name)] = value
        self.model.positions[0] = self.rows[0, [COLUMN.x, COLUMN.y]]
        return [command.values[:STEP_WIDTH] for command in self.feeder.feed(self.rows)]


def sequence(name: str) -> RobotCommand:
    return RobotCommand(name, "intelligence", "sequence", tuple(np.ravel(STEPS).tolist()))


@pytest.fixture
def fed() -> Fed:
    return Fed()


def test_the_first_step_takes_the_place_of_a_sequence_for_those_alone_that_need_it(fed: Fed) -> None:
    assert fed.split(sequence("a1")) == [("sequence", STEPS[0])]
    whole = sequence("a2")
    assert fed.feeder.split([whole]) == [whole]


def test_the_next_step_comes_when_what_the_robot_reports_shows_that_the_last_one_is_done(fed: Fed) -> None:
    fed.split(sequence("a1"))
    assert fed.feed(doing=COMMAND.go_to, x=0.5) == []
    assert fed.feed(x=0.95) == [STEPS[1]]
    assert fed.rows[0, COLUMN.step] == 1.0
    assert fed.feed(holding=7.0) == [STEPS[2]]
    assert fed.rows[0, COLUMN.step] == 2.0
    assert fed.feed(x=2.1) == [STEPS[3]]
    assert fed.feed(finished=1.0) == []
    assert fed.rows[0, COLUMN.step] == 4.0


def test_steps_that_are_done_already_are_left_out(fed: Fed) -> None:
    fed.split(sequence("a1"))
    assert fed.feed(x=1.0, holding=7.0) == [STEPS[2]]


def test_a_robot_that_rests_between_two_steps_counts_as_doing_the_one_that_comes(fed: Fed) -> None:
    fed.split(sequence("a1"))
    fed.feed()
    assert fed.rows[0, COLUMN.doing] == COMMAND.go_to


def test_a_step_that_is_not_carried_out_is_sent_again_after_a_while(fed: Fed) -> None:
    fed.split(sequence("a1"))
    assert fed.feed() == []
    fed.model.time = 1.9
    assert fed.feed() == []
    fed.model.time = 2.1
    assert fed.feed() == [STEPS[0]]


@pytest.mark.parametrize("change", [{"health": 0.0}, {"is_taken": True}])
def test_who_is_out_or_driven_by_hand_is_sent_nothing_more(fed: Fed, change: dict[str, object]) -> None:
    fed.split(sequence("a1"))
    for name, value in change.items():
        setattr(fed.robots["a1"], name, value)
    assert fed.feed(x=1.0) == []


def test_another_command_ends_the_sequence(fed: Fed) -> None:
    fed.split(sequence("a1"))
    assert fed.split(RobotCommand("a1", "intelligence", "stop")) == [("stop", ())]
    assert fed.feed(x=1.0) == []


def test_what_other_modules_are_told_leaves_the_sequence_alone(fed: Fed) -> None:
    fed.split(sequence("a1"))
    assert fed.split(RobotCommand("a1", "shooter", "shoot", (3.0,))) == [("shoot", (3.0,))]
    assert fed.feed(x=1.0) == [STEPS[1]]
