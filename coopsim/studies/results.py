"""The folder of a study: rows as they come, tables in the end, and what was asked."""

import csv
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coopsim.errors import BadArgument, CannotSave
from coopsim.studies.job import Row

ROWS, ASKED, TABLE, PARQUET = "runs.jsonl", "study.json", "runs.csv", "runs.parquet"


class StudyFolder:
    """Where a study is kept. A row is on its way to the disk as soon as its run has ended.

    Args:
        path: The folder.
        asked: What identifies the study: its scenario, values, seeds, versions.
        resume: Whether rows that are there already count.

    Attributes:
        rows: Those that are there already, by number.

    Raises:
        BadArgument: The folder holds another study, or one and `resume` was not asked for.
        CannotSave: It cannot be written.
    """

    def __init__(self, path: Path, asked: Mapping[str, Any], *, resume: bool) -> None:
        self.path, self.rows = path, dict[int, Row]()
        if (path / ASKED).exists():
            if not resume:
                raise BadArgument(f"{path} holds a study already; --resume goes on with it, --out names another folder")
            self._check(json.loads((path / ASKED).read_text(encoding="utf-8")), asked)
            self.rows = {row["number"]: row for row in stored_rows(path) if "error" not in row}
        try:
            path.mkdir(parents=True, exist_ok=True)
            (path / ASKED).write_text(json.dumps(dict(asked), indent=1), encoding="utf-8")
            whole = "".join(f"{json.dumps(row)}\n" for row in self.rows.values())  # without a line that was cut off
            (path / ROWS).write_text(whole, encoding="utf-8")
            self._file = (path / ROWS).open("a", encoding="utf-8")
        except OSError as problem:
            raise CannotSave(f"{path}: {problem.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, row: Row) -> None:
        """Keep a row.

        Raises:
            CannotSave: It cannot be written; rows before it are kept.
        """
        try:
            self._file.write(f"{json.dumps(row)}\n")
            self._file.flush()
        except OSError as problem:
            raise CannotSave(f"{self.path}: {problem.strerror}") from None
        self.rows[row["number"]] = row

    def finish(self) -> list[Row]:
        """Write the tables; return all rows in the order of the study."""
        rows = [self.rows[number] for number in sorted(self.rows)]
        write_tables(rows, self.path)
        return rows

    def _check(self, before: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        other = [name for name in asked if before.get(name) != json.loads(json.dumps(asked[name]))]
        if other:
            text = ", ".join(f"{name} was {str(before.get(name))[:60]}, is {str(asked[name])[:60]}" for name in other)
            raise BadArgument(f"{self.path} holds another study: {text}; give another folder by --out")


def stored_rows(path: Path) -> list[Row]:
    """Return the rows of a study; a last line that was cut off is left out.

    Raises:
        BadArgument: There are none.
    """
    try:
        lines = (path / ROWS).read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        raise BadArgument(f"{path} holds no study: {problem.strerror}") from None
    rows: dict[int, Row] = {}
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        rows[row["number"]] = row
    return [rows[number] for number in sorted(rows)]


def flat(row: Row) -> dict[str, Any]:
    """Return a row as a line of a table: values, seed, success, goals by name, metrics, error."""
    goals = {f"goal.{each['name']}": each["met"] for each in row["goals"]}
    ends = {name: row.get(name) for name in ("ticks", "state_hash", "error")}
    return {"run": row["number"], **row["values"], "seed": row["seed"], "success": row["success"], **goals} | {
        **row["metrics"],
        **ends,
    }


def write_tables(rows: Iterable[Row], path: Path) -> None:
    """Write `runs.csv` and, where pyarrow is installed, `runs.parquet`.

    Raises:
        CannotSave: One cannot be written.
    """
    lines = [flat(row) for row in rows]
    columns = list(dict.fromkeys(name for line in lines for name in line))
    try:
        with (path / TABLE).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        _write_parquet(lines, columns, path / PARQUET)
    except OSError as problem:
        raise CannotSave(f"{path}: {problem.strerror}") from None


def _write_parquet(lines: list[dict[str, Any]], columns: list[str], path: Path) -> None:
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        return
    arrays = {name: _numbers([line.get(name) for line in lines]) for name in columns}
    parquet.write_table(pa.table(arrays), path, compression="zstd")


def _numbers(values: list[Any]) -> list[Any]:
    """Return values that were written as numbers as such, so that tables can be sorted and drawn."""
    try:
        return [float(each) if isinstance(each, str) else each for each in values]
    except ValueError:
        return values
