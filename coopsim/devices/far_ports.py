"""Ports of an on-board program beyond its own robot, by names."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

from coopsim.devices.program import CommandPort
from coopsim.geometry import Floats


class Board(Protocol):
    """All robots, as a program that names some of them reaches them.

    Attributes:
        readings: Of all robots after the last tick, flat.
    """

    readings: Floats

    def column(self, robot: str, module: str, field: str, index: int) -> int:
        """Return where a reading stands among all, -1 if there is none (any more)."""
        ...

    def carriers(self, kind: str) -> Iterator[tuple[str, int, int]]:
        """Yield who has a device of a type: name, and begin and number of the readings of the first such device."""
        ...

    def port(self, robot: str, module: str) -> CommandPort | None:
        """Return the commands of a device of one robot, None if it is not there."""
        ...


@runtime_checkable
class FarReaching(Protocol):
    """A program or sensor that reaches other robots.

    Attributes:
        commanded: Names of the robots whose devices it commands.
    """

    commanded: frozenset[str]

    def reach(self, board: Board) -> None:
        """Note where its readings and commands are; called whenever robots come or go, before it runs."""
        ...
