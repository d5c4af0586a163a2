"""Steps of many robots in one message: the layout of their rows, the commands, and what they read."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from coopsim_client.errors import Malformed
from coopsim_client.message import Asked, Message

STEP, LAYOUT_COMMAND, STEP_COMMAND, CLAIM, RELEASE, PART = "/sim/step", 10, 11, 13, 15, 18
STALE = 206
PAGE = 1000
MOST_ROBOTS, MOST_VALUES = 2000, 65_536
"""Of one message: with names of 128 letters, and nine bytes a value, it is shorter than 1 MiB."""
Columns = dict[tuple[str, str], tuple[int, int]]
"""First value and number of values by module and field."""


@dataclass(slots=True)
class Rows:
    """Where the rows of some robots begin in a message, and where each value of a row stands."""

    width: dict[str, int] = field(default_factory=dict)
    columns: dict[str, Columns] = field(default_factory=dict)
    spans: dict[tuple[str, str, str], slice] = field(default_factory=dict)
    starts: list[int] = field(default_factory=list)
    total: int = 0

    def add(self, robot: str, width: int, columns: Columns) -> None:
        """Put the row of a robot behind all others."""
        self.columns[robot] = columns
        self.starts.append(self.total)
        for (module, name), (start, length) in columns.items():
            self.spans[robot, module, name] = slice(self.total + start, self.total + start + length)
        self.total += width

    def span(self, robot: str, module: str, name: str) -> slice:
        """Return where a value, or a run of values, stands; Malformed when the robot has none of this name."""
        try:
            return self.spans[robot, module, name]
        except KeyError:
            raise Malformed(f"{robot} has no {module}.{name} in a step") from None


@dataclass(slots=True)
class Layout:
    """The rows of the robots of a stepper: what a step takes, and what it gives."""

    generation: int
    takes: Rows
    gives: Rows


class RawReadings:
    """What a step gave."""

    __slots__ = ("data", "rows", "stopped", "tick")

    def __init__(self, reply: Message, rows: Rows) -> None:
        self.tick = reply.tick
        self.data: list[float] = reply.data
        self.rows = rows
        self.stopped = tuple(str(name) for name in reply.params[1:])

    def number(self, robot: str, module: str, name: str) -> float:
        """Return one value."""
        start: int = self.rows.span(robot, module, name).start
        return self.data[start]

    def numbers(self, robot: str, module: str, name: str) -> tuple[float, ...]:
        """Return a run of values."""
        return tuple(self.data[self.rows.span(robot, module, name)])


def joined(replies: Sequence[Message]) -> Message:
    """Return the replies to the parts of a step as one."""
    if len(replies) == 1:
        return replies[0]
    stopped = [name for reply in replies for name in reply.params[1:]]
    data = [value for reply in replies for value in reply.data]
    return replies[-1]._replace(params=[*replies[-1].params[:1], *stopped], data=data)


def layout_of(pages: Sequence[Message], robots: Sequence[str]) -> Layout:
    """Return the layout that the pages of LAYOUT tell; Malformed when they do not."""
    try:
        plain: list[dict[str, Any]] = [json.loads(str(page.params[0])) for page in pages]
        types = {name: rows for page in plain for name, rows in page["types"].items()}
        kinds = {str(name): types[kind] for page in plain for name, kind in page["robots"]}
        layout = Layout(int(plain[0]["generation"]), Rows(), Rows())
        for robot in robots or list(kinds):
            for rows, side in ((layout.takes, "takes"), (layout.gives, "gives")):
                row = {(column[0], column[1]): (int(column[3]), int(column[4])) for column in kinds[robot][side]}
                rows.add(robot, int(kinds[robot][f"{side}_length"]), row)
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise Malformed(f"expected a layout as JSON ({type(problem).__name__}: {problem})") from None
    return layout


class StepperState:
    """What a stepper knows between two steps; the last command of a robot holds until there is another one."""

    def __init__(self, robots: Sequence[str]) -> None:
        self.robots = list(robots)
        self.layout = Layout(0, Rows(), Rows())
        self.commands: list[float] = []
        self.groups: list[tuple[int, int]] = []

    def learn(self, pages: Sequence[Message]) -> None:
        """Lay commands out as the simulation wants them; they begin with 0."""
        self.layout = layout_of(pages, self.robots)
        self.robots = list(self.layout.takes.columns)
        self.commands = [0.0] * self.layout.takes.total
        self.groups = self._groups()

    def _groups(self) -> list[tuple[int, int]]:
        """Return the first robot of each message of a step, and the first one behind it."""
        rows = (self.layout.takes, self.layout.gives)
        ends = [[*side.starts[1:], side.total] for side in rows]
        groups, first = [], 0
        for last in range(len(self.robots)):
            sizes = [end[last] - side.starts[first] for side, end in zip(rows, ends, strict=True)]
            if last - first == MOST_ROBOTS or max(sizes) > MOST_VALUES:
                groups.append((first, last))
                first = last
        return [*groups, (first, len(self.robots))]

    def messages(self) -> list[Asked]:
        """Return the requests of a step: more robots than fit one message are stepped in parts."""
        starts = [*self.layout.takes.starts, self.layout.takes.total]
        return [
            (
                STEP,
                STEP_COMMAND if end == len(self.robots) else PART,
                [self.layout.generation, *self.robots[first:end]],
                self.commands[starts[first] : starts[end]] if self.robots else [],
                0,
            )
            for first, end in self.groups
        ]

    @property
    def claimed(self) -> list[list[str]]:
        """Names of robots, as many together as fit one message."""
        return [self.robots[first:end] for first, end in self.groups]

    def put(self, robot: str, module: str, name: str, *values: float) -> None:
        """Set a value, or a run of values, of the next command of a robot."""
        where = self.layout.takes.span(robot, module, name)
        if where.stop - where.start != len(values):
            raise ValueError(f"{robot}'s {module}.{name} takes {where.stop - where.start} values, got {len(values)}")
        self.commands[where] = values
