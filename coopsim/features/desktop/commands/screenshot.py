"""`coopsim screenshot`."""

from pathlib import Path
from typing import Any

import click

from coopsim.app import completing, talk
from coopsim.app.options import Seconds, plugin_option
from coopsim.app.saving import check_suffix, spare, writing
from coopsim.features.desktop.commands.pictures import check_time, layers_of, offscreen_of, picture_options, shown_until
from coopsim.features.desktop.commands.renderer_option import renderer_option
from coopsim.features.presentation.reading import reads_recordings


@click.command(short_help="Draw a picture in space of a scene or a recording.")
@plugin_option
@click.option("--at", type=Seconds(), help="At this time.  [end of a recording, beginning of a scenario]")
@picture_options
@renderer_option
@click.argument("file", shell_complete=completing.scenes)
@click.argument("out", type=click.Path(dir_okay=False, path_type=Path))
@reads_recordings("file")
def screenshot(
    file: str, out: Path, at: float | None, size: tuple[int, int], camera: str, trails: float, **choices: Any
) -> None:
    """Draw FILE, a scenario, a world or a recording, into the PNG file OUT.

    A scenario is run in this process, as fast as it goes, to the time of --at, with its control laws.

    No display and no graphics card are needed.

    \b
    coopsim screenshot formation start.png
    coopsim screenshot formation later.png --at 5 --layers labels,rays,grid
    coopsim screenshot run.mcap crash.png --at 12.5 --camera robot1 \\
        --size 1920x1080
    coopsim screenshot run.mcap ways.png --camera top --trails 60 --labels
    """  # noqa: D301 - click's mark for lines it must not wrap
    from PIL import Image

    from coopsim.features.desktop.views import View

    check_suffix(out, "OUT", ".png")
    spare(out, "OUT", file)
    layers = layers_of(choices)
    with shown_until(file, at or 0.0) as shown, offscreen_of(shown, size) as offscreen:
        seconds = shown.end if at is None else check_time(shown, at, "--at")
        picture = View(shown, offscreen, size, camera, trails, layers).picture(seconds)
    with writing(out):
        Image.fromarray(picture).save(out, "PNG")
    talk.note(f"drawn: {out}")
