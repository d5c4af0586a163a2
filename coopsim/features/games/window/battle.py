"""Knowledge of a player in a match, and commands: squads, what they have left, what is selected, paths."""

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coopsim.geometry import Floats

REACHED = 0.9
"""How near the middle of a squad comes to a point of its path before it goes on to the next one [m]."""
_ARRIVED = 0.1
"""How near it comes to the last one, which nobody hurries it away from [m]: robots stop this close to their goals."""
_STOOD, _STILL = 2.0, 0.01
"""Simulated time after which a squad has stopped near its last point [s], and how far it may drift meanwhile [m].

The middle of a wedge stays behind its goal. Robots that take their places in a formation wait for less."""
_STEP = 0.6
"""Between two points of a path that is drawn [m]."""
_FLASH = 0.4
"""Simulated time for which a shot is drawn: the logic tells ten times a second, and frames must not miss it [s]."""
_AWAY = 0.3
"""A flag that is so far from where it was first told is not at home [m]."""


@dataclass
class Fighter:
    """A robot of a match as clients know it.

    Attributes:
        holding: Flag that it carries, "" = none.
    """

    name: str
    squad: str
    health: float
    power: float
    full: float
    holding: str = ""


@dataclass(frozen=True, slots=True)
class SquadFacts:
    """A squad as the scenario describes it."""

    name: str
    player: str
    robots: tuple[str, ...]
    health: float
    power: float
    formation: str


@dataclass(frozen=True, slots=True)
class Shot:
    """A shot that was told.

    Attributes:
        shooter: Robot that shot.
        target: Enemy that was hit, "" = nobody.
        time: When [s].
    """

    shooter: str
    target: str
    time: float


