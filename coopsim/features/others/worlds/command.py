"""`coopsim import world`."""

import importlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from coopsim.app import completing, talk
from coopsim.app.saving import save
from coopsim.errors import BadFile

if TYPE_CHECKING:
    from coopsim.features.others.worlds.plan import WorldPlan

LARGEST = 4 * 1024 * 1024
"""Bytes of a file; those of people have some kilobytes."""
_READERS = {".yaml": "irsim", ".yml": "irsim", ".world": "stage", ".argos": "argos", ".sdf": "sdf"}
"""Modules by the suffix of a file, each with a function `read_NAME`."""


@click.command(short_help="Write world, scenario and robots of IR-SIM, Stage, ARGoS or Gazebo.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path), shell_complete=completing.files)
@click.option(
    "-o",
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Where files are written; it is made where it is missing. No file is overwritten.  [a folder NAME here]",
)
@click.option("--report", is_flag=True, help="Print all that is left out or changed, with lines.")
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def world(file: Path, out: Path | None, report: bool, as_json: bool) -> int:
    """Write FILE of another simulator as a world, a scenario and types of robots.

    FILE is a `.yaml` of IR-SIM, a `.world` of Stage, an `.argos` of ARGoS, or a world of Gazebo, `.sdf` or `.world`.
    Pictures stay where they are.

    \b
    coopsim import world simple.world -o simple --report
    coopsim run simple/simple.scenario
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.others.worlds.writing import texts

    plan = read_plan(file)
    stem = re.sub(r"\W", "_", file.stem, flags=re.ASCII)
    folder = out if out is not None else Path(stem)
    plan.floor_plans = [
        replace(floor_plan, image=os.path.relpath(floor_plan.image, folder)) for floor_plan in plan.floor_plans
    ]
    files = texts(plan, stem)
    _write(files, folder)
    _check(folder / f"{stem}.scenario", file)
    losses = plan.losses
    if as_json:
        talk.data(json.dumps([{"place": loss.place, "key": loss.key, "reason": loss.reason} for loss in losses]))
    elif report:
        for loss in losses:
            talk.data(str(loss))
    robots = sum(robot.count for robot in plan.robots)
    talk.note(
        f"{robots} robots, {len(plan.solids) + len(plan.floor_plans)} objects, {len(losses)} keys left out or changed"
    )
    talk.note(f"wrote {', '.join(str(folder / name) for name in files)}")
    return 0


def _write(files: Mapping[str, str], folder: Path) -> None:
    """Write files into a folder.

    Raises:
        UsageError: One of them is there.
    """
    for name in files:
        if (folder / name).exists():
            raise click.UsageError(f"{folder / name}: there already, and not overwritten; give another folder by -o")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        save(folder / name, text)


def _check(scenario: Path, file: Path) -> None:
    """Read what was written.

    Raises:
        BadFile: It is no scenario: the other simulator allows more than can be written here.
    """
    from coopsim.robots import load

    try:
        load(scenario)
    except BadFile as problem:
        raise BadFile(f"{file} was written, but is no scenario of coopsim:\n{problem}") from None


def read_plan(file: Path) -> "WorldPlan":
    """Return what a file of another simulator describes.

    Raises:
        BadFile: It has another suffix, is too large, or has mistakes.
        NoSuchPlugin: A package is missing that it needs.
    """
    name = _READERS.get(file.suffix.lower())
    if name is None:
        kinds = "a .yaml of IR-SIM, a .world of Stage or Gazebo, an .argos of ARGoS or an .sdf"
        raise BadFile(f"{file}: expected {kinds}")
    try:
        if file.stat().st_size > LARGEST:
            raise BadFile(f"{file}: expected at most {LARGEST} bytes")
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise BadFile(f"{file}: cannot be read: {problem}") from None
    if name == "stage" and text.lstrip("\ufeff \t\r\n").startswith("<"):
        name = "sdf"  # worlds of Gazebo have the same suffix
    module = importlib.import_module(f"coopsim.features.others.worlds.{name}")
    plan: WorldPlan = getattr(module, f"read_{name}")(text, file)
    return plan
