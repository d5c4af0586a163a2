"""`game`: the logic of a match as a control law of all its robots.

python -m coopsim.games.match --robots a1 a2 a3 b1 b2 b3

It reads the game that the scenario describes from `/sim/info`, hears orders as events on `/game/orders/PLAYER` and who
plays on `/game/seats/PLAYER`, and
tells what happens on `/game/log`, and the result on `/game/end`.

Source: swarm gaming, section 3, figure 1.
"""

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.client import Law as Deciding
from coopsim.controllers import options
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock
from coopsim.errors import BadArgument
from coopsim.games import behaviours, model
from coopsim.games.bots import Bot
from coopsim.games.broker import Broker
from coopsim.games.field import Battlefield
from coopsim.games.hands import Hands
from coopsim.games.intake import OrderIntake
from coopsim.games.orders import RobotCommand, SquadOrder, read_order
from coopsim.games.own_behaviours import OwnBehaviours
from coopsim.games.referee import Referee, RobotReports
from coopsim.games.roster import enrol
from coopsim.games.squads import Arbitrator, MatchView, SquadMind
from coopsim.games.standing_in import hand_over, inability, stand_in, tell
from coopsim.games.telling import MatchTeller
from coopsim.geometry import Floats
from coopsim.interfaces import Parameter

__all__ = ["PARAMETERS", "Match", "main"]

PARAMETERS = (
    Parameter("rate", float, 10.0, "Hz", 0.1, 1000.0, "how often the logic of the game looks"),
    Parameter("wait", float, 0.0, "s", 0.0, 60.0, "time before an order is processed; a later one takes its place"),
)
_MARGIN = 0.1
"""What paths keep clear of everything besides half a robot [m]."""


