"""From a file to a run that can be built, or to the list of all its mistakes."""

from dataclasses import replace
from pathlib import Path

from coopsim import plugins
from coopsim.errors import NoSuchFile
from coopsim.robots.assembly import assemble
from coopsim.robots.blueprint import RobotBlueprint, RunSpec
from coopsim.robots.catalogue import Catalogue, Placed
from coopsim.robots.checks import check_controllers, check_joints, check_settings
from coopsim.robots.event_checks import EventChecks
from coopsim.robots.finding import FOLDERS, WORLDS, find_file
from coopsim.robots.goal_checks import GoalChecks
from coopsim.robots.law_checks import LawSurroundings, check_laws
from coopsim.robots.names import RobotNames
from coopsim.robots.registry import TypeRegistry
from coopsim.robots.remarks import remark
from coopsim.robots.section_family import CheckedScene, Extras
from coopsim.robots.type_files import read_type, suffixes, usd_words
from coopsim.scene import (
    Problem,
    Problems,
    Scenario,
    Span,
    choices,
    hint,
    quoted,
    read_scenario,
    read_world,
)


def load(name: str | Path, *, registry: TypeRegistry | None = None, problems: Problems | None = None) -> RunSpec:
    """Return what a scenario, or a world alone, describes.

    Args:
        name: A path, or the bare name of a built-in file (`formation`).
        registry: What is installed; without it, what really is.
        problems: Takes the warnings, which are looked for only then.

    Raises:
        NoSuchFile: There is no such file, or it cannot be read.
        BadFile: It has mistakes; the error carries all of them.
    """
    path = find_file(name, (".scenario", ".world"))
    mistakes = problems if problems is not None else Problems()
    spec = _run_spec(path, registry or TypeRegistry(), mistakes)
    # all at once: who mends a file wants to see every mistake, not the first
    mistakes.raise_any()
    if problems is not None:
        remark(spec, problems)
    return spec


def check(name: str | Path, *, registry: TypeRegistry | None = None) -> list[Problem]:
    """Return all mistakes of a world, a scenario or a robot type, a missing one too, then all warnings.

    Args:
        name: A path, or the bare name of a built-in file (`formation`).
        registry: What is installed; without it, what really is.
    """
    return examine(name, registry=registry)[0]


def examine(name: str | Path, *, registry: TypeRegistry | None = None) -> tuple[list[Problem], RunSpec | None]:
    """Return what `check` does, and what a `.world` or `.scenario` file without mistakes describes."""
    registry, problems = registry or TypeRegistry(), Problems()
    try:
        path = find_file(name)
    except NoSuchFile as problem:
        reason = str(problem).removeprefix(f"{name}: ")
        # a missing file is a mistake among others: `check` of many files goes on
        return [Problem(Span(str(name), 1, 1), reason)], None
    spec = None
    if path.suffix in suffixes():
        assemble(read_type(path, problems), registry.devices, problems)
    else:
        spec = _run_spec(path, registry, problems)
        # remarks about a file with mistakes would speak of what was only guessed
        if not problems.total:
            remark(spec, problems)
    return [*problems, *problems.warnings], spec if not problems.total else None


def load_type(name: str, *, folder: Path | None = None, registry: TypeRegistry | None = None) -> RobotBlueprint:
    """Return a robot type.

    Args:
        name: Its name, `single`.
        folder: Where `.robot` files are looked for besides the built-in ones.
        registry: What is installed; without it, what really is.

    Raises:
        NoSuchFile: No type has this name.
        BadFile: Its file has mistakes.
    """
    problems = Problems()
    catalogue = Catalogue(registry or TypeRegistry(), problems, folder)
    names = catalogue.names
    if name not in names:
        raise NoSuchFile(f"no robot type {quoted(name)}{hint(name, names)}; known: {choices(names)}")
    blueprint = catalogue[name]
    problems.raise_any()
    return blueprint


