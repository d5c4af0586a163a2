"""Bindings between the data of a system and devices of robots: readings in, commands out."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from coopsim.errors import BadArgument

_FIELD = re.compile(r"(\w+)(?:\[(\d{1,4})\])?")


@dataclass(frozen=True, slots=True)
class Bound:
    """A reading or a command of a device.

    Attributes:
        robot: Its name, "" = the robot that the system is on.
        name: Of the reading or command.
        index: Which value of a reading that has several, from 0.
    """

    robot: str
    module: str
    name: str
    index: int = 0

    def __str__(self) -> str:
        path = ".".join(part for part in (self.robot, self.module, self.name) if part)
        return f"{path}[{self.index}]" if self.index else path


@dataclass(frozen=True, slots=True)
class Binding:
    """A reading that becomes data, or data that become the values of a command.

    Attributes:
        data: One for a reading, as many as it takes for a command.
        factor: What the reading is multiplied by, or the data.
    """

    to: Bound
    data: tuple[str, ...]
    factor: float = 1.0

    def __str__(self) -> str:
        return " ".join((str(self.to), *self.data, repr(self.factor)))


def bound(path: str) -> Bound:
    """Return what `robot.module.name`, or `module.name` for the own robot, means.

    Raises:
        BadArgument: It is no such path.
    """
    parts = path.split(".")
    field = _FIELD.fullmatch(parts[-1])
    if len(parts) not in (2, 3) or field is None or not all(parts):
        raise BadArgument(f"expected module.reading of the own robot, or robot.module.reading, got {path[:80]!r}")
    robot = parts[0] if len(parts) == 3 else ""
    return Bound(robot, parts[-2], field[1], int(field[2] or 0))


def binding(words: Sequence[str]) -> Binding:
    """Return what `PATH DATA... [FACTOR]` means.

    Raises:
        BadArgument: It is no such line.
    """
    path, *rest = words
    factor = 1.0
    if rest and _is_number(rest[-1]):
        factor = float(rest.pop())
    if not rest:
        raise BadArgument(f"{path[:80]}: the name of data is missing")
    return Binding(bound(path), tuple(rest), factor)


def lines_of(words: Sequence[str]) -> list[list[tuple[str, int]]]:
    """Return the lines that words make with commas between them: each word with the index of where it stood."""
    lines: list[list[tuple[str, int]]] = [[]]
    for index, word in enumerate(words):
        for place, part in enumerate(word.split(",")):
            if place:
                lines.append([])
            lines[-1] += [(word, index) for word in part.split()]
    return [line for line in lines if line]


def as_text(bindings: Sequence[Binding]) -> str:
    """Return bindings as the setting of a device holds them."""
    return ";".join(map(str, bindings))


def from_text(text: str) -> tuple[Binding, ...]:
    """Return what `as_text` was given."""
    return tuple(binding(line.split()) for line in text.split(";") if line)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