class Match:
    """A match: who is who, what squads have in mind, and what the rules say.

    Args:
        sim: The run.
        stepper: Of all robots of the match.
        wait: Time before an order is processed [s].

    Attributes:
        view: Of the last look.

    Raises:
        BadArgument: The scenario describes no game, or one that cannot be played.
    """

    view: MatchView

    def __init__(self, sim: Client, stepper: Stepper, wait: float = 0.0) -> None:
        game = sim.info().get("game")
        if not isinstance(game, dict):
            raise BadArgument("the scenario describes no game: add sections [GAME], [PLAYER_n] and [SQUAD_n]")
        self._stepper, self.game, self._wait = stepper, game, wait
        self._clock = Clock(sim)
        robots = enrol(sim, stepper, game)
        self.field = Battlefield(sim.scene(), max(it.radius for it in robots) + _MARGIN)
        self.model = model.begin(game, robots, self.field.targets)
        _check_flags(self.model, self.field)
        self.broker = Broker(sim, self.model)
        self.referee = Referee(self.model, self.field, self.broker, game["rules"], float(game["time"]))
        self.minds = {name: SquadMind(squad) for name, squad in self.model.squads.items()}
        self.own = OwnBehaviours(game["squads"], self.model)
        self.arbitrators = {it: Arbitrator([*behaviours.standard(), *self.own.of(it)]) for it in self.minds}
        self.bots = [_bot(it) for it in game["players"] if it["bot"] != "none"]
        self.intake, self.hands = OrderIntake(sim, game, self.model), Hands(self.model)
        self._teller, self._waiting = MatchTeller(sim, self.model), dict[str, tuple[float, SquadOrder]]()
        self._has_looked = False
        self.distance = 0.0

    def decide(self, seen: Readings) -> dict[str, Any] | None:
        """Look, judge, let squads decide; None when the match is over, else speeds of the robots driven by hand."""
        self.referee.judge(self.look(seen))
        self.hands.begin_look(self.view.stuck)
        for player, line in self.intake.take():
            self.order(player, line)
        self._mind_players()
        for order in [each for bot in self.bots for each in bot.orders(self.model, self.game["rules"])]:
            if not inability(self.model.squads[order.squad], order.verb):
                self._take(order)
        self.process()
        for name, mind in self.minds.items():
            self.broker.send(mind.squad.player, self.arbitrators[name].decide(mind, self.view))
            if mind.is_lost and (other := hand_over(mind, self.view)) is not None:
                self._take(other)
        is_over = bool(self.referee.reason)
        self._teller.tell(self.result() if is_over else None)
        return None if is_over else self.hands.commands()

    def order(self, player: str, line: str) -> str:
        """Take a line of a person, whose computer player is silent from then on; return why it was refused, or ""."""
        refused = self.hands.order(player, line) if self.hands.is_meant(line) else self._order_squad(player, line)
        if refused:
            self.model.note(player, "illegal order", refused)
        else:
            self.bots = [it for it in self.bots if it.player != player]
        return refused

    def _order_squad(self, player: str, line: str) -> str:
        try:
            order = read_order(line, self.own.verbs)
            refused = self.model.refusal(player, order)
        except BadArgument as problem:
            return str(problem)
        return refused or self._take_able(order)

    def _take_able(self, order: SquadOrder) -> str:
        """Take an order for the squad, or for one that can do what it cannot; return why nobody can."""
        why = inability(self.model.squads[order.squad], order.verb)
        if why:
            other = stand_in(order, self.view)
            if other is None:
                return f"squad {order.squad} cannot {order.verb}: {why}, and no other squad can"
            tell(order, other, why, self.view)
            order = other
        self._take(order)
        return ""

    def result(self) -> dict[str, Any]:
        """Return what came of the match."""
        casualties = dict.fromkeys(self.model.players(), 0)
        for robot in self.model.robots.values():
            casualties[robot.player] += not robot.is_alive
        return {
            "winner": self.referee.winner,
            "reason": self.referee.reason,
            "time": round(self.model.time, 3),
            "casualties": casualties,
            "distance": round(self.distance, 3),
            "commands": self.broker.sent,
            "violations": sorted(map(list, self.referee.violations)),
            "refused": sum(it.rule.startswith("illegal") for it in self.model.log),
        }

    def _take(self, order: SquadOrder) -> None:
        self._waiting[order.squad] = self.model.time + self._wait, order
        self.model.note(self.model.squads[order.squad].player, "order", str(order))

    def process(self) -> None:
        """Give squads the orders that waited long enough; plan anew where a robot was taken over or given back."""
        for name, (due, order) in list(self._waiting.items()):
            if due <= self.model.time:
                del self._waiting[name]
                self.minds[name].take(order)
        changed, self.hands.changed = self.hands.changed, set()
        for name in changed:
            mind = self.minds[name]
            mind.ways, mind.tasks = {}, {}
            mind.is_new = mind.order is not None
            taken = [RobotCommand(it.name, "intelligence", "stop") for it in mind.squad.alive if it.is_taken]
            self.broker.send(mind.squad.player, taken)

    def _mind_players(self) -> None:
        """Computer players are silent while somebody plays; they go on where who played has vanished."""
        self.hands.free_all(self.intake.vanished)
        playing = {it.player for it in self.bots if self.intake.seats.holder(it.player)}
        self.bots = [it for it in self.bots if it.player not in playing]
        back = [it for it in self.game["players"] if it["name"] in self.intake.vanished and it["bot"] != "none"]
        self.bots += [_bot(it) for it in back]

    def look(self, seen: Readings) -> RobotReports:
        """Read all robots, type by type, into rows in the order of the stepper."""
        elapsed = self._clock.elapsed(seen.tick)
        self.model.time = self._clock.time
        columns = np.concatenate([_block(seen.of(kind)) for kind in _kinds(self._stepper)])
        positions = columns[:, :2]
        moved = positions - self.model.positions if self._has_looked else np.zeros_like(positions)
        self._has_looked = True
        self.distance += float(np.hypot(*moved.T).sum())
        self.model.positions = positions
        velocities = moved / elapsed if elapsed > 0.0 else np.zeros_like(moved)
        told = columns[:, 2], columns[:, 3], columns[:, 7], velocities
        self.view = MatchView(self.model, self.field, *told, minds=self.minds)
        holding = columns[:, 6] if seen.tick else np.full(len(columns), -1.0)  # nothing was told yet
        return RobotReports(columns[:, 4], columns[:, 5], holding, columns[:, 2])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a match to its end; return the exit code."""
    parser = options.parser("game", "The logic of a match: rules, referee, and the minds of all squads.", PARAMETERS)
    chosen = parser.parse_args(arguments)

    failures: list[str] = []

    def begin(sim: Client, stepper: Stepper) -> Deciding:
        match = Match(sim, stepper, chosen.law_wait)
        match.own.failures = failures

        def decide(seen: Readings) -> dict[str, Any] | None:
            commands = match.decide(seen)
            if commands is None:
                found = match.result()
                sys.stdout.write(
                    f"game: {found['winner'] or 'nobody'} wins after {found['time']:g} s: {found['reason']}\n"
                )
            return commands

        return decide

    code = drive("game", chosen.robots, chosen.endpoint, begin, rate=chosen.law_rate)
    sys.stderr.writelines(f"game: switched off: {each}\n" for each in failures)
    return code or int(bool(failures))


def _bot(player: dict[str, Any]) -> Bot:
    return Bot(player["name"], player["bot"])


def _kinds(stepper: Stepper) -> list[str]:
    return list(dict.fromkeys(stepper.layout.robots[robot] for robot in stepper.robots))


def _block(rows: Any) -> Floats:
    """Return place, command, step, shots, target, thing and time stuck of the robots of a type, shape (n, 8)."""
    brain, none = rows.intelligence, np.zeros(len(rows.robots))
    has_gun = "shooter" in dir(rows)
    shots, targets = (rows.shooter.shots, rows.shooter.target) if has_gun else (none, none - 1.0)
    told = brain.doing, brain.step, shots, targets, brain.holding, brain.stuck
    return np.column_stack((rows.pose.position[:, :2], *told))


def _check_flags(data: model.DataModel, field: Battlefield) -> None:
    """Refuse flags that nobody can reach.

    Raises:
        BadArgument: One lies in a wall, or outside.
    """
    for flag in data.flags.values():
        if field.grid(swims=True).is_blocked(np.array([flag.place]))[0]:
            raise BadArgument(
                f"the flag {flag.name} lies in a wall, or outside of the border: put it where robots can be"
            )


if __name__ == "__main__":
    sys.exit(main())
