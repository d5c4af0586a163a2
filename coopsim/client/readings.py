"""Readings of many robots: one robot's as numbers, a whole type's as arrays."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from coopsim.client.layout import Column, RowLayout
from coopsim.client.team import Team, TypeRange
from coopsim.errors import NoSuchName
from coopsim.geometry import Floats
from coopsim.suggest import did_you_mean, listed


class ModuleReadings:
    """The fields of one module: `sonars.ranges`, an array (11,) of one robot, (n, 11) of n robots."""

    def __init__(self, columns: dict[str, Column], rows: Floats) -> None:
        self._columns = columns
        self._rows = rows

    def __getattr__(self, name: str) -> Any:
        column = self._columns.get(name) if not name.startswith("_") else None
        if column is None:
            raise AttributeError(
                f"no reading {name!r}{did_you_mean(name, self._columns)}; there are {listed(self._columns)}"
            )
        if column.length == 1:
            return self._rows[column.offset] if self._rows.ndim == 1 else self._rows[:, column.offset]
        return self._rows[..., column.offset : column.offset + column.length]

    def table(self, name: str) -> Floats:
        """Return a field that is a table with its rows: `target.table("targets")`, (m, 3) of one robot, (n, m, 3) of n.

        Raises:
            NoSuchName: There is no such field.
        """
        column = self._columns.get(name)
        if column is None:
            raise NoSuchName(
                f"no reading {name!r}{did_you_mean(name, self._columns)}; there are {listed(self._columns)}"
            )
        wide = len(column.names) or column.length or 1
        flat = self._rows[..., column.offset : column.offset + column.length]
        return flat.reshape(*flat.shape[:-1], column.length // wide, wide)

    def __dir__(self) -> list[str]:
        return sorted(self._columns)

    def __repr__(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in self._columns)


class Rows:
    """The modules of one robot, or of all robots of a type: `.sonars.ranges`.

    Attributes:
        robots: Whose rows they are.
        table: The rows themselves: (width,) of one robot, (n, width) of a type.
    """

    def __init__(self, robots: tuple[str, ...], layout: RowLayout, table: Floats) -> None:
        self.robots = robots
        self.table = table
        self._layout = layout

    def __getattr__(self, name: str) -> ModuleReadings:
        columns = self._layout.modules.get(name) if not name.startswith("_") else None
        if columns is None:
            modules = self._layout.modules if not name.startswith("_") else ()
            raise AttributeError(f"no module {name!r}{did_you_mean(name, modules)}; there are {listed(modules)}")
        return ModuleReadings(columns, self.table)

    def __dir__(self) -> list[str]:
        return sorted({"robots", "table", *self._layout.modules})

    def __repr__(self) -> str:
        return "\n".join(f"{name}: {getattr(self, name)}" for name in self._layout.modules)


class Readings:
    """Readings of all robots of a stepper in one tick.

    `readings["robot1"].sonars.ranges` is one robot's, shape (11,); `readings.sonars.ranges` that of all robots,
    shape (n, 11), where they are of one type; `readings.of("single")` serves mixed teams.

    Attributes:
        tick: The tick they were taken in.
        robots: Names, in the order of the rows.
        flat: All rows back to back.
    """

    def __init__(self, team: Team, flat: Floats, tick: int) -> None:
        self.tick = tick
        self.flat = flat
        self._team = team

    @property
    def robots(self) -> tuple[str, ...]:
        """Names of the robots, in the order of the rows."""
        return self._team.robots

    @property
    def types(self) -> tuple[str, ...]:
        """Names of the robot types, in the order of the rows."""
        return tuple(block.type.name for block in self._team.blocks)

    def of(self, kind: str) -> Rows:
        """Return the rows of all robots of a type.

        Raises:
            NoSuchName: No robot here is of that type.
        """
        for block in self._team.blocks:
            if block.type.name == kind:
                return self._block(block)
        raise NoSuchName(f"no robot of type {kind!r}{did_you_mean(kind, self.types)}; there are {listed(self.types)}")

    def __getitem__(self, robot: str) -> Rows:
        """Return the row of one robot; raises NoSuchName for an unknown one."""
        if robot not in self._team.rows:
            raise NoSuchName(f"{robot!r} is not in this team{did_you_mean(robot, self.robots)}; {listed(self.robots)}")
        layout = self._team.rows[robot][0].type.gives
        return Rows((robot,), layout, self.flat[self._team.reading_span(robot)])

    def __iter__(self) -> Iterator[str]:
        """Return the names of the robots."""
        return iter(self.robots)

    def __len__(self) -> int:
        """Return how many robots there are."""
        return len(self.robots)

    def __getattr__(self, name: str) -> ModuleReadings:
        if name.startswith("_"):
            raise AttributeError(name)
        blocks = self._team.blocks
        if len(blocks) > 1:
            raise AttributeError(
                f"the robots are of types {listed(self.types)}: ask .of({blocks[0].type.name!r}).{name}"
            )
        module: ModuleReadings = getattr(self._block(blocks[0]), name)
        return module

    def __dir__(self) -> list[str]:
        modules = self._team.blocks[0].type.gives.modules if len(self._team.blocks) == 1 else ()
        return sorted({*super().__dir__(), *modules})

    def __repr__(self) -> str:
        return f"<readings of {listed(self.robots, 4)} at tick {self.tick}>"

    def _block(self, block: TypeRange) -> Rows:
        width = block.type.gives.width
        end = block.readings + len(block.robots) * width
        return Rows(block.robots, block.type.gives, np.reshape(self.flat[block.readings : end], (-1, width)))
