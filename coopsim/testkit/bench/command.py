"""`coopsim bench`: every file `NAME.py` beside this one is a benchmark of its name; features register more."""

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from typing import Any

import click

from coopsim import plugins
from coopsim.app import talk
from coopsim.app.groups import Suggesting
from coopsim.app.table import Cell, table
from coopsim.testkit import bench as room

_HERE = "command"
_REGISTERED = "benchmarks"
"""Entry points of benchmarks of features."""


class Benchmarks(Suggesting):
    """Benchmarks that are found by the names of their files, and those that are registered."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of all benchmarks, sorted."""
        modules = [module.name for module in pkgutil.iter_modules(room.__path__) if not module.ispkg]
        return sorted({*modules, *plugins.registered(_REGISTERED)} - {_HERE})

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return the benchmark of this name."""
        if name not in self.list_commands(ctx):
            return None
        if name in plugins.registered(_REGISTERED):
            return talk.voiced(plugins.load(_REGISTERED, name))
        command: click.Command = getattr(importlib.import_module(f"coopsim.testkit.bench.{name}"), name)
        return talk.voiced(command)


@click.group(cls=Benchmarks, short_help="Measure how fast it is here.")
def bench() -> None:
    """Measure how fast it is here, as ratios to a yardstick of the same run where there is one."""


def at_most(case: str, unit: str, value: float, bound: float) -> dict[str, Any]:
    """Return a row of a value that must not be larger than its bound."""
    return {"case": case, "unit": unit, "value": round(value, 4), "bound": bound, "ok": value <= bound}


def at_least(case: str, unit: str, value: float, bound: float) -> dict[str, Any]:
    """Return a row of a value that must not be smaller than its bound."""
    return {"case": case, "unit": unit, "value": round(value, 4), "bound": bound, "ok": value >= bound}


def report(rows: Sequence[Mapping[str, Any]], *, as_json: bool = False) -> None:
    """Print the rows of a benchmark as a table, or with `as_json` as JSON.

    Args:
        rows: Each has `case`, and `value, raw, ratio, bound, ok` where there is a bound; None = not measured.
        as_json: Whether to print `{"results": [...]}` in the end.
    """
    columns = list(dict.fromkeys(name for row in rows for name in row))
    drawn = table(columns, [[_cell(row.get(name)) for name in columns] for row in rows])
    talk.answer(drawn, {"results": [dict(row) for row in rows]} if as_json else None)


def _cell(value: Any) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "NO"
    return value if value is None or isinstance(value, int | float) else str(value)
