"""`part_n` lines of objects: read, checked and written."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from coopsim.scene import values, writing
from coopsim.scene.lines import Section
from coopsim.scene.measures import FRICTION, POLYGON, POSITION, SHAPES, SIZE, misshapen
from coopsim.scene.object_part import MOST_PARTS, ObjectPart
from coopsim.scene.polygons import polygon, polygon_fields
from coopsim.scene.problems import Problems
from coopsim.scene.specs import Object
from coopsim.scene.values import Flaw, Reader
from coopsim.scene.writing import Words
from coopsim.suggest import choices, hint, quoted

NO_PART = "none"
"""In a message: the object loses this part."""

_FORM = "`KIND LENGTH WIDTH HEIGHT X Y Z`, then perhaps orientation, mass, friction and color"
_POLYGON_FORM = "`polygon HEIGHT X Y Z points X1 Y1 X2 Y2 X3 Y3`, perhaps more points, mass, friction, color"
_KIND = values.one_of(*SHAPES, POLYGON)
_MORE: Mapping[str, Reader] = {
    "orientation": values.angles,
    "mass": values.number(1e-6, 1e9, "kg"),
    "friction": FRICTION,
    "color": values.color,
}
_OF_POLYGON = {"points": polygon, **{key: reader for key, reader in _MORE.items() if key != "orientation"}}


def part(words: Sequence[str]) -> ObjectPart | Flaw:
    """Read one part; it has no number yet."""
    if [word.lower() for word in words[:1]] == [POLYGON]:
        return _polygon_part(words)
    if len(words) < 7:
        return Flaw(f"takes {_FORM}; got {len(words)} values")
    kind, size, position = _KIND(words[:1]), SIZE(words[1:4]), POSITION(words[4:7])
    for first, read in ((0, kind), (1, size), (4, position)):
        if isinstance(read, Flaw):
            return Flaw(read.text, first + read.index)
    more = _more(words, 7)
    if isinstance(more, Flaw) or isinstance(size, Flaw) or isinstance(position, Flaw):
        return more if isinstance(more, Flaw) else Flaw("")
    flaw = misshapen(kind, size)
    return Flaw(flaw, 1) if flaw else ObjectPart(kind, size, position, **more)


def _polygon_part(words: Sequence[str]) -> ObjectPart | Flaw:
    """Read a polygon: its points are around X Y Z, those of the part around the middle of their box."""
    if len(words) < 6 or words[5].lower() != "points":
        return Flaw(f"takes {_POLYGON_FORM}; got {len(words)} values")
    height, place, more = values.LENGTH(words[1:2]), POSITION(words[2:5]), _more(words, 5, _OF_POLYGON)
    for first, read in ((1, height), (2, place), (0, more)):
        if isinstance(read, Flaw):
            return Flaw(read.text, first + read.index)
    if isinstance(more, Flaw) or isinstance(place, Flaw):
        return Flaw("")
    middle, shape = polygon_fields(more.pop("points"), height, is_placed=True)
    points = tuple(coordinate for point in shape["points"] for coordinate in point)
    position = (place[0] + middle[0], place[1] + middle[1], place[2])
    return ObjectPart(POLYGON, shape["size"], position, points=points, **more)


def part_or_none(words: Sequence[str]) -> ObjectPart | Flaw | None:
    """Read one part, or that there shall be none."""
    return None if [word.lower() for word in words] == [NO_PART] else part(words)


def numbered(parts: Mapping[int, ObjectPart | None]) -> tuple[ObjectPart, ...]:
    """Return parts with their numbers, in the order of these."""
    parts_set = [(number, part) for number, part in sorted(parts.items()) if part is not None]
    return tuple(replace(part, number=number) for number, part in parts_set)


def check_parts(thing: Object, section: Section, problems: Problems) -> None:
    """Note parts that are too many or heavier than the object.

    Args:
        thing: With its parts.
        section: What says them, or changes some of them.
        problems: Takes the mistakes.
    """
    if len(thing.parts) > MOST_PARTS:
        last = section.value_span(_key(thing.parts[-1]))
        problems.add(last, f"an object has at most {MOST_PARTS} parts, got {len(thing.parts)}")
    heavy = [part for part in thing.parts if part.mass is not None]
    together = math.fsum(part.mass or 0.0 for part in heavy)
    if heavy and thing.mass == 0.0:
        text = "a part of a fixed object has no mass; give the object a mass, which is that of the whole"
        problems.add(_mass_span(section, heavy), text)
    elif heavy and together >= thing.mass:
        text = f"the parts weigh {together:g} kg, and the whole {thing.mass:g} kg: what is left is that of"
        problems.add(_mass_span(section, heavy), f"{text} the shape which 'type' says, and must be above 0")


def part_lines(thing: Object) -> dict[str, ObjectPart]:
    """Return the parts of an object by the keys of their lines."""
    return {_key(part): part for part in thing.parts}


def part_words(part: ObjectPart, _old: Sequence[str] = ()) -> Words:
    """Return the words of a part."""
    size = writing.vector(part.size)[2:] if part.shape == POLYGON else writing.vector(part.size)
    words = [part.shape, *size, *writing.vector(part.position)]
    corners = part.points if part.shape == POLYGON and part.points else ()
    words += ["points", *writing.points(list(zip(corners[::2], corners[1::2], strict=True)))] if corners else []
    words += ["orientation", *writing.angles(part.orientation)] if any(part.orientation) else []
    words += ["mass", *writing.number(part.mass)] if part.mass is not None else []
    words += ["friction", *writing.number(part.friction)] if part.friction is not None else []
    return words + (["color", *writing.color(part.color)] if part.color is not None else [])


def _more(words: Sequence[str], first: int, keys: Mapping[str, Reader] = _MORE) -> dict[str, Any] | Flaw:
    """Return what is said behind the place of a part."""
    starts = [place for place in range(first, len(words)) if words[place].lower() in keys]
    if len(words) > first and starts[:1] != [first]:
        word = words[first]
        return Flaw(f"expects {choices(keys)} behind the place; got {quoted(word)}{hint(word, keys)}", first)
    values: dict[str, Any] = {}
    for begin, end in pairwise([*starts, len(words)]):
        key = words[begin].lower()
        if key in values:
            return Flaw(f"says {key} twice", begin)
        values[key] = keys[key](words[begin + 1 : end])
        if isinstance(values[key], Flaw):
            return Flaw(f"{key} {values[key].text}", begin + 1 + values[key].index)
    return values


def _key(part: ObjectPart) -> str:
    return f"part_{part.number}"


def _mass_span(section: Section, heavy: Iterable[ObjectPart]) -> Any:
    said = [_key(each) for each in heavy if section.line(_key(each))]
    return section.value_span(said[-1] if said else "mass")
