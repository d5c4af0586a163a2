"""`coopsim screenshot`."""

from pathlib import Path

import click

from coopsim.app import talk
from coopsim.app.options import Seconds, plugin_option
from coopsim.app.pictures import check_time, picture_options
from coopsim.app.reading import reads_recordings
from coopsim.app.saving import check_suffix, spare, writing


@click.command(short_help="Draw a picture in space of a scene or a recording.")
@plugin_option
@click.option("--at", type=Seconds(), help="Of a recording: at this time; without it, at its end.")
@picture_options
@click.argument("file")
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@reads_recordings("file")
def screenshot(
    file: str, out: Path, at: float | None, size: tuple[int, int], camera: str, trails: float, labels: bool
) -> None:
    """Draw FILE, a scenario, a world or a recording, into the PNG file OUT.

    No display and no graphics card are needed.

    \b
    coopsim screenshot formation start.png
    coopsim screenshot run.mcap crash.png --at 12.5 --camera robot1 --size 1920x1080
    coopsim screenshot run.mcap ways.png --camera top --trails 60 --labels
    """  # noqa: D301 - click's mark for lines it must not wrap
    from PIL import Image

    from coopsim.viewer.offscreen import Offscreen
    from coopsim.viewer.shown import open_shown
    from coopsim.viewer.views import View

    check_suffix(out, "OUT", ".png")
    spare(out, "OUT", file)
    shown = open_shown(file)
    try:
        seconds = shown.end if at is None else check_time(shown, at, "--at")
        with Offscreen(size, tell=talk.note) as offscreen:
            picture = View(shown, offscreen, size, camera, trails, labels=labels).picture(seconds)
    finally:
        shown.close()
    with writing(out):
        Image.fromarray(picture).save(out, "PNG")
    talk.note(f"drawn: {out}")
