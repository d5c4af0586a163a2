"""A match as any client sees it: a data model that follows what the match tells by events."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from coopsim.client import Client
from coopsim.errors import BadArgument, NoSuchName, NotInThisMode
from coopsim.features.games.logic import model
from coopsim.features.games.logic.field import MARGIN, Battlefield
from coopsim.features.games.logic.roster import RobotMake, make_of
from coopsim.features.matches.events import (
    BEGINS,
    END_TOPIC,
    STATUS_TOPIC,
    MatchResult,
    MatchStatus,
    lobby_text,
    match_result,
    match_status,
)
from coopsim.features.matches.sealing import SealedTalk
from coopsim.features.matches.stream import MatchStream
from coopsim.message import ChannelEvent
from coopsim.state import EntityRow


class MatchWatcher:
    """Follows a match.

    Args:
        sim: The run.

    Attributes:
        game: Facts of the match.
        model: Places, health, power and flags as they are told, the rest as the modules of robots and the scene say.
        result: What came of the match, None = it goes on.
        is_told: Whether the logic of the match was heard: before that nobody takes orders.
        lobby: Why the match has not begun, "" = it has.

    Raises:
        BadArgument: No match is run there.
    """

    def __init__(self, sim: Client) -> None:
        game = sim.info().get("game")
        if not isinstance(game, dict):
            raise BadArgument("no match is run there: its scenario has no section [GAME]")
        self._sim, self.game = sim, game
        self.result: MatchResult | None = None
        self.is_told, self.lobby = False, ""
        self._heard = MatchStream(sim, game)
        scene = sim.scene()
        rows = {entity.name: entity for entity in scene.entities if entity.kind == "robot"}
        names = [(name, squad) for squad in game["squads"] for name in squad["robots"]]
        makes = _makes_of(sim, [rows[name] for name, _ in names if name in rows], has_fog=bool(game.get("fog")))
        robots = [_robot(index, squad, rows.get(name), name, makes) for index, (name, squad) in enumerate(names)]
        self._robots, self._seen = robots, dict[str, list[str]]()
        field = Battlefield(scene, max(robot.radius for robot in robots) + MARGIN)
        self.model = model.begin(game, robots, field.targets)
        self.model.blocked = field.grid(swims=False).is_blocked
        self._step, self._began = sim.clock.status().step, 0.0
        self.update()

    def update(self) -> list[ChannelEvent]:
        """Take in what was told, and where robots are; return what was told, without what strangers forged."""
        events = []
        while (event := self._heard.hear(0.0)) is not None:
            self._receive(event)
            events.append(event)
        scene = self._sim.scene()
        poses = {entity.name: entity.pose for entity in scene.entities if entity.kind == "robot"}
        for robot in self._robots:
            if robot.name in poses:
                self.model.positions[robot.index] = poses[robot.name][:2]
        self.model.time = max(0.0, self._sim.clock.status().time - self._began)
        return events

    @property
    def is_over(self) -> bool:
        """Whether the match, or the run, has ended."""
        return self.result is not None or bool(self._heard.absence)

    @property
    def absence(self) -> str:
        """Reason why the match has no result and will have none, "" where it has one or may have."""
        return "" if self.result is not None else self._heard.absence

    @property
    def talk(self) -> SealedTalk:
        """Key of this client, by which it seals orders."""
        return self._heard.talk

    def model_for(self, player: str) -> model.DataModel:
        """Return what a player knows of the match: in fog those enemies are left out that it does not see."""
        if not self.game.get("fog"):
            return self.model
        seen = {*self._seen.get(player, ())}
        robots = {name: robot for name, robot in self.model.robots.items() if robot.player == player or name in seen}
        squads = {
            name: replace(squad, robots=[robot for robot in squad.robots if robot.name in robots])
            for name, squad in self.model.squads.items()
        }
        return replace(self.model, robots=robots, squads=squads)

    def close(self) -> None:
        """Stop listening."""
        self._heard.close()

    def _receive(self, event: ChannelEvent) -> None:
        text = lobby_text(event)
        self.lobby = "" if text == BEGINS else text or self.lobby
        if event.topic == END_TOPIC:
            self.result = match_result(event.text) or self.result
        elif event.topic == STATUS_TOPIC and (status := match_status(event.text)) is not None:
            self._know(status)
            if event.data:  # in a lobby the time of the match stands at 0
                self._began = event.tick * self._step - event.data[0]

    def _know(self, status: MatchStatus) -> None:
        self.is_told = True
        for name, health, power, holding in status["robots"]:
            if robot := self.model.robots.get(name):
                robot.health, robot.power, robot.holding = health, power, holding
        for name, (x, y, carrier) in status["flags"].items():
            if flag := self.model.flags.get(name):
                flag.place, flag.carrier = (x, y), carrier
        self._seen |= status.get("seen", {})
        for name, (player, members) in status.get("squads", {}).items():
            self._regroup(
                name, player, [self.model.robots[member] for member in members if member in self.model.robots]
            )

    def _regroup(self, name: str, player: str, robots: list[model.RobotState]) -> None:
        """Take in who is in a squad now; one without robots is no more."""
        self.model.forget_roster()
        if not robots:
            self.model.squads.pop(name, None)
            return
        like = self.model.squads.get(robots[0].squad)
        if name not in self.model.squads:
            formation, spacing = ("line", 0.8) if like is None else (like.formation, like.spacing)
            self.model.squads[name] = model.SquadState(name, player, [], formation, spacing)
        self.model.squads[name].robots = robots
        for robot in robots:
            robot.squad = name


def _makes_of(sim: Client, rows: Sequence[EntityRow], *, has_fog: bool) -> dict[str, RobotMake]:
    """Return what robots can do, by their types; nothing of types that do not say it, as those of a recording."""
    makes: dict[str, RobotMake] = {}
    for row in rows:
        if row.type not in makes:
            with contextlib.suppress(NoSuchName, NotInThisMode):
                makes[row.type] = make_of(sim, row.name, has_fog=has_fog)
    return makes


def _robot(
    index: int, squad: dict[str, Any], row: EntityRow | None, name: str, makes: Mapping[str, RobotMake]
) -> model.RobotState:
    make = makes.get("" if row is None else row.type)
    return model.RobotState(
        name=name,
        player=squad["player"],
        squad=squad["name"],
        index=index,
        number=index,
        health=float(squad["health"]),
        power=float(squad["power"]),
        radius=0.0 if row is None else 0.5 * max(row.size[:2]),
        **(make or {"abilities": frozenset(), "damage": 0.0, "range": 0.0}),
    )
