"""Fair play: what a robot's type can do at most, held against what robots tell and where they are.

Parameters of robots can be changed, and robots put elsewhere, while a match goes on. The limits are those of the
beginning of the match, with slack for looks that come late, for links, and for robots that push each other.
"""

import numpy as np

from coopsim.features.games.logic.model import DataModel
from coopsim.geometry import Bools, Floats

# as long as a link may be late: what was won by speed cannot be used before it is seen
PENALTY = 5.0
"""A robot that was faster than its type can be hurts nobody and picks nothing up for so long [s]."""
_LATE, _LATE_BY_RADIO = 0.25, 5.0
"""What a robot tells may be so old [s]: a look apart, or by a link that loses packets and tries again."""
_NO_LIMIT = 1e9  # a robot type without a rate has an infinite one, and 0 times that is no number
_PUSHED, _ROOM = 1.25, 0.3
"""Robots that are pushed go so much faster, and so far at once [m]."""


class FairPlay:
    """Counts shots and ways of all robots against their types.

    Args:
        model: Of the match.
    """

    def __init__(self, model: DataModel) -> None:
        robots = model.roster.robots
        self._model, self._time = model, model.time
        is_late = np.array([robot.has_radio or not robot.is_own for robot in robots])
        self._late = np.where(is_late, _LATE_BY_RADIO, _LATE)
        self._rates = np.minimum([robot.rate for robot in robots], _NO_LIMIT)
        self._speeds = np.minimum([robot.top_speed for robot in robots], _NO_LIMIT)
        self._places: Floats | None = None
        # one more than the rate allows: the first shot of a fight waits for nothing
        self._most_shots = 1.0 + self._rates * self._late
        way = _ROOM + self._speeds * np.where(is_late, _LATE_BY_RADIO, 0.0)
        self._most_way = np.where(self._speeds < _NO_LIMIT, way, _NO_LIMIT)
        self._shots, self._way = self._most_shots.copy(), self._most_way.copy()
        self._until = np.full(len(robots), -np.inf)

    def check_speeds(self) -> Bools:
        """Take in where all robots are; return those that came farther than their type can, shape (n,)."""
        model, positions = self._model, self._model.positions
        elapsed = max(model.time - self._time, 0.0)
        moved = np.zeros(len(positions)) if self._places is None else np.hypot(*(positions - self._places).T)
        self._time, self._places = model.time, positions.copy()
        # a token bucket: rest is saved up to a limit, so that nobody fires a minute's shots at once
        self._shots = np.minimum(self._shots, self._most_shots) + self._rates * elapsed
        self._way = np.minimum(self._way, self._most_way) + _PUSHED * self._speeds * elapsed
        self._way -= moved
        is_too_fast = self._way < 0.0
        # a fresh start, or one jump would count as too fast at each later look
        self._way[is_too_fast] = self._most_way[is_too_fast]
        self._until[is_too_fast] = model.time + PENALTY
        return is_too_fast

    def is_suspended(self, row: int) -> bool:
        """Return whether a robot was too fast a short while ago."""
        return bool(self._model.time < self._until[row])

    def count_shots(self, row: int, fired: float) -> float:
        """Return how many of some new shots the rate of the type allows."""
        # 1e-6: sums of rates times intervals stay a little below a whole number
        counted = min(fired, float(np.floor(self._shots[row] + 1e-6)))
        self._shots[row] -= counted
        return counted

    def reach(self, row: int) -> float:
        """Return the largest distance at which a shot may have hit [m], as old as places may be."""
        robot = self._model.roster.robots[row]
        return robot.range + _ROOM + float(min(self._late[row], 1.0 + _LATE)) * min(robot.top_speed, robot.range)
