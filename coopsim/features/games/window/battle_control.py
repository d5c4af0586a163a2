"""The control of the battlefield: orders of the player, and what is told of the match."""

from collections.abc import Mapping, Sequence

from coopsim.features.games.window.battle import Battle
from coopsim.features.games.window.pac import Happening, PacControl
from coopsim.features.matches.events import BEGINS, LOBBY_LINE
from coopsim.geometry import Floats


class BattleControl(PacControl):
    """The control of the battlefield: what the player does becomes orders, what is told becomes knowledge."""

    def __init__(self, battle: Battle) -> None:
        super().__init__(self._hear)
        self.battle = battle
        self._drawing = False

    def order(self, lines: Sequence[str], *, keeps_paths: bool = False) -> None:
        """Give orders; a squad that is ordered anew leaves its path. Orders that nobody would take are not sent."""
        for line in () if self.battle.held else lines:
            if not keeps_paths:
                self.battle.paths.pop(line.split()[0], None)
            self.broadcast(Happening("order", line))

    def attack(self) -> None:
        """Let each selected squad attack the enemy that is nearest to it."""
        for squad in self.battle.selected:
            enemy = self.battle.nearest_enemy(squad)
            self.order([f"{squad} attack {enemy}"] if enemy else [])

    def begin_path(self) -> None:
        """Begin to draw a path for the selected squads."""
        self._drawing = True
        for squad in self.battle.selected:
            self.battle.paths[squad] = []

    def end_path(self, point: tuple[float, float] | None = None) -> None:
        """Send the squads along the path that was drawn.

        Args:
            point: Where the mouse was released, None = beside the floor.
        """
        self._drawing = False
        if point is not None:
            self.battle.end_drawing(point)
        for squad in self.battle.selected:
            path = self.battle.paths.get(squad)
            if path:
                self.order([f"{squad} go_to {path[0][0]:.2f} {path[0][1]:.2f}"], keeps_paths=True)

    def advance(self, places: Mapping[str, Floats], now: float) -> None:
        """Take over where robots are; let squads go on along their paths.

        Args:
            places: Of robots, by name [m].
            now: The time that is shown [s].
        """
        self.battle.places = dict(places)
        if not self._drawing:
            self.order(self.battle.next_legs(now), keeps_paths=True)

    def _hear(self, happening: Happening) -> None:
        facts = happening.facts or {}
        match happening.topic:
            case "match":
                self.battle.begin(facts)
            case "status":
                self.battle.know(facts, happening.time)
            case "log" if happening.text.startswith(LOBBY_LINE):
                text = happening.text.removeprefix(LOBBY_LINE)
                self.battle.lobby = "" if text == BEGINS else text
            case "end":
                self.battle.result = facts
            case "player":
                self.battle.player, self.battle.selected, self.battle.paths = happening.text, (), {}
                self.battle.only_watches = not happening.text
