"""The set-up of a match: who plays, and what each squad gets of the budget; the next match begins with it.

Source: swarm gaming, section 5 (health and power from a budget, squad division, robot type).
"""

import itertools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from coopsim.features.games.sections.game_spec import price
from coopsim.features.games.window.pac import Happening, PacControl
from coopsim.features.matches.events import BEGINS, LOBBY_LINE

_SECTION = re.compile(r"^\s*\[(\w+)\]", re.MULTILINE)


MIXED = "mixed"
"""What stands for the types of a squad whose robots differ."""


@dataclass
class SquadChoice:
    """Equipment chosen for a squad.

    Attributes:
        kind: Robot type of all its robots, `MIXED` = each stays what it is.
        kinds: What each robot is now.
    """

    name: str
    player: str
    robots: tuple[str, ...]
    kind: str
    health: float
    power: float
    formation: str
    kinds: tuple[str, ...] = ()

    @property
    def chosen_kinds(self) -> tuple[str, ...]:
        """Kinds chosen for the robots."""
        return self.kinds if self.kind == MIXED else (self.kind,) * len(self.robots)

    @property
    def cost(self) -> float:
        """Of all its robots."""
        return sum(price(kind, self.health, self.power) for kind in self.chosen_kinds)


@dataclass
class MatchSetup:
    """The abstraction of the set-up.

    Attributes:
        squads: Of all players, by name.
        budget: That each player may spend.
        is_lobby: Whether the match waits until its players are ready.
    """

    squads: dict[str, SquadChoice] = field(default_factory=dict)
    budget: float = 0.0
    is_lobby: bool = False

    def begin(self, game: Mapping[str, Any], kinds: Mapping[str, str]) -> None:
        """Begin with what the match has now.

        Args:
            game: Its facts.
            kinds: Types of the robots, by name.
        """
        self.budget = float(game["budget"])
        self.squads = {
            squad["name"]: SquadChoice(
                squad["name"],
                squad["player"],
                tuple(squad["robots"]),
                _common_kind([kinds.get(robot, "") for robot in squad["robots"]]),
                float(squad["health"]),
                float(squad["power"]),
                squad["formation"],
                tuple(kinds.get(robot, "") for robot in squad["robots"]),
            )
            for squad in game["squads"]
        }

    def spent(self, player: str) -> float:
        """Return what the squads of a player cost."""
        return sum(squad.cost for squad in self.squads.values() if squad.player == player)

    def is_within(self, player: str) -> bool:
        """Return whether a player keeps the budget."""
        return self.spent(player) <= self.budget + 1e-9

    def written(self, text: str) -> str:
        """Return a scenario with these squads; all other lines stay as they are."""
        ends = [head.start() for head in _SECTION.finditer(text)] + [len(text)]
        parts = [text[: ends[0]], *(text[begin:end] for begin, end in itertools.pairwise(ends))]
        kinds = {
            robot: kind
            for squad in self.squads.values()
            for robot, kind in zip(squad.robots, squad.chosen_kinds, strict=True)
        }
        return "".join(self._part(part, kinds) for part in parts)

    def _part(self, part: str, kinds: Mapping[str, str]) -> str:
        match = _SECTION.match(part)
        name = _value(part, "name")
        if match and match[1].startswith("SQUAD") and name in self.squads:
            squad = self.squads[name]
            for key, value in (("health", squad.health), ("power", squad.power), ("formation", squad.formation)):
                part = _with(part, key, value if isinstance(value, str) else f"{value:g}")
        elif match and match[1].startswith("ROBOT") and kinds.get(name):
            part = _with(part, "type", kinds[name])
        return part


class SetupControl(PacControl):
    """The control of the set-up."""

    def __init__(self, setup: MatchSetup) -> None:
        super().__init__(self._hear)
        self.setup = setup

    def ready(self) -> None:
        """Say that the player is ready."""
        self.broadcast(Happening("ready"))

    def _hear(self, happening: Happening) -> None:
        if happening.topic == "match":
            self.setup.is_lobby = bool((happening.facts or {}).get("lobby"))
        elif happening.topic == "log" and happening.text.startswith(LOBBY_LINE):
            # who comes late hears the next second of the countdown, or that it is over
            self.setup.is_lobby = not happening.text.endswith(BEGINS)
        elif happening.topic in {"status", "end"} and happening.time > 0.0:
            self.setup.is_lobby = False

    def play(self, player: str) -> None:
        """Play somebody from now on."""
        self.broadcast(Happening("player", player))


def _common_kind(kinds: Sequence[str]) -> str:
    return kinds[0] if len({*kinds}) == 1 else MIXED


def _value(part: str, key: str) -> str:
    match = re.search(rf"^\s*{key}[ \t]+(\S+)", part, re.MULTILINE)
    return match[1] if match else ""


def _with(part: str, key: str, value: str) -> str:
    """Return a section with a value for a key; a key that is missing comes after its name."""
    changed, count = re.subn(rf"^(\s*{key}[ \t]+)\S.*$", rf"\g<1>{value}", part, count=1, flags=re.MULTILINE)
    if count:
        return changed
    return re.sub(r"^(\s*name[ \t]+\S.*)$", rf"\g<1>\n{key:<11} {value}", part, count=1, flags=re.MULTILINE)
