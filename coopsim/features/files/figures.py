"""Rows of figures that a benchmark prints: a column for each name, `NO` where a bound is not kept."""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.app import talk
from coopsim.app.table import Cell, table


def show(rows: Sequence[Mapping[str, Any]], columns: Sequence[str] = (), *, as_json: bool) -> None:
    """Print rows as a table, or as JSON.

    Args:
        rows: Values by name; what a row lacks is a dash.
        columns: Names in their order, none = those of all rows.
        as_json: Whether JSON is wanted.
    """
    names = columns or list(dict.fromkeys(name for row in rows for name in row))
    drawn = table(names, [[_cell(row.get(name)) for name in names] for row in rows])
    talk.answer(drawn, {"results": [dict(row) for row in rows]} if as_json else None)


def at_most(case: str, unit: str, value: float, bound: float) -> dict[str, Any]:
    """Return a row of a value that must not be larger than its bound."""
    return {"case": case, "unit": unit, "value": round(value, 4), "bound": bound, "ok": value <= bound}


def at_least(case: str, unit: str, value: float, bound: float) -> dict[str, Any]:
    """Return a row of a value that must not be smaller than its bound."""
    return {"case": case, "unit": unit, "value": round(value, 4), "bound": bound, "ok": value >= bound}


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return value if value is None or isinstance(value, int | float) else str(value)
