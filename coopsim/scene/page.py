"""A file of sections while it is changed: which stay, which leave, and what new ones are called."""

import re
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias, TypeVar

from coopsim.errors import NoSuchName
from coopsim.scene import blocks, placing, writing
from coopsim.scene.area_spec import Area
from coopsim.scene.areas import area
from coopsim.scene.document import Document
from coopsim.scene.entities import EntityNames, floor, placement, thing
from coopsim.scene.groups import SectionGroup, group, is_group
from coopsim.scene.joint_spec import Joint
from coopsim.scene.joints import joint
from coopsim.scene.lines import Section, parse
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.placing import Placed
from coopsim.scene.problems import Problems
from coopsim.scene.specs import Object, Scenario, TargetSpec
from coopsim.scene.writing import Words

Entry: TypeAlias = Placed | SectionGroup
"""What a section says."""
FILE = "file"
_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)
_NUMBER = re.compile(r"_(\d{1,9})$")


class Page:
    """The text of a file, its sections, and what they say.

    Args:
        text: As it was read; "" = a new file.
        kinds: Sections that such a file knows.
        folder: Where pictures that it names are.

    Attributes:
        document: Its lines.
        problems: What is wrong with it.

    Raises:
        BadFile: It is no such file.
    """

    def __init__(self, text: str, kinds: Collection[str], folder: Path | None = None) -> None:
        self._folder = folder or Path()
        self.document, self.problems = Document(text), Problems()
        self._sections = parse(FILE, self.document.lines, kinds, self.problems)
        self._names = EntityNames(self.problems)
        self._placed = {section.name.upper(): self._read(section) for section in self._sections}
        self.problems.raise_any()

    def sections(self, *kinds: str) -> list[Section]:
        """Return the sections of these kinds, in their order."""
        return [section for section in self._sections if section.kind in kinds]

    def section_contents(self, *kinds: str) -> list[tuple[Section, Entry]]:
        """Return these sections and what stands in each."""
        sections_placed = ((section, self._placed[section.name.upper()]) for section in self.sections(*kinds))
        return [(section, entity) for section, entity in sections_placed if entity is not None]

    def put(self, kinds: tuple[str, ...], wanted: Sequence[Entry], folder: Path) -> None:
        """Rewrite the sections of these kinds, in this order.

        Args:
            kinds: Of the sections, such as WALL and OBJECT; those of one kind and the others form one row.
            wanted: With paths of files from the working folder.
            folder: Where the file will be.
        """
        old = self.section_contents(*kinds)
        stay, new = survivors(
            [(section.kind, entity.name) for section, entity in old],
            wanted,
            lambda entity: (kind_of(entity), entity.name),
        )
        for place, (section, before) in enumerate(old):
            if place in stay:
                self.change(section, before, stay[place], folder)
            else:
                blocks.remove(self.document, section)
        anchor = old[max(stay)][0] if stay else None
        used = {section.name.upper() for place, (section, _) in enumerate(old) if place in stay}
        for entity in new:
            header, name = self._title(kind_of(entity), entity.name, used)
            lines = _lines(_in_folder(entity, None, folder), name)
            blocks.append(self.document, anchor, blocks.new_section(header, lines))

    def change(self, section: Section, before: Entry, after: Entry, folder: Path) -> None:
        """Rewrite one section."""
        for key, words in _changes(section, before, _in_folder(after, before, folder)):
            line = section.line(key)
            if line is not None and not words:
                blocks.remove_line(self.document, section, line)
            elif line is None:
                blocks.add_key(self.document, section, key, words)
            else:
                blocks.set_words(self.document, line, words)

    def put_first(self, lines: Sequence[str]) -> None:
        """Add a section before all others."""
        if not self._sections:
            blocks.append(self.document, None, lines)
            return
        self.document.add(blocks.first_line(self.document, self._sections[0]) - 1, [*lines, ""])

    def _read(self, section: Section) -> Entry | None:
        if is_group(section):
            # a picture that can no longer be read stands for nothing
            return group(section, self._names, Problems() if section.kind == "MAP" else self.problems, self._folder)
        match section.kind:
            case "FLOOR":
                return floor(section, self.problems)
            case "WALL" | "OBJECT":
                return thing(section, self._names, self.problems)
            case "ROBOT" | "ARTIFACT":
                return placement(section, self._names, self.problems)
            case "JOINT":
                return joint(section, self._names, self.problems)
            case "AREA":
                return area(section, self._names, self.problems)
        return None

    def _title(self, kind: str, name: str, used: set[str]) -> tuple[str, str]:
        """Return the header of a new section, and the name that it must say itself, "" where the header says it."""
        header, given = name.upper(), ""
        if kind == "MAP":
            return kind, ""
        if not re.fullmatch(kind.lower() + r"_\d+", name) or header in used:
            every = used | {section.name.upper() for section in self.sections(kind)}
            numbers = [
                int(match[1])
                for section_name in every
                if section_name.startswith(kind) and (match := _NUMBER.search(section_name))
            ]
            header, given = f"{kind}_{max(numbers, default=0) + 1}", name
        used.add(header)
        return header, given


