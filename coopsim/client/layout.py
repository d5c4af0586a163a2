"""Layout of the rows of commands and readings of `/sim/step`, as LAYOUT answers it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from coopsim.client.flows import Ask, Flow
from coopsim.errors import MalformedMessage, NoSuchName
from coopsim.geometry import Floats
from coopsim.interfaces import STEP
from coopsim.message import Message

STEP_MODULE = "/sim/step"
_LAYOUT = STEP.command("layout").number
_PAGE = 1000  # robots; a page of longest names stays below the limit of a message


@dataclass(frozen=True, slots=True)
class Column:
    """A field of a row.

    Attributes:
        offset: Its first column.
        length: How many columns it has.
        names: Names of the values of each of its rows, where it is a table.
    """

    module: str
    field: str
    unit: str
    offset: int
    length: int
    names: tuple[str, ...] = ()


@dataclass(frozen=True)
class RowLayout:
    """The columns of a row of commands or readings.

    Attributes:
        width: Columns of the whole row.
        modules: The columns by module and field.
    """

    columns: tuple[Column, ...]
    width: int
    modules: dict[str, dict[str, Column]] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        modules: dict[str, dict[str, Column]] = {}
        for column in self.columns:
            modules.setdefault(column.module, {})[column.field] = column
        object.__setattr__(self, "modules", modules)

    def filled(self, rows: int, **modules: Mapping[str, ArrayLike]) -> Floats:
        """Return rows with values in columns that are called by name and 0 in all others, shape (rows, width).

        `takes.filled(3, motors={"v": 0.3, "w": turns})` commands three robots.

        Raises:
            NoSuchName: There is no such module or field.
        """
        rows_of_zeros = np.zeros((rows, self.width))
        for module, values in modules.items():
            columns = self.modules.get(module, {})
            for name, value in values.items():
                if name not in columns:
                    raise NoSuchName(f"no {module}.{name} in these rows; there are {self}")
                at = columns[name]
                rows_of_zeros[:, at.offset if at.length == 1 else slice(at.offset, at.offset + at.length)] = value
        return rows_of_zeros

    def __str__(self) -> str:
        return ", ".join(f"{column.module}.{column.field} [{column.unit}]" for column in self.columns) or "nothing"


@dataclass(frozen=True, slots=True)
class TypeRows:
    """Columns that robots of one type take and give in a step."""

    name: str
    takes: RowLayout
    gives: RowLayout


@dataclass(frozen=True, slots=True)
class SimulationLayout:
    """The rows of every robot type, and the type of every robot.

    Attributes:
        generation: Grows whenever robots, devices or targets come or go.
    """

    generation: int
    types: dict[str, TypeRows]
    robots: dict[str, str]


def fetching() -> Flow[SimulationLayout]:
    """Ask for the layout, page by page.

    Raises:
        MalformedMessage: The answer is not a layout.
    """
    while True:
        first = page = yield from _page(0)
        robots = dict(first.robots)
        while len(page.robots) == _PAGE and page.generation == first.generation:
            page = yield from _page(len(robots))
            robots |= page.robots
        # robots came or went between two pages: begin anew
        if page.generation == first.generation:
            return replace(first, robots=robots)


def _page(first: int) -> Flow[SimulationLayout]:
    reply = yield Ask(Message(STEP_MODULE, _LAYOUT, (first, _PAGE)))
    try:
        page = json.loads(str(reply.params[0]))
        types = {name: _type(name, rows) for name, rows in page["types"].items()}
        robots = {str(name): str(kind) for name, kind in page["robots"]}
        return SimulationLayout(int(page["generation"]), types, robots)
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise MalformedMessage(
            f"{STEP_MODULE}: expected a layout as JSON ({type(problem).__name__}: {problem})"
        ) from None


def _type(name: str, rows: dict[str, Any]) -> TypeRows:
    takes = RowLayout(tuple(Column(*field) for field in rows["takes"]), int(rows["takes_length"]))
    names = {
        (module, name): tuple(table)
        for module, tables in rows.get("columns", {}).items()
        for name, table in tables.items()
    }
    given = tuple(replace(Column(*field), names=names.get((field[0], field[1]), ())) for field in rows["gives"])
    gives = RowLayout(given, int(rows["gives_length"]))
    return TypeRows(name, takes, gives)
