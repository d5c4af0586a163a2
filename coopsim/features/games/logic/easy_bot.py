"""Computer players whose squads go to what is nearest, each by itself: easy and normal."""

import math

import numpy as np

from coopsim.features.games.logic.army import MEETS, STOOD, Advances, enemies_of, own_squads
from coopsim.features.games.logic.model import DataModel, SquadState
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.scouting import Scouting

_CROWDED = 4.0
"""So much farther may an enemy be for each other squad that attacks the nearer one [m]."""
_WEAKER = 0.02
"""So much farther may an enemy be for each point of health that it has less [m]."""


class EasyBot:
    """Sends each squad to what is nearest, every few seconds.

    Not all of them go to the same enemy: they would stand in each other's way.

    Args:
        player: Whose squads.
    """

    pause, is_careful = 6.0, False
    """Time between two thoughts [s]; whether it seeks the weak, and goes after its own flag."""

    def __init__(self, player: str) -> None:
        self.player, self._next = player, 0.0
        self._last: dict[str, tuple[str, str]] = {}
        self._scouting = Scouting()

    def orders(self, model: DataModel, rules: str) -> list[SquadOrder]:
        """Return what it orders now."""
        if model.time < self._next:
            return []
        self._next = model.time + self.pause
        if rules != "capture_the_flag" and not self._knows_enemies(model):
            self._last.clear()
            own = [squad for squad in model.squads.values() if squad.player == self.player and squad.obeying]
            return self._scouting.orders(model, own)
        self._scouting.forget()
        bot_orders = []
        for squad in model.squads.values():
            if squad.player == self.player and squad.alive:
                order = self._order(squad, model, rules)
                if order is not None and self._last.get(squad.name) != (order.verb, order.subject):
                    self._last[squad.name] = order.verb, order.subject
                    bot_orders.append(order)
        return bot_orders

    def _knows_enemies(self, model: DataModel) -> bool:
        """Return whether an enemy is known; without fog all are."""
        return any(robot.player != self.player and robot.is_alive for robot in model.robots.values())

    def _order(self, squad: SquadState, model: DataModel, rules: str) -> SquadOrder | None:
        if rules == "capture_the_flag":
            return self._order_about_flags(squad, model)
        return self._attack(squad, model)

    def _order_about_flags(self, squad: SquadState, model: DataModel) -> SquadOrder | None:
        if any(robot.holding for robot in squad.alive):
            return SquadOrder(squad.name, "bring", model.bases[self.player])
        free = [flag for flag in model.flags.values() if flag.player != self.player and not flag.carrier]
        lost = [flag for flag in model.flags.values() if flag.player == self.player and flag.carrier]
        if lost and (self.is_careful or not free):
            return SquadOrder(squad.name, "attack", lost[0].carrier)
        if free:
            middle = model.middle(squad)
            nearest = min(free, key=lambda flag: float(np.hypot(*(middle - flag.place))))
            return SquadOrder(squad.name, "capture", nearest.name)
        return self._attack(squad, model)

    def _attack(self, squad: SquadState, model: DataModel) -> SquadOrder | None:
        """Attack the squad that is nearest, unless others do; a careful one would rather have one that is weak."""
        enemies = [squad for squad in model.squads.values() if squad.player != self.player and squad.alive]
        if not enemies:
            return None
        own = [
            name
            for name, squad_of_player in model.squads.items()
            if squad_of_player.player == self.player and squad_of_player.alive and squad_of_player is not squad
        ]
        taken = [self._last.get(name) for name in own]
        costs = [_gap(squad, enemy, model) + _CROWDED * taken.count(("attack", enemy.name)) for enemy in enemies]
        if self.is_careful:
            costs = [cost + _WEAKER * _health(enemy) for cost, enemy in zip(costs, enemies, strict=True)]
        return SquadOrder(squad.name, "attack", enemies[int(np.argmin(costs))].name)


class NormalBot(EasyBot):
    """Thinks three times as often, lets attackers come, and goes after the weak, and after its own flag."""

    pause, is_careful = 2.0, True

    def __init__(self, player: str) -> None:
        super().__init__(player)
        self._advances, self._judged_at, self._waits = Advances(), -math.inf, False

    def _attack(self, squad: SquadState, model: DataModel) -> SquadOrder | None:
        """Attack as the easy one does, unless enemies come that are not near yet: they arrive one by one."""
        if model.time > self._judged_at:  # once for all squads
            self._judged_at, self._waits = model.time, self._should_wait(model)
        return SquadOrder(squad.name, "stop") if self._waits else super()._attack(squad, model)

    def _should_wait(self, model: DataModel) -> bool:
        robots = [robot for squad in own_squads(model, self.player) for robot in squad.obeying]
        if not robots:
            return False
        center = model.positions[[robot.index for robot in robots]].mean(axis=0)
        coming = self._advances.coming(model, enemies_of(model, self.player), center, STOOD)
        gaps = [float(np.hypot(*(model.position(enemy) - center))) for enemy in coming]
        return min(gaps, default=0.0) > MEETS


def _gap(squad: SquadState, other: SquadState, model: DataModel) -> float:
    """Return the distance of the two robots of squads that are nearest to each other [m]."""
    own, their = (model.positions[[robot.index for robot in pair_member.alive]] for pair_member in (squad, other))
    return float(np.hypot(*(own[:, np.newaxis] - their).transpose(2, 0, 1)).min())


def _health(squad: SquadState) -> float:
    """Return the health that is left of a squad, for each robot that it began with."""
    return sum(robot.health for robot in squad.alive) / len(squad.robots)
