"""Fog of war: a player knows of enemies what the sonars of its robots reach, and where it saw the others last.

Squads and computer players are given a model in which everybody else's place is unknown, which is NaN: they cannot
use what their player does not see. Robots that are out lie where everybody may see them.

Source: swarm gaming, section 6 (robots decide by what their sensors tell); which enemies are known is our choice.
"""

from dataclasses import replace

import numpy as np

from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.nearness import is_seen
from coopsim.features.games.logic.squads import MatchView
from coopsim.geometry import Bools, Floats
from coopsim.kernels import compiled


class Fog:
    """Knowledge of each player about where robots are.

    Args:
        model: Of the match.
        walls: Both ends of walls, shape (m, 4) [m]: nobody sees through them.
    """

    def __init__(self, model: DataModel, walls: Floats) -> None:
        self._model, self._walls = model, walls
        count = len(model.robots)
        self._known = {player: np.full((count, 2), np.nan) for player in model.players()}
        self._seen = {player: np.zeros(count, np.bool_) for player in self._known}
        self._views: dict[str, MatchView] = {}

    def update(self) -> None:
        """Look with all robots from where they are now."""
        model, self._views = self._model, {}
        robots = model.roster.robots
        alive = np.array([robot.is_alive for robot in robots])
        reaches = np.array([robot.reach for robot in robots])
        for player, places in self._known.items():
            is_own = np.array([robot.player == player for robot in robots])
            update_known((model.positions, self._walls), (is_own, alive), reaches, (places, self._seen[player]))

    def seen_by(self, player: str) -> list[str]:
        """Return the enemies that take part and that a player sees."""
        seen = self._seen[player]
        robots = self._model.roster.robots
        return [robot.name for robot in robots if robot.player != player and robot.is_alive and seen[robot.index]]

    def view(self, player: str, view: MatchView) -> MatchView:
        """Return the match as the squads of a player see it; the same one until the next update."""
        if player not in self._views:
            # shares robots, squads, flags and the log; only places are what the player knows
            model = replace(view.model, positions=self._known[player])
            self._views[player] = replace(view, model=model, truth=view.model.positions)
        return self._views[player]

    def forget_views(self) -> None:
        """Let views be made anew: squads have changed."""
        self._views = {}

    def model_for(self, player: str) -> DataModel:
        """Return the model for the computer player of a player: enemies whose place is not known are left out."""
        model, places = self._model, self._known[player]
        robots = {
            name: robot
            for name, robot in model.robots.items()
            if robot.player == player or np.isfinite(places[robot.index, 0])
        }
        squads = {
            name: squad
            if squad.player == player
            else replace(squad, robots=[robot for robot in squad.robots if robot.name in robots])
            for name, squad in model.squads.items()
        }
        return replace(model, positions=places, robots=robots, squads=squads)

    def refusal(self, player: str, subject: str) -> str:
        """Return why a player may not order something about somebody: nobody has seen it; "" where it may."""
        model = self._model
        squad = model.squads.get(subject)
        robots = squad.robots if squad is not None else [model.robots[subject]] if subject in model.robots else []
        if not robots or robots[0].player == player:
            return ""
        is_known = np.isfinite(self._known[player][[robot.index for robot in robots], 0]).any()
        return "" if is_known else f"none of {player}'s robots has seen {subject}"


@compiled
def update_known(
    bodies: tuple[Floats, Floats], masks: tuple[Bools, Bools], reaches: Floats, out: tuple[Floats, Bools]
) -> None:
    """Write where robots are known to be, shape (n, 2) [m], NaN = nowhere, and who is seen now, shape (n,).

    Who was seen stays where that was until somebody looks there and sees nobody.

    Args:
        bodies: Positions of all robots, shape (n, 2), and both ends of walls, shape (m, 4) [m].
        masks: Who looks out for itself and its own, and who takes part, shape (n,) each.
        reaches: Of the sensors, shape (n,) [m].
        out: What is known so far; it is changed.
    """
    positions = bodies[0]
    is_own, alive = masks
    places, seen = out
    for j in range(seen.size):
        seen[j] = is_own[j] or not alive[j] or _is_watched(positions[j, 0], positions[j, 1], bodies, masks, reaches)
        if seen[j]:
            places[j, 0], places[j, 1] = positions[j, 0], positions[j, 1]
        # a comparison with NaN is false: nothing is forgotten of whom nobody knows
        elif places[j, 0] == places[j, 0] and _is_watched(places[j, 0], places[j, 1], bodies, masks, reaches):
            places[j, 0] = places[j, 1] = np.nan


@compiled
def _is_watched(x: float, y: float, bodies: tuple[Floats, Floats], masks: tuple[Bools, Bools], reaches: Floats) -> bool:
    """Return whether a robot that looks out reaches a place, and no wall is between."""
    positions, walls = bodies
    is_own, alive = masks
    nobody = np.zeros(reaches.size)
    for i in range(reaches.size):
        u, v = positions[i, 0] - x, positions[i, 1] - y
        is_near = is_own[i] and alive[i] and u * u + v * v <= reaches[i] * reaches[i]
        if is_near and is_seen((x, y), (i, i), (positions, nobody, walls)):
            return True
    return False
