"""A squad steps aside for another one that comes towards it, then goes on along its way.

Moving robots are in no map. A squad looks for collisions that are inbound within a range, computes a vector by which
all of its robots pass, and takes up the way that it had. Robots that are stuck get ways of their own.

Source: swarm gaming, section 4.3 (Avoiding collisions), figure 5.
"""

from dataclasses import dataclass

import numpy as np

from coopsim.features.games.logic.model import RobotState
from coopsim.features.games.logic.nearness import first_meetings, lined_up
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.squads import MatchView, SquadIntelligence, SquadSpan
from coopsim.features.games.logic.ways import MOST_POINTS, clear_way, joined, sequence
from coopsim.geometry import Floats

_REACH, _AHEAD = 4.0, 4.0
"""How far [m], and into the future [s], a squad looks."""
# as long as a squad looks ahead: the first step aside must show before the next is chosen
_PAUSE = 4.0
"""Between two steps aside [s]."""
_MARGIN = 0.2
"""Between robots that pass each other [m]."""
# less is within what robots sway; more is a way of its own, which the planner finds better
_SMALLEST, _LARGEST = 0.3, 3.0
"""Of a step aside [m]."""
_SLOW = 0.05
"""Whoever is slower stands [m/s]."""
_STUCK = 6.0
"""Whoever came no nearer to where it goes for so long is stuck [s]."""
_CHEAPER = 0.6
"""The left side is taken where it takes less than this share of the way to the right."""


@dataclass(frozen=True)
class InboundSquad:
    """Robots that this squad would run into.

    Attributes:
        robots: All of the other squad.
        distance: To where they would meet, along the own way [m].
        is_moving: Whether they come, and step aside themselves.
    """

    robots: list[RobotState]
    distance: float
    is_moving: bool


class AvoidSquad:
    """Steps aside for squads that are inbound; those that an order is about are not avoided."""

    name, priority = "avoid", 70

    def __init__(self) -> None:
        self._asked: tuple[SquadIntelligence, MatchView] | None = None
        self._ways: dict[str, Floats] = {}

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether another squad is inbound, and there is room aside."""
        if view.model.time - intelligence.avoided < _PAUSE or not intelligence.ways or intelligence.is_fighting(view):
            return False
        return bool(self._ways_aside(intelligence, view))

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send every robot that drives a step aside, then along what is left of its way."""
        ways = self._ways_aside(intelligence, view)
        self._asked, intelligence.avoided = None, view.model.time
        intelligence.ways |= ways
        return [
            sequence(robot, ways[robot.name], intelligence.tasks.get(robot.name))
            for robot in intelligence.squad.obeying
            if robot.name in ways
        ]

    def _ways_aside(self, intelligence: SquadIntelligence, view: MatchView) -> dict[str, Floats]:
        """Return the new ways by robot, {} where there is no need, or no room; who acts has asked just before."""
        # `wants` and `act` of one look share what is the dearest part of it
        if self._asked is None or self._asked[0] is not intelligence or self._asked[1] is not view:
            self._asked, self._ways = (intelligence, view), _ways_aside(intelligence, view)
        return self._ways


class FreeSquad:
    """Plans a way of its own for each robot that is stuck: from where it is, around all that stand near it."""

    name, priority = "free", 65

    def wants(self, intelligence: SquadIntelligence, view: MatchView) -> bool:
        """Return whether a robot has been stuck for a while."""
        return view.model.time - intelligence.freed >= _STUCK and bool(self._stuck(intelligence, view))

    def act(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotCommand]:
        """Send those along their new ways."""
        intelligence.freed, commands = view.model.time, []
        for robot in self._stuck(intelligence, view):
            # moving robots are in no map; those that stand are what it is stuck at
            grid = view.grid(intelligence.squad, _standing_near(robot, view))
            left = intelligence.ways[robot.name][int(view.steps[robot.index]) :]
            way = joined(grid, view.model.position(robot), left[-1:])
            # a longer one does not fit the sequence of a robot; it waits, and tries again
            if len(way) <= MOST_POINTS:
                intelligence.ways[robot.name] = way
                commands.append(sequence(robot, way, intelligence.tasks.get(robot.name)))
        return commands

    def _stuck(self, intelligence: SquadIntelligence, view: MatchView) -> list[RobotState]:
        stuck = [
            robot
            for robot in intelligence.squad.obeying
            if view.stuck[robot.index] > _STUCK and robot.name in intelligence.ways
        ]
        return [robot for robot in stuck if view.steps[robot.index] < len(intelligence.ways[robot.name])]


