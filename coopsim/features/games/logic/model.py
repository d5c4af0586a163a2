"""The data model of a match: health, power and what is held; it refuses what the rules forbid.

Source: swarm gaming, section 3 (the data model prevents illegal operations by the rules set at the start), figure 2.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from coopsim.features.games.logic.nearness import Squads, lined_up
from coopsim.features.games.logic.orders import SquadOrder
from coopsim.geometry import Bools, Floats, Ints
from coopsim.suggest import did_you_mean

PICK_UP_REACH = 0.6
"""How near a robot must be to what it picks up [m]."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A line of the log.

    Attributes:
        time: Simulated [s].
        source: Player, squad or robot that it comes from.
        rule: Name of the rule that was broken, or what happened.
        text: What people read.
    """

    time: float
    source: str
    rule: str
    text: str


@dataclass(slots=True)
class RobotState:
    """A robot of a match.

    Attributes:
        index: Of its row in the positions.
        number: Among all robots of the simulation, as shooters name it.
        abilities: What it can do, of `coopsim.interfaces.ABILITIES`.
        power: Shots left.
        holding: Flag that it carries, "" = none.
        has_radio: Whether what it is told may be lost.
        rate: Shots that its type fires in a second at most.
        top_speed: That the motors of its type reach [m/s].
        speed: That its type drives at by itself, and by hand at most [m/s].
        turn: Rate at which its type turns at most [rad/s].
        reach: Of its sonars [m]; it matters in fog.
        shot_at: When it last hit somebody [s].
        is_taken: Whether a person drives it by hand.
        is_stepwise: Whether it takes sequences one step at a time.
        is_own: Whether this logic commands it, and no other one of the match.
    """

    name: str
    player: str
    squad: str
    index: int
    number: int
    abilities: frozenset[str]
    health: float
    power: float
    damage: float
    range: float
    radius: float
    holding: str = ""
    is_taken: bool = False
    has_radio: bool = False
    is_own: bool = True
    is_stepwise: bool = False
    rate: float = math.inf
    top_speed: float = math.inf
    speed: float = math.inf
    turn: float = math.inf
    reach: float = math.inf
    shot_at: float = -math.inf

    @property
    def swims(self) -> bool:
        """Whether water is no border for it."""
        return "swim" in self.abilities

    @property
    def is_alive(self) -> bool:
        """Whether it takes part."""
        return self.health > 0.0


@dataclass
class SquadState:
    """A squad of a match."""

    name: str
    player: str
    robots: list[RobotState]
    formation: str
    spacing: float

    @property
    def alive(self) -> list[RobotState]:
        """Its robots that take part."""
        return [robot for robot in self.robots if robot.health > 0.0]

    @property
    def obeying(self) -> list[RobotState]:
        """Members that nobody drives by hand."""
        return [robot for robot in self.robots if robot.health > 0.0 and not robot.is_taken]

    @property
    def swims(self) -> bool:
        """Whether all of them may cross water."""
        return all(robot.swims for robot in self.robots)


@dataclass
class Flag:
    """A flag: whose it is, where it is, and who carries it, "" = nobody."""

    name: str
    player: str
    place: tuple[float, float]
    carrier: str = ""


@dataclass(frozen=True)
class Roster:
    """Constants of all robots, by row.

    Attributes:
        robots: In the order of their rows.
        squads: Who is in which, see `nearness.Squads`.
        players: Whose each is, a number, shape (n,).
        ranges: Of their shooters, shape (n,) [m].
        radii: Shape (n,) [m].
    """

    robots: list[RobotState]
    squads: Squads
    players: Ints
    ranges: Floats
    radii: Floats


@dataclass
class DataModel:
    """Data model of a match: everything that the rules speak of.

    Attributes:
        positions: Of all robots, shape (n, 2) [m].
        log: What happened, and what was refused.
        cameras: Places of those that belong to no robot, by name [m].
        limit: When the time of the match is over [s].
        blocked: Returns which places, shape (n, 2), no robot can be at; where nothing is known of the field, none.
    """

    robots: dict[str, RobotState]
    squads: dict[str, SquadState]
    flags: dict[str, Flag]
    bases: Mapping[str, str]
    positions: Floats
    time: float = 0.0
    log: list[LogEntry] = field(default_factory=list)
    cameras: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    limit: float = math.inf
    blocked: Callable[[Floats], Bools] = lambda places: np.zeros(len(places), np.bool_)

    @cached_property
    def roster(self) -> Roster:
        """Constants of all robots, for kernels."""
        robots = sorted(self.robots.values(), key=lambda robot: robot.index)
        players = list(dict.fromkeys(robot.player for robot in robots))
        return Roster(
            robots,
            lined_up([[robot.index for robot in squad.robots] for squad in self.squads.values()]),
            np.array([players.index(robot.player) for robot in robots]),
            np.array([robot.range for robot in robots]),
            np.array([robot.radius for robot in robots]),
        )

    def forget_roster(self) -> None:
        """Line the robots up anew: squads have changed."""
        self.__dict__.pop("roster", None)

    def note(self, source: str, rule: str, text: str) -> None:
        """Log something."""
        self.log.append(LogEntry(self.time, source, rule, text))

    def position(self, robot: RobotState) -> Floats:
        """Return where a robot is [m]."""
        position: Floats = self.positions[robot.index]
        return position

    def middle(self, squad: SquadState) -> Floats:
        """Return the middle of the robots of a squad that take part, and obey if some do [m]."""
        center: Floats = self.positions[[robot.index for robot in squad.obeying or squad.alive or squad.robots]].mean(
            axis=0
        )
        return center

    def players(self) -> list[str]:
        """Return who plays."""
        return list(dict.fromkeys(squad.player for squad in self.squads.values()))

    # what the rules forbid

    def refusal(self, player: str, order: SquadOrder) -> str:
        """Return why a player may not give an order, "" where he may."""
        if order.squad not in self.squads:
            return f"there is no squad {order.squad}{did_you_mean(order.squad, self.squads)}"
        squad = self.squads[order.squad]
        if squad.player != player:
            return f"squad {order.squad} is {squad.player}'s"
        if not squad.alive:
            return f"squad {order.squad} has nobody left"
        if order.verb == "capture" and order.subject not in self.flags:
            return f"there is no flag {order.subject}{did_you_mean(order.subject, self.flags)}"
        if order.verb in {"capture", "attack"} and order.subject in self.flags:
            is_own = self.flags[order.subject].player == player
            return f"{order.subject} is {player}'s own flag" if is_own else ""
        return self._side_refusal(player, order)

    def _side_refusal(self, player: str, order: SquadOrder) -> str:
        """Return why an order is about somebody, or a base, of the wrong side; "" where it is not."""
        subject = self.robots.get(order.subject) or self.squads.get(order.subject)
        owner = subject.player if subject else ""
        if order.verb == "attack" and owner == player:
            return f"{order.subject} is {player}'s own"
        if order.verb == "defend" and owner not in {"", player}:
            return f"{order.subject} is {owner}'s, and may be attacked"
        theirs = [name for name, base in self.bases.items() if base == order.subject]
        if order.verb == "bring" and theirs and player not in theirs:
            return f"{order.subject} is {theirs[0]}'s base, and {self.bases[player]} is {player}'s"
        return ""

    def pick_up_refusal(self, robot: RobotState, name: str) -> str:
        """Return why a robot may not pick up a flag, "" where it may."""
        flag = self.flags.get(name)
        if flag is None:
            return f"there is no flag {name}"
        if flag.player == robot.player:
            return f"{name} is its own flag"
        if flag.carrier:
            return f"{flag.carrier} carries {name}"
        gap = float(np.hypot(*(self.position(robot) - flag.place)))
        return "" if gap <= PICK_UP_REACH else f"{name} is {gap:.2f} m away, and {PICK_UP_REACH:g} m are allowed"


def begin(game: Mapping[str, Any], robots: Sequence[RobotState], targets: Mapping[str, Any]) -> DataModel:
    """Return the data model of a match.

    Args:
        game: Its facts, as `/sim/info` tells them.
        robots: All of them.
        targets: Places of the targets.
    """
    by_name = {robot.name: robot for robot in robots}
    squads = {
        squad["name"]: SquadState(
            squad["name"],
            squad["player"],
            [by_name[name] for name in squad["robots"]],
            squad["formation"],
            float(squad["spacing"]),
        )
        for squad in game["squads"]
    }
    flags = {
        player["flag"]: Flag(player["flag"], player["name"], targets[player["flag"]])
        for player in game["players"]
        if player["flag"]
    }
    bases = {player["name"]: player["base"] for player in game["players"]}
    limit = float(game.get("time", math.inf))
    return DataModel(by_name, squads, flags, bases, np.zeros((len(robots), 2)), limit=limit)
