"""Sections that stand for several entities: walls along lines of points and out of pictures, ropes, what is soft."""

from dataclasses import dataclass, replace
from pathlib import Path

from coopsim.scene import placing
from coopsim.scene.entities import EntityNames
from coopsim.scene.joint_spec import Joint
from coopsim.scene.lines import Section
from coopsim.scene.map_section import NAME, map_walls
from coopsim.scene.polyline import is_polyline, polyline
from coopsim.scene.problems import Problems
from coopsim.scene.ropes import rope
from coopsim.scene.soft_bodies import cloth, soft
from coopsim.scene.specs import Object
from coopsim.scene.writing import Words

TIED = {"ROPE": rope, "CLOTH": cloth, "SOFT": soft}
"""What reads sections of bodies that joints hold together."""


@dataclass(frozen=True, slots=True)
class SectionGroup:
    """A section and what it stands for.

    Attributes:
        kind: Of the section, WALL, MAP, ROPE, CLOTH or SOFT.
        objects: In their order; none where they cannot be read.
        image: The picture that it names, "" = none.
        lines: Its keys and words.
        joints: Of a rope, or of pins.
    """

    name: str
    kind: str
    objects: tuple[Object, ...]
    image: str = ""
    lines: tuple[tuple[str, Words], ...] = ()
    joints: tuple[Joint, ...] = ()

    @property
    def written(self) -> list[tuple[str, Words]]:
        """Its keys and words with the picture that it names now, without its name."""
        words = [(key, self.image.split() if key.lower() == "image" else words) for key, words in self.lines]
        return [(key, value) for key, value in words if key.lower() != "name"]


def is_group(section: Section) -> bool:
    """Return whether a section stands for several entities."""
    return section.kind in {"MAP", *TIED} or (section.kind == "WALL" and is_polyline(section))


def group(section: Section, names: EntityNames, problems: Problems, folder: Path) -> SectionGroup:
    """Return what a section stands for.

    Args:
        section: One for which `is_group` is true.
        names: Takes the name of the section and those of what it stands for.
        problems: Takes every mistake.
        folder: Where its picture is.
    """
    image, given = "", ""
    joints: list[Joint] = []
    if section.kind == "MAP":
        image, objects = map_walls(section, folder, problems)
    elif section.kind in TIED:
        given, objects, joints = TIED[section.kind](section, problems)
    else:
        given, objects = polyline(section, problems)
    name = given or (NAME if section.kind == "MAP" else section.name.lower())
    if given or not section.repeated:
        for name_in_group in (
            name,
            *(object_in_group.name for object_in_group in objects),
            *(joint.name for joint in joints),
        ):
            names.claim(name_in_group, section.value_span("name"))
    lines = tuple((line.key, list(line.values)) for line in section.lines)
    return SectionGroup(name, section.kind, tuple(objects), image, lines, tuple(joints))


def gathered(objects: list[Object], groups: list[SectionGroup], folder: Path) -> list[Object | SectionGroup]:
    """Return `objects` with a group in the place of its objects, where all of them are as it says.

    Args:
        objects: With paths of files from the working folder.
        groups: As a file in `folder` says them.
        folder: Of that file.
    """
    begins = {group.objects[0].name: group for group in groups if group.objects}
    entities: list[Object | SectionGroup] = []
    place = 0
    while place < len(objects):
        begin = begins.get(objects[place].name)
        if begin is not None and _stands(begin, objects[place : place + len(begin.objects)], folder):
            entities.append(replace(begin, image=str(folder / begin.image) if begin.image else ""))
            place += len(begin.objects)
        else:
            entities.append(objects[place])
            place += 1
    return entities


def standing(
    objects: list[Object], joints: list[Joint], groups: list[SectionGroup], folder: Path
) -> tuple[list[Object | SectionGroup], list[Joint]]:
    """Return objects as `gathered` does, and the joints that no group stands for.

    Those with joints stand all together or not at all: their joints come before all others, in their order.
    """
    of_groups = [joint for group in groups for joint in group.joints]
    entities = gathered(objects, groups, folder)
    kept = [joint for group in entities if isinstance(group, SectionGroup) for joint in group.joints]
    if of_groups == kept == joints[: len(of_groups)]:
        return entities, joints[len(of_groups) :]
    return gathered(objects, [group for group in groups if not group.joints], folder), joints


def _stands(group: SectionGroup, objects: list[Object], folder: Path) -> bool:
    return len(objects) == len(group.objects) and all(
        placing.in_folder(now, old, folder) == old for now, old in zip(objects, group.objects, strict=True)
    )
