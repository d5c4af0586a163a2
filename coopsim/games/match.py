"""`game`: the logic of a match as a control law of all its robots.

python -m coopsim.games.match --robots a1 a2 a3 b1 b2 b3

It reads the game that the scenario describes from `/sim/info`, hears orders as events on `/game/orders/PLAYER`, and
tells what happens on `/game/log`, and the result on `/game/end`.

Source: swarm gaming, section 3, figure 1.
"""

import json
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.client import Law as Deciding
from coopsim.controllers import options
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, need_modules
from coopsim.errors import BadArgument
from coopsim.games import behaviours, model
from coopsim.games.bots import Bot
from coopsim.games.broker import Broker
from coopsim.games.field import Battlefield
from coopsim.games.orders import SquadOrder, read_order
from coopsim.games.referee import Referee, RobotReports
from coopsim.games.squads import Arbitrator, MatchView, SquadMind
from coopsim.geometry import Floats
from coopsim.interfaces import Parameter

__all__ = ["PARAMETERS", "Match", "main"]

PARAMETERS = (Parameter("rate", float, 10.0, "Hz", 0.1, 1000.0, "how often the logic of the game looks"),)
_MARGIN = 0.1
"""What paths keep clear of everything besides half a robot [m]."""


class Match:
    """A match: who is who, what squads have in mind, and what the rules say.

    Args:
        sim: The run.
        stepper: Of all robots of the match.

    Raises:
        BadArgument: The scenario describes no game, or one that cannot be played.
    """

    def __init__(self, sim: Client, stepper: Stepper) -> None:
        game = sim.info().get("game")
        if not isinstance(game, dict):
            raise BadArgument("the scenario describes no game: add sections [GAME], [PLAYER_n] and [SQUAD_n]")
        self._sim, self._stepper, self.game = sim, stepper, game
        self._clock = Clock(sim)
        robots = _robots(sim, stepper, game)
        self.field = Battlefield(sim.scene(), max(it.radius for it in robots) + _MARGIN)
        self.model = model.begin(game, robots, self.field.targets)
        _check_flags(self.model, self.field)
        self.broker = Broker(sim, self.model)
        self.referee = Referee(self.model, self.field, self.broker, game["rules"], float(game["time"]))
        self.minds = {name: SquadMind(squad) for name, squad in self.model.squads.items()}
        self.arbitrators = {name: Arbitrator(behaviours.standard()) for name in self.minds}
        self.bots = [Bot(it["name"], it["bot"]) for it in game["players"] if it["bot"] != "none"]
        self._heard, self._told = sim.listen("/game/orders/*"), 0
        self._starts: Floats | None = None
        self.distance = 0.0

    def decide(self, seen: Readings) -> dict[str, Any] | None:
        """Look, judge, let squads decide; None when the match is over, else no commands of motors."""
        elapsed = self._clock.elapsed(seen.tick)
        self.model.time = self._clock.time
        view, told = self._look(seen, elapsed)
        self.referee.judge(told)
        for player, line in self._orders():
            self.order(player, line)
        for order in [each for bot in self.bots for each in bot.orders(self.model, self.game["rules"])]:
            self._take(order)
        for name, mind in self.minds.items():
            self.broker.send(mind.squad.player, self.arbitrators[name].decide(mind, view))
        self._tell()
        if self.referee.reason:
            return None
        return {}

    def order(self, player: str, line: str) -> str:
        """Take a line of a person, whose computer player is silent from then on; return why it was refused, or ""."""
        try:
            order = read_order(line)
            refused = self.model.refusal(player, order.squad)
        except BadArgument as problem:
            refused = str(problem)
        if refused:
            self.model.note(player, "illegal order", refused)
            return refused
        self.bots = [it for it in self.bots if it.player != player]
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
        self.minds[order.squad].take(order)
        self.model.note(self.model.squads[order.squad].player, "order", str(order))

    def _orders(self) -> list[tuple[str, str]]:
        found = []
        while (event := self._heard.hear(0.0)) is not None:
            found.append((event.topic.rpartition("/")[2], event.text))
        return found

    def _look(self, seen: Readings, elapsed: float) -> tuple[MatchView, RobotReports]:
        """Read all robots, type by type, into rows in the order of the stepper."""
        columns = np.concatenate([_block(seen.of(kind)) for kind in _kinds(self._stepper)])
        before = self.model.positions
        positions = columns[:, :2]
        if self._starts is None:
            self._starts = before = positions
        moved = positions - before
        self.distance += float(np.hypot(*moved.T).sum())
        self.model.positions = positions
        velocities = moved / elapsed if elapsed > 0.0 else np.zeros_like(moved)
        view = MatchView(self.model, self.field, columns[:, 2], columns[:, 3], velocities)
        return view, RobotReports(columns[:, 4], columns[:, 5], columns[:, 6])

    def _tell(self) -> None:
        """Publish what was logged since the last time, and the end."""
        new = self.model.log[self._told :]
        self._told = len(self.model.log)
        events = [("/game/log", f"{it.source}: {it.rule}: {it.text}"[:4000], (it.time,)) for it in new]
        if self.referee.reason:
            events.append(("/game/end", json.dumps(self.result()), (self.model.time,)))
        if events:
            self._sim.publish_all(events)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a match to its end; return the exit code."""
    parser = options.parser("game", "The logic of a match: rules, referee, and the minds of all squads.", PARAMETERS)
    chosen = parser.parse_args(arguments)

    def begin(sim: Client, stepper: Stepper) -> Deciding:
        match = Match(sim, stepper)

        def decide(seen: Readings) -> dict[str, Any] | None:
            commands = match.decide(seen)
            if commands is None:
                found = match.result()
                sys.stdout.write(
                    f"game: {found['winner'] or 'nobody'} wins after {found['time']:g} s: {found['reason']}\n"
                )
            return commands

        return decide

    return drive("game", chosen.robots, chosen.endpoint, begin, rate=chosen.law_rate)


def _kinds(stepper: Stepper) -> list[str]:
    return list(dict.fromkeys(stepper.layout.robots[robot] for robot in stepper.robots))


def _block(rows: Any) -> Floats:
    """Return place, command, step, shots, target and thing of the robots of a type, shape (n, 7)."""
    brain, gun = rows.intelligence, rows.shooter
    return np.column_stack((rows.pose.position[:, :2], brain.doing, brain.step, gun.shots, gun.target, brain.holding))


def _robots(sim: Client, stepper: Stepper, game: dict[str, Any]) -> list[model.RobotState]:
    """Return all robots of a match, in the order of the stepper.

    Raises:
        BadArgument: One that is driven is of no squad, or the other way round.
    """
    need_modules(stepper, "pose", "intelligence", "shooter", "motors")
    squads = {name: squad for squad in game["squads"] for name in squad["robots"]}
    strangers = sorted({*squads} ^ {*stepper.robots})
    if strangers:
        raise BadArgument(f"the robots of the squads must be those that the game drives; not of both: {strangers[0]}")
    numbers = {name: number for number, name in enumerate(sim.robots())}
    sizes = {it.name: it.size for it in sim.scene().entities if it.kind == "robot"}
    guns: dict[str, tuple[float, float]] = {}
    found = []
    for index, name in enumerate(stepper.robots):
        kind, squad = stepper.layout.robots[name], squads[name]
        if kind not in guns:
            values = sim.module(f"/{name}/shooter").parameters
            guns[kind] = float(values["damage"]), float(values["range"])
        found.append(
            model.RobotState(
                name=name,
                player=squad["player"],
                squad=squad["name"],
                index=index,
                number=numbers[name],
                kind=kind,
                health=float(squad["health"]),
                power=float(squad["power"]),
                damage=guns[kind][0],
                range=guns[kind][1],
                radius=0.5 * max(sizes[name][:2]),
            )
        )
    return found


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
