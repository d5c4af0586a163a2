"""Simulation, as the text of its files."""

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from coopsim import plugins
from coopsim.errors import CannotSave
from coopsim.robots.catalogue import Catalogue
from coopsim.robots.crowds import gather
from coopsim.robots.finding import FOLDERS, TYPES, WORLDS
from coopsim.robots.names import plain_type
from coopsim.robots.registry import TypeRegistry
from coopsim.robots.teams import fold, joints_of
from coopsim.scene import (
    TEAM,
    Area,
    Controller,
    Floor,
    Joint,
    Object,
    Problems,
    RobotPlacement,
    Scenario,
    placements_of,
    scenario_text,
    seed_of,
    with_engine,
    with_laws,
    world_of,
    world_text,
)


@dataclass(frozen=True)
class Sources:
    """The files that a scene came from, or was saved to last.

    Attributes:
        scenario: The `.scenario` file, None = there is none.
        world: The `.world` file, None = there is none.
        texts: Their texts; one that could not be read is missing, and begun anew.
    """

    scenario: Path | None = None
    world: Path | None = None
    texts: Mapping[Path, str] = field(default_factory=dict)

    def text(self, path: Path | None) -> str:
        """Return the text of one of them, "" where there is none."""
        return self.texts.get(path, "") if path is not None else ""


@dataclass(frozen=True)
class RunChoices:
    """Choices that people made while a scene ran, and that a scenario says, too.

    Attributes:
        engine: Its name, "" = that of the file goes on.
        laws: That were started, the newest last.
        dropped: Laws that were saved before, and drive no more.
    """

    engine: str = ""
    laws: Sequence[Controller] = ()
    dropped: Sequence[Controller] = ()


def compose(
    scene: Scenario,
    sources: Sources,
    path: Path,
    writable: Collection[Path] = (),
    chosen: RunChoices | None = None,
) -> dict[Path, str]:
    """Return the files, by path, that say what a scene holds; the one that was asked for comes last.

    A world that did not change stays where it is, and the scenario names it. One that did is written in place where
    the scenario is, too, and beside the scenario under its name where that is a new one.

    Args:
        scene: Floor, objects, targets, robots (teams taken apart), joints and areas; all else stays as the sources say.
        sources: Where the scene came from.
        path: Where it goes: `.scenario`, or `.world` for floor, walls and objects alone.
        writable: Worlds that may be written in place.
        chosen: Besides the scene, for a scenario.

    Raises:
        CannotSave: The files cannot say it.
        BadFile: A source is no such file.
    """
    scene = replace(scene, robots=tuple(replace(robot, type=plain_type(robot.type)) for robot in scene.robots))
    if path.suffix == ".world":
        return {path: _world(scene, sources, path, {robot.name.partition("/")[0] for robot in scene.robots})}
    text = sources.text(sources.scenario)
    robots, whole = _placements(scene, sources, text)
    _check_types(robots, path.parent)
    texts = _world_texts(scene, sources, path, writable, whole)
    world = next(iter(texts), sources.world)
    name = "" if world is None else _name_from(path.parent, world, world_of(text))
    areas = [area for area in scene.areas if not area.is_of_world]
    written = scenario_text(text, name, scene.targets, robots, _joints(scene, whole), areas)
    return {**texts, path: written if chosen is None else _with_choices(written, chosen)}


def _with_choices(text: str, chosen: RunChoices) -> str:
    """Return the text of a scenario with the engine and the control laws that people chose."""
    text = with_engine(text, chosen.engine) if chosen.engine else text
    if chosen.laws or chosen.dropped:
        text = with_laws(text, chosen.laws, placements_of(text), chosen.dropped)
    return text


