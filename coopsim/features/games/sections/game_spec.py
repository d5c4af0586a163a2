"""Sections of a game, as data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coopsim.scene.spans import Entry, Span

RULES = ("capture_the_flag", "death_match")
BOTS = ("none", "easy", "normal", "hard")
FORMATIONS = ("line", "circle", "half_circle", "wedge", "inverse_wedge")
ORDER_WORDS = ("nothing", "name", "point", "maybe_point")
"""What words an order of a behaviour has after its verb."""
PRICES: Mapping[str, float] = {"game_scout": 10.0, "game_tank": 30.0, "game_infantry": 15.0, "game_amphibian": 20.0}
"""Of a robot of each type."""
OTHER_PRICE, HEALTH_PRICE, POWER_PRICE = 15.0, 0.1, 0.5
"""Of a robot of any other type, of a point of health, of a shot."""
MOST_MEMBERS = 100
"""Of a squad."""


@dataclass(frozen=True, slots=True)
class PlayerSpec:
    """A `[PLAYER_n]` section.

    Attributes:
        flag: Target that the others want, "" = none.
        base: Area that flags are brought to, "" = none.
        bot: Computer player that plays until a person gives an order.
        key: Name of the key that alone may give orders, "" = whoever comes first.
        entries: Lines as written.
    """

    name: str
    flag: str = ""
    base: str = ""
    bot: str = "none"
    key: str = ""
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class SquadSpec:
    """A `[SQUAD_n]` section.

    Attributes:
        robots: Its members; what stands for them until the scenario is checked.
        health: That each begins with.
        power: Shots that each has.
        formation: That it takes if nothing else is said.
        spacing: Distance of neighbours [m].
        behaviours: Of plugins, besides those that every squad has.
        entries: Lines as written.
    """

    name: str
    player: str
    robots: tuple[str, ...]
    health: float = 100.0
    power: float = 20.0
    formation: str = "wedge"
    spacing: float = 0.8
    behaviours: tuple[str, ...] = ()
    span: Span = field(default=Span(), compare=False)
    entries: tuple[Entry, ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class GameSpec:
    """The `[GAME]` section with its players and squads.

    Attributes:
        rules: Who wins, "" = there is no game.
        time: After which it ends [s].
        budget: That each player may spend.
        lobby: Time that players are waited for at most before it begins [s], 0 = it begins at once.
        fog: Whether players know only of enemies that their robots see.
    """

    rules: str = ""
    time: float = 300.0
    budget: float = 200.0
    lobby: float = 0.0
    fog: bool = False
    players: tuple[PlayerSpec, ...] = ()
    squads: tuple[SquadSpec, ...] = ()
    span: Span = field(default=Span(), compare=False)

    @property
    def facts(self) -> dict[str, Any]:
        """Facts that clients are told, none where there is no game."""
        if not self.rules:
            return {}
        players = [
            {"name": player.name, "flag": player.flag, "base": player.base, "bot": player.bot, "key": player.key}
            for player in self.players
        ]
        squads = [
            {
                "name": squad.name,
                "player": squad.player,
                "robots": list(squad.robots),
                "health": squad.health,
                "power": squad.power,
                "formation": squad.formation,
                "spacing": squad.spacing,
                **({"behaviours": list(squad.behaviours)} if squad.behaviours else {}),
            }
            for squad in self.squads
        ]
        game = {"rules": self.rules, "time": self.time, "budget": self.budget, "players": players, "squads": squads}
        return {"game": game | ({"lobby": self.lobby} if self.lobby else {}) | ({"fog": True} if self.fog else {})}


def price(kind: str, health: float, power: float) -> float:
    """Return what a robot of a type costs."""
    return PRICES.get(kind, OTHER_PRICE) + HEALTH_PRICE * health + POWER_PRICE * power
