"""Game in a file whose robots, targets and areas are not all there any more."""

from collections.abc import Collection, Mapping

from coopsim.errors import CannotSave
from coopsim.scene import blocks
from coopsim.scene.lines import Section
from coopsim.scene.page import Page
from coopsim.suggest import quoted

_LAW = "game"
"""Of the controller that plays a match."""
_FEWEST = 2
"""Players of a match."""


def forget_players(page: Page, removed: Collection[str]) -> None:
    """Remove players that have no squad any more, and the whole game when fewer than two are left.

    Args:
        page: The file.
        removed: Headers of the sections that were removed from it already.
    """
    games = page.sections("GAME")
    if not games:
        return
    squads = [section for section in page.sections("SQUAD") if section.name not in removed]
    playing = {_word(squad, "player") for squad in squads}
    players = page.sections("PLAYER")
    removed_players = [player for player in players if _word(player, "name") not in playing]
    if len(players) - len(removed_players) < _FEWEST:
        laws = [
            section
            for section in page.sections("CONTROLLER")
            if section.name not in removed and _word(section, "run") == _LAW
        ]
        removed_players = [*games, *players, *squads, *laws]
    names = {_word(section, "name") for section in removed_players if section.kind == "PLAYER"}
    for section in (
        *removed_players,
        *(
            section
            for section in page.sections("RADIO")
            if section.line("player") and _word(section, "player") in names
        ),
    ):
        blocks.remove(page.document, section)


def forget_places(page: Page, removed: Mapping[str, Collection[str]]) -> None:
    """Let players forget flags and bases that are gone.

    Args:
        page: The file.
        removed: Names by key of a player: `flag` and `base`.

    Raises:
        CannotSave: The rules need one of them.
    """
    is_needed = any(_word(game, "rules") == "capture_the_flag" for game in page.sections("GAME"))
    for section in page.sections("PLAYER"):
        for key, names in removed.items():
            line = section.line(key)
            if line is None or _word(section, key) not in names:
                continue
            if is_needed:
                player, name = quoted(_word(section, "name")), quoted(_word(section, key))
                raise CannotSave(f"{name}, the {key} of player {player}, is gone, and capture_the_flag needs it")
            blocks.remove_line(page.document, section, line)


def _word(section: Section, key: str) -> str:
    line = section.line(key)
    return line.values[0] if line is not None and line.values else ""
