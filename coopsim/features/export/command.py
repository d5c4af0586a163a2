"""`coopsim export`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from coopsim import plugins
from coopsim.app import companions, completing, talk
from coopsim.app.options import FiniteRange
from coopsim.app.saving import cannot_write, check_suffix, spare, writing
from coopsim.features.presentation.reading import reads_recordings

if TYPE_CHECKING:
    from coopsim.recording import Recording

_FORMS = ("csv", "jsonl", "parquet", "html", "mcap", "images", "yarp")
_EXPORTERS = "exporters"
"""Entry points of forms that features above this one write: functions of a recording, a folder and a rate."""
_TABLES = {"csv", "jsonl", "parquet"}
_OUT = click.Path(path_type=Path)


@click.command(short_help="Turn a recording into tables, a web page, a Foxglove file.")
@click.argument("file", shell_complete=completing.files)
@click.option(
    "--csv", type=_OUT, metavar="FOLDER", help="Write tables of poses, readings, commands and edits into this folder."
)
@click.option("--jsonl", type=_OUT, metavar="FOLDER", help="Write the same tables with a JSON object in each line.")
@click.option(
    "--parquet", type=_OUT, metavar="FOLDER", help="Write the same tables as Parquet files; needs the extra `parquet`."
)
@click.option("--mcap", type=_OUT, metavar="OUT", help="Write a file for Foxglove; needs the extra `foxglove`.")
@click.option("--html", type=_OUT, metavar="PAGE", help="Write a page that any browser opens: the scene in space.")
@click.option("--images", type=_OUT, metavar="FOLDER", help="Write what cameras of robots took, as PNG files.")
@click.option("--yarp", type=_OUT, metavar="FOLDER", help="Write a folder for each port, for YARP's yarpdataplayer.")
@click.option("--rate", type=FiniteRange(0.0, min_open=True), help="Rows of poses and readings per second. [all]")
@click.option("--wide", is_flag=True, help="Write one table, with a row per tick and a column per quantity.")
@click.option("--flat", is_flag=True, help="Draw the page from above, with distances; it needs no WebGL.")
@click.option("--full", is_flag=True, help="Put all records into the page, not 20 per second.")
@companions.feature_options("export")
@reads_recordings("file")
def export(file: str, rate: float | None, flat: bool, full: bool, wide: bool, **outs: Path | None) -> None:
    """Turn the recording FILE into tables, a web page or a file for Foxglove; several forms may be given at once."""
    from coopsim.recording import Recording

    wanted = {form: outs[form] for form in _FORMS if outs[form] is not None}
    if not wanted:
        raise click.UsageError("say what to make: --csv, --jsonl, --parquet, --html, --mcap, --images or --yarp")
    for option, is_given in (("--full", full), ("--flat", flat)):
        if is_given and "html" not in wanted:
            raise click.UsageError(f"{option} belongs to --html PAGE")
    if wide and not wanted.keys() & _TABLES:
        raise click.UsageError("--wide belongs to --csv, --jsonl or --parquet")
    if rate is not None and wanted.keys() == {"html"}:
        raise click.UsageError("--rate belongs to --csv, --jsonl, --parquet, --mcap or --yarp; for a page see --full")
    if outs["html"] is not None:
        check_suffix(outs["html"], "--html", ".html", ".htm")
        spare(outs["html"], "--html", file)
    if outs["mcap"] is not None:
        check_suffix(outs["mcap"], "--mcap", ".mcap")
        spare(outs["mcap"], "--mcap", file)
    with Recording.open(file) as recording:
        for form, out in wanted.items():
            assert out is not None  # noqa: S101 - chosen so
            if form == "html":
                _write_page(recording, out, flat=flat, full=full)
            else:
                _export(recording, form, out, rate, wide=wide)


def _write_page(recording: "Recording", out: Path, *, flat: bool, full: bool) -> None:
    draw = companions.picture("flat_page" if flat else "page")
    with writing(out):
        size = draw(recording, out, full=full)
    talk.data(f"{out}: {size / 1e6:.1f} MB")


def _export(recording: "Recording", form: str, out: Path, rate: float | None, *, wide: bool) -> None:
    from coopsim.features.export.files import export_tables
    from coopsim.features.export.foxglove import export_foxglove

    if form == "mcap":
        with writing(out):
            count = export_foxglove(recording, out, rate)
        talk.data(f"{out}: {count} messages")
        return
    if form == "images":
        try:
            taken = companions.picture("images")(recording, out)
        except OSError as problem:
            raise cannot_write(problem.filename or out, problem) from None
        for camera, count in taken.items():
            talk.data(f"{out / camera}: {count} images")
        if not taken:
            talk.data("no camera took an image")
        return
    if form in plugins.registered(_EXPORTERS):
        try:
            ports = plugins.load(_EXPORTERS, form)(recording, out, rate)
        except OSError as problem:
            raise cannot_write(problem.filename or out, problem) from None
        talk.data(f"{out}: {len(ports)} ports, {sum(ports.values())} bottles")
        return
    try:
        counts = export_tables(recording, form, out, rate, wide=wide)
    except OSError as problem:
        raise cannot_write(problem.filename or out, problem) from None
    for table, count in counts.items():
        talk.data(f"{out / table}.{form}: {count} rows")
