"""Worlds and scenarios back into the text they came from: what did not change stays as it was, comments included."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from coopsim.errors import BadFile, CannotSave, InternalError
from coopsim.scene import blocks, patterns, placing, writing
from coopsim.scene.area_spec import Area
from coopsim.scene.colors import target_color
from coopsim.scene.entities import ARTIFACT, EntityNames, targets
from coopsim.scene.groups import SectionGroup, standing
from coopsim.scene.joint_spec import Joint
from coopsim.scene.lines import Line, Section
from coopsim.scene.page import Page, flat, survivors
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.placing import Placed
from coopsim.scene.scenario_file import scenario_heads
from coopsim.scene.section_families import RemovedNames, families, heads
from coopsim.scene.source import LARGEST
from coopsim.scene.specs import Floor, Object, TargetSpec
from coopsim.scene.world_file import world_sections

_THINGS = ("MAP", "WALL", "OBJECT", "ROPE", "CLOTH", "SOFT")
_ORDER: tuple[type[Placed], ...] = (Floor, Object, Joint, Area)


def world_text(
    text: str,
    ground: Floor,
    entities: Sequence[Object | RobotPlacement],
    folder: Path,
    source: Path | None = None,
    joints: Sequence[Joint] = (),
    areas: Sequence[Area] = (),
) -> str:
    """Return `text`, of a `.world` file, changed as far as it must be to say this floor and these objects.

    Changed entities change their changed keys alone; removed ones leave with their own comments; new ones come behind
    the last object.

    Args:
        text: As it was read; "" = a new file.
        ground: Its texture is a path from the working folder, as are those of the objects.
        entities: Objects and artifacts, in the order in which those of a kind shall be read.
        folder: Where the file will be.
        source: Where `text` is from; without it the same.
        joints: Between them, in this order.
        areas: In this order.

    Raises:
        BadFile: `text` is no such file.
        CannotSave: The file would be too large to be read.
    """
    source = folder if source is None else source
    objects = [entity for entity in entities if isinstance(entity, Object)]
    artifacts = [entity for entity in entities if isinstance(entity, RobotPlacement)]
    page = Page(text, world_sections(), source)
    # a file without any section would be a mistake
    _put_floor(page, ground, folder, is_needed=not text or not objects)
    groups = [group for _, group in page.section_contents(*_THINGS) if isinstance(group, SectionGroup)]
    joints = [replace(joint, is_of_world=False) for joint in joints]
    things, loose = standing(objects, joints, groups, source)
    page.put(_THINGS, things, folder)
    areas = [replace(area, is_of_world=False) for area in areas]
    page.put(("JOINT",), loose, folder)
    page.put(("AREA",), areas, folder)
    page.put((ARTIFACT,), artifacts, folder)
    found = page.document.text()
    wanted: list[Placed] = [ground, *objects, *joints, *areas, *artifacts]
    _check(found, world_sections(), ("FLOOR", *_THINGS, "JOINT", "AREA", ARTIFACT), wanted, folder)
    return found


def scenario_text(
    text: str,
    world: str,
    landmarks: Sequence[TargetSpec],
    robots: Sequence[RobotPlacement],
    joints: Sequence[Joint] = (),
    areas: Sequence[Area] = (),
) -> str:
    """Return `text`, of a `.scenario` file, changed as far as it must be to say these targets and robots.

    Controllers, events and goals forget robots that are gone, and leave when nothing remains of them.

    Args:
        text: As it was read; "" = a new file.
        world: Its world file, relative to where the scenario will be; "" = as it says now.
        landmarks: In the order in which they shall be read.
        robots: In this order; teams as their file places them.
        joints: In this order.
        areas: In this order.

    Raises:
        BadFile: `text` is no such file.
        CannotSave: A target has a colour that its name does not say, or the file would be too large to be read.
    """
    page = Page(text, scenario_heads())
    # before the page is changed: what the file said decides whose names leave it
    change = _Change(_placements(page), robots)
    removed = _removed_places(page, landmarks, areas)
    for family in families().values():
        family.forget(page, removed)
    _put_world(page, world)
    _put_targets(page, landmarks)
    page.put(("ROBOT",), robots, Path())
    page.put(("JOINT",), joints, Path())
    page.put(("AREA",), areas, Path())
    if change.gone or change.apart:
        emptied = RemovedNames(robots=change.gone, sections=_forget(page, change))
        for family in families().values():
            family.forget(page, emptied)
    if not (world or robots or landmarks or areas or page.sections("WORLD", "SIMULATION")):
        page.put_first(blocks.new_section("SIMULATION", ()))  # a file without any section would be a mistake
    found = page.document.text()
    _check(found, scenario_heads(), ("ROBOT", "JOINT", "AREA"), (*robots, *joints, *areas), Path())
    _check_rest(found, world, landmarks)
    return found


def world_of(text: str) -> str:
    """Return the world file that a scenario names, "" if it names none.

    Raises:
        BadFile: `text` is no scenario.
    """
    lines = [section.line("file") for section in Page(text, scenario_heads()).sections("WORLD")]
    return next((" ".join(line.values) for line in lines if line), "")


def placements_of(text: str) -> tuple[RobotPlacement, ...]:
    """Return the robots and teams that a scenario places.

    Raises:
        BadFile: `text` is no scenario.
    """
    return _placements(Page(text, scenario_heads()))


def seed_of(text: str) -> int:
    """Return the seed that a scenario says.

    Raises:
        BadFile: `text` is no scenario.
    """
    lines = [section.line("seed") for section in Page(text, scenario_heads()).sections("SIMULATION")]
    return next((int(float(line.values[0])) for line in lines if line), 0)


def _placements(page: Page) -> tuple[RobotPlacement, ...]:
    return tuple(entity for _, entity in page.section_contents("ROBOT") if isinstance(entity, RobotPlacement))


def _put_floor(page: Page, ground: Floor, folder: Path, *, is_needed: bool) -> None:
    floors = page.section_contents("FLOOR")
    if floors:
        page.change(*floors[0], ground, folder)
    elif is_needed or ground != Floor():
        lines = placing.lines(placing.in_folder(ground, None, folder))
        page.put_first(blocks.new_section("FLOOR", lines))


def _put_world(page: Page, world: str) -> None:
    words = world.split()
    lines = [section.line("file") for section in page.sections("WORLD")]
    if words and not lines:
        page.put_first(blocks.new_section("WORLD", [("file", words)]))
    elif words and lines[0] and lines[0].values != words:
        blocks.set_words(page.document, lines[0], words)


def _put_targets(page: Page, landmarks: Sequence[TargetSpec]) -> None:
    for each in landmarks:
        if target_color(each.name) != each.color:
            raise CannotSave(f"target {each.name} has a colour of its own; in a file its name says its colour")
    section = next(iter(page.sections("TARGET")), None)
    if section is None:
        if landmarks:
            lines = blocks.new_section(
                "TARGET", [(landmark.name, writing.vector(landmark.position)) for landmark in landmarks]
            )
            blocks.append(page.document, next(iter(page.sections("WORLD")), None), lines)
    elif landmarks:
        _change_targets(page, section, landmarks)
    # the header of a section without lines stays: somebody wrote it on purpose
    elif section.lines:
        blocks.remove(page.document, section)


def _change_targets(page: Page, section: Section, landmarks: Sequence[TargetSpec]) -> None:
    old = targets(section, EntityNames(page.problems), page.problems)
    stay, new = survivors([target.name for target in old], landmarks, lambda target: target.name)
    for place, (line, before) in enumerate(zip(section.lines, old, strict=True)):
        after = stay.get(place)
        if after is None:
            blocks.remove_line(page.document, section, line)
        elif after.position != before.position:
            blocks.set_words(page.document, line, writing.vector(after.position, line.values))
    for entity in new:
        blocks.add_key(page.document, section, entity.name, writing.vector(entity.position))


class _Change:
    """Change of the words that name robots.

    Args:
        before: Placements as the file had them.
        after: As it will say them.

    Attributes:
        gone: Names of robots, teams and sections that will not be there.
        apart: Names of teams whose members stand by themselves.
    """

    def __init__(self, before: Sequence[RobotPlacement], after: Sequence[RobotPlacement]) -> None:
        self._before = [name for placement in before for name in placement.members]
        self._left = {name for placement in after for name in placement.members}
        self.apart = {name.partition("/")[0] for name in self._left if "/" in name}
        self._left |= self.apart
        self._crowds = {placement.name: placement.members for placement in before if placement.count is not None}
        self.gone = {*self._before, *self._crowds} - self._left - {placement.name for placement in after}

    def left(self, word: str) -> list[str]:
        """Return the words to write in the place of one: members go with their team, a section becomes its robots."""
        team, slash, _ = word.partition("/")
        if slash and team in self.apart:
            return [word] if word in self._left else []
        if word in self._crowds and word in self.gone:
            return patterns.named([name for name in self._crowds[word] if name in self._left])
        if patterns.is_pattern(word):
            return patterns.without(word, self._before, self._left)
        return [] if word in self.gone or team in self.gone else [word]


def _forget(page: Page, change: _Change) -> set[str]:
    """Remove missing robots from the key `robots` of sections, and from events; return sections that are empty then."""
    removed = set[str]()
    brought = (head.removesuffix("_") for head in heads())
    for section in page.sections("CONTROLLER", "EVENT", "GOAL", *brought):
        is_event = section.kind == "EVENT"
        lines = [line for line in section.lines if line.key.lower() == ("set" if is_event else "robots")]
        left = {line.number: _left(line, change, is_event=is_event) for line in lines}
        has_more = is_event and section.line("reset") is not None
        if lines and not has_more and not any(left.values()):
            blocks.remove(page.document, section)
            removed.add(section.name)
            continue
        for line in lines:
            if not left[line.number]:
                blocks.remove_line(page.document, section, line)
            elif left[line.number] != line.values:
                blocks.set_words(page.document, line, left[line.number])
    return removed


def _removed_places(page: Page, landmarks: Sequence[TargetSpec], areas: Sequence[Area]) -> RemovedNames:
    """Return the targets and areas that the file had and will not have."""
    before = {line.key for section in page.sections("TARGET") for line in section.lines}
    fields = {entity.name for _, entity in page.section_contents("AREA") if isinstance(entity, Area)}
    return RemovedNames(before - {target.name for target in landmarks}, fields - {area.name for area in areas})


def _left(line: Line, change: _Change, *, is_event: bool) -> list[str]:
    """Return the values of a line without those that speak of robots that are gone."""
    if not is_event:
        return [word for robot in line.values for word in change.left(robot)]
    robot, dot, parameter = line.values[0].partition(".")
    left = change.left(robot)
    # an event names robots by one word; several that are left of a section are named by their stem
    word = left[0] if len(left) == 1 else f"{robot}*"
    return [word + dot + parameter, *line.values[1:]] if left else []


def _check(text: str, kinds: Collection[str], shown: tuple[str, ...], wanted: Sequence[Placed], folder: Path) -> None:
    """Check that a text will be read as what is wanted.

    Raises:
        CannotSave: It is too large.
        InternalError: It would not.
    """
    if len(text.encode()) > LARGEST:
        raise CannotSave(f"the file would be larger than {LARGEST // 2**20} MiB, and could not be read again")
    try:
        entities = flat(entity for _, entity in Page(text, kinds, folder).section_contents(*shown))
    except BadFile as problem:
        raise InternalError(f"what would be written cannot be read: {problem}") from None
    if "FLOOR" in shown and not any(isinstance(entity, Floor) for entity in entities):
        entities.insert(0, Floor())
    # files may have their sections in any order; what is wanted comes by kinds
    entities.sort(key=_rank)
    meant = [
        placing.in_folder(entity_wanted, in_file, folder)
        for entity_wanted, in_file in zip(wanted, entities, strict=False)
    ]
    if len(entities) != len(wanted) or entities != meant:
        raise InternalError("what would be written means something else than what there is")


def _rank(entity: Placed) -> int:
    if isinstance(entity, RobotPlacement) and entity.is_of_world:
        return len(_ORDER)
    return next((place for place, kind in enumerate(_ORDER) if isinstance(entity, kind)), 1)


def _check_rest(text: str, world: str, landmarks: Sequence[TargetSpec]) -> None:
    page = Page(text, scenario_heads())
    names = EntityNames(page.problems)
    sections = [target for section in page.sections("TARGET") for target in targets(section, names, page.problems)]
    if sections != list(landmarks) or (world and world_of(text) != " ".join(world.split())):
        raise InternalError("what would be written names other targets, or another world, than there are")
