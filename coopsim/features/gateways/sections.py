"""`[GATEWAY_n]`: gateways that are started with a scenario and end with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from coopsim.features.gateways.kinds import KINDS, OWN_SETTINGS
from coopsim.robots import RunSpec, SectionFamily, SectionProgram
from coopsim.robots.section_family import CheckedScene
from coopsim.scene import Page, Problems, RemovedNames, Section, choices, find_entry, hint, quoted, values
from coopsim.scene.blocks import remove, set_words
from coopsim.scene.keys import Keys, SectionKey, read_keys


def _read_georeference(words: Sequence[str]) -> tuple[float, ...] | values.Flaw:
    """Read latitude, longitude and altitude."""
    if len(words) != len(_BOUNDS):
        return values.Flaw(f"expects latitude, longitude [deg] and altitude [m]; got {len(words)} values")
    numbers: list[float] = []
    for index, (word, (least, most, unit)) in enumerate(zip(words, _BOUNDS, strict=True)):
        number = values.number(least, most, unit)([word])
        if isinstance(number, values.Flaw):
            return values.Flaw(number.text, index)
        numbers.append(number)
    return tuple(numbers)


_LARGEST_PORT = 65535
_BOUNDS = ((-90.0, 90.0, "deg"), (-180.0, 180.0, "deg"), (-1e4, 1e5, "m"))
_MODULE = "coopsim.features.gateways"
_KEYS: Keys = {
    "kind": SectionKey(values.name, is_needed=True),
    "robots": SectionKey(values.names),
    "rate": SectionKey(values.number(0.0, 1e4, "Hz")),
    "bind": SectionKey(values.text),
    "port": SectionKey(values.number(0, _LARGEST_PORT, whole=True)),
    "georeference": SectionKey(_read_georeference),
    "rmw": SectionKey(values.one_of("dds", "zenoh")),
    "domain": SectionKey(values.number(0, 232, whole=True)),
}


_OPTIONS = ("rate", "bind", "port", "rmw", "domain")
"""Keys that are options of the command of the same names."""


@dataclass(frozen=True, slots=True)
class GatewaySection:
    """Settings of one section.

    Attributes:
        kind: Of the middleware.
        robots: Those that are offered, none = all.
        arguments: Options of `coopsim gateway`.
        section: Where it stands, None = on the command line.
    """

    kind: str
    robots: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    section: Section | None = None


class GatewaySections(SectionFamily[Sequence[GatewaySection]]):
    """Gateways of a scenario."""

    name, heads = "gateways", ("GATEWAY_",)

    def read(self, sections: Sequence[Section], problems: Problems) -> Sequence[GatewaySection]:
        """Return what the sections say."""
        return tuple(read for section in sections if (read := _read(section, problems)) is not None)

    def facts(self, content: Sequence[GatewaySection], /) -> Mapping[str, Any]:
        """Return the kinds of gateways that belong to the run."""
        return {"gateways": [section.kind for section in content]}

    def check(
        self, content: Sequence[GatewaySection], scene: CheckedScene, problems: Problems, /
    ) -> Sequence[GatewaySection]:
        """Return the sections with the robots of teams named one by one; note robots that are not there."""
        return tuple(replace(section, robots=_robots(section, scene, problems)) for section in content)

    def programs(self, content: Sequence[GatewaySection], /) -> Sequence[SectionProgram]:
        """Return the gateways as programs."""
        return [_program(section) for section in content]

    def forget(self, page: Page, removed: RemovedNames) -> None:
        """Leave robots that are gone out of the sections; a gateway to none of those that are left is removed."""
        for section in page.sections("GATEWAY"):
            line = section.line("robots")
            if line is None:
                continue
            left = [word for word in line.values if word not in removed.robots]
            if not left:
                remove(page.document, section)
            elif len(left) < len(line.values):
                set_words(page.document, line, left)


GATEWAYS = GatewaySections()


def with_gateways(spec: RunSpec, words: Sequence[str]) -> RunSpec:
    """Return a run with gateways beside those of its file.

    Args:
        spec: The run.
        words: `KIND` or `KIND:PORT`, as the command line has them.

    Raises:
        UsageError: There is no such gateway, or it is named twice.
    """
    sections = [_of_word(word) for word in words]
    kinds = [section.kind for section in sections]
    twice = next((kind for kind in kinds if kinds.count(kind) > 1), None)
    if twice:
        raise click.UsageError(f"the gateway {twice} is named twice; a second one is a section [GATEWAY_n] of the file")
    extras = spec.scenario.extras
    extended = {**extras, GATEWAYS.name: (*extras.get(GATEWAYS.name, ()), *sections)}
    return replace(spec, scenario=replace(spec.scenario, extras=extended))


def _of_word(word: str) -> GatewaySection:
    kind, colon, port = word.partition(":")
    if kind not in KINDS:
        raise click.UsageError(f"--gateway: no gateway {quoted(kind)}{hint(kind, KINDS)}; known: {choices(KINDS)}")
    if colon and not (port.isascii() and port.isdigit() and int(port) <= _LARGEST_PORT):
        raise click.UsageError(f"--gateway {word:.60}: expected a port of 0 to {_LARGEST_PORT}, such as {kind}:19090")
    return GatewaySection(kind, arguments=("--port", port) if colon else ())


def _read(section: Section, problems: Problems) -> GatewaySection | None:
    keys = read_keys(section, _KEYS, problems)
    kind = keys.get("kind")
    if kind is None:
        return None
    if kind not in KINDS:
        entry = find_entry(section.entries(), "kind")
        text = f"no gateway {quoted(kind)}{hint(kind, KINDS)}; known: {choices(KINDS)}"
        problems.add(entry.value_spans[-1] if entry else section.span, text)
        return None
    for key in sorted(OWN_SETTINGS - set(KINDS[kind].settings)):
        if key in keys:
            entry = find_entry(section.entries(), key)
            problems.add(entry.span if entry else section.span, f"the gateway {kind} has no {key}")
    arguments = [word for key in _OPTIONS if key in keys for word in (f"--{key}", f"{keys[key]}")]
    if "georeference" in keys:
        arguments += ["--georeference", *(f"{number!r}" for number in keys["georeference"])]
    return GatewaySection(kind, tuple(keys.get("robots", ())), tuple(arguments), section)


def _robots(section: GatewaySection, scene: CheckedScene, problems: Problems) -> tuple[str, ...]:
    if section.section is None:
        return section.robots
    named: list[str] = []
    entry = find_entry(section.section.entries(), "robots")
    for place, word in enumerate(section.robots):
        members = scene.names.meant(word)
        if not members:
            problems.add(entry.value_spans[place] if entry else section.section.span, scene.names.missing(word))
        named += members
    return tuple(named)


def _program(section: GatewaySection) -> SectionProgram:
    robots = [word for robot in section.robots for word in ("--robots", robot)]
    return SectionProgram(f"gateway {section.kind}", _MODULE, (section.kind, "--once", *section.arguments, *robots))
