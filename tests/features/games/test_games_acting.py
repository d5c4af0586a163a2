"""The intelligence of a game robot, tick by tick on plain numbers: its command, and the reflexes above it."""

import math

import numpy as np
import pytest

from coopsim.features.games.devices import acting
from coopsim.features.games.devices.acting import COLUMN, COMMAND, act
from coopsim.features.games.interfaces.games import INTELLIGENCE, STEP_WIDTH
from coopsim.geometry import Floats
from coopsim.state.layout import NUMBER, STAMP, VALUES

FAR = 9.0


class Robot:
    """One robot at the origin that looks along x and sees nothing near, unless a test says so."""

    def __init__(self) -> None:
        defaults = {parameter.name: parameter.default for parameter in INTELLIGENCE.parameters}
        self.table = np.zeros((len(COLUMN), 1))
        for name, column in COLUMN._asdict().items():
            self.table[column, 0] = float(defaults[name])
        self.sensed = np.zeros(acting.SENSED_WIDTH)
        self.sensed[[acting.NEAR_AHEAD, acting.FREE_LEFT, acting.FREE_RIGHT]] = FAR
        self.memory = np.zeros(acting.MEMORY_WIDTH)
        self.memory[acting.HOLDING] = -1.0
        self.out = np.zeros(acting.RESULT_WIDTH)
        self.slot = np.zeros(VALUES + STEP_WIDTH * 4)

    def command(self, *words: float) -> None:
        """Give it a command: its number, then its values."""
        self.slot[NUMBER:] = 0.0
        self.slot[NUMBER : NUMBER + len(words)] = words
        self.slot[STAMP] += 1.0

    def tick(self, count: int = 1) -> Floats:
        for _ in range(count):
            act(self.slot, self.sensed, self.table, 0, self.memory, self.out, 0.1)
        return self.out

    @property
    def reflex(self) -> float:
        return float(self.memory[acting.REFLEX])


@pytest.fixture
def robot() -> Robot:
    return Robot()


def test_a_robot_that_was_never_commanded_does_nothing(robot: Robot) -> None:
    assert robot.tick().tolist() == [0.0, 0.0, 0.0, -1.0, 0.0, 0.0]


@pytest.mark.parametrize(("goal", "turn"), [((0.0, 5.0), 1.0), ((0.0, -5.0), -1.0)])
def test_it_turns_towards_a_goal_at_its_side_before_it_drives(robot: Robot, goal: tuple[float, float], turn) -> None:
    robot.command(COMMAND.go_to, *goal)
    out = robot.tick()
    assert (out[acting.V], out[acting.W]) == (0.0, turn * robot.table[COLUMN.turn, 0])
    robot.sensed[acting.HEADING] = math.atan2(goal[1], goal[0])
    out = robot.tick()
    assert (out[acting.V], out[acting.W]) == (robot.table[COLUMN.speed, 0], 0.0)


def test_it_is_done_within_the_tolerance_of_its_goal_and_finishes_once(robot: Robot) -> None:
    robot.command(COMMAND.go_to, 1.0, 0.0)
    robot.sensed[acting.X] = 1.0 - 0.9 * robot.table[COLUMN.tolerance, 0]
    assert robot.tick(3)[acting.DRIVES] == 0.0
    assert robot.memory[acting.FINISHED] == 1.0


def test_who_comes_no_nearer_counts_for_how_long(robot: Robot) -> None:
    robot.command(COMMAND.go_to, 5.0, 0.0)
    robot.tick(11)
    assert robot.memory[acting.STUCK] == pytest.approx(1.0)
    robot.sensed[acting.X] = 0.5
    robot.tick()
    assert robot.memory[acting.STUCK] == 0.0


def test_a_sequence_is_carried_out_step_by_step(robot: Robot) -> None:
    robot.command(COMMAND.sequence, COMMAND.beep, 0.0, 0.0, COMMAND.pick_up, 7.0, 0.0, COMMAND.drop, 0.0, 0.0)
    assert robot.tick()[acting.BEEPS] == 1.0
    assert robot.tick()[acting.BEEPS] == 0.0
    assert robot.memory[acting.HOLDING] == 7.0
    robot.tick()
    assert robot.memory[acting.HOLDING] == -1.0
    assert robot.memory[acting.FINISHED] == 1.0
    assert robot.tick()[acting.DOING] == 0.0


def test_a_turn_of_more_than_a_circle_ends_where_all_of_it_is_turned(robot: Robot) -> None:
    robot.command(COMMAND.rotate, 7.0)
    turned = 0.0
    while robot.tick()[acting.DRIVES] > 0.0:
        turned += 0.1 * robot.out[acting.W]
        robot.sensed[acting.HEADING] = math.remainder(turned, math.tau)
    assert turned == pytest.approx(7.0, abs=0.01)


def test_a_step_that_shoots_is_over_with_the_shot(robot: Robot) -> None:
    """G-72: it waits for its rate."""
    robot.command(COMMAND.sequence, COMMAND.shoot, 3.0, 0.0)
    assert robot.tick(5)[acting.TARGET] == 3.0, "not before"
    robot.sensed[acting.SHOT] = 1.0
    robot.tick()
    assert robot.tick()[acting.TARGET] == -1.0


def test_a_robot_that_stands_is_startled_by_nothing(robot: Robot) -> None:
    robot.sensed[[acting.FRONT, acting.REAR, acting.AHEAD]] = 1.0
    robot.sensed[acting.NEAR_AHEAD] = 0.01
    assert robot.tick()[acting.DRIVES] == 0.0
    assert robot.reflex == 0.0


def test_a_robot_that_is_driven_by_hand_has_its_reflexes_too(robot: Robot) -> None:
    robot.sensed[acting.SPEED], robot.sensed[acting.NEAR_AHEAD] = 0.3, 0.01
    assert robot.tick()[acting.DRIVES] == 1.0
    assert robot.reflex == acting.TOO_NEAR


@pytest.mark.parametrize(
    ("sensor", "reflex"),
    [(acting.FRONT, acting.TOUCHED), (acting.REAR, acting.TOUCHED), (acting.AHEAD, acting.AT_BORDER)],
)
def test_what_it_touches_and_borders_ahead_turn_it_away(robot: Robot, sensor: int, reflex: float) -> None:
    """G-65, G-67: touch sensors are in front and in the rear."""
    robot.command(COMMAND.go_to, 5.0, 0.0)
    robot.sensed[sensor] = 1.0
    out = robot.tick()
    assert robot.reflex == reflex
    assert out[acting.V] == 0.0
    assert out[acting.W] != 0.0


@pytest.mark.parametrize(("left", "right", "side"), [(FAR, 1.0, 1.0), (1.0, FAR, -1.0)])
def test_it_turns_to_the_side_with_more_room(robot: Robot, left: float, right: float, side: float) -> None:
    robot.command(COMMAND.go_to, 5.0, 0.0)
    robot.sensed[acting.NEAR_AHEAD] = 0.01
    robot.sensed[[acting.FREE_LEFT, acting.FREE_RIGHT]] = left, right
    assert math.copysign(1.0, robot.tick()[acting.W]) == side
    assert robot.memory[acting.COURSE] == pytest.approx(side * 0.5 * math.pi)


def test_a_border_at_one_side_is_turned_away_from(robot: Robot) -> None:
    robot.command(COMMAND.go_to, 5.0, 0.0)
    robot.sensed[[acting.AHEAD, acting.LEFT]] = 1.0
    assert robot.tick()[acting.W] < 0.0
