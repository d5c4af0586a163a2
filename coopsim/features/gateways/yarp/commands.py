"""`coopsim import dump` and `coopsim generate yarpmanager`."""

import csv
from pathlib import Path

import click

from coopsim.app import completing, talk
from coopsim.app.options import plugin_option
from coopsim.app.saving import cannot_write, check_suffix, save, spare, writing

_OUT = click.Path(path_type=Path)


@click.command(short_help="Make tables of what yarpdatadumper wrote.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=_OUT, metavar="FOLDER", required=True, help="The folder to write the tables into.")
def dump(folder: Path, out: Path) -> int:
    """Make a table NAME.csv of each dump in FOLDER: the number of a bottle, its times, and its values.

    \b
    coopsim import dump monday -o tables
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.gateways.yarp.dumps import columns_of, dumps_in, numbers_of

    for source in dumps_in(folder):
        sizes = columns_of(source)  # a mistake is told before anything is written
        target = out / f"{source.name}.csv"
        try:
            out.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise cannot_write(out, problem) from None
        with writing(target), target.open("w", newline="", encoding="utf-8") as file:
            table = csv.writer(file)
            values = [f"value_{index}" for index in range(sizes["values"])]
            table.writerow(["number", *(f"time_{stamp}" for stamp in source.stamps), *values])
            for number, times, items in source.bottles():
                table.writerow([number, *times, *numbers_of(items)])
        talk.data(f"{target}: {sizes['bottles']} rows of {source.port or source.name}")
    return 0


@click.command(short_help="Write an application of yarpmanager for a scenario.")
@plugin_option
@click.argument("scenario", shell_complete=completing.scenes)
@click.option("-o", "--out", type=_OUT, metavar="FILE", required=True, help="The file to write, FILE.xml.")
@click.option("--dump", "dumped", metavar="FOLDER", help="Let a yarpdatadumper write each stream into this folder.")
@click.option("--node", default="localhost", show_default=True, help="Computer of YARP on which it runs.")
@click.option(
    "--names", type=click.IntRange(1, 65535), default=10000, show_default=True, help="Port of the name server."
)
def yarpmanager(scenario: str, out: Path, dumped: str | None, node: str, names: int) -> int:
    """Write an application of yarpmanager that runs SCENARIO with its ports, and connects them.

    \b
    coopsim generate yarpmanager formation -o formation.xml --dump monday
    """  # noqa: D301 - click's mark for lines it must not wrap
    from coopsim.features.gateways.yarp.manager import application
    from coopsim.robots import load

    check_suffix(out, "--out", ".xml")
    spare(out, "--out", scenario)
    spec = load(scenario)
    text, count = application(spec, scenario, node=node, names=names, dumped=dumped)
    save(out, text)
    talk.note(f"wrote {out}: {len(spec.scenario.robots)} robots, {count} streams")
    return 0
