"""`[ROPE_n]`: a chain of links with pivots between them, a rope between two places (SwarmSimX, ropes of joints)."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from coopsim.geometry import Vector3
from coopsim.scene import values
from coopsim.scene.entities import OBJECT_KEYS
from coopsim.scene.joint_spec import Joint
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Section
from coopsim.scene.measures import POSITION
from coopsim.scene.problems import Problems
from coopsim.scene.spans import Span
from coopsim.scene.specs import Object
from coopsim.scene.values import Flaw

LINKS, MOST_LINKS = 10, 200  # each is a body and a joint
THICKNESS, MASS = 0.02, 0.2
"""Of a rope that says none [m], [kg]."""
_DIGITS = 9  # degrees that a person wrote come back as they were


def _holders(words: Sequence[str]) -> tuple[str, ...] | Flaw:
    if len(words) not in (1, 2):
        return Flaw(f"takes the body that the rope begins at, and the one that it ends at; got {len(words)} names")
    if len(set(words)) < len(words):
        return Flaw("ties a body to itself; name two", 1)
    return tuple(words)


ROPE_KEYS: Keys = {
    "from": SectionKey(POSITION, is_needed=True),
    "to": SectionKey(POSITION, is_needed=True),
    "bodies": SectionKey(_holders),
    "links": SectionKey(values.number(1, MOST_LINKS, whole=True)),
    "thickness": SectionKey(values.LENGTH),
    "mass": SectionKey(values.number(1e-3, 1e6, "kg")),
    **{key: OBJECT_KEYS[key] for key in ("name", "color", "friction", "restitution")},
}


def rope(section: Section, problems: Problems) -> tuple[str, list[Object], list[Joint]]:
    """Return the name that a section says, "" if it says none, the links of the rope, and the joints that hold it."""
    keys = read_keys(section, ROPE_KEYS, problems)
    given = str(keys.pop("name", ""))
    if lacks(keys, ROPE_KEYS):
        return given, [], []
    begin, end, holders = keys.pop("from"), keys.pop("to"), keys.pop("bodies", ())
    count, thickness = int(keys.pop("links", LINKS)), keys.pop("thickness", THICKNESS)
    length = math.dist(begin, end) / count
    if length < 2.0 * thickness:
        problems.add(section.span, _too_short(length, count, thickness))
        return given, [], []
    name = given or section.name.lower()
    shape = {**keys, "mass": keys.get("mass", MASS) / count, "span": section.span}
    links = _links(name, (begin, end), (length, thickness, count), shape)
    return given, links, _joints(name, links, holders, _spans(section))


def _too_short(length: float, count: int, thickness: float) -> str:
    return (
        f"its {count} links would be {length:g} m long each; a link is at least twice as long as the rope is thick "
        f"({2.0 * thickness:g} m): ask for fewer links, or a thinner rope"
    )


def _links(
    name: str, ends: tuple[Vector3, Vector3], form: tuple[float, float, int], shape: dict[str, Any]
) -> list[Object]:
    begin, end = ends
    length, thickness, count = form
    way = [high - low for low, high in zip(begin, end, strict=True)]
    # angles that a file can say in degrees
    heading = round(math.degrees(math.atan2(way[1], way[0])), _DIGITS)
    pitch = round(math.degrees(math.atan2(0.0 - way[2], math.hypot(way[0], way[1]))), _DIGITS)
    turn = (0.0, math.radians(pitch), math.radians(heading))
    down = _downwards(turn[1], turn[2], thickness / 2.0)
    links = []
    for number in range(count):
        share = (number + 0.5) / count
        x, y, z = (low + share * side + lower for low, side, lower in zip(begin, way, down, strict=True))
        link = Object(f"{name}_{number + 1}", "box", (length, thickness, thickness), (x, y, z), turn, **shape)
        links.append(link)
    return links


def _downwards(pitch: float, heading: float, by: float) -> Vector3:
    """Return the way from the middle of a link to the middle of its base."""
    level = -by * math.sin(pitch)
    return level * math.cos(heading), level * math.sin(heading), -by * math.cos(pitch)


def _joints(name: str, links: Sequence[Object], holders: Sequence[str], spans: Sequence[Span]) -> list[Joint]:
    """Return pivots along the rope; those at its ends, too, where it is tied to bodies."""
    length, _, thickness = links[0].size
    head, tail = (-length / 2.0, 0.0, thickness / 2.0), (length / 2.0, 0.0, thickness / 2.0)
    places = [(link.name, next_link.name, tail) for link, next_link in pairwise(links)]
    if holders:
        places.insert(0, (links[0].name, holders[0], head))
    if len(holders) > 1:
        places.append((links[-1].name, holders[1], tail))
    span, at = links[0].span, dict(zip(holders, spans, strict=False))
    return [
        Joint(f"{name}_joint_{number}", "pivot", a, b, anchor, span=span, a_span=span, b_span=at.get(b, span))
        for number, (a, b, anchor) in enumerate(places, 1)
    ]


def _spans(section: Section) -> Sequence[Span]:
    line = section.line("bodies")
    return line.value_spans() if line else ()
