"""Marks of events on the time line."""

from bisect import bisect_left, insort
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

MarkKind: TypeAlias = Literal["event", "edit", "collision"]
KINDS: tuple[MarkKind, ...] = get_args(MarkKind)
_MOST = 2000  # newest ones; a timeline has fewer pixels
_JOINED = 0.25
"""Commands that are nearer to each other than this are drawn as one [s]."""


@dataclass(frozen=True, slots=True, order=True)
class Mark:
    """Event on the time line.

    Attributes:
        time: When [s].
        kind: A timed event of the scenario, an edit by somebody, a robot that was touched.
        text: For people.
    """

    time: float
    kind: MarkKind
    text: str


@dataclass
class Marks:
    """Events on the time line, in bounded memory.

    Attributes:
        marks: By their times.
        commands: When each robot was commanded: begin and end of each part, by their times [s].
    """

    marks: list[Mark] = field(default_factory=list)
    commands: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    def add(self, mark: Mark) -> None:
        """Keep a mark, once."""
        place = bisect_left(self.marks, mark)
        # a mark may be told again after a connection broke
        if place == len(self.marks) or self.marks[place] != mark:
            insort(self.marks, mark)
            # the newest stay: people look for what has just happened
            del self.marks[:-_MOST]

    def command(self, robot: str, begin: float, end: float) -> None:
        """Keep that a robot was commanded for a while."""
        parts = self.commands.setdefault(robot, [])
        if parts and parts[-1][0] <= begin <= parts[-1][1] + _JOINED:
            parts[-1] = parts[-1][0], max(end, parts[-1][1])
        else:
            insort(parts, (begin, end))
            del parts[:-_MOST]

    def clear(self) -> None:
        """Forget everything."""
        self.marks.clear()
        self.commands.clear()