@dataclass
class Battle:
    """The abstraction of the battlefield.

    Attributes:
        player: Who this client plays, "" = it watches.
        players: Flag and base of each.
        squads: By name.
        fighters: By the names of the robots.
        places: Of robots, by name [m].
        selected: Names of squads of this player.
        clicked: Own robot that was clicked last, "" = none.
        formation: That orders ask for, "" = that of the squad.
        paths: Points that squads are still to go to [m].
        flags: Where they are [m], and who carries them.
        is_told: Whether the logic of the match was heard; before that nobody takes orders.
        result: Of the match, once it is over.
        colors: Of the robots, by name.
        seen: In a match with fog the enemies that each player sees, None = there is no fog.
        shots: Those of the last moment.
        rests: Of squads near the last points of their paths: their middles, these points [m], and since when [s].
        homes: Where flags were at first [m].
        lobby: Why the match has not begun, "" = it has.
        only_watches: Whether this client wants to play nobody.
        is_recorded: Whether a recording of a match is shown.
    """

    player: str = ""
    players: dict[str, dict[str, str]] = field(default_factory=dict)
    squads: dict[str, SquadFacts] = field(default_factory=dict)
    fighters: dict[str, Fighter] = field(default_factory=dict)
    places: dict[str, Floats] = field(default_factory=dict)
    selected: tuple[str, ...] = ()
    clicked: str = ""
    formation: str = ""
    paths: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    flags: dict[str, tuple[float, float, str]] = field(default_factory=dict)
    rules: str = ""
    budget: float = 0.0
    is_told: bool = False
    result: Mapping[str, Any] = field(default_factory=dict)
    colors: Mapping[str, tuple[float, float, float]] = field(default_factory=dict)
    seen: dict[str, list[str]] | None = None
    shots: list[Shot] = field(default_factory=list)
    rests: dict[str, tuple[Floats, tuple[float, float], float]] = field(default_factory=dict)
    homes: dict[str, tuple[float, float]] = field(default_factory=dict)
    lobby: str = ""
    only_watches: bool = False
    is_recorded: bool = False

    def begin(self, game: Mapping[str, Any]) -> None:
        """Take over what a run tells of its match."""
        self.rules, self.budget, self.result = str(game["rules"]), float(game["budget"]), {}
        self.players = {player["name"]: {"flag": player["flag"], "base": player["base"]} for player in game["players"]}
        self.squads = {
            squad["name"]: SquadFacts(
                squad["name"],
                squad["player"],
                tuple(squad["robots"]),
                float(squad["health"]),
                float(squad["power"]),
                squad["formation"],
            )
            for squad in game["squads"]
        }
        self.fighters = {
            robot: Fighter(robot, squad.name, squad.health, squad.power, squad.health)
            for squad in self.squads.values()
            for robot in squad.robots
        }
        if self.player not in self.players:
            self.player = "" if self.only_watches else next(iter(self.players), "")
        self.selected, self.clicked, self.paths, self.flags, self.is_told = (), "", {}, {}, False
        self.shots, self.homes, self.lobby = [], {}, ""
        self.seen = {} if game.get("fog") else None

    def know(self, status: Mapping[str, Any], time: float = 0.0) -> None:
        """Take over what robots have left.

        Args:
            status: As the logic of the match tells it.
            time: When it did [s].
        """
        shooters, hurt, was_told, self.is_told = list[str](), list[str](), self.is_told, True
        self.lobby = "" if time > 0.0 else self.lobby
        for name, health, power, holding in status.get("robots", ()):
            fighter = self.fighters.get(name)
            if fighter is not None:
                shooters += [name] * (power < fighter.power)
                hurt += [name] * (health < fighter.health)
                fighter.health, fighter.power, fighter.holding = float(health), float(power), str(holding)
        # who joins late is told everything at once: nobody has shot now
        if was_told:
            self._see_shots(shooters, hurt, time)
        self.flags |= {name: (float(x), float(y), str(by)) for name, (x, y, by) in status.get("flags", {}).items()}
        for name, (x, y, _) in self.flags.items():
            self.homes.setdefault(name, (x, y))
        if self.seen is not None:
            self.seen |= status.get("seen", {})
        for name, (player, robots) in status.get("squads", {}).items():
            self._regroup(name, player, tuple(robot for robot in robots if robot in self.fighters))

    def _see_shots(self, shooters: Sequence[str], hurt: Sequence[str], time: float) -> None:
        """Keep the shots of this moment: each hit the nearest of the enemies that were hurt at the same time."""
        for shooter in (name for name in shooters if name in self.places):
            x, y = self.places[shooter]
            enemies = [name for name in hurt if self._owner(name) != self._owner(shooter) and name in self.places]
            target = min(enemies, key=lambda name: math.dist(self.places[name], (x, y)), default="")
            self.shots.append(Shot(shooter, target, time))

    def _owner(self, robot: str) -> str:
        return self.squads[self.fighters[robot].squad].player

    def recent_shots(self, now: float) -> list[Shot]:
        """Return the shots of the last moment whose shooter this player sees; older ones, or later ones, are dropped.

        Args:
            now: The time that is shown [s].
        """
        self.shots = [shot for shot in self.shots if abs(now - shot.time) < _FLASH]
        return [shot for shot in self.shots if not self.is_hidden(shot.shooter)]

    def is_away(self, flag: str) -> bool:
        """Return whether a flag is carried, or lies elsewhere than where it was at first."""
        x, y, carrier = self.flags.get(flag, (0.0, 0.0, ""))
        return bool(carrier) or math.dist((x, y), self.homes.get(flag, (x, y))) > _AWAY

    def _regroup(self, name: str, player: str, robots: tuple[str, ...]) -> None:
        """Take in who is in a squad now; one without robots is no more."""
        if robots:
            like = self.squads.get(name) or self.squads[self.fighters[robots[0]].squad]
            self.squads[name] = replace(like, name=name, player=player, robots=robots)
            for robot in robots:
                self.fighters[robot].squad = name
        else:
            self.squads.pop(name, None)
            self.paths.pop(name, None)
            self.selected = tuple(squad for squad in self.selected if squad != name)

    @property
    def held(self) -> str:
        """Reason why no order is taken now, for people, "" = orders are taken."""
        if self.is_recorded:
            return "a recording is shown: nobody takes orders"
        if self.result:
            return "the match is over: Begin starts the next one"
        if self.lobby:
            return f"the match has not begun: {self.lobby}"
        return "" if self.is_told else "no orders yet: the logic of the match has not told its state"

    def color_of(self, player: str) -> tuple[float, float, float] | None:
        """Return the colour that all robots of a player have, None where they differ or are not known."""
        robots = [robot for squad in self.squads.values() if squad.player == player for robot in squad.robots]
        colors = {tuple(map(float, self.colors[robot])) for robot in robots if robot in self.colors}
        if len(colors) != 1:
            return None
        red, green, blue = colors.pop()
        return red, green, blue

    @property
    def mine(self) -> tuple[SquadFacts, ...]:
        """The squads of this player."""
        return tuple(squad for squad in self.squads.values() if squad.player == self.player)

    def is_mine(self, robot: str) -> bool:
        """Return whether a robot is of this player."""
        fighter = self.fighters.get(robot)
        return fighter is not None and self.squads[fighter.squad].player == self.player

    def is_hidden(self, robot: str) -> bool:
        """Return whether this player does not see a robot, in fog, until the match is over."""
        if self.seen is None or self.result or not self.player or self.is_mine(robot):
            return False
        fighter = self.fighters.get(robot)
        return fighter is not None and fighter.health > 0.0 and robot not in self.seen.get(self.player, ())

    def choose(self, robots: Sequence[str], *, add: bool = False) -> None:
        """Select the squads of robots; those of others are left out."""
        squads = [self.fighters[name].squad for name in robots if self.is_mine(name)]
        before = self.selected if add else ()
        kept = [name for name in before if squads != [name]]
        self.clicked = robots[0] if len(robots) == 1 and squads else ""
        self.selected = tuple(dict.fromkeys([*kept, *(name for name in squads if name not in before)]))

    @property
    def chosen_robot(self) -> str:
        """The robot that help and driving by hand are about: the clicked one, else the weakest; "" where none is."""
        robots = [robot for squad in self.selected for robot in self.squads[squad].robots]
        alive = [robot for robot in robots if self.fighters[robot].health > 0.0]
        return self.clicked if self.clicked in alive else min(alive, key=self._left, default="")

    def _left(self, robot: str) -> float:
        return self.fighters[robot].health

    def middle(self, squad: str) -> Floats | None:
        """Return the middle of the robots of a squad that take part [m], None where nobody is left."""
        alive = [
            robot for robot in self.squads[squad].robots if self.fighters[robot].health > 0.0 and robot in self.places
        ]
        return np.mean([self.places[name] for name in alive], axis=0) if alive else None

    def orders(self, verb: str, subject: str = "", point: tuple[float, float] | None = None) -> list[str]:
        """Return an order for each selected squad, as players write it."""
        place = "" if point is None else f"{point[0]:.2f} {point[1]:.2f}"
        shape = self.formation if verb in {"gather", "go_to"} else ""
        return [" ".join(filter(None, (squad, verb, subject, place, shape))) for squad in self.selected]

    def halves(self) -> list[str]:
        """Return the order that divides the one selected squad, none where that is not possible."""
        if len(self.selected) != 1:
            return []
        squad = self.selected[0]
        alive = [robot for robot in self.squads[squad].robots if self.fighters[robot].health > 0.0]
        number = next(number for number in itertools.count(2) if f"{squad}_{number}" not in self.squads)
        half = alive[(len(alive) + 1) // 2 :]
        return [f"{squad} split {squad}_{number} {' '.join(half)}"] if half else []

    def joined(self) -> list[str]:
        """Return the orders that join the selected squads into the first one."""
        return [f"{self.selected[0]} merge {squad}" for squad in self.selected[1:]]

    def meant(self, name: str, point: tuple[float, float] | None) -> list[str]:
        """Return the orders for what a player indicates: a flag, an enemy, the own base or flag, or the floor.

        Source: swarm gaming, section 5 (the player indicates the flag, which is recognised as one of the enemy).
        """
        own = self.players.get(self.player, {})
        # where there are no flags the name of each is "", as is that of the bare floor
        theirs = {row["flag"] for player, row in self.players.items() if player != self.player} - {""}
        if name in theirs:
            return self.orders("capture", name)
        if name in self.fighters and not self.is_mine(name):
            return self.orders("attack", name)
        if name and name in {own.get("base"), own.get("flag")}:
            return self.home()
        return self.orders("go_to", point=point) if point is not None else []

    def home(self) -> list[str]:
        """Return the orders that send squads home: with a flag to the base, else to defend that."""
        own = self.players.get(self.player, {})
        base = own.get("base") or own.get("flag", "")
        rows = []
        for squad in self.selected:
            carries = any(self.fighters[name].holding for name in self.squads[squad].robots)
            rows.append(f"{squad} {'bring' if carries else 'defend'} {base}")
        return rows if base else []

    def nearest_enemy(self, squad: str) -> str:
        """Return the enemy that is nearest to a squad, "" = there is none."""
        middle = self.middle(squad)
        if middle is None:
            return ""
        fighters = [
            fighter for fighter in self.fighters.values() if not self.is_mine(fighter.name) and fighter.health > 0.0
        ]
        seen = [
            (math.dist(self.places[fighter.name], middle), fighter.name)
            for fighter in fighters
            if fighter.name in self.places and not self.is_hidden(fighter.name)
        ]
        return min(seen)[1] if seen else ""

    def draw(self, point: tuple[float, float]) -> None:
        """Add a point to the paths of the selected squads, where it is far enough from the last one."""
        for squad in self.selected:
            path = self.paths.setdefault(squad, [])
            if not path or math.dist(path[-1], point) >= _STEP:
                path.append(point)

    def end_drawing(self, point: tuple[float, float]) -> None:
        """Let the paths of the selected squads end at a point, which takes the place of a last one that is near."""
        for path in (self.paths[squad] for squad in self.selected if self.paths.get(squad)):
            path[-1 if math.dist(path[-1], point) < _STEP / 2.0 else len(path) :] = [point]

    def next_legs(self, now: float) -> list[str]:
        """Return the orders of squads that have come to the next point of their paths; drop paths that are walked.

        Args:
            now: The time that is shown [s].
        """
        texts = []
        for squad, path in list(self.paths.items()):
            middle = self.middle(squad)
            if middle is None:
                del self.paths[squad]
            elif len(path) > 1 and math.dist(middle, path[0]) <= REACHED:
                path.pop(0)
                texts.append(f"{squad} go_to {path[0][0]:.2f} {path[0][1]:.2f}")
            elif len(path) == 1 and self._has_arrived(squad, path[0], middle, now):
                del self.paths[squad]
        return texts

    def _has_arrived(self, squad: str, end: tuple[float, float], middle: Floats, now: float) -> bool:
        """Return whether a squad is at the end of its path, or has stopped beside it: its last place may be taken."""
        gap, (place, before, since) = math.dist(middle, end), self.rests.get(squad, (middle, end, now))
        # where it stood at the end of another path says nothing of this one
        if gap > REACHED or before != end or math.dist(place, middle) > _STILL or not since <= now:
            place, since = middle, now
        self.rests[squad] = place, end, since
        return gap <= _ARRIVED or now - since >= _STOOD
