"""Tables in files: CSV, JSON lines, Parquet; one file each in a folder."""

import csv
import importlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self, TextIO

import numpy as np

from coopsim.errors import DamagedRecording, NoSuchPlugin
from coopsim.features.export import tables as several
from coopsim.features.export import wide as export_wide
from coopsim.features.export.tables import Columns, TableRows
from coopsim.interpreter import extra_command
from coopsim.recording import Recording

Schema = Mapping[str, str]


class TableFile(Protocol):
    """A table that grows."""

    def __init__(self, path: Path, schema: Schema) -> None:
        """Make the file."""

    def write(self, columns: Columns) -> None:
        """Add rows."""

    def close(self) -> None:
        """Finish the file."""


def export_tables(
    recording: Recording, kind: str, folder: str | Path, rate: float | None = None, *, wide: bool = False
) -> dict[str, int]:
    """Write `poses`, `readings`, `commands` and `edits` into a folder; return how many rows each has.

    Args:
        recording: Complete or cut off.
        kind: "csv", "jsonl" or "parquet".
        folder: Made when it is not there; files of the same names are replaced once the new ones are whole.
        rate: Largest number of rows of poses and readings per simulated second and entity; None = all.
        wide: Write one table instead, `wide`: poses and readings with a row per tick and a column per quantity.

    Raises:
        NoSuchPlugin: Parquet needs a package that is not installed.
        DamagedRecording: A chunk is damaged; the files hold what came before.
        OSError: The folder or a file cannot be written; older files stay, new ones are removed.
    """
    make = KINDS[kind]
    # asked before the folder is made: a missing package leaves nothing behind
    if make is ParquetFile:
        _pyarrow()
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    tables = export_wide.schemas(recording) if wide else several.schemas(recording)
    rows = export_wide.parts(recording, rate) if wide else several.parts(recording, rate)
    # written beside and renamed in the end: a full disk leaves the older tables whole
    drafts = {name: folder / f"{name}.{kind}.part" for name in tables}
    try:
        try:
            counts = _write(make, tables, drafts, rows)
        except DamagedRecording:
            # a damaged recording is worth exporting all the more: what is before the damage is kept
            _publish(drafts.values())  # what could be read
            raise
        _publish(drafts.values())
        return counts
    finally:
        for draft in drafts.values():
            draft.unlink(missing_ok=True)


def _publish(drafts: Iterable[Path]) -> None:
    for draft in drafts:
        draft.replace(draft.with_suffix(""))


def _write(
    make: type[TableFile], schemas: Mapping[str, Schema], paths: Mapping[str, Path], parts: Iterable[TableRows]
) -> dict[str, int]:
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        tables: dict[str, TableFile] = {}
        for name, schema in schemas.items():
            tables[name], counts[name] = make(paths[name], schema), 0
            stack.callback(tables[name].close)
        for part in parts:
            count = len(part.columns["tick"])
            if count:
                tables[part.table].write(part.columns)
                counts[part.table] += count
    return counts


class _TextFile:
    """A text file with a line per row."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self._schema = schema
        self._file: TextIO = path.open("w", encoding="utf-8", newline="")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish the file."""
        self._file.close()

    def _texts(self, columns: Columns) -> Iterator[list[str]]:
        """Yield each column as the shortest texts that give its numbers back, "" for none."""
        for name in self._schema:
            column = columns[name]
            if isinstance(column, list):
                yield column
            else:
                texts = column.astype("U")
                if column.dtype.kind == "f":
                    texts[np.isnan(column)] = ""
                yield texts.tolist()


class CsvFile(_TextFile):
    """Comma-separated values with a header."""

    def __init__(self, path: Path, schema: Schema) -> None:
        super().__init__(path, schema)
        self._writer = csv.writer(self._file, lineterminator="\n")
        self._writer.writerow(schema)

    def write(self, columns: Columns) -> None:
        """Add rows."""
        self._writer.writerows(zip(*self._texts(columns), strict=True))


class JsonLinesFile(_TextFile):
    """A JSON object per line; what a robot does not have is left out."""

    def write(self, columns: Columns) -> None:
        """Add rows."""
        keys = [f"{json.dumps(name)}: " for name in self._schema]
        makers = [_MAKERS[kind] for kind in self._schema.values()]
        for row in zip(*self._texts(columns), strict=True):
            cells = [key + make(text) for key, make, text in zip(keys, makers, row, strict=True) if text]
            self._file.write("{" + ", ".join(cells) + "}\n")


def _number(text: str) -> str:
    # JSON has no infinity; readers that are strict refuse the whole line
    return "null" if "inf" in text else text


_MAKERS: dict[str, Callable[[str], str]] = {
    "int": str,
    "float32": _number,
    "float64": _number,
    "text": json.dumps,
    "json": str,
}


class ParquetFile:
    """An Apache Parquet file, by the optional package pyarrow."""

    def __init__(self, path: Path, schema: Schema) -> None:
        self._arrow, parquet = _pyarrow()
        kinds = {"int": self._arrow.int64(), "float32": self._arrow.float32(), "float64": self._arrow.float64()}
        fields = [(name, kinds.get(kind, self._arrow.string())) for name, kind in schema.items()]
        self._schema = self._arrow.schema(fields)
        self._writer = parquet.ParquetWriter(path, self._schema, compression="zstd")

    def write(self, columns: Columns) -> None:
        """Add rows."""
        arrays = [
            self._arrow.array(columns[field.name], type=field.type, from_pandas=True)  # NaN = none
            for field in self._schema
        ]
        self._writer.write_table(self._arrow.Table.from_arrays(arrays, schema=self._schema))

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()


def _pyarrow() -> Sequence[Any]:
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        text = "Parquet needs the package pyarrow, which is not installed"
        raise NoSuchPlugin(text).advise(extra_command("parquet")) from None


KINDS: dict[str, type[TableFile]] = {"csv": CsvFile, "jsonl": JsonLinesFile, "parquet": ParquetFile}