def _run_spec(path: Path, registry: TypeRegistry, problems: Problems) -> RunSpec:
    if path.suffix == ".world":
        world, _ = read_world(path, problems)
        scenario = Scenario(world=replace(world, extras={}), file=str(path), extras=world.extras)
        return _checked(scenario, path, registry, problems)
    if path.suffix == ".scenario":
        return _checked(read_scenario(path, (WORLDS,), problems)[0], path, registry, problems)
    if path.suffix in suffixes():
        text = (
            f"{quoted(path.name)} is a type of robot and no scene: name it, `type {path.stem}` in a section [ROBOT_1]"
        )
    else:
        text = f"expected a file with suffix {choices(FOLDERS)}; got {quoted(path.name)}{usd_words(path.name)}"
    problems.add(Span(str(path), 1, 1), text)
    return RunSpec(Scenario())


def _placed(scenario: Scenario, path: Path, registry: TypeRegistry, problems: Problems) -> Placed:
    """Return the robots of a scenario and the artifacts of its world, whose own types stand beside the world."""
    world = scenario.world
    placed = Catalogue(registry, problems, path.parent).instantiate(scenario.robots, world, scenario.settings.seed)
    if not world.artifacts:
        return placed
    artifacts = Catalogue(registry, problems, Path(world.file).parent).instantiate(world.artifacts)
    types, groups = {**artifacts.types, **placed.types}, {**artifacts.groups, **placed.groups}
    return replace(placed, robots=(*placed.robots, *artifacts.robots), types=types, groups=groups)


def _checked(scenario: Scenario, path: Path, registry: TypeRegistry, problems: Problems) -> RunSpec:
    check_settings(scenario.settings, registry, problems)
    placed = _placed(scenario, path, registry, problems)
    # a section whose type is unknown still has a name
    extras = Extras(scenario.extras, problems)
    # before controllers are checked: sections of packages may give robots devices that these command
    placed, timed = extras.equip(placed, path.parent, registry)
    # patterns mean robots alone; an artifact of a world is meant by its name
    robots = [robot.name for robot in placed.robots if not robot.is_of_world]
    names = RobotNames(robots, placed.groups, [robot.name for robot in scenario.robots])
    controllers = check_controllers(scenario.controllers, names, registry, problems, path.parent)
    by_robot = {robot.name: placed.types[robot.type] for robot in placed.robots}
    surroundings = LawSurroundings(by_robot, registry.devices, path.parent, problems)
    check_laws(controllers, surroundings, registry.law_check)
    objects = (*scenario.world.objects, *placed.objects)
    check_joints((*scenario.world.joints, *scenario.joints), objects, placed, problems)
    events = EventChecks(by_robot, names, registry.devices, problems).checked(scenario.events)
    # those of sections come last: at equal times the file's own events are carried out first
    events = (*events, *timed)
    entity_names = [*(entity.name for entity in objects), *(target.name for target in scenario.targets)]
    areas = {area.name: area.corners for area in (*scenario.world.areas, *scenario.areas)}
    checks = GoalChecks(by_robot, names, entity_names, areas, registry.devices, registry.metrics, problems)
    goals = checks.checked(scenario.goals)
    by_area = {area.name: area for area in (*scenario.world.areas, *scenario.areas)}
    bodies = [entity.name for entity in objects]
    landmarks = [target.name for target in scenario.targets]
    extras.check(CheckedScene(by_robot, names, bodies, landmarks, by_area, controllers, registry))
    laws = {controller.run for controller in controllers if plugins.is_law_file(controller.run)}
    commands = tuple(
        controller
        for controller in controllers
        if controller.run not in registry.controllers and controller.run not in laws
    )
    world, joints = replace(scenario.world, objects=objects, artifacts=()), (*scenario.joints, *placed.joints)
    checked = replace(
        scenario, world=world, robots=placed.robots, joints=joints, controllers=controllers, events=events
    )
    spec = RunSpec(replace(checked, goals=goals, extras=extras.content), placed.types, commands)
    extras.check_run(spec)
    return spec
