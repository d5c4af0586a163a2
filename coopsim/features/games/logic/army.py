"""An army as computer players weigh it: places, ranges and fire of robots, who approaches, and from where to strike.

Nothing here is secret: it follows from what every player is told, and from what the types of robots can do.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from coopsim.features.games.logic.model import DataModel, RobotState, SquadState
from coopsim.geometry import Floats

STOOD = 4.0
"""Enemies that stand for so long do not come [s]."""
MEETS = 5.0
"""Who comes is met so near to the middle of an army [m]."""
_USUAL_RANGE, _USUAL_FIRE = 2.5, 12.0
"""Range [m] and damage in a second of robots whose type is not known."""
_NEARER, _FARTHER = 0.8, 2.0
"""Who came so much nearer comes; who went so much farther away may come again [m]."""
_SHUFFLE = 1.5
"""Who came so much nearer comes where the army is out: who takes its place in a formation goes to and fro [m]."""
_FIRST, _ADVANCED = 10.0, 3.0
"""For so long who has just been seen may still turn and gather [s]; then it comes if it came so much nearer [m]."""
_DIRECTIONS = 24
"""Around a target, from which a strike is weighed."""
_STAND_OFF = 0.88
"""Share of the own range from which a squad shoots."""
_MARGIN = 0.6
"""Enemies reach so much farther than their range: they turn and step [m]."""
_LANE = (1.0, 1.3, 1.6, 2.0, 2.3)
"""From where squads shoot to where they muster, in distances from the target: nothing may be in the way."""
_BARRED = 1000.0
"""Of a place where nobody can be, in damage a second."""
_TRAVEL_COST = 0.4
"""Of a metre of the way to a strike, in damage a second."""
_WEAK_BONUS = 0.1
"""Of each point of health that a target has less than a whole one, in damage a second."""


def reach_of(robot: RobotState) -> float:
    """Return the range of a robot [m]."""
    return robot.range or _USUAL_RANGE


def fire_of(robot: RobotState) -> float:
    """Return the damage that a robot does in a second; none without shots."""
    if robot.power < 1.0:
        return 0.0
    return robot.damage * robot.rate if robot.damage and math.isfinite(robot.rate) else _USUAL_FIRE


def strength(robots: Sequence[RobotState]) -> float:
    """Return the strength of robots that fight together: fire times health, as Lanchester's square law has it."""
    return sum(map(fire_of, robots)) * sum(robot.health for robot in robots)


def own_squads(model: DataModel, player: str) -> list[SquadState]:
    """Return the squads of a player that have somebody who obeys."""
    return [squad for squad in model.squads.values() if squad.player == player and squad.obeying]


def enemies_of(model: DataModel, player: str) -> list[RobotState]:
    """Return the enemies that take part, and that the player sees where the match has fog."""
    return [robot for robot in model.robots.values() if robot.player != player and robot.is_alive]


@dataclass
class Advances:
    """Enemies that come nearer; one that is pushed about, or steps aside, does not."""

    _gaps: dict[str, tuple[float, float]] = field(default_factory=dict)
    _first: dict[str, tuple[float, float]] = field(default_factory=dict)

    def coming(
        self, model: DataModel, enemies: Sequence[RobotState], center: Floats, pause: float, *, is_out: bool = False
    ) -> list[RobotState]:
        """Return the enemies that came nearer to a place not so long ago.

        Args:
            model: Of the match.
            enemies: That are known.
            center: The place [m].
            pause: Who came no nearer for so long [s] does not come.
            is_out: Whether the army, or one of it, is on its way.
        """
        comes = []
        for enemy in enemies:
            gap = float(np.hypot(*(model.position(enemy) - center)))
            since, before = self._gaps.get(enemy.name, (model.time, gap))
            seen_at, first_gap = self._first.setdefault(enemy.name, (model.time, gap))
            if gap < before - (_SHUFFLE if is_out else _NEARER):
                since, before = model.time, gap
            self._gaps[enemy.name] = since, max(before, gap - _FARTHER)
            is_nearer = model.time - since < pause and gap < first_gap - _ADVANCED
            if is_nearer or model.time - seen_at < _FIRST:
                comes.append(enemy)
        return comes


@dataclass(frozen=True)
class Strike:
    """Place that an army shoots from.

    Attributes:
        target: Enemy that it shoots at first.
        heading: From the target to the middle of the army [rad].
        exposure: Damage in a second that enemies do there.
    """

    target: RobotState
    heading: float
    exposure: float

    def squad_position(self, model: DataModel, gap: float, turned: float = 0.0) -> tuple[float, float]:
        """Return the place of a squad so far from the target [m], turned around it [rad]."""
        x, y = model.position(self.target).tolist()
        angle = self.heading + turned
        return x + gap * math.cos(angle), y + gap * math.sin(angle)


def stand_off(squad: SquadState) -> float:
    """Return how far from a target all robots of a squad in line hit it [m]."""
    reach = _STAND_OFF * min(map(reach_of, squad.obeying))
    half_width = 0.5 * squad.spacing * (len(squad.obeying) - 1)
    return math.sqrt(max(reach * reach - half_width * half_width, 0.25 * reach * reach))


def best_strike(model: DataModel, squads: Sequence[SquadState], enemies: Sequence[RobotState]) -> Strike:
    """Return the strike that exposes an army least: at the edge of the enemies, where few of them reach it.

    Args:
        model: Of the match.
        squads: The army; not empty.
        enemies: Not empty.
    """
    robots = [robot for squad in squads for robot in squad.obeying]
    center = model.positions[[robot.index for robot in robots]].mean(axis=0)
    gap = min(map(stand_off, squads))
    angles = np.arange(_DIRECTIONS) * (math.tau / _DIRECTIONS)
    around = gap * np.column_stack((np.cos(angles), np.sin(angles)))
    places = model.positions[[robot.index for robot in enemies]]
    ranges = np.array([reach_of(robot) + _MARGIN for robot in enemies])
    fires = np.array([fire_of(robot) for robot in enemies])
    strikes = []
    for row, target in enumerate(enemies):
        points = places[row] + around
        gaps = np.hypot(*(points[:, np.newaxis] - places).transpose(2, 0, 1))
        exposures = (fires * (gaps < ranges)).sum(axis=1)
        is_barred = np.any([model.blocked(places[row] + share * around) for share in _LANE], axis=0)
        exposures = exposures + _BARRED * is_barred
        costs = exposures + _TRAVEL_COST * np.hypot(*(points - center).T) + _WEAK_BONUS * (target.health - 100.0)
        best = int(np.argmin(costs))
        strikes.append((float(costs[best]), row, Strike(target, float(angles[best]), float(exposures[best]))))
    return min(strikes, key=lambda strike: strike[:2])[2]
