"""`coopsim video`."""

from pathlib import Path
from typing import Any

import click

from coopsim.app import completing, talk
from coopsim.app.options import FiniteRange, Seconds, plugin_option
from coopsim.app.saving import check_suffix, spare, writing
from coopsim.features.desktop.commands.pictures import check_time, layers_of, offscreen_of, picture_options, shown_until
from coopsim.features.desktop.commands.renderer_option import renderer_option
from coopsim.features.presentation.reading import reads_recordings
from coopsim.interpreter import extra_command

_USUAL, _USUAL_GIF = 30.0, 12.5  # images/s; a GIF's delay is a whole number of hundredths of a second: 8


@click.command(short_help="Make a film of a scenario or a recording.")
@plugin_option
@click.option("--from", "begin", type=Seconds(), help="Begin at this time; without it with the file.")
@click.option(
    "--to",
    "end",
    type=Seconds(),
    help="End at this time.  [end of the recording, duration of the scenario]",
)
@click.option("--fps", type=FiniteRange(1.0, 120.0), metavar="HZ", help="Pictures per second.  [30, of a GIF 12.5]")
@click.option(
    "--speed",
    type=FiniteRange(0.01, 1000.0),
    metavar="FACTOR",
    default=1.0,
    show_default=True,
    help="Show this many simulated seconds in one of the video.",
)
@picture_options
@renderer_option
@click.argument("file", shell_complete=completing.scenes)
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@reads_recordings("file")
def video(file: str, out: Path, fps: float | None, size: tuple[int, int], **choices: Any) -> None:
    """Make a film of FILE, a recording or a scenario: OUT.mp4, which needs the extra `video`, or OUT.gif.

    A scenario is run in this process, as fast as it goes, to the time of --to, with its control laws.

    No display and no graphics card are needed.

    \b
    coopsim video run.mcap run.mp4
    coopsim video run.mcap run.gif --from 10 --to 15 \\
        --size 640x400 --camera robot1
    """  # noqa: D301 - click's mark for lines it must not wrap
    check_suffix(out, "OUT", ".mp4", ".gif")
    spare(out, "OUT", file)
    if any(length % 2 for length in size):
        raise click.UsageError("--size: width and height of a film are even numbers")
    with shown_until(file, _last(file, choices["end"])) as shown:
        pictures = _film(shown, out, fps or (_USUAL_GIF if out.suffix.lower() == ".gif" else _USUAL), size, choices)
    talk.note(f"{pictures} pictures: {out}")


def _last(file: str, end: float | None) -> float:
    """Return the last time that is shown of a scenario [s].

    Raises:
        UsageError: Nobody says when it ends.
    """
    import math

    from coopsim.features.desktop.shown import is_recording
    from coopsim.robots import load

    if is_recording(file):
        return 0.0
    last = load(file).scenario.settings.duration if end is None else end
    if last is None or not 0.0 < last < math.inf:
        raise click.UsageError(f"{file} says no duration: say with --to when the film ends")
    return last


def _film(shown: Any, out: Path, fps: float, size: tuple[int, int], choices: dict[str, Any]) -> int:
    from coopsim.features.desktop.quality import FILM
    from coopsim.features.desktop.video import video_writer
    from coopsim.features.desktop.views import View, instants

    begin, end = (
        default if choices[name] is None else check_time(shown, choices[name], option)
        for name, option, default in (("begin", "--from", shown.begin), ("end", "--to", shown.end))
    )
    if begin >= end:
        raise click.UsageError(f"--from {begin:g} --to {end:g}: there is nothing between")
    with offscreen_of(shown, size, FILM) as offscreen, writing(out):
        view = View(shown, offscreen, size, choices["camera"], choices["trails"], layers_of(choices))
        writer = _writer(video_writer, out, fps, size)
        times = instants(begin, end, fps / choices["speed"])
        for seconds in times:
            writer.add(view.picture(seconds))
        writer.close()
    return len(times)


def _writer(make: Any, out: Path, fps: float, size: tuple[int, int]) -> Any:
    try:
        return make(out, fps, size)
    except ModuleNotFoundError as problem:
        cure = f"{extra_command('video')}, or name the film .gif"
        raise click.ClickException(f"an MP4 film needs the Python package {problem.name}: {cure}") from None
