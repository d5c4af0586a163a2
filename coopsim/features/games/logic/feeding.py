"""Sequences of robots that carry out one command at a time: the next step is sent when the robot reports the last one.

Source: swarm gaming, section 4 (the intelligence on board is adapted to what the hardware can do).
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from coopsim.features.games.interfaces.games import INTELLIGENCE, MOST_STEPS, STEP_WIDTH
from coopsim.features.games.logic.model import DataModel, RobotState
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.rows import COLUMN
from coopsim.geometry import Floats
from coopsim.interfaces import command_numbers

_COMMAND = command_numbers(INTELLIGENCE)
# wider than where a robot stops by itself: others that come to rest beside it push it a little
_THERE = 0.15
"""A robot that rests so near to the point of a step is there [m]."""
_PAUSE = 2.0
"""A step that a robot does not carry out is sent again after so long [s]."""


@dataclass
class _Fed:
    """Rest of the sequence of a robot.

    Attributes:
        steps: Number of the command and two values of each.
        at: The one that it carries out; their count where it has done all.
        sent: When that was sent [s].
        finished: Commands that it had finished then.
    """

    steps: list[tuple[float, float, float]]
    at: int = 0
    sent: float = -math.inf
    finished: float = math.inf

    @property
    def is_done(self) -> bool:
        return self.at >= len(self.steps)


class SequenceFeeder:
    """Keeps the sequences of robots whose share of the intelligence is `commands`, and sends them step by step.

    Args:
        model: Of the match.
    """

    def __init__(self, model: DataModel) -> None:
        self._model = model
        self._fed: dict[str, _Fed] = {}

    def split(self, commands: Iterable[RobotCommand]) -> list[RobotCommand]:
        """Return commands with the first step of each sequence in its place; what is told a robot drops its rest."""
        orders = []
        for command in commands:
            robot = self._model.robots.get(command.robot)
            if robot is None or not robot.is_stepwise or command.module != "intelligence":
                orders.append(command)
                continue
            # any new order ends the old sequence, or its next step would undo the order
            self._fed.pop(command.robot, None)
            if command.command == "sequence" and (steps := _steps(command.values)):
                self._fed[command.robot] = _Fed(steps)
                orders.append(self._sending(robot.name))
            else:
                orders.append(command)
        return orders

    def feed(self, rows: Floats) -> list[RobotCommand]:
        """Return the steps that are due, and write what robots are at to `doing` and `step` of their rows.

        Args:
            rows: What all robots tell, shape (n, WIDTH).
        """
        orders = []
        for name, fed in list(self._fed.items()):
            robot = self._model.robots[name]
            if not robot.is_alive or robot.is_taken:
                del self._fed[name]
                continue
            row = rows[robot.index]
            before = fed.at
            while (
                not fed.is_done
                and row[COLUMN.doing] == 0.0
                and self._has_done(robot, fed, row, is_sent=fed.at == before)
            ):
                fed.at += 1
            # orders may be lost by radio; a robot that works on one is not told it again
            is_late = self._model.time - fed.sent > _PAUSE and row[COLUMN.doing] == 0.0
            if not fed.is_done and (fed.at != before or is_late):
                fed.finished = row[COLUMN.finished]
                orders.append(self._sending(name))
            # the rest of the logic reads rows as if each robot knew its whole sequence
            row[COLUMN.step] = fed.at
            if not fed.is_done and row[COLUMN.doing] == 0.0:
                row[COLUMN.doing] = fed.steps[fed.at][0]
        return orders

    def _sending(self, name: str) -> RobotCommand:
        fed = self._fed[name]
        fed.sent = self._model.time
        values = (*fed.steps[fed.at], *[0.0] * (STEP_WIDTH * (MOST_STEPS - 1)))
        return RobotCommand(name, "intelligence", "sequence", values)

    def _has_done(self, robot: RobotState, fed: _Fed, row: Floats, *, is_sent: bool) -> bool:
        """Return whether a robot that rests has done a step, by what it tells."""
        number, x, y = fed.steps[fed.at]
        if number == _COMMAND.go_to:
            return float(np.hypot(*(self._model.position(robot) - (x, y)))) <= _THERE
        if number == _COMMAND.pick_up:
            return bool(row[COLUMN.holding] == x)
        if number == _COMMAND.drop:
            return bool(row[COLUMN.holding] < 0.0)
        # steps without a trace are counted by the robot: its count before this one was sent is no proof
        return is_sent and bool(row[COLUMN.finished] > fed.finished)


def _steps(values: Iterable[float]) -> list[tuple[float, float, float]]:
    """Return the steps of a sequence, those before the first one that is none."""
    rows = np.reshape(list(values), (-1, STEP_WIDTH)).tolist()
    orders = [(number, x, y) for number, x, y in rows]
    ends = [at for at, (number, _, _) in enumerate(orders) if number == 0.0]
    return orders[: ends[0]] if ends else orders
