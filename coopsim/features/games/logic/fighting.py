"""Robots of a squad that attacks another one, as soon as enemies are near: each looks for a place to shoot from.

Places around a target that moves are planned anew before they are reached, and friends, and who has fallen, hide
enemies: squads that have met would go on around each other.

Source: swarm gaming, section 4.3 (attackers surround their target, robots shoot when enemies are in range).
"""

import math

import numpy as np

from coopsim.features.games.logic.firing import firing_place
from coopsim.features.games.logic.model import RobotState
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.squads import MatchView, SquadIntelligence
from coopsim.features.games.logic.ways import MOST_POINTS, joined, sequence
from coopsim.geometry import Floats

_REACH = 3.5
"""A squad fights enemies that are no farther out of the range of one of its robots [m]."""
_PAUSE = 1.0
"""Between two ways of a robot [s]."""
_MOVED = 1.0
"""A place is given up when the nearest enemy is so much farther from it than one shoots [m]."""


class FightSquad:
    """Behaviour of robots that each go to a place from which they see an enemy within range, and stay while they do."""

    name, priority = "fight", 45

    def __init__(self) -> None:
        self._ends: dict[str, tuple[float, ...]] = {}
        self._told: dict[str, float] = {}
        self._going: list[RobotState] = []

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether enemies are near, and some robot should go elsewhere."""
        if not intelligence.attacks_squad(view):
            return False
        now, robots = view.model.time, intelligence.squad.obeying
        if min(view.short_of[robot.index] for robot in robots) <= _REACH:
            intelligence.fought = now
        if not intelligence.is_fighting(view):
            return False
        due = [robot for robot in robots if now - self._told.get(robot.name, -math.inf) >= _PAUSE]
        self._going = [robot for robot in due if self._should_go(robot, intelligence, view)]
        return bool(self._going)

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send each to the nearest place that is free, and from which it sees an enemy."""
        commands, grid, intelligence.is_part = [], view.grid(intelligence.squad), True
        for robot in self._going:
            intelligence.ways.pop(robot.name, None)
            intelligence.tasks.pop(robot.name, None)
            place = _firing_position(robot, intelligence, view)
            way = joined(grid, view.model.position(robot), place[np.newaxis])[:MOST_POINTS]
            intelligence.ways[robot.name], self._told[robot.name] = way, view.model.time
            self._ends[robot.name] = tuple(way[-1].tolist())
            commands.append(sequence(robot, way))
        return commands

    def _should_go(self, robot: RobotState, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether a robot has no way to a place of this fight, or that one is of no use any more."""
        if view.is_settled[robot.index]:
            return False
        way = intelligence.ways.get(robot.name)
        if view.is_idle[robot.index] or way is None:
            return True
        end = way[-1].tolist()
        if self._ends.get(robot.name) != tuple(end):
            return True
        enemy = view.model.positions[view.enemies[0][robot.index]].tolist()
        return math.dist(end, enemy) > robot.range + _MOVED


def _firing_position(robot: RobotState, intelligence: SquadIntelligence, view: MatchView) -> Floats:
    """Return where a robot goes to shoot; to the nearest enemy where there is no place that it could reach [m]."""
    model, roster = view.model, view.model.roster
    position, grid, place = model.position(robot), view.grid(intelligence.squad), np.empty(2)
    gaps = np.hypot(*(model.positions - position).T)
    is_near = view.alive & (roster.players != roster.players[robot.index]) & (gaps < robot.range + 2.0 * _REACH)
    rows = np.flatnonzero(is_near)
    enemies = rows[np.argsort(gaps[rows], kind="stable")]
    cell = grid.nearest_free(float(position[0]), float(position[1]))
    part = int(grid.parts[cell]) if cell is not None else -1
    field = grid.parts, np.array((*grid.low, grid.cell)), part
    bodies = model.positions, roster.radii, view.field.walls
    if firing_place((robot.index, enemies), robot.range, bodies, _ends(robot.player, view), field, place):
        return place
    return model.position(roster.robots[int(view.enemies[0][robot.index])])


def _ends(player: str, view: MatchView) -> Floats:
    """Return where the ways of a player's robots end, NaN where they have none, shape (n, 2) [m]."""
    ends = np.full((len(view.model.robots), 2), np.nan)
    for intelligence in (view.intelligences or {}).values():
        if intelligence.squad.player == player:
            for name, way in intelligence.ways.items():
                ends[view.model.robots[name].index] = way[-1]
    return ends
