"""The hard computer player: it lets attackers come one by one, strikes where few enemies reach, and strikes as a whole.

Who attacks arrives one after the other before those who stand and shoot. So it stands while somebody comes; where the
enemies stand, all its squads muster out of range, and go together to where they hit one enemy that few others cover.
"""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.features.games.logic.army import (
    Advances,
    Strike,
    best_strike,
    enemies_of,
    own_squads,
    stand_off,
    strength,
)
from coopsim.features.games.logic.model import DataModel, Flag, RobotState, SquadState
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.geometry import Floats

_PAUSE = 0.5
"""Between two thoughts [s]."""
_WAITED = 4.0
"""Enemies that stand for so long do not come [s]."""
_MUSTER = 3.0
"""So much farther out than the place of a strike squads wait for each other [m]."""
_MUSTERED, _MUSTER_TIME = 1.3, 25.0
"""A squad so near to its place has mustered [m]; after so long nobody waits any more [s]."""
_MEETS = 5.0
"""Who comes is met so near to the middle of the army [m]."""
_FAN = 0.3
"""Between the places of two squads around a target [rad]."""
_SHIFT = 0.8
"""An order is given anew where its place has moved so far [m]."""
_HOPELESS = 0.4
"""Below this share of the enemies' strength squads keep away from them."""
_CRUSHING = 2.5
"""Above this share squads run enemies down."""
_STRONGER = 1.6
"""Above this share of the enemies' strength a squad leaves the army to fetch a flag that is guarded."""


class HardBot:
    """Commands the squads of a player as one army.

    Args:
        player: Whose squads.
    """

    def __init__(self, player: str) -> None:
        self.player, self._next = player, 0.0
        self._last: dict[str, tuple[SquadOrder, float]] = {}
        self._advances, self._raid = Advances(), RaidPlan(player)
        self._strike: Strike | None = None
        self._muster: list[tuple[float, float]] = []
        self._mustering = -math.inf
        self._anchor: Floats | None = None

    def orders(self, model: DataModel, rules: str) -> list[SquadOrder]:
        """Return what it orders now."""
        if model.time < self._next:
            return []
        self._next = model.time + _PAUSE
        squads, enemies = own_squads(model, self.player), enemies_of(model, self.player)
        chosen = self._raid.orders(squads, enemies, model) if rules == "capture_the_flag" else []
        busy = {order.squad for order in chosen}
        army = [squad for squad in squads if squad.name not in busy]
        if army and enemies:
            chosen += self._fight(army, enemies, model)
        return [order for order in chosen if self._is_news(order, model.time)]

    def _fight(self, army: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder]:
        robots = [robot for squad in army for robot in squad.obeying]
        center = model.positions[[robot.index for robot in robots]].mean(axis=0)
        # frozen while the army is on its way: who only stands would come nearer to it
        self._anchor = center if self._strike is None or self._anchor is None else self._anchor
        coming = self._advances.coming(model, enemies, self._anchor, _WAITED)
        share = strength(robots) / max(strength(enemies), 1e-9)
        if share > _CRUSHING:
            return self._hunt(army, enemies, model, center)
        near = [enemy for enemy in coming if float(np.hypot(*(model.position(enemy) - center))) < _MEETS]
        if near and self._mustering > -math.inf:
            self._strike = None  # who comes meanwhile is met first
        if near and self._strike is None:
            return self._hunt(army, near, model, center)
        if share < _HOPELESS or (self._strike is None and coming):
            return [SquadOrder(squad.name, "stop") for squad in army]
        return self._strike_together(army, enemies, model)

    def _hunt(
        self, army: list[SquadState], enemies: list[RobotState], model: DataModel, center: Floats
    ) -> list[SquadOrder]:
        nearest = min(enemies, key=lambda enemy: float(np.hypot(*(model.position(enemy) - center))))
        return [SquadOrder(squad.name, "attack", nearest.squad) for squad in army]

    def _strike_together(self, army: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder]:
        """Muster out of range, then go to places around one enemy all at once."""
        strike = self._strike
        if strike is None or not strike.target.is_alive or strike.target not in enemies:
            is_first = strike is None
            strike = self._strike = best_strike(model, army, enemies)
            # places of the muster stay: whom they are about may be pushed about
            self._muster = [
                strike.squad_position(model, stand_off(squad) + _MUSTER, turn) for squad, turn in _fanned(army)
            ]
            self._mustering = model.time if is_first else -math.inf
        if model.time - self._mustering < _MUSTER_TIME and len(self._muster) == len(army):
            gaps = [math.dist(model.middle(squad), place) for squad, place in zip(army, self._muster, strict=True)]
            if max(gaps) > _MUSTERED:
                return _sent(army, self._muster, "go_to")
        self._mustering = -math.inf
        return [SquadOrder(squad.name, "attack", strike.target.squad) for squad in army]

    def _is_news(self, order: SquadOrder, now: float) -> bool:
        """Return whether a squad does not do this yet; places that hardly moved are the same."""
        last = self._last.get(order.squad)
        if last is not None:
            before = last[0]
            is_alike = (before.verb, before.subject) == (order.verb, order.subject)
            near = before.point is None or order.point is None or math.dist(before.point, order.point) < _SHIFT
            if is_alike and near:
                return False
        self._last[order.squad] = order, now
        return True


