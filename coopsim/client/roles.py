"""Roles of trusted keys: watch, drive some robots, or everything.

Specification: docs/protocol.md, "Security".
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from coopsim.errors import BadArgument

WATCH, DRIVE, ALL = ROLES = ("watch", "drive", "all")
_PATTERN = re.compile(r"[A-Za-z*?\[][A-Za-z0-9_/*?\[\]!-]*")


@dataclass(frozen=True, slots=True)
class Role:
    """A role of a key.

    Attributes:
        name: `watch`, `drive` or `all`.
        robots: Names or patterns (`r*`, `team2/*`) of the robots that `drive` may command.

    Raises:
        BadArgument: There is no such role, or `drive` without robots, or robots without `drive`.
    """

    name: str = ALL
    robots: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in ROLES:
            raise BadArgument(f"a role is one of {', '.join(ROLES)}; got {self.name[:40]!r}")
        if self.name == DRIVE and not self.robots:
            raise BadArgument("the role drive needs the names of robots, or patterns: --robots robot1,r*")
        if self.name != DRIVE and self.robots:
            raise BadArgument(f"the role {self.name} takes no robots; drive does")
        for pattern in self.robots:
            if not _PATTERN.fullmatch(pattern):
                raise BadArgument(f"a robot is named like robot1, r* or team2/*; got {pattern[:40]!r}")

    def may_drive(self, robot: str) -> bool:
        """Return whether the role may command `robot`."""
        return self.name == ALL or any(fnmatchcase(robot, pattern) for pattern in self.robots)

    def __str__(self) -> str:
        return " ".join(filter(None, (self.name, ",".join(self.robots))))


EVERYTHING = Role()


def robots_in(text: str) -> tuple[str, ...]:
    """Return the names and patterns in a list with commas or blanks; `/robot1` is accepted for `robot1`."""
    return tuple(_bare(text.replace(",", " ").split()))


def _bare(names: Iterable[str]) -> Iterable[str]:
    return (name.removeprefix("/") for name in names)
