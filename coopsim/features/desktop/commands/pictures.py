"""Options and scenes that `coopsim screenshot` and `coopsim video` share."""

import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app.options import FiniteRange

if TYPE_CHECKING:
    from coopsim.features.desktop.layers import Layers
    from coopsim.features.desktop.offscreen import Offscreen
    from coopsim.features.desktop.quality import Quality
    from coopsim.features.desktop.shown import Shown

_SIZE = re.compile(r"(\d{1,5})x(\d{1,5})")
_SMALLEST, _LARGEST = 16, 8192  # pixels; drivers promise targets of 8192 and not more
CAMERA_HELP = (
    "Look from `iso`, `top`, `front` or `side`, from behind a ROBOT, or by six numbers X,Y,Z,X,Y,Z: where the eye is "
    "and where it looks [m].  [the `[VIEW]` of the scenario, or iso]"
)


class PictureSize(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.4 alone
    """Width and height of a picture: 1280x800."""

    name = "WxH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Return width and height [pixels]."""
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]  # click converts a value twice
        match = _SIZE.fullmatch(value.strip().lower())
        if match is None:
            self.fail(f"{value!r} is not of the form WIDTHxHEIGHT, such as 1280x800.", param, ctx)
        size = int(match[1]), int(match[2])
        if not all(_SMALLEST <= length <= _LARGEST for length in size):
            self.fail(f"{value!r}: width and height are from {_SMALLEST} to {_LARGEST} pixels.", param, ctx)
        return size


def picture_options(command: Any) -> Any:
    """Add the options of how to look at a scene."""
    for option in (
        click.option(
            "--layers",
            default="grid",
            show_default=True,
            metavar="NAME,NAME",
            help="What else is drawn: labels, rays, contacts, sightings, grid; none.",
        ),
        click.option("--labels", is_flag=True, help="Write the names of robots and targets."),
        click.option(
            "--trails", type=FiniteRange(0.0), metavar="SECONDS", default=0.0, help="Draw the ways of the last seconds."
        ),
        click.option("--camera", default="", metavar="VIEW|ROBOT|X,Y,Z,X,Y,Z", help=CAMERA_HELP),
        click.option("--size", type=PictureSize(), default="1280x800", show_default=True, help="Of the picture."),
    ):
        command = option(command)
    return command


def layers_of(choices: dict[str, Any]) -> "Layers":
    """Return the layers that options ask for.

    Raises:
        UsageError: There is no such layer.
    """
    from coopsim.errors import BadArgument
    from coopsim.features.desktop.layers import Layers

    words = [word.strip() for word in choices["layers"].split(",") if word.strip() not in {"", "none"}]
    try:
        return Layers.only([*words, *(["labels"] if choices["labels"] else [])])
    except BadArgument as problem:
        raise click.UsageError(f"--layers: {problem}") from None


def offscreen_of(shown: "Shown", size: tuple[int, int], quality: "Quality | None" = None) -> "Offscreen":
    """Return what draws a scene: by the renderer that is chosen, else by the one that its file says.

    Raises:
        BadArgument: There is no renderer of this name.
        CannotDraw: It cannot be used here.
    """
    from coopsim.app import talk
    from coopsim.features.desktop.offscreen import Offscreen
    from coopsim.features.desktop.quality import STILL
    from coopsim.features.desktop.rendering import wanted_name

    return Offscreen(size, quality or STILL, talk.note, renderer=wanted_name("", shown.renderer))


@contextmanager
def shown_until(file: str, end: float) -> Iterator["Shown"]:
    """Yield what a file shows; a scenario whose time after the beginning is asked for is run here, controllers too.

    Args:
        file: A scenario, a world or a recording.
        end: The last time that is asked for, 0 = none but the beginning [s].

    Raises:
        CoopsimError: It cannot be read.
        ClickException: The run failed.
    """
    from coopsim.features.desktop.shown import is_recording, open_shown

    with tempfile.TemporaryDirectory(prefix="coopsim-pictures-") as folder:
        shown = open_shown(file if end <= 0.0 or is_recording(file) else str(_run(file, end, folder)))
        try:
            yield shown
        finally:
            shown.close()


def _run(file: str, end: float, folder: str) -> Path:
    """Run a scenario in this process, and record it."""
    from dataclasses import replace

    from coopsim.features.studies.job import Task, run_task
    from coopsim.features.studies.trial import ScenarioJob, recording_of
    from coopsim.robots import load

    spec = load(file)
    whole = replace(spec, scenario=replace(spec.scenario, goals=()))  # it would end with them
    job, task = ScenarioJob(whole, end, record="all", folder=folder), Task(0, {}, spec.scenario.settings.seed)
    row = run_task(job, task)
    if row.get("error"):
        raise click.ClickException(f"{file} cannot be run to {end:g} s: {row['error']}")
    return recording_of(job, task)


def check_time(shown: "Shown", seconds: float, option: str) -> float:
    """Return an instant that a file shows.

    Args:
        shown: The file.
        seconds: The instant [s].
        option: What it is called on the command line.

    Raises:
        UsageError: The file does not show it.
    """
    if not shown.begin <= seconds <= shown.end + 1e-9:
        raise click.UsageError(f"{option} {seconds:g}: the recording goes from {shown.begin:g} to {shown.end:g} s")
    return seconds