def _ways_aside(intelligence: SquadIntelligence, view: MatchView) -> dict[str, Floats]:
    # asked first: most squads stand, and need no velocities
    if view.spans[intelligence.squad.name].speed < 0.5 * _SLOW:
        return {}
    robots = [
        robot
        for robot in intelligence.squad.obeying
        if robot.name in intelligence.ways and view.doing[robot.index] > 0.0
    ]
    velocity = view.velocities[[robot.index for robot in robots]].mean(axis=0) if robots else np.zeros(2)
    speed = np.hypot(*velocity)
    if speed < _SLOW:
        return {}
    inbound = nearest_inbound(robots, intelligence, view)
    if inbound is None:
        return {}
    forward = velocity / speed
    for vector in mitigation_vectors(robots, inbound, forward, view):
        ways = _detours(robots, vector, forward * inbound.distance, intelligence, view)
        if ways:
            return ways
    return {}


def _standing_near(robot: RobotState, view: MatchView) -> list[RobotState]:
    """Return the robots that take part and hardly move, so near that they may be what holds one up."""
    near = np.hypot(*(view.model.positions - view.model.position(robot)).T) < _REACH
    speeds = np.hypot(*view.velocities.T)
    neighbours = (
        neighbour for neighbour in view.model.robots.values() if neighbour is not robot and neighbour.is_alive
    )
    return [neighbour for neighbour in neighbours if near[neighbour.index] and speeds[neighbour.index] < _SLOW]


def nearest_inbound(robots: list[RobotState], intelligence: SquadIntelligence, view: MatchView) -> InboundSquad | None:
    """Return the squad that robots of this one would run into first, None if there is none."""
    subject = intelligence.order.subject if intelligence.order is not None else ""
    meant = view.model.robots.get(subject)
    passed = {intelligence.squad.name, subject} | ({meant.squad} if meant is not None and meant.is_alive else set())
    if intelligence.attacks_squad(view):
        passed |= {squad.name for squad in view.model.squads.values() if squad.player != intelligence.squad.player}
    own = view.spans[intelligence.squad.name]
    near = [span for name, span in view.spans.items() if name not in passed and own.is_near(span, _REACH)]
    commands = [
        (when, InboundSquad(span.robots, distance, span.speed >= _SLOW))
        for span, (when, distance) in zip(near, _meetings(robots, near, view), strict=True)
        if when < _AHEAD and distance < _REACH
    ]
    return min(commands, key=lambda ranked: ranked[0])[1] if commands else None


def mitigation_vectors(
    robots: list[RobotState], inbound: InboundSquad, forward: Floats, view: MatchView
) -> tuple[Floats, Floats]:
    """Return by what all robots step aside, the better one first: to the right, unless the left is much nearer [m].

    Squads that come towards each other step to the same side of themselves, each half of the way that is needed.
    """
    right = np.array([forward[1], -forward[0]])
    own = view.model.positions[[robot.index for robot in robots]] @ right
    their = view.model.positions[[robot.index for robot in inbound.robots]] @ right
    width = max(robot.radius for robot in robots) + max(robot.radius for robot in inbound.robots) + _MARGIN
    share = 0.5 if inbound.is_moving else 1.0
    to_right, to_left = (
        float(np.clip(share * (width + needed), _SMALLEST, _LARGEST))
        for needed in (their.max() - own.min(), own.max() - their.min())
    )
    sides = to_right * right, -to_left * right
    return (sides[1], sides[0]) if to_left < _CHEAPER * to_right else sides


def _meetings(robots: list[RobotState], others: list[SquadSpan], view: MatchView) -> list[list[float]]:
    """Return when robots come too near to those of squads [s], infinity for never, and how far away that is [m]."""
    if not others:
        return []
    roster, goals = view.model.roster, np.empty((len(others), 2))
    squads = lined_up([[robot.index for robot in span.robots] for span in others])
    motion = view.model.positions, view.velocities, roster.radii
    first_meetings(np.array([robot.index for robot in robots]), squads, motion, (_AHEAD, 0.5 * _MARGIN), goals)
    meetings: list[list[float]] = goals.tolist()
    return meetings


def _detours(
    robots: list[RobotState], aside: Floats, ahead: Floats, intelligence: SquadIntelligence, view: MatchView
) -> dict[str, Floats]:
    """Return the new ways by robot: aside, past the others, then on as before; {} where something is in the way."""
    ways: dict[str, Floats] = {}
    grid = view.grid(intelligence.squad)
    forward = ahead / np.hypot(*ahead)
    # others are at their places already, and pick something up
    going = [robot for robot in robots if view.steps[robot.index] < len(intelligence.ways[robot.name])]
    places = view.model.positions[[robot.index for robot in going]]
    firsts = places + aside + min(float(np.hypot(*aside)), float(np.hypot(*ahead))) * 0.5 * forward
    seconds = places + aside + ahead
    if grid.is_blocked(np.concatenate((firsts, seconds))).any():
        return {}
    for robot, place, first, second in zip(going, places, firsts, seconds, strict=True):
        left = intelligence.ways[robot.name][int(view.steps[robot.index]) :]
        passed = (left - second) @ forward < 0.0
        passed[-1] = False
        points = clear_way(grid, place, np.vstack((first, second, left[~passed])))
        if len(points) > MOST_POINTS:
            return {}
        ways[robot.name] = points
    return ways
