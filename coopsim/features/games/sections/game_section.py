"""`[GAME]`, `[PLAYER_n]` and `[SQUAD_n]` sections: who plays with which robots by which rules.

Source: swarm gaming, section 5 (health and power based on a budget, squad division, robot types, scenarios).
"""

from collections.abc import Sequence

from coopsim.features.games.sections.game_spec import BOTS, FORMATIONS, RULES, GameSpec, PlayerSpec, SquadSpec
from coopsim.scene import values
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.problems import Problems
from coopsim.suggest import hint, quoted

GAME_KEYS: Keys = {
    "rules": SectionKey(values.one_of(*RULES), is_needed=True),
    "time": SectionKey(values.number(1.0, 36_000.0, "s")),
    "budget": SectionKey(values.number(0.0, 1e6)),
    "lobby": SectionKey(values.number(0.0, 3600.0, "s")),
    "fog": SectionKey(values.yes_no),
}
PLAYER_KEYS: Keys = {
    "name": SectionKey(values.name, is_needed=True),
    "flag": SectionKey(values.name),
    "base": SectionKey(values.name),
    "bot": SectionKey(values.one_of(*BOTS)),
    "key": SectionKey(values.name),
}
SQUAD_KEYS: Keys = {
    "name": SectionKey(values.name, is_needed=True),
    "player": SectionKey(values.name, is_needed=True),
    "robots": SectionKey(values.names, is_needed=True),
    "health": SectionKey(values.number(1.0, 1000.0)),
    "power": SectionKey(values.number(0.0, 1000.0, whole=True)),
    "formation": SectionKey(values.one_of(*FORMATIONS)),
    "spacing": SectionKey(values.number(0.1, 10.0, "m")),
    "behaviours": SectionKey(values.names),
}


def read_game(sections: Sequence[Section], problems: Problems) -> GameSpec:
    """Return the game that a scenario describes; what robots, targets and areas it names is looked at later."""
    games = [section for section in sections if section.kind == "GAME"]
    players = _players([section for section in sections if section.kind == "PLAYER"], problems)
    squads = _squads([section for section in sections if section.kind == "SQUAD"], players, problems)
    if not games:
        for section in sections:
            problems.add(section.span, f"[{section.name}] belongs to a game: add a section [GAME]")
        return GameSpec()
    keys = read_keys(games[0], GAME_KEYS, problems)
    if lacks(keys, GAME_KEYS):
        return GameSpec()
    if len(players) < 2:
        problems.add(games[0].span, f"[GAME] takes at least 2 players, got {len(players)}: add a section [PLAYER_n]")
    return GameSpec(**keys, players=tuple(players), squads=tuple(squads), span=games[0].span)


def _players(sections: Sequence[Section], problems: Problems) -> list[PlayerSpec]:
    players: list[PlayerSpec] = []
    for section in sections:
        keys = read_keys(section, PLAYER_KEYS, problems)
        if lacks(keys, PLAYER_KEYS):
            continue
        if keys["name"] in [player.name for player in players]:
            problems.add(section.value_span("name"), f"there is a player {quoted(keys['name'])} already")
            continue
        players.append(PlayerSpec(**keys, span=section.span, entries=section.entries()))
    return players


def _squads(sections: Sequence[Section], players: Sequence[PlayerSpec], problems: Problems) -> list[SquadSpec]:
    squads: list[SquadSpec] = []
    names = [player.name for player in players]
    for section in sections:
        keys = read_keys(section, SQUAD_KEYS, problems)
        if lacks(keys, SQUAD_KEYS):
            continue
        if keys["player"] not in names:
            text = f"no player {quoted(keys['player'])}{hint(keys['player'], names)}"
            problems.add(section.value_span("player"), text)
        elif keys["name"] in [squad.name for squad in squads]:
            problems.add(section.value_span("name"), f"there is a squad {quoted(keys['name'])} already")
        else:
            squads.append(SquadSpec(**keys, span=section.span, entries=section.entries()))
    return squads
