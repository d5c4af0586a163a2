"""Repetition of lost commands: robots report their action, so a squad sees what did not arrive.

Source: swarm gaming, section 4 (robots tell the intelligence of their squad what they do).
"""

import numpy as np

from coopsim.features.games.logic.model import RobotState
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.squads import MatchView, SquadIntelligence
from coopsim.features.games.logic.ways import sequence

_PAUSE = 2.0
"""So long is waited for what robots tell, before something is said again [s]."""
_THERE = 0.3
"""A robot that rests so near to the end of its way is there [m]."""


class RepeatSquad:
    """Says again what robots with a radio were told, and do not do: to go their way, to stand, to shoot."""

    name, priority = "repeat", 64

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether some robot does not do what it was told a while ago."""
        return bool(self._again(intelligence, view))

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Say it again."""
        commands, intelligence.repeated = self._again(intelligence, view), view.model.time
        return commands

    def _again(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        since = view.model.time - max(
            intelligence.repeated, intelligence.planned_at, intelligence.avoided, intelligence.freed
        )
        robots = [robot for robot in intelligence.squad.obeying if robot.has_radio] if since > _PAUSE else []
        commands = []
        for robot in robots:
            commands += _way_again(robot, intelligence, view) + _aim_again(robot, intelligence, view)
        return commands


def _way_again(robot: RobotState, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
    """Return the way of a robot that rests before its end, or that it shall stand where it was told to."""
    is_busy, way = view.doing[robot.index] > 0.0, intelligence.ways.get(robot.name)
    if way is None:
        stands = intelligence.order is not None and intelligence.order.verb == "stop" and not intelligence.is_new
        return [RobotCommand(robot.name, "intelligence", "stop")] if stands and is_busy else []
    task = intelligence.tasks.get(robot.name)
    end = way[-1] if task is None else task[0]
    if is_busy or float(np.hypot(*(view.model.position(robot) - end))) <= _THERE:
        return []
    return [sequence(robot, way, task)]


def _aim_again(robot: RobotState, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
    """Return at whom a robot shall shoot that has hit nobody for a while."""
    target = intelligence.aims.get(robot.name, -1)
    if target < 0 or robot.power < 1.0 or view.model.time - robot.shot_at <= _PAUSE:
        return []
    return [RobotCommand(robot.name, "shooter", "shoot", (float(target),))]
