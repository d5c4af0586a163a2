"""Links of a scenario on board of its robots: each gets the device `radio`, with the settings of its link."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from coopsim.features.radio.interface import RADIO
from coopsim.features.radio.sections.section import read_radios
from coopsim.features.radio.sections.spec import RadioSection
from coopsim.interfaces import Value
from coopsim.robots.blueprint import DeviceBlueprint
from coopsim.robots.catalogue import Placed
from coopsim.robots.names import JOINED, RobotNames
from coopsim.robots.section_family import Equipment, SectionFamily
from coopsim.scene import Event, Problems, Section, Span, choices, find_entry, hint, quoted

MODULE = "radio"
_DEFAULTS: Mapping[str, Value] = {parameter.name: parameter.default for parameter in RADIO.parameters}


class RadioSections(SectionFamily[Sequence[RadioSection]]):
    """`[RADIO]` and `[RADIO_n]`: links of all robots, of some, or of a player's."""

    name, heads = "radios", ("RADIO", "RADIO_")
    rank = 1  # behind what gives robots programs: a link is the last device that they get

    def read(self, sections: Sequence[Section], problems: Problems) -> Sequence[RadioSection]:
        """Return what the sections say, `[RADIO]` first."""
        return tuple(read_radios(sections, problems))

    def equip(
        self, content: Sequence[RadioSection], equipment: Equipment, problems: Problems, /
    ) -> tuple[Placed, tuple[Event, ...]]:
        """Return the robots with their links."""
        return with_radios(content, equipment.groups, equipment.placed, problems), ()

    def check(self, _content: Sequence[RadioSection], _scene: object, _problems: Problems, /) -> None:
        """Return nothing: the links are on board."""
        return


RADIOS = RadioSections()


def with_radios(
    sections: Sequence[RadioSection], players: Mapping[str, Sequence[str]], placed: Placed, problems: Problems
) -> Placed:
    """Return the robots with their links; those with a link of their own settings are of a type of their own.

    Args:
        sections: `[RADIO]` first; of several that name a robot the last one counts.
        players: Robots of each player, as words of the file.
        placed: All robots.
        problems: Takes what a section cannot mean.
    """
    links: dict[str, dict[str, Value]] = {}
    names = RobotNames([robot.name for robot in placed.robots], placed.groups)
    for section in sections:
        for name in _robots(section, players, names, problems):
            links[name] = {**_DEFAULTS, **links.get(name, {}), **section.settings}
    if not links:
        return placed
    types, kinds, kinds_by_settings = dict(placed.types), dict[str, str](), dict[object, str]()
    for robot in placed.robots:
        if robot.name not in links:
            continue
        kind, settings = types[robot.type], links[robot.name]
        if any(device.name == MODULE for device in kind.devices):
            problems.add(robot.span, f"{robot.name} has a module {MODULE!r} already")
            return placed
        key = robot.type, tuple(settings.values())
        if key not in kinds_by_settings:
            kinds_by_settings[key] = _free(f"{robot.type}{JOINED}{MODULE}", types)
            device = DeviceBlueprint("radio", MODULE, settings)
            types[kinds_by_settings[key]] = replace(kind, name=kinds_by_settings[key], devices=(*kind.devices, device))
        kinds[robot.name] = kinds_by_settings[key]
    robots = tuple(replace(robot, type=kinds.get(robot.name, robot.type)) for robot in placed.robots)
    used = {robot.type for robot in robots}
    return replace(placed, robots=robots, types={name: kind for name, kind in types.items() if name in used})


def _free(name: str, taken: Mapping[str, object]) -> str:
    number, free_name = 2, name
    while free_name in taken:
        number, free_name = number + 1, f"{name}{number}"
    return free_name


def _robots(
    section: RadioSection, players: Mapping[str, Sequence[str]], names: RobotNames, problems: Problems
) -> list[str]:
    """Return whose links a section describes."""
    words, key = section.robots, "robots"
    if section.is_for_all:
        words = ("*",)
    elif section.player:
        if section.player not in players:
            text = f"no player {quoted(section.player)}{hint(section.player, players)}"
            problems.add(_span(section, "player", 0), f"{text}; known: {choices(players) if players else 'none'}")
            return []
        words = tuple(players[section.player])
    robots: list[str] = []
    for index, word in enumerate(words):
        meant = names.meant(word)
        if not meant and not section.player and not section.is_for_all:
            problems.add(_span(section, key, index), names.missing(word))
        robots += meant
    return robots


def _span(section: RadioSection, key: str, index: int) -> Span:
    entry = find_entry(section.entries, key)
    return entry.value_spans[index] if entry and index < len(entry.value_spans) else section.span
