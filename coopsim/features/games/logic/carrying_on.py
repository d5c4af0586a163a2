"""A match that goes on without robots that were removed from the simulation: they count as out.

The law of a match begins anew with the robots that are left; everything else is as it was.
"""

from typing import Any, Protocol

from coopsim.features.games.logic.bots import Bot
from coopsim.features.games.logic.broker import Broker
from coopsim.features.games.logic.intake import OrderIntake
from coopsim.features.games.logic.lobby import Lobby
from coopsim.features.games.logic.model import DataModel
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.features.games.logic.publishing import MatchPublisher
from coopsim.features.games.logic.referee import Referee
from coopsim.features.games.logic.regrouping import Regrouping
from coopsim.features.games.logic.secrecy import Secrecy
from coopsim.features.games.logic.squads import SquadIntelligence


class CarriedMatch(Protocol):
    """Part of a match that goes on in the next one, see `match.Match`."""

    model: DataModel
    referee: Referee
    broker: Broker
    intelligences: dict[str, SquadIntelligence]
    bots: list[Bot]
    intake: OrderIntake
    publisher: MatchPublisher
    lobby: Lobby
    waiting: dict[str, tuple[float, SquadOrder]]
    removed: dict[str, str]
    regrouping: Regrouping
    secrecy: Secrecy
    distance: float


def facts_without(game: dict[str, Any], removed: set[str]) -> dict[str, Any]:
    """Return the facts of a match without some robots, and without squads that have nobody left."""
    squads = [
        {**squad, "robots": [name for name in squad["robots"] if name not in removed]} for squad in game["squads"]
    ]
    return {**game, "squads": [squad for squad in squads if squad["robots"]]}


def carry_on(before: CarriedMatch, match: CarriedMatch) -> None:
    """Give a match what the one before it knew; robots that are no longer there are out.

    Args:
        before: The match with all robots; it is over.
        match: The same one with those that are left.
    """
    old, new = before.model, match.model
    new.time, new.log, match.lobby = old.time, old.log, before.lobby
    match.regrouping.restore(before.regrouping.members, before.regrouping.origin)
    _carry_robots(before, match)
    _carry_flags(before, match)
    for name in sorted(old.robots.keys() - new.robots.keys()):
        if old.robots[name].is_alive:
            new.note(name, "out", f"{name} is out: it was removed from the simulation")
        match.removed[name] = old.robots[name].player
    match.removed |= before.removed
    playing = {bot.player for bot in before.bots}
    match.bots = [bot for bot in match.bots if bot.player in playing]
    for name, intelligence in match.intelligences.items():
        order = before.intelligences[name].order if name in before.intelligences else None
        if order is not None:
            intelligence.accept(order)
    match.waiting |= {name: waiting for name, waiting in before.waiting.items() if name in match.intelligences}
    match.intake.ready |= before.intake.ready
    match.secrecy.carry_on(before.secrecy)
    match.intake.seats, match.distance, match.broker.sent = before.intake.seats, before.distance, before.broker.sent
    match.referee.violations |= before.referee.violations
    match.publisher.lines = before.publisher.lines


def _carry_robots(before: CarriedMatch, match: CarriedMatch) -> None:
    shots = before.referee.shots_of()
    for name, robot in match.model.robots.items():
        was = before.model.robots[name]
        robot.health, robot.power, robot.holding = was.health, was.power, was.holding
        robot.is_taken, robot.shot_at = was.is_taken, was.shot_at
        robot.rate, robot.top_speed, robot.range, robot.damage = was.rate, was.top_speed, was.range, was.damage
        robot.speed, robot.turn = was.speed, was.turn
    match.referee.__post_init__()
    match.referee.expect_shots(shots)


def _carry_flags(before: CarriedMatch, match: CarriedMatch) -> None:
    """Let flags lie where those dropped them that are gone."""
    for name, flag in match.model.flags.items():
        was = before.model.flags[name]
        flag.place, flag.carrier = was.place, was.carrier
        if flag.carrier not in match.model.robots and flag.carrier:
            flag.carrier = ""
            match.model.note(was.carrier, "dropped", f"{name} lies at {flag.place[0]:.1f} {flag.place[1]:.1f}")