def kind_of(entity: Entry) -> str:
    """Return which sort of section an entity has."""
    if isinstance(entity, SectionGroup):
        return entity.kind
    if isinstance(entity, Object):
        return "WALL" if entity.is_wall else "OBJECT"
    if isinstance(entity, Joint):
        return "JOINT"
    if isinstance(entity, Area):
        return "AREA"
    return "ARTIFACT" if isinstance(entity, RobotPlacement) and entity.is_of_world else "ROBOT"


def flat(entries: Iterable[Entry]) -> list[Placed]:
    """Return entities with walls, links and joints in the place of groups; joints of ropes come first."""
    entries = list(entries)
    joints = [joint for entry in entries if isinstance(entry, SectionGroup) for joint in entry.joints]
    rest = (entry.objects if isinstance(entry, SectionGroup) else (entry,) for entry in entries)
    return [*joints, *(member for group in rest for member in group)]


def _in_folder(entity: Entry, before: object, folder: Path) -> Entry:
    if isinstance(entity, SectionGroup):
        image_before = before.image if isinstance(before, SectionGroup) else ""
        return replace(entity, image=placing.name_in(folder, entity.image, image_before))
    return placing.in_folder(entity, before, folder)


def _changes(section: Section, before: Entry, after: Entry) -> Iterator[tuple[str, Words]]:
    if not isinstance(before, SectionGroup) and not isinstance(after, SectionGroup):
        return placing.changes(section, before, after)
    images = [state.image if isinstance(state, SectionGroup) else "" for state in (before, after)]
    return iter([("image", images[1].split())] if images[0] != images[1] else [])


def _lines(entity: Entry, name: str) -> list[tuple[str, Words]]:
    if not isinstance(entity, SectionGroup):
        return placing.lines(entity, name)
    return [*([("name", [name])] if name else []), *entity.written]


def survivors(old: Sequence[_K], wanted: Sequence[_T], key: Callable[[_T], _K]) -> tuple[dict[int, _T], list[_T]]:
    """Return what stays, by its place in `old`, and what is new; who was removed and came again is new."""
    places = {entity_name: place for place, entity_name in enumerate(old)}
    stay: dict[int, _T] = {}
    new: list[_T] = []
    last = -1
    for entity_wanted in wanted:
        place = places.get(key(entity_wanted), -1)
        # new ones are written behind all that stay, and the order must be the one that is wanted
        if new or place <= last:
            new.append(entity_wanted)
        else:
            stay[place], last = entity_wanted, place
    return stay, new


_Sectioned: TypeAlias = Object | RobotPlacement | TargetSpec | Joint | Area


def section_text(scene: Scenario, name: str) -> str:
    """Return the section of an entity or a joint; behind that of an entity the joints that hold it.

    Args:
        scene: What there is.
        name: Of the entity or joint.

    Raises:
        NoSuchName: It is not there, or the floor, which has no name of its own.
    """
    entities: list[_Sectioned] = [*scene.world.objects, *scene.robots, *scene.targets, *scene.joints, *scene.areas]
    entity_named = next((entity for entity in entities if entity.name == name), None)
    if entity_named is None:
        raise NoSuchName(f"there is no entity {name[:80]!r} with a section of its own").bring(name)
    holders = [] if isinstance(entity_named, Joint) else [joint for joint in scene.joints if _holds(joint, name)]
    texts = [_section(entity, number) for number, entity in enumerate((entity_named, *holders), 1)]
    return "\n\n".join(texts) + "\n"


def _holds(joint: Joint, name: str) -> bool:
    return name in {end.partition(".")[0] for end in (joint.a, joint.b)}


def _section(entity: _Sectioned, number: int) -> str:
    if isinstance(entity, TargetSpec):
        return "\n".join(blocks.new_section("TARGET", [(entity.name, writing.vector(entity.position))]))
    header = f"{kind_of(entity)}_{number}"
    return "\n".join(blocks.new_section(header, placing.lines(entity, entity.name)))
