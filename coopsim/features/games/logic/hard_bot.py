"""The hard computer player: it lets attackers come one by one, outranges those who stand, and strikes as a whole.

Who attacks arrives one after the other before those who stand and shoot. So it stands while somebody comes. Where the
enemies stand, who reaches farthest shoots from where no enemy reaches. If there is no such place, all muster out of
range, and go together to where they hit one enemy that few others cover, unless they are ahead and wait.
"""

import math
from collections.abc import Sequence

import numpy as np

from coopsim.features.games.logic.army import (
    MEETS,
    STOOD,
    Advances,
    Strike,
    best_strike,
    enemies_of,
    own_squads,
    reach_of,
    stand_off,
    strength,
)
from coopsim.features.games.logic.model import DataModel, Flag, RobotState, SquadState
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.scouting import Scouting
from coopsim.features.games.logic.sniping import DangerMap, sniper_of
from coopsim.geometry import Floats

_PAUSE = 0.5
"""Between two thoughts [s]."""
_APPROACH = 5.0
"""Time from where squads wait for each other to where they strike from: all arrive at once [s]."""
_MUSTERED, _MUSTER_TIME = 1.3, 25.0
"""A squad so near to its place has mustered [m]; after so long nobody waits any more [s]."""
_PULLED = 6
"""So many places are tried for a squad to muster at, each nearer to the target."""
_ARRIVED = 0.3
"""So near to the end of a leg of its way a robot gets the next one [m]."""
_MET = 0.5
"""Who comes so near to being in range fights, from wherever it sees an enemy [m]."""
_IN_STEP, _WAITS = 2.0, 0.4
"""Who would arrive so much earlier than the last one waits [s], so far out of range [m]."""
_RANK_GAP, _IN_RANK = 0.9, 0.35
"""Between robots that stand in line, and how near to its place a squad stops [m]."""
_FAN = 0.3
"""Between the places of two squads around a target [rad]."""
_SHIFT = 0.8
"""An order is given anew where its place has moved so far [m]."""
_CRUSHING, _LATE_CRUSHING = 1.7, 1.4
"""Above this share of the enemies' strength an army strikes, early in a match and late."""
_LATE, _TOO_LATE = 0.5, 25.0
"""Share of its time after which a match is late; a strike takes so long [s]."""
_HELD = 1.0
"""Down to this share of the enemies' strength an army goes on with a strike that it has begun."""
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
        self._muster: dict[str, tuple[float, float]] = {}
        self._mustering = self._struck = -math.inf
        self._anchor: Floats | None = None
        self._ranks: dict[str, tuple[float, float]] = {}
        self._scouting = Scouting()
        self._asked: set[str] = set()
        self._post: tuple[Floats, Floats] | None = None

    def orders(self, model: DataModel, rules: str) -> list[SquadOrder]:
        """Return what it orders now."""
        if model.time < self._next:
            return []
        self._next = model.time + _PAUSE
        squads, enemies = own_squads(model, self.player), enemies_of(model, self.player)
        if splits := self._single_robots(squads, rules):
            return splits
        chosen = self._raid.orders(squads, enemies, model) if rules == "capture_the_flag" else []
        busy = {order.squad for order in chosen}
        army = [squad for squad in squads if squad.name not in busy]
        if army and enemies:
            self._scouting.forget()
            chosen += self._fight(army, enemies, model)
        elif army:
            # in fog: the others stay together, and meet who follows the scout home
            chosen += self._scouting.orders(model, [max(army, key=_speed)])
        return [order for order in chosen if self._is_news(order, model.time)]

    def _single_robots(self, squads: list[SquadState], rules: str) -> list[SquadOrder]:
        """Return the orders that make each robot a squad: each strikes from where its own type does best."""
        if rules == "capture_the_flag":
            return []
        splits = [
            SquadOrder(squad.name, "split", f"{squad.name}_{robot.name}", robots=(robot.name,))
            for squad in squads
            for robot in squad.alive[1:]
            if robot.name not in self._asked
        ]
        # once: who plays elsewhere hears later that it is done, or that it cannot be
        self._asked |= {order.robots[0] for order in splits}
        return splits

    def _fight(self, army: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder]:
        robots = [robot for squad in army for robot in squad.obeying]
        center = model.positions[[robot.index for robot in robots]].mean(axis=0)
        # frozen while the army, or one of it, is on its way: who only stands would come nearer to it
        is_under_way = self._strike is not None or self._post is not None
        self._anchor = center if not is_under_way or self._anchor is None else self._anchor
        coming = self._advances.coming(model, enemies, self._anchor, STOOD, is_out=is_under_way)
        near = [enemy for enemy in coming if float(np.hypot(*(model.position(enemy) - center))) < MEETS]
        if near and self._mustering > -math.inf:
            self._strike = None  # who comes meanwhile is met first
        if near and self._strike is None:
            return self._hunt(army, near, model, center)
        if coming and self._strike is None:
            self._post = None  # nobody goes alone towards who comes
            return self._close_ranks(army, enemies, model, center)
        self._ranks.clear()
        share = strength(robots) / max(strength(enemies), 1e-9)
        if share < (_HELD if self._strike is not None else _needed_share(model)):
            if (orders := self._snipe(army, enemies, model)) is not None:
                return orders
            is_ahead = sum(robot.health for robot in robots) > sum(enemy.health for enemy in enemies)
            if is_ahead and not model.flags:
                return self._keep_away(army, enemies, model)
        return self._strike_together(army, enemies, model)

    def _close_ranks(
        self, army: list[SquadState], enemies: list[RobotState], model: DataModel, center: Floats
    ) -> list[SquadOrder]:
        """Stand in a line across the way of those who come, so close that all hit whoever is hit by one."""
        if {*self._ranks} < {squad.name for squad in army}:
            self._ranks = ranked(army, enemies, model, center)
        return [
            SquadOrder(squad.name, "stop")
            if math.dist(model.middle(squad), self._ranks[squad.name]) < _IN_RANK
            else _sent([squad], [self._ranks[squad.name]])[0]
            for squad in army
        ]

    def _keep_away(self, army: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder]:
        """Leave the range of enemies, and stand: who is ahead when the time is over wins."""
        danger, orders = DangerMap(model, enemies), list[SquadOrder]()
        for squad in army:
            middle = model.middle(squad)
            leg = danger.refuge(middle) if danger.damage(middle[np.newaxis]).any() else None
            orders += [SquadOrder(squad.name, "stop")] if leg is None else _sent([squad], [_pair(leg[1])])
        return orders

    def _hunt(
        self, army: list[SquadState], enemies: list[RobotState], model: DataModel, center: Floats
    ) -> list[SquadOrder]:
        nearest = min(enemies, key=lambda enemy: float(np.hypot(*(model.position(enemy) - center))))
        return [SquadOrder(squad.name, "attack", nearest.squad) for squad in army]

    def _snipe(self, army: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder] | None:
        """Let who reaches farthest shoot from where nobody reaches it while the others wait; None = it cannot."""
        sniper = sniper_of(army)
        if sniper is None:
            self._post = None
            return None
        robot, danger = sniper.obeying[0], DangerMap(model, enemies)
        position, reach = model.position(robot), reach_of(robot)
        rest = [SquadOrder(squad.name, "stop") for squad in army if squad is not sniper]
        if danger.is_good(position, reach):
            self._post = None
            return [SquadOrder(sniper.name, "stop"), *rest]
        post = self._post
        if post is None or not danger.is_good(post[0], reach) or math.dist(position, post[1]) < _ARRIVED:
            self._post = danger.safe_place(position, reach)
        if self._post is None:
            return None
        return [*_sent([sniper], [_pair(self._post[1])]), *rest]

    def _strike_together(self, army: list[SquadState], enemies: list[RobotState], model: DataModel) -> list[SquadOrder]:
        """Muster out of range, then go to places around one enemy all at once."""
        strike = self._strike
        if strike is None or not strike.target.is_alive or strike.target not in enemies:
            is_first = strike is None
            strike = self._strike = best_strike(model, army, enemies)
            # places of the muster stay: whom they are about may be pushed about
            self._muster = {
                squad.name: _muster_place(squad, turn, strike, model) for squad, turn in _fanned(army, model, strike)
            }
            self._mustering = model.time if is_first else -math.inf
        if model.time - self._mustering < _MUSTER_TIME:
            places = [self._muster.get(squad.name, tuple(model.middle(squad))) for squad in army]
            gaps = [math.dist(model.middle(squad), place) for squad, place in zip(army, places, strict=True)]
            if max(gaps) > _MUSTERED:
                return _sent(army, places)
        if self._mustering > -math.inf:
            self._struck = model.time
        self._mustering = -math.inf
        # each robot by itself stands where its own type reaches the target; squads of several stand around it
        orders, etas = list[SquadOrder](), dict[str, float]()
        for squad, turn in _fanned(army, model, strike):
            place = strike.squad_position(model, stand_off(squad), turn)
            etas[squad.name] = math.dist(model.middle(squad), place) / _speed(squad)
            is_lone = len(squad.obeying) == 1
            orders += _sent([squad], [place]) if is_lone else [SquadOrder(squad.name, "attack", strike.target.squad)]
        orders = [self._met(order, enemies, model) for order in orders]
        return self._in_step(orders, etas, model, enemies)

    def _met(self, order: SquadOrder, enemies: list[RobotState], model: DataModel) -> SquadOrder:
        """Return the order to fight whom a squad has met on its way, else its order."""
        squad = model.squads[order.squad]
        gaps = np.hypot(*(model.positions[[enemy.index for enemy in enemies]] - model.middle(squad)).T)
        nearest = int(gaps.argmin())
        is_met = float(gaps[nearest]) < min(map(reach_of, squad.obeying)) + _MET
        return SquadOrder(squad.name, "attack", enemies[nearest].squad) if is_met else order

    def _in_step(
        self, orders: list[SquadOrder], etas: dict[str, float], model: DataModel, enemies: list[RobotState]
    ) -> list[SquadOrder]:
        """Let those wait out of range who would arrive long before the others: who arrives alone falls alone."""
        slowest = max(etas.values())
        danger = DangerMap(model, enemies)
        return [
            SquadOrder(order.squad, "stop")
            if etas[order.squad] < slowest - _IN_STEP
            and not danger.damage(model.middle(model.squads[order.squad])[np.newaxis], _WAITS).any()
            and model.time - self._struck < _MUSTER_TIME
            else order
            for order in orders
        ]

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


