"""Rows of figures that a benchmark prints: a column for each name, `NO` where a bound is not kept."""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.app import talk
from coopsim.app.table import Cell, table


def show(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = (), *, as_json: bool) -> None:
    """Print rows as a table, or as JSON.

    Args:
        rows: Values by name; what a row lacks is a dash.
        columns: Names in their order, none = those of the first row.
        as_json: Whether JSON is wanted.
    """
    names = columns or list(rows[0])
    drawn = table(names, [[_cell(row.get(name)) for name in names] for row in rows])
    talk.answer(drawn, {"results": [dict(row) for row in rows]} if as_json else None)


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return value if value is None or isinstance(value, int | float) else str(value)
