"""`coopsim check`."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coopsim import plugins
from coopsim.app import completing, talk
from coopsim.app.options import engine_option, plugin_option

if TYPE_CHECKING:
    from coopsim.robots import RunSpec


@click.command(short_help="Print the mistakes in files.")
@plugin_option
@engine_option
@click.option("--strict", is_flag=True, help="Take warnings for mistakes.")
@click.option("--json", "as_json", is_flag=True, help="Print mistakes and warnings of each file as JSON.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", shell_complete=completing.scenes)
def check(files: tuple[str, ...], engine: str | None, strict: bool, as_json: bool) -> int:
    """Print every mistake in files of worlds, scenarios, robots and components; exit code 1 if there is one.

    Probable mistakes are warnings: bodies that overlap at the start or are off the floor, and angles that look like
    radians. With --strict they are mistakes.

    Bodies that its engine cannot represent are a mistake of a scenario, too; of a world only with --engine. Of a
    plugin the first mistake is printed; it is known to the files that follow.
    """
    count, plain = 0, []
    for file in files:
        mistakes, warnings = _problems(file, engine)
        plain.append({"file": file, "mistakes": mistakes, "warnings": warnings})
        for line in () if as_json else (*mistakes, *warnings):
            talk.data(line)
        if not mistakes and not as_json:
            talk.note(f"{file}: ok{_counted(len(warnings))}")
        count += len(mistakes) + (len(warnings) if strict else 0)
    if as_json:
        talk.data(json.dumps(plain))
    return 1 if count else 0


def _counted(warnings: int) -> str:
    return f", {warnings} warning{'s' if warnings > 1 else ''}" if warnings else ""


def _problems(file: str, engine: str | None) -> tuple[list[str], list[str]]:
    """Return mistakes and warnings as lines."""
    from coopsim.errors import CoopsimError
    from coopsim.robots import examine, plug

    try:
        if file.endswith(".py"):
            plug(file)
            return [], []
        suffix = Path(file).suffix.removeprefix(".")
        if suffix in plugins.registered("file_checks"):
            return [str(problem) for problem in plugins.load("file_checks", suffix)(Path(file))], []
        problems, spec = examine(file)
        mistakes = [str(problem) for problem in problems if not problem.is_warning] or _unfit(spec, engine)
        warnings = [str(problem) for problem in problems if problem.is_warning]
        return mistakes, warnings + ([] if mistakes or spec is None else list(_lost(spec, engine)))
    except CoopsimError as problem:
        return [str(problem)], []


def _lost(spec: "RunSpec", engine: str | None) -> Iterator[str]:
    """Yield what robots have and the physics engine makes nothing of, once for each type, where it is first placed."""
    from coopsim.robots.engines import engine_type
    from coopsim.robots.registry import InstalledDevices
    from coopsim.scene import Problem

    name, interfaces = engine or spec.scenario.settings.physics, InstalledDevices()
    make, seen = engine_type(name), set[str]()
    for robot in spec.scenario.robots:
        if robot.type in seen or robot.type not in spec.types:
            continue
        seen.add(robot.type)
        blueprint, texts = spec.types[robot.type], []
        if blueprint.flies and "height" not in make.abilities:
            text = f"flies by its rotors, and {name} moves robots in the plane alone"
            texts.append(f"{text}: it stays on the floor; choose mujoco or flight")
        if not hasattr(make, "link_forces"):
            deaf = [device.name for device in blueprint.devices if interfaces[device.kind].is_of_chain]
            reason = f"since {name} knows no forces in joints; choose mujoco"
            texts += [f"has {device!r}, which reads 0, {reason}" for device in deaf]
        yield from (str(Problem(robot.type_span, f"{robot.type!r} {text}", is_warning=True)) for text in texts)


def _unfit(spec: "RunSpec | None", engine: str | None) -> list[str]:
    """Return what the physics engine cannot represent of a file without mistakes; a world by itself has no engine."""
    from coopsim.robots import unfit

    if spec is None or (spec.scenario.file == spec.scenario.world.file and engine is None):
        return []
    return unfit(spec, engine or spec.scenario.settings.physics)