def _placements(scene: Scenario, sources: Sources, text: str) -> tuple[tuple[RobotPlacement, ...], set[str]]:
    """Return the sections that stand for the robots of a scene: those of its file as far as they still do.

    Returns:
        They, and the names of the teams that are placed as a whole.
    """
    written = placements_of(text)
    problems, folder = Problems(), sources.scenario.parent if sources.scenario is not None else None
    catalogue, seed = Catalogue(TypeRegistry(), problems, folder), seed_of(text)

    def spread_again(placements: Sequence[RobotPlacement]) -> list[tuple[RobotPlacement, ...]]:
        return catalogue.crowds(placements, scene.world, seed)

    teams = [team for crowd in spread_again(written) for team in crowd]
    own = [robot for robot in scene.robots if not robot.is_of_world]
    folded = fold(own, teams, scene.world.objects, scene.joints)
    return gather(folded, written, spread_again), {robot.name for robot in folded if robot.type == TEAM}


def _world_texts(
    scene: Scenario, sources: Sources, path: Path, writable: Collection[Path], whole: Collection[str]
) -> dict[Path, str]:
    """Return the world of a scenario by its path; nothing where it stays as it is, or there is none to speak of."""
    world, beside = sources.world, path.with_suffix(".world")
    if beside == world and path != sources.scenario:  # others go on to use that one
        beside = path.with_name(f"{path.stem}_changed.world")
    if world is None:
        entities: list[Area | RobotPlacement] = [*scene.areas, *scene.robots]
        things = (*_own(scene.world.objects, whole), *(entity for entity in entities if entity.is_of_world))
        is_usual = (scene.world.floor, things) == (Floor(), ())
        return {} if is_usual else {beside: _world(scene, sources, beside, whole)}
    text = _world(scene, sources, world, whole)
    if text == sources.text(world):
        return {}
    if path == sources.scenario and world in writable:
        return {world: text}
    return {beside: _world(scene, sources, beside, whole)}


def _world(scene: Scenario, sources: Sources, path: Path, whole: Collection[str]) -> str:
    world = scene.world
    source = sources.world.parent if sources.world is not None else path.parent
    text = sources.text(sources.world)
    joints = [joint for joint in scene.joints if joint.is_of_world]
    areas = [area for area in scene.areas if area.is_of_world]
    artifacts = [robot for robot in scene.robots if robot.is_of_world]
    _check_types(artifacts, path.parent)
    entities: list[Object | RobotPlacement] = [*_own(world.objects, whole), *artifacts]
    return world_text(text, world.floor, entities, path.parent, source, joints, areas)


def _joints(scene: Scenario, whole: Collection[str]) -> list[Joint]:
    """Return the joints that a scenario says, without those that come and go with a team that is placed as a whole."""
    usual = {joint.name for name in whole for joint in joints_of(RobotPlacement(name, TEAM, carriers=6))}
    return [joint for joint in scene.joints if not joint.is_of_world and joint.name not in usual]


def _own(objects: tuple[Object, ...], whole: Collection[str]) -> tuple[Object, ...]:
    """Return the objects without those that come and go with a team that is placed as a whole."""
    return tuple(entity for entity in objects if entity.name.partition("/")[0] not in whole)


def _name_from(folder: Path, world: Path, before: str) -> str:
    """Return how a scenario in `folder` names a world; `before` where it means the same."""
    path = os.path.abspath(world)
    if before and os.path.abspath(folder / before) in (path, path.removesuffix(".world")):
        return before
    if world.resolve().parent == WORLDS.resolve() and not (folder / world.name).exists():
        return before if before == world.stem else world.name
    return os.path.relpath(path, os.path.abspath(folder))


def _check_types(robots: Sequence[RobotPlacement], folder: Path) -> None:
    for kind in sorted({robot.type for robot in robots} - {TEAM}):
        is_known = (TYPES / f"{kind}.robot").exists() or (folder / f"{kind}.robot").exists()
        if not is_known and kind not in plugins.registered("robots"):
            raise CannotSave(f"{folder} holds no {kind}.robot, which it needs; save beside that file, or copy it")


def is_built_in(path: Path) -> bool:
    """Return whether a file belongs to the program."""
    return any(path.resolve().is_relative_to(folder.resolve()) for folder in FOLDERS.values())
