"""Sections that stand for several walls: lines of points and pictures."""

from dataclasses import dataclass, replace
from pathlib import Path

from coopsim.scene import placing
from coopsim.scene.entities import EntityNames
from coopsim.scene.lines import Section
from coopsim.scene.map_section import NAME, map_walls
from coopsim.scene.polyline import is_polyline, polyline
from coopsim.scene.problems import Problems
from coopsim.scene.specs import Object
from coopsim.scene.writing import Words


@dataclass(frozen=True, slots=True)
class SectionGroup:
    """A section and the walls that it stands for.

    Attributes:
        kind: Of the section, WALL or MAP.
        objects: In their order; none where they cannot be read.
        image: The picture that it names, "" = none.
        lines: Its keys and words.
    """

    name: str
    kind: str
    objects: tuple[Object, ...]
    image: str = ""
    lines: tuple[tuple[str, Words], ...] = ()

    @property
    def written(self) -> list[tuple[str, Words]]:
        """Its keys and words with the picture that it names now, without its name."""
        words = [(key, self.image.split() if key.lower() == "image" else words) for key, words in self.lines]
        return [(key, each) for key, each in words if key.lower() != "name"]


def is_group(section: Section) -> bool:
    """Return whether a section stands for several walls."""
    return section.kind == "MAP" or (section.kind == "WALL" and is_polyline(section))


def group(section: Section, names: EntityNames, problems: Problems, folder: Path) -> SectionGroup:
    """Return what a section stands for.

    Args:
        section: One for which `is_group` is true.
        names: Takes the name of the section and those of its walls.
        problems: Takes every mistake.
        folder: Where its picture is.
    """
    image, given = "", ""
    if section.kind == "MAP":
        image, objects = map_walls(section, folder, problems)
    else:
        given, objects = polyline(section, problems)
    name = given or (NAME if section.kind == "MAP" else section.name.lower())
    if given or not section.repeated:
        for each in (name, *(one.name for one in objects)):
            names.claim(each, section.value_span("name"))
    lines = tuple((line.key, list(line.values)) for line in section.lines)
    return SectionGroup(name, section.kind, tuple(objects), image, lines)


def gathered(objects: list[Object], groups: list[SectionGroup], folder: Path) -> list[Object | SectionGroup]:
    """Return `objects` with a group in the place of its walls, where all of them are as it says.

    Args:
        objects: With paths of files from the working folder.
        groups: As a file in `folder` says them.
        folder: Of that file.
    """
    begins = {each.objects[0].name: each for each in groups if each.objects}
    found: list[Object | SectionGroup] = []
    place = 0
    while place < len(objects):
        each = begins.get(objects[place].name)
        if each is not None and _stands(each, objects[place : place + len(each.objects)], folder):
            found.append(replace(each, image=str(folder / each.image) if each.image else ""))
            place += len(each.objects)
        else:
            found.append(objects[place])
            place += 1
    return found


def _stands(one: SectionGroup, objects: list[Object], folder: Path) -> bool:
    return len(objects) == len(one.objects) and all(
        placing.in_folder(now, old, folder) == old for now, old in zip(objects, one.objects, strict=True)
    )
