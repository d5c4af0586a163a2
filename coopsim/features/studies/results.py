"""The folder of a study: rows as they come, tables in the end, and what was asked."""

import csv
import errno
import fcntl
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from coopsim.errors import BadArgument, CannotSave
from coopsim.features.studies.job import Row
from coopsim.features.studies.row_checks import KEYS, flaw_of
from coopsim.scene.replacing import replace_file

ROWS, ASKED, TABLE, PARQUET = "runs.jsonl", "study.json", "runs.csv", "runs.parquet"
_BLOCK = 1000  # lines that are read at once: memory stays bounded


class StudyFolder:
    """Folder of a study. A row is on its way to the disk as soon as its run has ended.

    Args:
        path: The folder.
        asked: What identifies the study: its scenario, values, seeds, versions.
        resume: Whether rows that are there already count.
        is_shared: Whether several processes may work on the study at once, as on a search.

    Attributes:
        rows: Those that are there already, by number.
        is_alone: Whether no other process worked on the study when this one began.

    Raises:
        BadArgument: The folder holds another study, or one and `resume` was not asked for, or somebody works on it.
        CannotSave: It cannot be written.
    """

    def __init__(self, path: Path, asked: Mapping[str, Any], *, resume: bool, is_shared: bool = False) -> None:
        self.path, self.rows, self._is_shared = path, dict[int, Row](), is_shared
        if (path / ASKED).exists() and not resume:
            text = f"{path} holds a study already; --resume goes on with it, --out names another folder"
            raise BadArgument(text).advise("")
        with _saving(path, goes_on=(path / ROWS).exists()), ExitStack() as opened:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(path, os.O_RDONLY)
            opened.callback(os.close, self._lock)
            self.is_alone = self._locked()
            if (path / ASKED).exists():
                self._check(stored_question(path), asked)
                self.rows = {row["number"]: row for row in stored_rows(path)}
            self._file = opened.enter_context((path / ROWS).open("ab", buffering=0))
            if self.is_alone:
                replace_file(path / ASKED, json.dumps(dict(asked), indent=1).encode())
                self.keep_only(lambda row: is_shared or "error" not in row)
            opened.pop_all()

    def _locked(self) -> bool:
        """Keep other processes from the study, or share it with them; return whether there were none."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if not self._is_shared:
                text = f"{self.path}: another process is doing this study; wait for its end, or give another --out"
                raise BadArgument(text).advise("") from None
            fcntl.flock(self._lock, fcntl.LOCK_SH)
            return False
        return True

    def share(self) -> None:
        """Let other processes work on the study, too."""
        fcntl.flock(self._lock, fcntl.LOCK_SH)

    def keep_only(self, wanted: Callable[[Row], bool]) -> None:
        """Drop the other rows, and a line that was cut off, before the first row is added and others share the study.

        Raises:
            CannotSave: It cannot be written.
        """
        self.rows = {number: row for number, row in self.rows.items() if wanted(row)}
        with _saving(self.path):
            replace_file(self.path / ROWS, "".join(f"{json.dumps(row)}\n" for row in self.rows.values()).encode())
            self._file.close()
            self._file = (self.path / ROWS).open("ab", buffering=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self._file.close()
        os.close(self._lock)

    def add(self, row: Row) -> None:
        """Keep a row.

        Raises:
            CannotSave: It cannot be written; rows before it are kept.
        """
        raw = f"{json.dumps(row)}\n".encode()
        with _saving(self.path):
            if self._file.write(raw) < len(raw):  # one call for each row: those of several processes do not mix
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self.rows[row["number"]] = row

    def note(self, **more: Any) -> None:
        """Write into `study.json` what is said of the study besides what identifies it.

        Raises:
            CannotSave: It cannot be written.
        """
        with _saving(self.path):
            whole = {**stored_question(self.path), **more}
            replace_file(self.path / ASKED, json.dumps(whole, indent=1).encode())

    def finish(self) -> list[Row]:
        """Write the tables; return all rows in the order of the study."""
        rows = stored_rows(self.path) if self._is_shared else [self.rows[number] for number in sorted(self.rows)]
        write_tables(rows, self.path)
        return rows

    def _check(self, before: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
        was, now = _parts(before), _parts(json.loads(json.dumps(asked)))
        changed = [name for name in now if was.get(name) != now[name]]
        if changed:
            text = ", ".join(f"{name} was {str(was.get(name))[:60]}, is {str(now[name])[:60]}" for name in changed)
            raise BadArgument(f"{self.path} holds another study: {text}; give another folder by --out").advise("")


def _parts(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Return what identifies a study, each version and each plugin by itself."""
    columns: dict[str, Any] = {}
    for name, value in asked.items():
        columns |= (
            {f"{name}.{key}": member for key, member in value.items()} if isinstance(value, dict) else {name: value}
        )
    return columns