def _fanned(army: Sequence[SquadState]) -> list[tuple[SquadState, float]]:
    """Return squads with their turns around a target: side by side [rad]."""
    return [(squad, _FAN * (number - 0.5 * (len(army) - 1))) for number, squad in enumerate(army)]


def _sent(army: Sequence[SquadState], places: Sequence[tuple[float, float]], verb: str) -> list[SquadOrder]:
    return [
        SquadOrder(squad.name, verb, point=(round(x, 2), round(y, 2)), formation="line")
        for squad, (x, y) in zip(army, places, strict=True)
    ]


class RaidPlan:
    """A raid: which squad fetches a flag, which brings it home, and which stop a robot that carries an own one.

    Squads without an order of it fight.

    Args:
        player: Whose squads.
    """

    def __init__(self, player: str) -> None:
        self._player = player

    def orders(self, squads: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder]:
        """Return the orders about flags.

        Args:
            squads: Of the player, those with somebody left.
            enemies: That are known.
            model: Of the match.
        """
        carriers = [squad for squad in squads if any(robot.holding for robot in squad.alive)]
        chosen = [SquadOrder(squad.name, "bring", model.bases[self._player]) for squad in carriers]
        rest = [squad for squad in squads if squad not in carriers]
        lost = [flag for flag in model.flags.values() if flag.player == self._player and flag.carrier]
        if lost and rest:
            return [*chosen, *(SquadOrder(squad.name, "attack", lost[0].carrier) for squad in rest)]
        flag = self._open_flag(squads, enemies, model)
        if flag is None or not rest or carriers:
            return chosen
        runner = min(rest, key=lambda squad: (-_speed(squad), _gap(model, squad, flag)))
        return [*chosen, SquadOrder(runner.name, "capture", flag.name)]

    def _open_flag(self, squads: list[SquadState], enemies: list[RobotState], model: DataModel) -> Flag | None:
        """Return the flag to fetch where the enemies are weak, the nearest one; None = none."""
        flags = [flag for flag in model.flags.values() if flag.player != self._player and not flag.carrier]
        robots = [robot for squad in squads for robot in squad.alive]
        if strength(robots) <= _STRONGER * strength(enemies):
            return None
        middle = model.positions[[robot.index for robot in robots]].mean(axis=0)
        return min(flags, key=lambda flag: float(np.hypot(*(middle - flag.place))), default=None)


def _speed(squad: SquadState) -> float:
    return min(robot.speed for robot in squad.obeying)


def _gap(model: DataModel, squad: SquadState, flag: Flag) -> float:
    return float(np.hypot(*(model.middle(squad) - flag.place)))
