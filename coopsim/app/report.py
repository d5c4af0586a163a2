"""`coopsim report`."""

from pathlib import Path

import click

from coopsim.app import talk
from coopsim.app.saving import check_suffix, save

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command(short_help="Make a page of a study, or compare two.")
@click.argument("folder", type=_FOLDER)
@click.argument("other", type=_FOLDER, required=False)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The page. [report.html in FOLDER]")
@click.option("--query", metavar="SQL", help="Print what DuckDB answers about the table runs (and other), no page.")
@click.option("--json", "as_json", is_flag=True, help="Print the answer to --query as JSON.")
def report(folder: Path, other: Path | None, out: Path | None, query: str | None, as_json: bool) -> None:
    """Make one page of the study in FOLDER: words, distributions, effects, a table; needs coopsim[studies].

    With another study it says by how much each metric of OTHER differs, and whether that is more than chance.

    \b
    coopsim report FOLDER --query 'select seed, avg(path_length_mean) from runs group by seed'
    """  # noqa: D301 - click's mark for lines it must not wrap
    if query is not None:
        _answer(query, folder, other, as_json=as_json)
    elif as_json:
        raise click.UsageError("--json belongs to --query")
    else:
        _make_page(folder, other, out)


def _answer(query: str, folder: Path, other: Path | None, *, as_json: bool) -> None:
    from coopsim.app.table import table
    from coopsim.studies import querying
    from coopsim.studies.table import read_study

    tables = {"runs": read_study(folder), **({} if other is None else {"other": read_study(other)})}
    found = querying.query(query, tables)
    talk.answer(table(found.columns, found.lines), {"rows": found.to_json()} if as_json else None)


def _make_page(folder: Path, other: Path | None, out: Path | None) -> None:
    from coopsim.studies.comparing import differences
    from coopsim.studies.report import comparison_page, comparison_words, report_page, words_of
    from coopsim.studies.table import read_study

    page = out or folder / ("report.html" if other is None else f"report-{other.name}.html")
    check_suffix(page, "--out", ".html", ".htm")
    first = read_study(folder)
    if other is None:
        save(page, report_page(first, folder))
        lines = words_of(first)
    else:
        second = read_study(other)
        save(page, comparison_page(first, second))
        lines = comparison_words(first, second, differences(first, second))
    talk.data("\n".join([*lines, f"page: {page}"]))
