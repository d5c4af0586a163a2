"""`coopsim plot`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from coopsim.app import completing, talk
from coopsim.app.saving import check_suffix, save, spare
from coopsim.features.presentation.reading import reads_recordings

if TYPE_CHECKING:
    from coopsim.features.export.series import Series
    from coopsim.recording import Recording

_OUT = click.Path(dir_okay=False, path_type=Path)
_PAGES = (".html", ".htm")


@click.command(short_help="Draw a recording.")
@click.argument("file", shell_complete=completing.files)
@click.option("--paths", is_flag=True, help="Draw the top view with the path of each robot.")
@click.option("--reading", "readings", multiple=True, metavar="ROBOT.MODULE[.READING]", help="Draw readings over time.")
@click.option(
    "--distance", "distances", nargs=2, multiple=True, metavar="NAME NAME", help="Draw the distance of two over time."
)
@click.option("-o", "--out", "named", type=_OUT, metavar="OUT", help="Draw into this file, named like this or last.")
@click.argument("out", type=_OUT, required=False)
@reads_recordings("file")
def plot(
    file: str,
    paths: bool,
    readings: tuple[str, ...],
    distances: tuple[tuple[str, str], ...],
    named: Path | None,
    out: Path | None,
) -> None:
    """Draw the recording FILE into OUT: an SVG file, or of values over time a page, .html.

    Readings and distances may be given several times. A robot with wildcards stands for all whose names fit; they
    share one pair of axes.

    \b
    coopsim plot run.mcap --paths paths.svg
    coopsim plot run.mcap --reading robot1.sonars -o sonars.svg
    coopsim plot run.mcap --reading 'robot*.motors.v' -o speeds.svg
    coopsim plot run.mcap --distance robot1 robot2 --distance robot1 red apart.svg
    coopsim plot run.mcap --reading robot1.sonars \\
        --distance robot1 red -o both.html
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.recording import Recording

    if paths == bool(readings or distances):
        raise click.UsageError("say what to draw: --paths, or --reading and --distance")
    out = _chosen(named, out)
    check_suffix(out, "OUT", ".svg", *([] if paths else _PAGES))
    spare(out, "OUT", file)
    with Recording.open(file) as recording:
        is_page = out.suffix.lower() in _PAGES
        text = _paths(recording) if paths else _values(recording, readings, distances, is_page=is_page)
    save(out, text)
    talk.note(f"drawn: {out}")


def _chosen(named: Path | None, out: Path | None) -> Path:
    if (named is None) == (out is None):
        raise click.UsageError("name the file to draw into once: -o OUT, or OUT as the last word")
    chosen = named or out
    assert chosen is not None  # noqa: S101 - one of them is given
    return chosen


def _paths(recording: "Recording") -> str:
    from coopsim.features.export.series import ways
    from coopsim.features.pictures.scene import scene_of_recording
    from coopsim.features.pictures.top_view import top_view
    from coopsim.launch.tracks import Track

    tracks = {name: Track(name, points) for name, points in ways(recording).items()}
    return top_view(scene_of_recording(recording), tracks)


def _values(
    recording: "Recording", readings: tuple[str, ...], distances: tuple[tuple[str, str], ...], *, is_page: bool
) -> str:
    from coopsim.features.export.series import distances as distances_of
    from coopsim.features.export.series import readings as readings_of
    from coopsim.features.export.series import readings_of_many
    from coopsim.features.pictures.html_page import plot_page
    from coopsim.features.pictures.time_plot import time_plot

    panels: list[Series] = [
        series
        for path in readings
        for series in (readings_of_many if set(path) & set("*?[") else readings_of)(recording, path)
    ]
    panels += [distances_of(recording, distances)] if distances else []
    names = [*readings, *(f"{first} to {second}" for first, second in distances)]
    subtitle = f"{recording.path.name}, {recording.duration:.2f} s"
    return (plot_page if is_page else time_plot)(", ".join(names), subtitle, panels)
