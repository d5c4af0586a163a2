"""Scouting: squads look for enemies where nobody of theirs has been for longest, in a match with fog."""

from collections.abc import Sequence

import numpy as np

from coopsim.features.games.logic.model import DataModel, SquadState
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.geometry import Floats

_FARTHEST, _APART = 40.0, 2.0
"""How far from the middle of the world squads look, and between two places where they do [m]."""
_NEVER = -60.0
"""When a place was seen where nobody has been yet [s]."""
_AGE_WORTH = 0.5
"""How much farther a place may be for each second that it was not seen [m]."""
_CROWDED, _CROWD_COST = 5.0, 20.0
"""So near to where another squad goes [m] a place counts as so much farther [m]."""
_USUAL_REACH = 3.0
"""How far robots look around whose sensors are not known [m]."""


class Scouting:
    """Places that the squads of a player have seen, and where each goes."""

    def __init__(self) -> None:
        self._points: Floats | None = None
        self._seen = np.zeros(0)
        self._goals: dict[str, int] = {}

    def orders(self, model: DataModel, squads: Sequence[SquadState]) -> list[SquadOrder]:
        """Return the orders of squads that have seen the place where they went, or have none."""
        if self._points is None:
            axis = np.arange(-_FARTHEST, _FARTHEST, _APART) + 0.5 * _APART
            places = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
            self._points = places[~model.blocked(places)]
            self._seen = np.full(len(self._points), _NEVER)
        points = self._points
        for robot in (robot for squad in squads for robot in squad.alive):
            reach = robot.reach if np.isfinite(robot.reach) else _USUAL_REACH
            self._seen[np.hypot(*(points - model.position(robot)).T) < reach] = model.time
        chosen = []
        for squad in squads if len(points) else ():
            goal = self._goals.get(squad.name)
            if goal is None or self._seen[goal] >= model.time:
                self._goals[squad.name] = goal = self._next(points, model, squad)
                x, y = points[goal].tolist()
                chosen.append(SquadOrder(squad.name, "go_to", point=(x, y)))
        return chosen

    def forget(self) -> None:
        """Let squads be sent anew: they have done something else meanwhile."""
        self._goals.clear()

    def _next(self, points: Floats, model: DataModel, squad: SquadState) -> int:
        costs = np.hypot(*(points - model.middle(squad)).T) - _AGE_WORTH * (model.time - self._seen)
        for name, goal in self._goals.items():
            if name != squad.name:
                costs = costs + _CROWD_COST * (np.hypot(*(points - points[goal]).T) < _CROWDED)
        return int(np.argmin(costs))
