"""Sniping: a robot that outranges those who stand shoots at one of them from where none of the others reach.

A map of squares says where enemies reach, and how much they hurt there; ways and places are looked for in it.
"""

import heapq
import math
from collections.abc import Sequence

import numpy as np

from coopsim.features.games.logic.army import fire_of, reach_of
from coopsim.features.games.logic.model import DataModel, RobotState, SquadState
from coopsim.geometry import Bools, Floats

_SQUARE = 0.5
"""Side of a square of the map [m]: about the size of a robot."""
_AROUND = 6.0
"""The map goes so far beyond all robots [m]."""
_GAP = 0.93
"""Share of the own range from which a robot shoots: its target steps about."""
_MARGIN, _KEPT = 0.4, 0.1
"""Enemies reach so much farther than their range where a place is chosen, and where it is kept [m]."""
_DANGER_COST = 1.5
"""Of a square, for each point of damage in a second that a robot takes there, in squares."""
_STEPS = tuple((row, column) for row in (-1, 0, 1) for column in (-1, 0, 1) if (row, column) != (0, 0))


class DangerMap:
    """Squares around all robots of a match, and what enemies do to who is there.

    Args:
        model: Of the match.
        enemies: Not empty.
    """

    def __init__(self, model: DataModel, enemies: Sequence[RobotState]) -> None:
        alive = [robot.index for robot in model.robots.values() if robot.is_alive]
        places = model.positions[alive]
        self._low = places.min(axis=0) - _AROUND
        self._shape = tuple(np.ceil((places.max(axis=0) + _AROUND - self._low) / _SQUARE).astype(int).tolist())
        grid = np.moveaxis(np.indices(self._shape), 0, -1).reshape(-1, 2)
        self._centers = self._low + (grid + 0.5) * _SQUARE
        self._is_free = ~model.blocked(self._centers)
        self._enemies = model.positions[[robot.index for robot in enemies]]
        self._ranges = np.array([reach_of(robot) if fire_of(robot) > 0.0 else -math.inf for robot in enemies])
        self._fires = np.array([fire_of(robot) for robot in enemies])

    def damage(self, points: Floats, margin: float = _MARGIN) -> Floats:
        """Return the damage in a second that enemies do at points, shape (n, 2) [m]."""
        hurt: Floats = (self._gaps(points) < self._ranges + margin) @ self._fires
        return hurt

    def is_good(self, point: Floats, reach: float) -> bool:
        """Return whether who reaches so far hits an enemy from a point, and no enemy reaches it there."""
        return bool(self._gaps(point[np.newaxis]).min() < reach) and not self.damage(point[np.newaxis], _KEPT).any()

    def safe_place(self, begin: Floats, reach: float) -> tuple[Floats, Floats] | None:
        """Return the place to shoot from that takes the least, and the next point of the way there [m].

        Args:
            begin: Where the robot is.
            reach: Of its shooter [m].

        Returns:
            None where there is no such place.
        """
        damage = self.damage(self._centers)
        is_goal = self._is_free & (damage == 0.0) & (self._gaps(self._centers).min(axis=1) < _GAP * reach)
        return self._leg(begin, is_goal, damage)

    def refuge(self, begin: Floats) -> tuple[Floats, Floats] | None:
        """Return the nearest place out of all ranges, and the next point of the way there [m]; None = there is none."""
        damage = self.damage(self._centers)
        return self._leg(begin, self._is_free & (damage == 0.0), damage)

    def _leg(self, begin: Floats, is_goal: Bools, damage: Floats) -> tuple[Floats, Floats] | None:
        """Return the end of the cheapest way to a goal, and how far of it a robot goes straight [m]."""
        way = self._way(begin, is_goal, damage)
        if way is None:
            return None
        points = self._centers[way]
        taken = np.cumsum(damage[way])
        for end in range(len(way) - 1, 0, -1):
            if self._is_straight(begin, points[end], float(taken[end])):
                return points[-1], points[end]
        return points[-1], points[min(1, len(way) - 1)]

    def _gaps(self, points: Floats) -> Floats:
        gaps: Floats = np.hypot(*(points[:, np.newaxis] - self._enemies).transpose(2, 0, 1))
        return gaps

    def _is_straight(self, begin: Floats, end: Floats, taken: float) -> bool:
        """Return whether a robot can go straight on, and takes no more damage than on the way square by square."""
        count = max(2, math.ceil(float(np.hypot(*(end - begin))) / _SQUARE) + 1)
        points = np.linspace(begin, end, count)[1:]
        rows = np.clip(((points - self._low) / _SQUARE).astype(int), 0, np.array(self._shape) - 1)
        free: Bools = self._is_free[rows[:, 0] * self._shape[1] + rows[:, 1]]
        return bool(free.all()) and float(self.damage(points).sum()) <= taken

    def _way(self, begin: Floats, is_goal: Bools, damage: Floats) -> list[int] | None:
        """Return the squares of the cheapest way to a goal, by the algorithm of Dijkstra (1959)."""
        rows, columns = self._shape
        first = np.clip(((begin - self._low) / _SQUARE).astype(int), 0, np.array(self._shape) - 1)
        start = int(first[0] * columns + first[1])
        prices = (1.0 + _DANGER_COST * damage).tolist()
        costs, before, queue = {start: 0.0}, dict[int, int](), [(0.0, start)]
        free, goals = self._is_free.tolist(), is_goal.tolist()
        while queue:
            cost, square = heapq.heappop(queue)
            if cost > costs[square]:
                continue
            if goals[square]:
                way = [square]
                while way[-1] in before:
                    way.append(before[way[-1]])
                return way[::-1]
            row, column = divmod(square, columns)
            for step_row, step_column in _STEPS:
                y, x = row + step_row, column + step_column
                following = y * columns + x
                if not (0 <= y < rows and 0 <= x < columns and free[following]):
                    continue
                price = cost + math.hypot(step_row, step_column) * prices[following]
                if price < costs.get(following, math.inf):
                    costs[following], before[following] = price, square
                    heapq.heappush(queue, (price, following))
        return None


def sniper_of(army: Sequence[SquadState]) -> SquadState | None:
    """Return the squad of one robot that reaches farthest and can shoot, None where no robot is by itself."""
    lone = [squad for squad in army if len(squad.obeying) == 1 and fire_of(squad.obeying[0]) > 0.0]
    return max(lone, key=lambda squad: reach_of(squad.obeying[0]), default=None)
