"""Questions in SQL about the runs of studies, answered by DuckDB."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coopsim.errors import BadArgument, NoSuchPlugin
from coopsim.features.studies.results import arrow_table, flattened
from coopsim.features.studies.table import StudyTable
from coopsim.interpreter import extra_command


@dataclass(frozen=True)
class QueryResult:
    """Result of a query.

    Attributes:
        columns: Their names.
        lines: A value for each column: numbers, texts, None.
    """

    columns: tuple[str, ...]
    lines: tuple[tuple[Any, ...], ...]

    def to_json(self) -> list[dict[str, Any]]:
        """Return a mapping for each line."""
        return [dict(zip(self.columns, line, strict=True)) for line in self.lines]


def query(sql: str, tables: Mapping[str, StudyTable]) -> QueryResult:
    """Return the answer to a question.

    Args:
        sql: As DuckDB understands it; names with dots stand in double quotes.
        tables: What it may ask, by name; a line for each run.

    Raises:
        BadArgument: It is no question about these tables.
        NoSuchPlugin: A package for it is not installed.
    """
    try:
        import duckdb

        with duckdb.connect(":memory:") as database:
            for name, study in tables.items():
                database.register(name, arrow_table(*flattened(study.rows)))
            try:
                result = database.execute(sql)
                return QueryResult(tuple(column[0] for column in result.description or ()), _plain(result.fetchall()))
            except duckdb.Error as problem:
                raise BadArgument(f"--query: {problem}").advise("") from None
    except ImportError:
        text = "--query needs the packages duckdb and pyarrow"
        raise NoSuchPlugin(text).advise(extra_command("studies")) from None


def _plain(lines: list[tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(value if isinstance(value, _PLAIN) else str(value) for value in line) for line in lines)


_PLAIN = (bool, int, float, str, type(None))
