"""All data of a system over time, in a table."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim.app import talk
from coopsim.app.saving import check_place, spare, writing

if TYPE_CHECKING:
    from coopsim.features.amsa.components import System

_KINDS = (".csv", ".jsonl", ".parquet")
_TYPES = {"double": "float64", "int": "int", "bool": "int", "text": "text"}


class DataSeries:
    """Takes down the data of a system at each instant: a row with the time and a column for each data.

    Args:
        path: The file that becomes of it; None = nothing is taken down.

    Raises:
        UsageError: Its suffix is none of a table, or it cannot be written.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._times: list[float] = []
        self._rows: list[list[Any]] = []
        self._schema: dict[str, str] = {}
        if path is not None:
            if path.suffix.lower() not in _KINDS:
                raise click.UsageError(f"--series {path}: expected a name that ends with {', '.join(_KINDS)}")
            check_place(path, "--series")
            spare(path, "--series", None)

    def of(self, system: "System") -> Callable[[float], None] | None:
        """Return what takes down the data of a system at a time, None = nothing is wanted."""
        if self._path is None:
            return None
        producers = system.model.producers()
        self._schema = {"time": "float64"} | {name: _TYPES[port.type] for name, (_, port) in producers.items()}
        newest, slots = system.newest, [system.slot(name) for name in producers]

        def sample(time: float) -> None:
            self._times.append(time)
            self._rows.append([newest[slot] for slot in slots])

        return sample

    def save(self) -> None:
        """Write the file.

        Raises:
            ClickException: It cannot be written.
        """
        import numpy as np

        from coopsim.features.export.files import KINDS

        if self._path is None:
            return
        columns = zip(*self._rows, strict=True) if self._rows else [()] * (len(self._schema) - 1)
        named = dict(zip(self._schema, [self._times, *columns], strict=True))
        kinds: dict[str, Any] = {"float64": np.float64, "int": np.int64}
        with writing(self._path):
            table = KINDS[self._path.suffix.lower().removeprefix(".")](self._path, self._schema)
            table.write(
                {
                    name: list(values) if self._schema[name] == "text" else np.array(values, kinds[self._schema[name]])
                    for name, values in named.items()
                }
            )
            table.close()
        talk.note(f"wrote {self._path}: {len(self._times)} instants")
