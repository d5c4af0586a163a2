"""The robots of a stepper: whose commands and readings are where in the flat vectors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coopsim.client.layout import SimulationLayout, TypeRows
from coopsim.errors import BadArgument, NoSuchName
from coopsim.geometry import Floats, all_finite
from coopsim.suggest import did_you_mean, listed

Commands = Floats | Sequence[Any] | Mapping[str, Any]
"""Rows of commands: an array (n, width), or values by robot; robots left out keep their last."""


@dataclass(frozen=True, slots=True)
class TypeRange:
    """Robots of one type, row after row.

    Attributes:
        commands: Where their rows of commands begin in the flat vector.
        readings: Where their rows of readings begin.
    """

    type: TypeRows
    robots: tuple[str, ...]
    commands: int
    readings: int


@dataclass(frozen=True)
class Team:
    """The robots of a stepper, those of one type together.

    Attributes:
        robots: Their names, in the order of the rows.
        command_size: Length of all rows of commands together.
        reading_size: Length of all rows of readings together.
        rows: Per robot its block and its row in the block.
    """

    generation: int
    blocks: tuple[TypeRange, ...]
    robots: tuple[str, ...]
    command_size: int
    reading_size: int
    rows: dict[str, tuple[TypeRange, int]] = field(repr=False)

    def command_span(self, robot: str) -> slice:
        """Return where the robot's row of commands is."""
        block, row = self.rows[robot]
        width = block.type.takes.width
        return slice(block.commands + row * width, block.commands + (row + 1) * width)

    def reading_span(self, robot: str) -> slice:
        """Return where the robot's row of readings is."""
        block, row = self.rows[robot]
        width = block.type.gives.width
        return slice(block.readings + row * width, block.readings + (row + 1) * width)

    def write(self, commands: Commands, out: Floats) -> None:
        """Write `commands` into the flat vector `out`.

        Raises:
            BadArgument: They do not fit the robots, or are not finite numbers.
            NoSuchName: A name is none of this team.
        """
        if isinstance(commands, np.ndarray) or not isinstance(commands, Mapping):
            if not _fill(commands, out):
                expected = f"{len(self.robots)} robots take {self._expected_values()}"
                raise BadArgument(f"{expected}; got {self._shown(commands)}")
            return
        for robot, values in commands.items():
            if robot not in self.rows:
                raise NoSuchName(
                    f"{robot!r} is not in this team{did_you_mean(robot, self.robots)}; {listed(self.robots)}"
                )
            if not _fill(values, out[self.command_span(robot)]):
                raise BadArgument(f"{robot} takes {self.rows[robot][0].type.takes}; got {_shown(values)}")

    def _shown(self, commands: Any) -> str:
        """Return in words what does not fit the robots: the first row that is not finite, and its robot."""
        given = _floats(commands)
        if given is None or given.size != self.command_size or all_finite(given):
            return _shown(commands)
        values = given.ravel()
        place = int(np.argmin(np.isfinite(values)))
        robot = next(robot for robot in self.robots if place < self.command_span(robot).stop)
        return f"{_shown(values[self.command_span(robot)])} for {robot}"

    def _expected_values(self) -> str:
        return "; ".join(
            f"{block.type.takes.width} values each: {block.type.takes} ({listed(block.robots, 3)})"
            for block in self.blocks
        )


def _floats(values: Any) -> Floats | None:
    """Return `values` as an array, None if they are no numbers."""
    try:
        return np.asarray(values, np.float64)
    except (TypeError, ValueError):
        return None


def _fill(values: Any, out: Floats) -> bool:
    """Write `values` into `out`; False if they do not fit or are not finite."""
    given = _floats(values)
    if given is None or given.size != out.size or not all_finite(given):
        return False
    out[:] = given.ravel()
    return True


def _shown(values: Any) -> str:
    given = _floats(values)
    if given is None:
        return repr(values)[:80]
    if all_finite(given):
        return f"{given.size} values of shape {given.shape}"
    return f"{given.ravel().tolist()[:20]}: commands must be finite"


def form(layout: SimulationLayout, robots: Sequence[str]) -> Team:
    """Return the team of `robots`: those of one type together, types and robots in the order given; none is one, too.

    Raises:
        NoSuchName: A robot is not in the simulation.
        BadArgument: A robot is named twice.
    """
    _check(layout, robots)
    by_type: dict[str, list[str]] = {}
    for robot in robots:
        by_type.setdefault(layout.robots[robot], []).append(robot)
    blocks, commands, readings = [], 0, 0
    for kind, members in by_type.items():
        rows = layout.types[kind]
        blocks.append(TypeRange(rows, tuple(members), commands, readings))
        commands += len(members) * rows.takes.width
        readings += len(members) * rows.gives.width
    places = {robot: (block, row) for block in blocks for row, robot in enumerate(block.robots)}
    return Team(layout.generation, tuple(blocks), tuple(places), commands, readings, places)


def _check(layout: SimulationLayout, robots: Sequence[str]) -> None:
    for robot in robots:
        if robot not in layout.robots:
            robot_words = listed(layout.robots)
            raise NoSuchName(f"no robot {robot!r}{did_you_mean(robot, layout.robots)}; there are: {robot_words}")
    twice = [robot for robot, count in Counter(robots).items() if count > 1]
    if twice:
        raise BadArgument(f"robot {twice[0]!r} is named twice")
