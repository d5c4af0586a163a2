"""Checks of a game against who is there: robots, flags, bases, and what the squads cost."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from coopsim.features.games.sections.game_spec import MOST_MEMBERS, GameSpec, PlayerSpec, SquadSpec, price
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.names import RobotNames, plain_type
from coopsim.scene import Area, Controller, Problems, Span, choices, find_entry, hint, quoted

LAW = "game"
"""The control law that plays a match."""
_NEEDED = ("pose", "intelligence")


@dataclass(frozen=True)
class GameChecks:
    """Checks of the names in a game.

    Attributes:
        robots: Types of the robots, by name.
        names: What robots are called.
        targets: Names of the targets, which flags are.
        areas: By name.
        behaviours: Names of those that are registered.
        problems: Takes what a game cannot mean.
    """

    robots: Mapping[str, RobotBlueprint]
    names: RobotNames
    targets: Collection[str]
    areas: Mapping[str, Area]
    behaviours: Collection[str]
    problems: Problems
    _squad_of: dict[str, str] = field(default_factory=dict)

    def checked(self, game: GameSpec) -> GameSpec:
        """Return the game with its squads robot by robot."""
        if not game.rules:
            return game
        for player in game.players:
            self._check_player(player, game.rules)
        squads = tuple(replace(squad, robots=self._members(squad)) for squad in game.squads)
        for squad in squads:
            self._check_behaviours(squad)
        for player in game.players:
            self._check_cost(player, [squad for squad in squads if squad.player == player.name], game.budget)
        return replace(game, squads=squads)

    def _check_player(self, player: PlayerSpec, rules: str) -> None:
        bases = [name for name, area in self.areas.items() if area.kind == "base"]
        named = (("flag", player.flag, self.targets, "target"), ("base", player.base, bases, "area of the kind base"))
        for key, name, registered, what in named:
            if name and name not in registered:
                text = f"no {what} {quoted(name)}{hint(name, registered)}; known: {choices(registered)}"
                self.problems.add(_spans(player, key)[0], text)
            elif not name and rules == "capture_the_flag":
                self.problems.add(player.span, f"capture_the_flag takes a {key} of each player: add a key '{key}'")

    def _check_behaviours(self, squad: SquadSpec) -> None:
        spans = _spans(squad, "behaviours") if squad.behaviours else ()
        for name, span in zip(squad.behaviours, spans, strict=True):
            if name not in self.behaviours:
                advice = f"{hint(name, self.behaviours)}; known: {choices(self.behaviours)}"
                text = f"no behaviour {quoted(name)}{advice}; add --plugin FILE for the plugin that brings it"
                self.problems.add(span, text)

    def _members(self, squad: SquadSpec) -> tuple[str, ...]:
        """Return the robots of a squad by name, those without a flaw."""
        mistakes: list[str] = []
        for word, span in zip(squad.robots, _spans(squad, "robots"), strict=True):
            meant = self.names.meant(word)
            flaws = [text for name in meant if (text := self._flaw(name))]
            if not meant or flaws:
                self.problems.add(span, flaws[0] if meant else self.names.missing(word))
                continue
            mistakes += meant
            self._squad_of.update(dict.fromkeys(meant, squad.name))
            if len(mistakes) > MOST_MEMBERS:
                self.problems.add(span, f"a squad has at most {MOST_MEMBERS} robots, here are {len(mistakes)}")
                break
        return tuple(mistakes)

    def _flaw(self, name: str) -> str:
        """Return why a robot cannot be of a squad, "" where it can."""
        if name in self._squad_of:
            return f"{quoted(name)} is in squad {quoted(self._squad_of[name])} already"
        if name not in self.robots:
            return ""  # its type is unknown, which was said
        has = [device.name for device in self.robots[name].devices]
        missing = [ability for ability in _NEEDED if ability not in has]
        return f"{quoted(name)} has no {', '.join(missing)}: it takes a robot of games" if missing else ""

    def _check_cost(self, player: PlayerSpec, squads: list[SquadSpec], budget: float) -> None:
        if not squads:
            self.problems.add(player.span, f"player {quoted(player.name)} has no squad: add a section [SQUAD_n]")
        spent = 0.0
        for squad in squads:
            kinds = [plain_type(self.robots[name].name) for name in squad.robots if name in self.robots]
            spent += sum(price(kind, squad.health, squad.power) for kind in kinds)
            if spent > budget:
                text = f"the squads of {quoted(player.name)} cost {spent:g}, more than the budget of {budget:g}"
                self.problems.add(squad.span, text)
                return


def check_logics(game: GameSpec, controllers: Sequence[Controller], problems: Problems) -> None:
    """Check that each player's robots are driven by one logic, however many there are."""
    logics = [controller for controller in controllers if controller.run == LAW]
    if game.fog and len(logics) > 1:
        problems.add(logics[1].span, "a match with fog has one logic: several tell each other where all robots are")
    for logic in logics:
        driven = {*logic.robots}
        for player in game.players:
            own = [robot for squad in game.squads if squad.player == player.name for robot in squad.robots]
            missing = [robot for robot in own if robot not in driven]
            if len(missing) < len(own) and missing:
                text = f"a player's robots are driven by one logic: this one lacks {quoted(missing[0])} of player"
                problems.add(logic.span, f"{text} {quoted(player.name)}: add it to 'robots'")


def _spans(section: PlayerSpec | SquadSpec, key: str) -> tuple[Span, ...]:
    entry = find_entry(section.entries, key)
    return entry.value_spans if entry else (section.span,)