def _needed_share(model: DataModel) -> float:
    """Return the share of the enemies' strength from which on an army strikes: less when the time runs out."""
    if model.limit - model.time < _TOO_LATE:
        return math.inf
    return _LATE_CRUSHING if model.time > _LATE * model.limit else _CRUSHING


def _pair(point: Floats) -> tuple[float, float]:
    x, y = point.tolist()
    return x, y


def _muster_place(squad: SquadState, turn: float, strike: Strike, model: DataModel) -> tuple[float, float]:
    """Return where a squad waits: as far from where it shoots as it drives until all arrive, nearer at walls [m]."""
    ways = _APPROACH * _speed(squad) * np.linspace(1.0, 0.0, _PULLED)
    places = [strike.squad_position(model, stand_off(squad) + float(way), turn) for way in ways]
    return places[int(np.argmin(model.blocked(np.array(places))))]


def _fanned(army: Sequence[SquadState], model: DataModel, strike: Strike) -> list[tuple[SquadState, float]]:
    """Return squads with their turns around a target: side by side, in the order in which they stand [rad]."""

    def bearing(squad: SquadState) -> float:
        x, y = (model.middle(squad) - model.position(strike.target)).tolist()
        return math.remainder(math.atan2(y, x) - strike.heading, math.tau)

    order = sorted(army, key=bearing)
    return [(squad, _FAN * (order.index(squad) - 0.5 * (len(army) - 1))) for squad in army]


def ranked(
    army: Sequence[SquadState], enemies: Sequence[RobotState], model: DataModel, center: Floats
) -> dict[str, tuple[float, float]]:
    """Return a place for each squad, side by side across the direction of the enemies [m]."""
    x, y = (model.positions[[enemy.index for enemy in enemies]].mean(axis=0) - center).tolist()
    gap = max(math.hypot(x, y), 1e-9)
    across = np.array([-y, x]) / gap
    order = sorted(army, key=lambda squad: float(model.middle(squad) @ across))
    widths = np.array([_RANK_GAP * len(squad.obeying) for squad in order])
    offsets = np.cumsum(widths) - 0.5 * widths - 0.5 * widths.sum()
    return {squad.name: _pair(center + offset * across) for squad, offset in zip(order, offsets, strict=True)}


def _sent(army: Sequence[SquadState], places: Sequence[tuple[float, float]]) -> list[SquadOrder]:
    return [
        SquadOrder(squad.name, "go_to", point=(round(x, 2), round(y, 2)), formation="line")
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
