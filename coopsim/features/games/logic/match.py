"""Match: who is who, what squads have in intelligence, and what the rules say, once a round.

Source: swarm gaming, section 3, figure 1.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coopsim.client import Client, Readings, Stepper
from coopsim.errors import BadArgument, OwnedByAnother
from coopsim.features.games.logic import behaviours, model
from coopsim.features.games.logic.agreement import Agreement
from coopsim.features.games.logic.bots import Bot, make_bot
from coopsim.features.games.logic.broker import Broker
from coopsim.features.games.logic.carrying_on import facts_without
from coopsim.features.games.logic.feeding import SequenceFeeder
from coopsim.features.games.logic.field import MARGIN, Battlefield
from coopsim.features.games.logic.fog import Fog
from coopsim.features.games.logic.intake import OrderIntake
from coopsim.features.games.logic.lobby import Lobby, longest_wait
from coopsim.features.games.logic.logics import Logics, own_players
from coopsim.features.games.logic.manual_control import HELP, ManualControl
from coopsim.features.games.logic.observation import RobotLookout
from coopsim.features.games.logic.orders import VERBS, RobotCommand, SquadOrder, read_order
from coopsim.features.games.logic.own_behaviours import OwnBehaviours
from coopsim.features.games.logic.publishing import MatchPublisher
from coopsim.features.games.logic.referee import Referee, RobotReports
from coopsim.features.games.logic.regrouping import REGROUPING, Regrouping
from coopsim.features.games.logic.roster import enrol
from coopsim.features.games.logic.rows import COLUMN, COLUMNS
from coopsim.features.games.logic.secrecy import Secrecy
from coopsim.features.games.logic.squads import Arbitrator, MatchView, SquadIntelligence
from coopsim.features.games.logic.standing_in import helpers_of, inability, log_reassignment, reassign, stand_in
from coopsim.features.games.logic.surroundings import Surroundings
from coopsim.features.games.logic.tampering import TamperWatch
from coopsim.features.laws.senses import Clock
from coopsim.geometry import Floats
from coopsim.suggest import did_you_mean


class Match:
    """A match: who is who, what squads have in intelligence, and what the rules say.

    Args:
        sim: The run.
        stepper: Of all robots of the match.
        wait: Time between an order and what is done: the last one that came until then is processed [s].

    Attributes:
        view: Of the last look.

    Raises:
        BadArgument: The scenario describes no game, or one that cannot be played.
    """

    view: MatchView

    def __init__(
        self, sim: Client, stepper: Stepper, wait: float = 0.0, removed: Mapping[str, str] | None = None
    ) -> None:
        game = sim.info().get("game")
        if not isinstance(game, dict):
            raise BadArgument("the scenario describes no game: add sections [GAME], [PLAYER_n] and [SQUAD_n]")
        self.removed = dict(removed or {})
        game = facts_without(game, {*self.removed})
        self._stepper, self.game, self._wait = stepper, game, wait
        self._clock = Clock(sim)
        own = own_players(game, stepper.robots)
        squads = [squad for squad in game["squads"] if squad["player"] not in own]
        self._lookout = RobotLookout(sim, stepper, [robot for squad in squads for robot in squad["robots"]])
        robots = enrol(sim, stepper, self._lookout.robots, game)
        self.surroundings = Surroundings(sim, self._lookout.robots)
        self.field = Battlefield(sim.scene(), max(robot.radius for robot in robots) + MARGIN, self.surroundings.posts)
        self.model = model.begin(game, robots, self.field.targets)
        self.model.cameras = {name: camera.place for name, camera in self.surroundings.cameras.items()}
        self.model.blocked = self.field.grid(swims=False).is_blocked
        self.surroundings.log(self.model)
        _check_flags(self.model, self.field)
        self.broker, self._feeder = Broker(sim, self.model), SequenceFeeder(self.model)
        self.referee = Referee(self.model, self.field, self.broker, game["rules"], float(game["time"]))
        self.intelligences = {name: SquadIntelligence(squad) for name, squad in self.model.squads.items()}
        self.own = OwnBehaviours(game["squads"], self.model)
        self.arbitrators = {
            squad: Arbitrator([*behaviours.standard(), *self.own.of(squad)]) for squad in self.intelligences
        }
        self.fog = Fog(self.model, self.field.walls) if game.get("fog") else None
        self.regrouping = Regrouping(self.model, self.intelligences, self.arbitrators, self._arbitrator_like)
        self.logics = Logics(sim, _playing(game), own, self.model)
        self._agreement, self._presided, self._refused = Agreement(self.model), self.logics.presides, set[str]()
        self.bots = [_bot(player) for player in game["players"] if player["bot"] != "none" and player["name"] in own]
        self.secrecy = Secrecy(self.model, has_fog=self.fog is not None, is_sealing=self.logics.is_alone)
        self.intake = OrderIntake(sim, game, self.model, logics=self.logics, secrecy=self.secrecy)
        self.manual_control = ManualControl(self.model)
        self._tampering = TamperWatch(sim, self.model, self.field.targets)
        self.publisher, self.waiting = (
            MatchPublisher(sim, self.model, self.secrecy),
            dict[str, tuple[float, SquadOrder]](),
        )
        # one logic knows the seats of its own players alone
        self.lobby = Lobby(longest_wait(game) if self.logics.is_alone else 0.0)
        self._has_looked, self._gone = False, list[str]()
        self.distance = 0.0

    def decide(self, seen: Readings) -> dict[str, Any] | None:
        """Look, judge, let squads decide; None when the match is over, else speeds of the robots driven by hand."""
        reports = self.observe(seen)
        if self.lobby.is_open:
            self._wait_in_lobby()
            return self.manual_control.commands()
        self._judge(reports)
        if self.logics.result is not None:
            return None
        self.manual_control.begin_round(self.view.stuck, self.view.doing)
        for player, line in self.intake.read_orders():
            self.order(player, line)
        self._update_computer_players()
        for order in [
            order for bot in self.bots for order in bot.orders(self._known_to(bot.player), self.game["rules"])
        ]:
            if order.verb in REGROUPING:
                self._regroup(order)
            elif order.squad in self.model.squads and not inability(self.model.squads[order.squad], order.verb):
                self._queue_order(order)
        self.process()
        for name, intelligence in self.intelligences.items():
            if intelligence.squad.player not in self.logics.own:
                continue
            view = self._view_of(intelligence.squad.player)
            self._command(intelligence.squad.player, self.arbitrators[name].decide(intelligence, view))
            if intelligence.is_lost and (successor := reassign(intelligence, view)) is not None:
                self._queue_order(successor)
        is_over = bool(self.referee.reason) and self.logics.presides
        seats = {player: self.intake.seats.holder(player) for player in sorted(self.logics.own)}
        sights = {} if self.fog is None else {player: self.fog.seen_by(player) for player in self.model.players()}
        result = self.result() if is_over else None
        self.publisher.publish(result, seats, self.regrouping.members, sights, is_referee=self.logics.presides)
        return None if is_over else self.manual_control.commands()

    def _wait_in_lobby(self) -> None:
        """Let nobody move; tell who is awaited, or how long it takes until the match begins."""
        for player, _ in self.intake.read_orders():
            self.model.note(player, "illegal order", "the match has not begun; `ready` says that you are")
        seats = {player: self.intake.seats.holder(player) for player in sorted(self.logics.own)}
        for text in self.lobby.update(self._clock.time, seats, self.intake.ready):
            self.model.note("lobby", "lobby", text)
        if self.lobby.is_repeat_due(self._clock.time):
            self.publisher.repeat()  # the time of the match stands, by which it repeats itself
        self.publisher.publish(None, seats, lobby=self.lobby.text if self.lobby.is_open else "")

    def close(self) -> None:
        """Stop listening; nothing can be decided any more."""
        for part in (self.intake, self.logics, self._tampering):
            part.close()

    def _observed(self, seen: Readings) -> Floats:
        """Return the rows of all robots; those of other logics are what these tell."""
        columns = self._lookout.observe(seen)
        if self.logics.is_alone:
            return columns
        own = dict(zip(seen.robots, columns, strict=True))
        self._gone = self.logics.meet(seen.tick, own, waits=self._clock.mode == "lockstep")
        return self._lookout.joined(own, self.logics.rows, seen.tick)

    def _judge(self, reports: RobotReports) -> None:
        """Apply the rules; where another logic is the referee, find what it finds, and believe it in doubt."""
        if self.logics.presides and not self._presided:
            self.model.note(f"logic of {self.logics.referee}", "referee", "this logic is the referee from now on")
        self._presided = self.logics.presides
        for player in self._gone:
            self._assume_command(player)
        self._tampering.check(is_referee=self.logics.presides)
        lines = len(self.model.log)
        self.referee.judge(reports)
        if self.logics.presides:
            return
        del self.model.log[lines:]  # the referee says it
        for robot in self._agreement.compare(self.logics.referee_reports(), self.logics.referee):
            self.referee.settle(robot)

    def _assume_command(self, player: str) -> None:
        """Go on with the squads of a player whose logic is gone, as soon as its robots are free."""
        names = [robot for squad in self.game["squads"] if squad["player"] == player for robot in squad["robots"]]
        heirs = ", ".join(sorted(self.logics.own))
        try:
            self._stepper.enlist(names)
            self.logics.assume_command(player)
        except OwnedByAnother as problem:
            if player not in self._refused:
                self._refused.add(player)
                self.model.note(f"logic of {player}", "vanished", f"its robots are not free: {problem}")
            return
        for name in names:
            self.model.robots[name].is_own = True
        self.bots += [
            _bot(player_row)
            for player_row in self.game["players"]
            if player_row["name"] == player and player_row["bot"] != "none"
        ]
        text = f"the logic of {player} is gone; that of {heirs} commands its squads from now on"
        self.model.note(f"logic of {player}", "vanished", text)

    def order(self, player: str, line: str) -> str:
        """Take a line of a person, whose computer player is silent from then on; return why it was refused, or ""."""
        is_of_robot = self.manual_control.is_meant(line)
        refused = self.manual_control.order(player, line) if is_of_robot else self._order_squad(player, line)
        name, word, *_ = (*line.split(), "", "")
        if is_of_robot and not refused and word == HELP:
            refused = self._send_help(player, name)
        if refused:
            self.model.note(player, "illegal order", refused)
        else:
            self.bots = [bot for bot in self.bots if bot.player != player]
        return refused

    def _send_help(self, player: str, name: str) -> str:
        """Let others of a player come to a robot; return why nobody can."""
        order = helpers_of(name, self._view_of(player))
        if order is None:
            return f"nobody can come to {name}"
        self._queue_order(order)
        return ""

    def _order_squad(self, player: str, line: str) -> str:
        try:
            order = read_order(line, self.own.verbs)
            refused = self.model.refusal(player, order)
        except BadArgument as problem:
            return str(problem)
        if self.fog is not None and not refused:
            refused = self.fog.refusal(player, order.subject)
        refused = refused or self._unknown(order)
        if refused or order.verb not in REGROUPING:
            return refused or self._accept_for_able(order)
        return self._regroup(order)

    def _regroup(self, order: SquadOrder) -> str:
        """Divide or join squads; return why not, "" where it is done."""
        if not self.logics.is_alone:
            return "squads stay as they are in a match of several logics"
        refused = self.regrouping.refusal(order)
        if not refused:
            self.regrouping.apply(order)
            self.view = replace(self.view)  # what it has found out is of the squads before
            if self.fog is not None:
                self.fog.forget_views()
        return refused

    def _view_of(self, player: str) -> MatchView:
        """Return the match as the squads of a player see it."""
        return self.view if self.fog is None else self.fog.view(player, self.view)

    def _known_to(self, player: str) -> model.DataModel:
        """Return the data of the match that a player knows."""
        return self.model if self.fog is None else self.fog.model_for(player)

    def _arbitrator_like(self, squad: str, origin: str) -> Arbitrator:
        return Arbitrator([*behaviours.standard(), *self.own.make_for(squad, origin)])

    def _unknown(self, order: SquadOrder) -> str:
        """Return that there is nothing of the name that an order is about, "" where there is."""
        names = [*self.model.robots, *self.model.squads, *self.model.flags, *self.model.cameras, *self.field.areas]
        if VERBS.get(order.verb) != "name" or order.subject in names:
            return ""
        return f"there is nothing called {order.subject}{did_you_mean(order.subject, names)}"

    def _accept_for_able(self, order: SquadOrder) -> str:
        """Take an order for the squad, or for one that can do what it cannot; return why nobody can."""
        why = inability(self.model.squads[order.squad], order.verb)
        if why:
            view = self._view_of(self.model.squads[order.squad].player)
            substitute = stand_in(order, view)
            if substitute is None:
                return f"squad {order.squad} cannot {order.verb}: {why}, and no other squad can"
            log_reassignment(order, substitute, why, view)
            order = substitute
        self._queue_order(order)
        return ""

    def result(self) -> dict[str, Any]:
        """Return what came of the match."""
        casualties = dict.fromkeys([*self.model.players(), *self.removed.values()], 0)
        for player in self.removed.values():
            casualties[player] += 1
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
            "refused": sum(event.rule.startswith("illegal") for event in self.model.log),
        }

    def _queue_order(self, order: SquadOrder) -> None:
        """Let an order wait; one that takes the place of another waits no longer than that one would have."""
        due, last = self.waiting.get(order.squad, (self.model.time + self._wait, None))
        self.waiting[order.squad] = due, order
        if order != last:  # who says the same a thousand times fills no log
            self.model.note(self.model.squads[order.squad].player, "order", str(order))

    def process(self) -> None:
        """Give squads the orders that waited long enough; plan anew where a robot was taken over or given back."""
        for name, (due, order) in list(self.waiting.items()):
            if due <= self.model.time or name not in self.intelligences:
                del self.waiting[name]
                if name in self.intelligences:
                    self.intelligences[name].accept(order)
        changed = (self.manual_control.changed | self.regrouping.changed) & self.intelligences.keys()
        self.manual_control.changed, self.regrouping.changed = set(), set()
        for name in sorted(changed):
            intelligence = self.intelligences[name]
            intelligence.ways, intelligence.tasks = {}, {}
            intelligence.is_new = intelligence.order is not None
            taken = [
                RobotCommand(robot.name, "intelligence", "stop") for robot in intelligence.squad.alive if robot.is_taken
            ]
            self._command(intelligence.squad.player, taken)

    def _command(self, player: str, commands: Sequence[RobotCommand]) -> None:
        """Send what a squad commands; robots that take one command at a time get the first one."""
        self.broker.send(player, self._feeder.split(commands))

    def _update_computer_players(self) -> None:
        """Computer players are silent while somebody plays; they go on where who played has vanished."""
        self.manual_control.free_all(self.intake.vanished)
        playing = {bot.player for bot in self.bots if self.intake.seats.holder(bot.player)}
        self.bots = [bot for bot in self.bots if bot.player not in playing]
        back = [
            player
            for player in self.game["players"]
            if player["name"] in self.intake.vanished and player["bot"] != "none"
        ]
        self.bots += [_bot(name_of_bot) for name_of_bot in back]

    def observe(self, seen: Readings) -> RobotReports:
        """Read all robots, type by type, into rows in the order of the stepper."""
        elapsed = self._clock.elapsed(seen.tick)
        self.model.time = self.lobby.match_time(self._clock.time)
        self.intake.seats.patience = self.lobby.patience(self.model.time)
        rows = self._observed(seen)
        positions = rows[:, [COLUMN.x, COLUMN.y]]
        moved = positions - self.model.positions if self._has_looked else np.zeros_like(positions)
        self._has_looked = True
        self.distance += float(np.hypot(*moved.T).sum())
        self.model.positions = positions
        velocities = moved / elapsed if elapsed > 0.0 else np.zeros_like(moved)
        if steps := self._feeder.feed(rows):
            self.broker.carry(steps)
        columns = {name: rows[:, number] for name, number in zip(COLUMNS, COLUMN, strict=True)}
        self.surroundings.let_wait(columns["stuck"], self.model)
        self.view = MatchView(
            model=self.model,
            field=self.field,
            doing=columns["doing"],
            steps=columns["step"],
            stuck=columns["stuck"],
            velocities=velocities,
            intelligences=self.intelligences,
            surroundings=self.surroundings,
        )
        if self.fog is not None:
            self.fog.update()
        holding = columns["holding"] if seen.tick else np.full(len(rows), -1.0)  # nothing was told yet
        return RobotReports(shots=columns["shots"], targets=columns["target"], holding=holding, doing=columns["doing"])


def _playing(game: Mapping[str, Any]) -> list[str]:
    """Return the players that have a squad, in their order."""
    owners = {squad["player"] for squad in game["squads"]}
    return [player["name"] for player in game["players"] if player["name"] in owners]


def _bot(player: dict[str, Any]) -> Bot:
    return make_bot(player["name"], player["bot"])


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
