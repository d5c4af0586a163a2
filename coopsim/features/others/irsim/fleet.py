"""All robots of an environment of IR-SIM as arrays: states, goals, and what happened to them."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from coopsim.features.others.worlds.plan import IrsimAgent
from coopsim.geometry import Bools, Floats, Ints

STATE_WIDTH, VELOCITY_WIDTH = 4, 3
_GOAL_WIDTH = 3


class Fleet:
    """States and goals of robots, by number.

    Args:
        agents: What the file says of each.

    Attributes:
        states: x, y, heading and the steering of cars, shape (n, 4).
        velocities: As they were asked for in the last step, shape (n, 3); columns that a robot has no use for are 0.
        slowest: Smallest velocities, shape (n, 3).
        fastest: Largest velocities, shape (n, 3).
        changes: Largest change of velocities in a second, shape (n, 3).
        thresholds: A goal that is nearer is reached, shape (n,).
        goals: x, y and the angle of what each goes to now, shape (n, 3); NaN = none.
        arrived: Who is at its last goal, shape (n,).
        touching: Who touches something, shape (n,).
        stopped: Who stays where it touched something, shape (n,).
    """

    def __init__(self, agents: Sequence[IrsimAgent]) -> None:
        count = len(agents)
        self.states, self.velocities = np.zeros((count, STATE_WIDTH)), np.zeros((count, VELOCITY_WIDTH))
        self.slowest = _rows([agent.limits.slowest for agent in agents])
        self.fastest = _rows([agent.limits.fastest for agent in agents])
        self.changes = _rows([agent.limits.change for agent in agents])
        self.thresholds = np.array([agent.threshold for agent in agents])
        self.goals = np.full((count, _GOAL_WIDTH), np.nan)
        self.arrived: Bools = np.zeros(count, bool)
        self.touching, self.stopped = self.arrived.copy(), self.arrived.copy()
        self._has_angles = np.array([agent.has_angles for agent in agents], bool)
        self._waiting: list[deque[Floats]] = [deque() for _ in agents]
        self._counts: Ints = np.zeros(count, np.int64)

    @property
    def places(self) -> Floats:
        """Place that each goes to: its goal, or where it is; shape (n, 2)."""
        return np.where(np.isnan(self.goals[:, :1]), self.states[:, :2], self.goals[:, :2])

    def goal(self, number: int) -> Floats | None:
        """Return the goal of a robot, x, y and an angle if it has one; None = it has none."""
        waiting = self._waiting[number]
        return waiting[0] if waiting else None

    def set_goals(self, number: int, goals: Sequence[Floats]) -> None:
        """Have a robot go to places, one after the other."""
        self._waiting[number] = deque(goals)
        self.arrived[number] = False
        self._renew(number)

    def add_goals(self, number: int, goals: Sequence[Floats]) -> None:
        """Have a robot go to places after all others."""
        self._waiting[number].extend(goals)
        self._renew(number)

    def _renew(self, number: int) -> None:
        waiting = self._waiting[number]
        self._counts[number], self.goals[number] = len(waiting), np.nan
        if waiting:
            goal = waiting[0][:_GOAL_WIDTH]
            self.goals[number, : goal.size] = goal

    def judge(self, states: Floats, touching: Bools, *, stops: bool) -> None:
        """Note where robots are after a step, who arrived and who touched something.

        Args:
            states: Of all, shape (n, 4).
            touching: Who touches something, shape (n,).
            stops: Whether it stays there.
        """
        self.states, self.touching = states, touching
        if stops:
            self.stopped |= touching
        ways = states[:, :2] - self.goals[:, :2]
        turns = np.remainder(states[:, 2] - self.goals[:, 2] + np.pi, 2.0 * np.pi) - np.pi
        turns[~self._has_angles | np.isnan(turns)] = 0.0
        near = np.hypot(np.hypot(ways[:, 0], ways[:, 1]), turns) < self.thresholds
        self.arrived = np.where(self._counts > 0, near & (self._counts == 1), self.arrived)
        for number in np.flatnonzero(near & (self._counts > 1)).tolist():
            self._waiting[number].popleft()
            self._renew(number)

    def forget(self, states: Floats) -> None:
        """Have all be at rest at states, nothing touched; goals stay as they are."""
        self.states = states
        self.velocities = np.zeros_like(self.velocities)
        self.arrived = np.zeros_like(self.arrived)
        self.touching, self.stopped = self.arrived.copy(), self.arrived.copy()


def _rows(values: Sequence[Sequence[float]]) -> Floats:
    """Return two or three values for each robot as rows of three."""
    rows = np.zeros((len(values), VELOCITY_WIDTH))
    for number, row in enumerate(values):
        rows[number, : len(row)] = row
    return rows
