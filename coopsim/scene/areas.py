"""`[AREA_n]` sections, of worlds and scenarios alike."""

from collections.abc import Iterable, Sequence
from itertools import combinations

from coopsim.scene import values
from coopsim.scene.area_spec import COLORS, Area
from coopsim.scene.entities import EntityNames
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.polygons import overlap, polygon
from coopsim.scene.problems import Problems
from coopsim.suggest import quoted

_APART = ({"base"}, {"base", "water"}, {"border"})
"""Kinds of which two areas have no room in common."""


AREA_KEYS: Keys = {
    "type": SectionKey(values.one_of(*COLORS), is_needed=True),
    "points": SectionKey(polygon, is_needed=True),
    "name": SectionKey(values.name),
    "color": SectionKey(values.color),
}


def area(section: Section, names: EntityNames, problems: Problems) -> Area | None:
    """Return what an `[AREA_n]` section says, None if too little of it can be read."""
    keys = read_keys(section, AREA_KEYS, problems)
    given = keys.pop("name", None)
    name = given or section.name.lower()
    if given or not section.repeated:
        names.claim(name, section.value_span("name"))
    if lacks(keys, AREA_KEYS):
        return None
    return Area(name, keys["type"], keys["points"], keys.get("color"), span=section.span)


def read_areas(
    sections: Sequence[Section], names: EntityNames, problems: Problems, before: Sequence[Area] = ()
) -> list[Area]:
    """Return what the `[AREA_n]` sections among them say.

    Args:
        sections: All of a file.
        names: The name space of entities.
        problems: Takes every mistake.
        before: Areas that are there already.
    """
    kept = [] if problems.is_full else [section for section in sections if section.kind == "AREA"]
    areas = [read_area for section in kept if (read_area := area(section, names, problems)) is not None]
    places = {section.name.lower(): section.value_span("points") for section in kept}
    for first, second in clashes([*before, *areas]):
        if second in areas:
            section = next(kept_section for kept_section in kept if kept_section.span == second.span)
            problems.add(places[section.name.lower()], clash_text(first, second))
    return areas


def clashes(areas: Iterable[Area]) -> list[tuple[Area, Area]]:
    """Return areas that overlap although their kinds must not."""
    pairs = [(a, b) for a, b in combinations(areas, 2) if {a.kind, b.kind} in _APART and _are_near(a, b)]
    return [(a, b) for a, b in pairs if overlap(a.points, b.points)]


def clash_text(first: Area, second: Area) -> str:
    """Return what is wrong with two areas that overlap."""
    return f"the {second.kind} {quoted(second.name)} overlaps the {first.kind} {quoted(first.name)}; they may touch"


def _are_near(a: Area, b: Area) -> bool:
    """Return whether the boxes around two areas have room in common."""
    (left, low, right, high), (other_left, other_low, other_right, other_high) = a.box, b.box
    return left < other_right and other_left < right and low < other_high and other_low < high
