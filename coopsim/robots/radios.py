"""Links of a scenario on board of its robots: each gets the device `radio`, with the settings of its link."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from coopsim.interfaces import RADIO, Value
from coopsim.robots.blueprint import DeviceBlueprint
from coopsim.robots.catalogue import Placed
from coopsim.robots.names import JOINED, RobotNames
from coopsim.scene import GameSpec, Problems, RadioSection, Span, choices, find_entry, hint, quoted

MODULE = "radio"
_DEFAULTS: Mapping[str, Value] = {it.name: it.default for it in RADIO.parameters}


def with_radios(sections: Sequence[RadioSection], game: GameSpec, placed: Placed, problems: Problems) -> Placed:
    """Return the robots with their links; those with a link of their own settings are of a type of their own.

    Args:
        sections: `[RADIO]` first; of several that name a robot the last one counts.
        game: Says which robots are a player's.
        placed: All robots.
        problems: Takes what a section cannot mean.
    """
    links: dict[str, dict[str, Value]] = {}
    names = RobotNames([robot.name for robot in placed.robots], placed.groups)
    for section in sections:
        for name in _robots(section, game, names, problems):
            links[name] = {**_DEFAULTS, **links.get(name, {}), **section.settings}
    if not links:
        return placed
    types, kinds, known = dict(placed.types), dict[str, str](), dict[object, str]()
    for robot in placed.robots:
        if robot.name not in links:
            continue
        kind, settings = types[robot.type], links[robot.name]
        if any(device.name == MODULE for device in kind.devices):
            problems.add(robot.span, f"{robot.name} has a module {MODULE!r} already")
            return placed
        key = robot.type, tuple(settings.values())
        if key not in known:
            known[key] = _free(f"{robot.type}{JOINED}{MODULE}", types)
            device = DeviceBlueprint("radio", MODULE, settings)
            types[known[key]] = replace(kind, name=known[key], devices=(*kind.devices, device))
        kinds[robot.name] = known[key]
    robots = tuple(replace(it, type=kinds.get(it.name, it.type)) for it in placed.robots)
    used = {robot.type for robot in robots}
    return replace(placed, robots=robots, types={name: each for name, each in types.items() if name in used})


def _free(name: str, taken: Mapping[str, object]) -> str:
    number, found = 2, name
    while found in taken:
        number, found = number + 1, f"{name}{number}"
    return found


def _robots(section: RadioSection, game: GameSpec, names: RobotNames, problems: Problems) -> list[str]:
    """Return whose links a section describes."""
    words, key = section.robots, "robots"
    if section.is_for_all:
        words = ("*",)
    elif section.player:
        known = [it.name for it in game.players]
        if section.player not in known:
            text = f"no player {quoted(section.player)}{hint(section.player, known)}"
            problems.add(_span(section, "player", 0), f"{text}; known: {choices(known) if known else 'none'}")
            return []
        words = tuple(word for squad in game.squads if squad.player == section.player for word in squad.robots)
    found: list[str] = []
    for index, word in enumerate(words):
        meant = names.meant(word)
        if not meant and not section.player and not section.is_for_all:
            problems.add(_span(section, key, index), names.missing(word))
        found += meant
    return found


def _span(section: RadioSection, key: str, index: int) -> Span:
    entry = find_entry(section.entries, key)
    return entry.value_spans[index] if entry and index < len(entry.value_spans) else section.span
