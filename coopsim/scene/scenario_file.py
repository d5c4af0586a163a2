"""`.scenario` files: world, targets, robots (CoopDynSim, Fig. 8), controllers, timed events and settings."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from coopsim.scene import values
from coopsim.scene.areas import read_areas
from coopsim.scene.entities import EntityNames, placement, targets
from coopsim.scene.goals import read_goals
from coopsim.scene.keys import Keys, SectionKey, lacks, read_keys
from coopsim.scene.lines import Line, Section
from coopsim.scene.placement_spec import RobotPlacement
from coopsim.scene.problems import Problems
from coopsim.scene.section_families import heads, read_extras
from coopsim.scene.source import why_unreadable
from coopsim.scene.specs import MOST_SUBSTEPS, Controller, Event, Scenario, Settings, TargetSpec, World
from coopsim.scene.values import NAME, Flaw
from coopsim.scene.world_file import SECTIONS as WORLD_SECTIONS
from coopsim.scene.world_file import read_joints, read_sections, read_world
from coopsim.suggest import quoted

SECTIONS = (
    "WORLD",
    "TARGET",
    "ROBOT_",
    "JOINT_",
    "SIMULATION",
    "CONTROLLER_",
    "EVENT_",
    "GOAL_",
    "AREA_",
)
"""Sections that every scenario knows; `scenario_heads` adds those of registered families."""


def scenario_heads() -> tuple[str, ...]:
    """Return the names of all sections that a scenario may have."""
    return (*SECTIONS, *heads())


def _setting(words: Sequence[str]) -> tuple[str, str] | Flaw:
    if len(words) < 2:
        return Flaw("takes robot.module.parameter and a value, got only " + quoted(words[0]))
    return words[0], " ".join(words[1:])


def _reset(words: Sequence[str]) -> dict[str, Any] | Flaw:
    """Read what is put back, `poses` or `all`, and the seed from then on, `seed=N`."""
    what = values.one_of("poses", "all")(words[:1])
    if isinstance(what, Flaw) or len(words) == 1:
        return what if isinstance(what, Flaw) else {"reset": what}
    key, _, digits = words[1].partition("=")
    if len(words) > 2 or key.lower() != "seed":
        return Flaw("takes poses or all, then perhaps seed=N; got " + quoted(" ".join(words)), 1)
    seed = SEED([digits])
    return Flaw(f"seed {seed.text}", 1) if isinstance(seed, Flaw) else {"reset": what, "seed": seed}


SEED = values.number(0, 2**63 - 1, whole=True)
WORLD_KEYS: Keys = {"file": SectionKey(values.text, is_needed=True)}
SIMULATION_KEYS: Keys = {
    "mode": SectionKey(values.word),
    "step": SectionKey(values.number(1e-4, 1.0, "s")),
    "speed": SectionKey(values.number(0.1, 100.0)),
    "seed": SectionKey(SEED),
    "duration": SectionKey(values.number(1e-3, 1e9, "s")),
    "patience": SectionKey(values.number(0.0, 3600.0, "s")),
    "policy": SectionKey(values.word),
    "engine": SectionKey(values.word),
    "integrator": SectionKey(values.word),
    "substeps": SectionKey(values.number(1, MOST_SUBSTEPS, whole=True)),
}
CONTROLLER_KEYS: Keys = {
    "run": SectionKey(values.text, is_needed=True),
    "robots": SectionKey(values.names, is_needed=True),
}
EVENT_KEYS: Keys = {
    "at": SectionKey(values.number(0.0, 1e9, "s"), is_needed=True),
    "set": SectionKey(_setting, repeats=True),
    "reset": SectionKey(_reset),
}


def read_scenario(
    path: str | Path, folders: Sequence[Path] = (), problems: Problems | None = None
) -> tuple[Scenario, Problems]:
    """Read a `.scenario` file and the world it names.

    Args:
        path: The file.
        folders: Where a world file is looked for besides the folder of the scenario.
        problems: Takes the mistakes; without it a new collection.

    Returns:
        Whatever could be read, and all mistakes.
    """
    path, problems = Path(path), problems if problems is not None else Problems()
    sections = read_sections(path, scenario_heads(), problems, WORLD_SECTIONS)
    names = EntityNames(problems)
    world = _world(sections, names, (path.parent, *folders), problems)
    return Scenario(
        world=replace(world, extras={}),
        targets=tuple(_targets(sections, names, problems)),
        robots=tuple(_robots(sections, names, problems)),
        controllers=tuple(_controllers(sections, problems)),
        events=tuple(_events(sections, problems)),
        settings=_settings(sections, problems),
        file=str(path),
        joints=tuple(read_joints(sections, names, problems)),
        goals=tuple(read_goals(_of("GOAL", sections, problems), problems)),
        areas=tuple(read_areas(sections, names, problems, world.areas)),
        extras={**world.extras, **read_extras(sections, problems)},
    ), problems


def _of(kind: str, sections: list[Section], problems: Problems) -> list[Section]:
    return [] if problems.is_full else [section for section in sections if section.kind == kind]


def _world(sections: list[Section], names: EntityNames, folders: Sequence[Path], problems: Problems) -> World:
    worlds: list[World] = []
    for section in _of("WORLD", sections, problems):
        file = read_keys(section, WORLD_KEYS, problems).get("file")
        path = _found(file, section, folders, problems) if file else None
        if path and not worlds:
            worlds.append(read_world(path, problems, names)[0])
    if not worlds:
        names.claim("floor", World().floor.span)
    return worlds[0] if worlds else World()


def _found(file: str, section: Section, folders: Sequence[Path], problems: Problems) -> Path | None:
    names = [file] if Path(file).suffix else [file, f"{file}.world"]
    paths = [folder / name for folder in folders for name in names]
    reasons = [why_unreadable(path) for path in paths]
    if None in reasons:
        return paths[reasons.index(None)]
    problems.add(section.value_span("file"), f"world file {paths[0]}: {reasons[0]}")
    return None


def _targets(sections: list[Section], names: EntityNames, problems: Problems) -> list[TargetSpec]:
    targets_read: list[TargetSpec] = []
    for section in _of("TARGET", sections, problems):
        targets_read += targets(section, names, problems)
    return targets_read


def _robots(sections: list[Section], names: EntityNames, problems: Problems) -> list[RobotPlacement]:
    return [placement(section, names, problems) for section in _of("ROBOT", sections, problems)]


def _controllers(sections: list[Section], problems: Problems) -> list[Controller]:
    controllers = []
    for section in _of("CONTROLLER", sections, problems):
        other_lines: list[Line] = []
        keys = read_keys(section, CONTROLLER_KEYS, problems, other_lines)
        arguments = tuple(_argument(line, problems) for line in other_lines)
        if not lacks(keys, CONTROLLER_KEYS):
            controllers.append(Controller(**keys, arguments=arguments, span=section.span, entries=section.entries()))
    return controllers


def _argument(line: Line, problems: Problems) -> tuple[str, tuple[str, ...]]:
    if not NAME.fullmatch(line.key.replace("-", "_")):
        problems.add(line.span, f"{quoted(line.key)} cannot be the name of an argument: letters, digits, _ and -")
    return line.key.lower(), tuple(line.values)


def _events(sections: list[Section], problems: Problems) -> list[Event]:
    events = []
    for section in _of("EVENT", sections, problems):
        keys = read_keys(section, EVENT_KEYS, problems)
        if not any(section.line(key) for key in ("set", "reset")):
            problems.add(section.span, f"[{section.name[:40]}] does nothing: it needs the key 'set' or 'reset'")
        if not lacks(keys, EVENT_KEYS):
            keys["set"] = tuple(keys.get("set", ()))
            events.append(Event(**{**keys, **keys.get("reset", {})}, span=section.span, entries=section.entries()))
    return events


def _settings(sections: list[Section], problems: Problems) -> Settings:
    specs = [
        Settings(**read_keys(section, SIMULATION_KEYS, problems), span=section.span, entries=section.entries())
        for section in _of("SIMULATION", sections, problems)
    ]
    return specs[0] if specs else Settings()
