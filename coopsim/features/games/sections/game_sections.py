"""The sections of a game in a run: `[GAME]`, `[PLAYER_n]`, `[SQUAD_n]`.

Source: swarm gaming, section 5.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.features.games.sections.battlefield_checks import check_flags, remark_robots
from coopsim.features.games.sections.game_checks import GameChecks, check_logics
from coopsim.features.games.sections.game_section import read_game
from coopsim.features.games.sections.game_spec import GameSpec
from coopsim.features.games.sections.saved_games import forget_places, forget_players
from coopsim.robots.blueprint import RunSpec
from coopsim.robots.section_family import CheckedScene, SectionFamily
from coopsim.scene import Page, Problems, RemovedNames, Section


class GameSections(SectionFamily[GameSpec]):
    """`[GAME]` with its players and squads."""

    name, heads = "game", ("GAME", "PLAYER_", "SQUAD_")

    def read(self, sections: Sequence[Section], problems: Problems) -> GameSpec:
        """Return the game that a scenario describes."""
        return read_game(sections, problems)

    def facts(self, content: GameSpec, /) -> Mapping[str, Any]:
        """Return the game as clients know it."""
        return content.facts

    def groups(self, content: GameSpec, /) -> Mapping[str, Sequence[str]]:
        """Return the robots of each player."""
        return {
            player.name: [word for squad in content.squads if squad.player == player.name for word in squad.robots]
            for player in content.players
        }

    def check(self, content: GameSpec, scene: CheckedScene, problems: Problems, /) -> GameSpec:
        """Return the game with its squads robot by robot."""
        behaviours = scene.registry.behaviours
        checks = GameChecks(scene.types, scene.names, scene.targets, scene.areas, behaviours, problems)
        game = checks.checked(content)
        check_logics(game, scene.controllers, problems)
        return game

    def check_run(self, content: GameSpec, spec: RunSpec, problems: Problems, /) -> None:
        """Note flags that nobody can fetch."""
        check_flags(content, spec, problems)

    def warn(self, content: GameSpec, spec: RunSpec, problems: Problems, /) -> None:
        """Warn of robots that begin where they must not be."""
        remark_robots(content, spec, problems)

    def forget(self, page: Page, removed: RemovedNames) -> None:
        """Let players forget flags, bases and squads that are gone, and the game its players."""
        if removed.robots:
            forget_players(page, removed.sections)
        else:
            forget_places(page, {"flag": removed.targets, "base": removed.areas})


GAME = GameSections()


def game_of(spec: RunSpec) -> GameSpec:
    """Return the game of a run; without one its `rules` are ""."""
    return GAME.of(spec.scenario)
