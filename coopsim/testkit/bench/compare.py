"""`coopsim bench compare`: two runs of a benchmark side by side."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import click

from coopsim.app import talk
from coopsim.app.options import FiniteRange
from coopsim.app.table import Cell, table

RATE = re.compile(r"x( .*)?|ratio|.+/s")
"""Units of values of which more is better: `x`, `x real time`, `ratio`, `images/s`."""
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)

Row: TypeAlias = Mapping[str, Any]
Rows: TypeAlias = dict[str, Row]


@dataclass(frozen=True, slots=True)
class Pair:
    """A case of two runs.

    Attributes:
        case: What was measured.
        unit: Of both values.
        first: Value of the first run, None = it has none.
        second: Value of the second run, None = it has none.
        is_rate: Whether more is better; otherwise it is a cost.
    """

    case: str
    unit: str
    first: float | None
    second: float | None
    is_rate: bool = False

    @property
    def gain(self) -> float | None:
        """Factor by which the second one is better, above 1 = better; None where one of them is missing."""
        if self.first is None or self.second is None:
            return None
        good, bad = (self.second, self.first) if self.is_rate else (self.first, self.second)
        if good == bad:
            return 1.0
        return good / bad if bad else math.inf

    def verdict(self, tolerance: float) -> str:
        """Return in a word what became of it."""
        if self.gain is None:
            return "not measured" if self.first is self.second else f"only in {'B' if self.first is None else 'A'}"
        if self.gain < 1.0 - tolerance:
            return "WORSE"
        return "better" if self.gain > 1.0 / (1.0 - tolerance) else "same"


@click.command(short_help="Compare two runs of a benchmark.")
@click.argument("a", type=_FILE)
@click.argument("b", type=_FILE)
@click.option(
    "--tolerance",
    type=FiniteRange(0.0, 1.0, max_open=True),
    default=0.1,
    show_default=True,
    help="What is worse by more than this part is marked.",
)
@click.option("--fail-below", type=FiniteRange(0.0, min_open=True), help="Exit code 1 if a gain is below this.")
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON.")
def compare(a: Path, b: Path, tolerance: float, fail_below: float | None, as_json: bool) -> int:
    """Compare the runs A and B, files that hold what `coopsim bench NAME --json` printed.

    gain: how many times as good B is; B / A of values that must not be smaller than a bound, and without a bound of
    values in `x` (times as fast), `x real time`, `ratio` or so many a second; of costs A / B. Cases that only one of
    them has are listed and do not count.
    """
    pairs = paired(read(a), read(b))
    failed = [pair for pair in pairs if fail_below is not None and pair.gain is not None and pair.gain < fail_below]
    lines = [_drawn(pairs, tolerance)]
    if failed:
        lines.append(f"below {fail_below:g}: {', '.join(pair.case for pair in failed)}")
    plain = {"results": [_pair_facts(pair, tolerance) for pair in pairs], "ok": not failed}
    talk.answer("\n".join(lines), plain if as_json else None)
    return 1 if failed else 0


def paired(first: Rows, second: Rows) -> list[Pair]:
    """Return the cases of two runs, those of the first one in its order and then the new ones.

    Raises:
        click.ClickException: They have no case in common.
    """
    if not first.keys() & second.keys():
        raise click.ClickException("the two files have no case in common: are they of the same benchmark?")
    pairs = []
    for case in [*first, *(case for case in second if case not in first)]:
        rows_first, rows_second = first.get(case, {}), second.get(case, {})
        units = {str(row.get("unit", "")) for row in (rows_first, rows_second) if row}
        if len(units) > 1:
            raise click.ClickException(f"{case}: one file has it in {' and the other in '.join(sorted(units))}")
        unit = units.pop()
        pairs.append(
            Pair(case, unit, _value(rows_first), _value(rows_second), _is_rate(unit, (rows_second, rows_first)))
        )
    return pairs


def _is_rate(unit: str, rows: Iterable[Row]) -> bool:
    """Return whether more is better, as the bound of one of the rows has it, or else the unit."""
    for row in rows:
        value, bound, is_kept = _value(row), row.get("bound"), row.get("ok")
        is_of_value = row.get("ratio") is None  # otherwise the bound is one of the ratio
        if is_of_value and isinstance(is_kept, bool) and isinstance(bound, int | float) and value not in (None, bound):
            return is_kept == (value > bound)
    return RATE.fullmatch(unit) is not None


def read(file: Path) -> Rows:
    """Return the rows of a run by their cases.

    Raises:
        click.ClickException: The file holds no run.
    """
    try:
        rows = _results(file.read_text(encoding="utf-8"))
    except OSError as problem:
        raise click.FileError(str(file), problem.strerror) from None
    except (ValueError, KeyError, TypeError):
        raise click.ClickException(
            f"{file}: no run of a benchmark; `coopsim bench NAME --json > FILE` saves one"
        ) from None
    found: Rows = {}
    for row in rows:
        case = f"{row['case']}, {row['robots']} robots" if "robots" in row else str(row["case"])
        same = sum(case_name == case or case_name.startswith(f"{case} #") for case_name in found)
        found[f"{case} #{same + 1}" if same else case] = row
    return found


def _results(text: str) -> list[Row]:
    """Return the rows of a text that is JSON, or whose last line is."""
    try:
        whole = json.loads(text)
    except ValueError:
        whole = json.loads(text.strip().splitlines()[-1] if text.strip() else "")
    rows = whole["results"]
    if not isinstance(rows, list) or not all(isinstance(row, dict) and "case" in row for row in rows):
        raise TypeError
    return rows


def _value(row: Row) -> float | None:
    value = row.get("value")
    is_number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if is_number and value is not None else None


def _drawn(pairs: list[Pair], tolerance: float) -> str:
    lines: list[list[Cell]] = [
        [pair.case, pair.unit or None, pair.first, pair.second, pair.gain, pair.verdict(tolerance)] for pair in pairs
    ]
    return table(("case", "unit", "A", "B", "gain", f"within {tolerance:.0%}"), lines)


def _pair_facts(pair: Pair, tolerance: float) -> dict[str, Any]:
    gain = pair.gain if pair.gain is None or math.isfinite(pair.gain) else None
    return {
        "case": pair.case,
        "unit": pair.unit,
        "a": pair.first,
        "b": pair.second,
        "gain": gain,
        "verdict": pair.verdict(tolerance),
    }
