"""`coopsim report`."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from coopsim.app import talk
from coopsim.app.groups import Suggesting
from coopsim.app.options import Engine
from coopsim.app.saving import check_suffix, save
from coopsim.features.studies.commands.studied import value_table

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_STUDY, _PAIR = "study", 2  # the command is understood when it is left out


class Reports(Suggesting):
    """Reports by their names; anything else is the folder of a study."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read a line without the name of a report as one of a study."""
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            args = [_STUDY, *args]
        return super().parse_args(ctx, args)


@click.group(cls=Reports, short_help="Make a page of a study; fidelity and real-time reports.")
def report() -> None:
    """Make a page of a study, or tell how true and how fast flights are.

    \b
    coopsim report FOLDER                         the page of a study
    coopsim report fidelity flight.mcap real.csv  how alike two flights are
    coopsim report realtime --robots 90           how long a tick takes
    """  # noqa: D301 - click's mark for lines it must not wrap


@report.command(_STUDY, short_help="Make a page of a study, or compare two.")
@click.argument("folder", type=_FOLDER)
@click.argument("other", type=_FOLDER, required=False)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The page. [report.html in FOLDER]")
@click.option("--query", metavar="SQL", help="Print what DuckDB answers about the table runs (and other), no page.")
@click.option("--best", multiple=True, metavar="METRIC[:max]", help="Tell the values that are best by it.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer, or the study value by value, as JSON.")
def study(folder: Path, other: Path | None, query: str | None, as_json: bool, **choices: Any) -> None:
    """Make one page of the study in FOLDER: words, distributions, effects, a table; needs the extra `studies`.

    Metrics are told value by value of what was varied: mean, standard deviation, number of runs; and the best values of
    each context, by what the study compared its runs by, or by --best. With another study it says by how much each
    metric of OTHER differs, and whether that is more than chance.

    \b
    coopsim report FOLDER --query \\
        'select seed, avg(path_length_mean) from runs group by seed'
    """  # noqa: D301 - click's mark for lines it must not wrap
    if query is not None:
        _answer(query, folder, other, as_json=as_json)
    elif as_json and other is not None:
        raise click.UsageError("--json belongs to a single study, or to --query")
    else:
        _make_page(folder, other, choices["out"], choices["best"], as_json=as_json)


def _answer(query: str, folder: Path, second: Path | None, *, as_json: bool) -> None:
    from coopsim.app.table import table
    from coopsim.features.studies import querying
    from coopsim.features.studies.table import read_study

    tables = {"runs": read_study(folder), **({} if second is None else {"other": read_study(second)})}
    result = querying.query(query, tables)
    talk.answer(table(result.columns, result.lines), {"rows": result.to_json()} if as_json else None)


def _make_page(
    folder: Path, second_folder: Path | None, out: Path | None, best: Sequence[str], *, as_json: bool
) -> None:
    from coopsim.features.studies.comparing import differences
    from coopsim.features.studies.report import comparison_page, comparison_words, report_page, value_rows, words_of
    from coopsim.features.studies.table import read_study

    page = out or folder / ("report.html" if second_folder is None else f"report-{second_folder.name}.html")
    check_suffix(page, "--out", ".html", ".htm")
    first, plain = read_study(folder, best), None
    if second_folder is None:
        save(page, report_page(first, folder))
        values = value_rows(first)
        lines = [*words_of(first), *value_table(values)]
        plain = {"best": [entry.to_json() for entry in first.best], "values": [entry.to_json() for entry in values]}
    else:
        second = read_study(second_folder)
        save(page, comparison_page(first, second))
        lines = comparison_words(first, second, differences(first, second))
    talk.answer("\n".join([*lines, f"page: {page}"]), {**(plain or {}), "page": str(page)} if as_json else None)


@report.command(short_help="Tell how alike simulated and real flights are.")
@click.argument("logs", nargs=-1, metavar="[A B]")
@click.option("--robot", default="", metavar="NAME", help="Whose flight of a recording. [the first with an autopilot]")
@click.option("--begin", type=float, default=0.0, show_default=True, help="Leave out what was before this time [s].")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the flights that are flown without A and B.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Draw the distributions into this SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def fidelity(logs: tuple[str, ...], robot: str, begin: float, seed: int, out: Path | None, as_json: bool) -> None:
    """Compare how far robots were from their trajectories in the logs A and B: recordings, or CSV files.

    A CSV file has the columns time, x, y, z, wanted_x, wanted_y, wanted_z. Without logs four eights are flown, as in
    SwarmSimX: horizontal and vertical, by the simulator, and by another model in a process of its own that stands for
    the real robot; the paper's numbers stand beside them.
    """
    from coopsim.features.studies import fidelity as comparing
    from coopsim.features.studies.eights import all_flights

    if out is not None:
        check_suffix(out, "--out", ".svg")
    flights = [comparing.read_log(log, robot, begin) for log in logs] if logs else all_flights(seed)
    if out is not None:
        save(out, comparing.picture(flights))
    rows = [flight.to_json() for flight in flights]
    pairs = [(flights[0], flights[1])] if len(flights) == _PAIR else list(zip(flights[:2], flights[2:], strict=False))
    distances = [{"first": a.case, "second": b.case, "ks_distance": comparing.ks_distance(a, b)} for a, b in pairs]
    notes = [f"{pair['first']} and {pair['second']}: KS distance {pair['ks_distance']:.3f}" for pair in distances]
    _print_rows(rows, notes, as_json=as_json, extra={"pairs": distances})


@report.command(short_help="Tell how long a tick of many quadrotors takes.")
@click.option("--robots", multiple=True, type=click.IntRange(1, 10_000), help="How many; may be repeated. [15 cases]")
@click.option("--samples", type=click.IntRange(4), default=5000, show_default=True, help="Ticks of each case.")
@click.option("--engine", type=Engine(), metavar="NAME", default="mujoco", show_default=True, help="Physics engine.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Draw box plots into this SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print the results as JSON.")
def realtime(robots: tuple[int, ...], samples: int, engine: str, out: Path | None, as_json: bool) -> None:
    """Measure whole ticks of quadrotors with sensors, flight control, and formation control by artificial potentials.

    Steps are 20 ms, as in SwarmSimX. Without --robots: the eleven cases from 10 to 100, and 200, 500, 1000 and 2000.
    """
    from coopsim.features.studies import realtime as measuring

    if out is not None:
        check_suffix(out, "--out", ".svg")
    cases = [measuring.measure(count, samples, engine) for count in robots or measuring.CASES]
    if out is not None:
        save(out, measuring.picture(cases, engine))
    _print_rows([case.to_json() for case in cases], [], as_json=as_json)


def _print_rows(
    rows: Sequence[Mapping[str, Any]], notes: Sequence[str], *, as_json: bool, extra: Mapping[str, Any] | None = None
) -> None:
    """Print rows and notes as a table; with `as_json` rows and `extra`, which says what the notes say, as JSON."""
    from coopsim.app.table import table

    columns = list(dict.fromkeys(name for row in rows for name in row))
    drawn = table(columns, [[row.get(name) for name in columns] for row in rows])
    talk.answer(
        "\n".join([drawn, *notes]), {"results": [dict(row) for row in rows], **(extra or {})} if as_json else None
    )