@contextmanager
def _saving(path: Path, *, goes_on: bool = True) -> Iterator[None]:
    try:
        yield
    except OSError as problem:
        kept = "; the rows before it are kept, --resume goes on" if goes_on else ""
        cure = "Make room, or give another folder by --out."
        raise CannotSave(f"{path}: {problem.strerror}{kept}").advise(cure) from None


def stored_rows(path: Path) -> list[Row]:
    """Return the rows of a study; a last line that was cut off is left out.

    Raises:
        BadArgument: There are none, they are of another version, or one has a mistake.
    """
    try:
        lines = (path / ROWS).read_text(encoding="utf-8").splitlines()
    except OSError as problem:
        text = f"{path} holds no study: {problem.strerror}"
        raise BadArgument(text).advise("A study is a folder that `coopsim trial`, `sweep` or `search` wrote.") from None
    rows: dict[int, Row] = {}
    for row in _parsed(lines):
        if not isinstance(row, dict) or not row.keys() >= KEYS:
            missing = ", ".join(sorted(KEYS - row.keys())) if isinstance(row, dict) else "everything"
            text = f"{path / ROWS} was not written by this version of coopsim: a row has no {missing}"
            raise BadArgument(f"{text}; do the study again with another --out").advise("")
        if flaw := flaw_of(row):
            line = next(number for number, text in enumerate(lines, 1) if [row] == [*_parsed([text])])
            raise BadArgument(f"{path / ROWS}:{line}:1: {flaw}").advise("Remove the line, and --resume the study.")
        rows[row["number"]] = row
    return [rows[number] for number in sorted(rows)]


def _parsed(lines: Sequence[str]) -> Iterator[Any]:
    """Yield the rows in lines but those that were cut off; whole blocks are read at once, which is faster."""
    for first in range(0, len(lines), _BLOCK):
        block = lines[first : first + _BLOCK]
        try:
            rows = json.loads(f"[{','.join(block)}]")
        except ValueError:
            rows = []
        if len(rows) == len(block):
            yield from rows
            continue
        for line in block:
            with suppress(ValueError):
                yield json.loads(line)


def stored_question(path: Path) -> dict[str, Any]:
    """Return what was asked of a study; nothing where its file is missing.

    Raises:
        BadArgument: The file is damaged.
    """
    try:
        settings = json.loads((path / ASKED).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as problem:
        text = f"{path / ASKED} cannot be read: {problem}; do the study again with another --out"
        raise BadArgument(text).advise("") from None
    return settings if isinstance(settings, dict) else {}


def flat(row: Row) -> dict[str, Any]:
    """Return a row as a line of a table: values, seed, success, goals by name, metrics, error."""
    goals = {f"goal.{goal['name']}": goal["met"] for goal in row["goals"]}
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
    lines, columns = flattened(rows)
    with _saving(path):
        with (path / TABLE).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows(lines)
        _write_parquet(lines, columns, path / PARQUET)


def flattened(rows: Iterable[Row]) -> tuple[list[dict[str, Any]], list[str]]:
    """Return rows as lines of a table, and the names of its columns."""
    lines = [flat(row) for row in rows]
    return lines, list(dict.fromkeys(name for line in lines for name in line))


def arrow_table(lines: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> Any:
    """Return lines as a table of Arrow, numbers as such.

    Raises:
        ImportError: The package is not installed.
    """
    import pyarrow as pa

    return pa.table({name: _numbers([line.get(name) for line in lines]) for name in columns})


def _write_parquet(lines: list[dict[str, Any]], columns: list[str], path: Path) -> None:
    try:
        from pyarrow import parquet
    except ImportError:
        return
    parquet.write_table(arrow_table(lines, columns), path, compression="zstd")


def _numbers(values: list[Any]) -> list[Any]:
    """Return values that were written as numbers as such, so that tables can be sorted and drawn."""
    try:
        return [float(value) if isinstance(value, str) else value for value in values]
    except ValueError:
        return values
