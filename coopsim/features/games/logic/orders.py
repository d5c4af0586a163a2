"""Orders of players, as text, and commands to robots, as data.

A line is `SQUAD VERB ...`: `a gather [X Y] [FORMATION]`, `a go_to X Y [FORMATION]`, `a attack ROBOT`, `a defend NAME`,
`a capture FLAG`, `a bring BASE`, `a stop`, `a split NAME ROBOT ...`, `a merge SQUAD`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from coopsim.errors import BadArgument
from coopsim.features.laws.planning import FORMATIONS
from coopsim.suggest import did_you_mean, listed

VERBS: Mapping[str, str] = {
    "gather": "maybe_point",
    "go_to": "point",
    "attack": "name",
    "defend": "name",
    "capture": "name",
    "bring": "name",
    "stop": "nothing",
    "split": "members",
    "merge": "name",
}
"""What every squad understands, and the words that follow, as `coopsim.scene.ORDER_WORDS` has them."""
_FOLLOWS = {
    "maybe_point": " [X Y] [FORMATION]",
    "point": " X Y [FORMATION]",
    "name": " NAME",
    "nothing": "",
    "members": " NAME ROBOT ...",
}
ORDER_FORMS = f"SQUAD and one of: {', '.join(verb + _FOLLOWS[takes] for verb, takes in VERBS.items())}"
"""What an order looks like, for people."""


@dataclass(frozen=True, slots=True)
class SquadOrder:
    """Order for a squad.

    Attributes:
        subject: Robot, flag or area that it is about, "" = none; of `split` the name of the new squad.
        point: Where, None = nothing is said.
        formation: "" = that of the squad.
        robots: That form the new squad.
    """

    squad: str
    verb: str
    subject: str = ""
    point: tuple[float, float] | None = None
    formation: str = ""
    robots: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return it as players write it."""
        place = "" if self.point is None else f"{self.point[0]:g} {self.point[1]:g}"
        words = self.squad, self.verb, self.subject, *self.robots, place, self.formation
        return " ".join(word for word in words if word)


@dataclass(frozen=True, slots=True)
class RobotCommand:
    """Command for one robot, of one of its modules."""

    robot: str
    module: str
    command: str
    values: tuple[float, ...] = ()


def read_order(line: str, own: Mapping[str, Mapping[str, str]] | None = None) -> SquadOrder:
    """Return what a line says.

    Args:
        line: SQUAD VERB and what the verb takes.
        own: Further verbs that squads understand, by squad.

    Raises:
        BadArgument: It says nothing that squads understand.
    """
    if len(line.split()) < 2:
        raise BadArgument(f"an order is {ORDER_FORMS}; got {line.strip()[:40]!r}")
    squad, verb, *rest = line.split()
    verbs = {**VERBS, **(own or {}).get(squad, {})}
    if verb not in verbs:
        raise BadArgument(f"squads do not know {verb!r}{did_you_mean(verb, verbs)}; {listed(verbs)}").bring(verb)
    takes = verbs[verb]
    if takes == "name":
        if len(rest) != 1:
            raise BadArgument(f"{verb} takes one name, got {len(rest)} words")
        return SquadOrder(squad, verb, rest[0])
    if takes == "nothing":
        if rest:
            raise BadArgument(f"{verb} takes nothing, got {len(rest)} words")
        return SquadOrder(squad, verb)
    if takes == "members":
        if len(rest) < 2:
            raise BadArgument(f"{verb} takes the name of the new squad and its robots, got {len(rest)} words")
        return SquadOrder(squad, verb, rest[0], robots=tuple(dict.fromkeys(rest[1:])))
    formation = rest.pop() if rest and rest[-1] in FORMATIONS else ""
    point = _point(rest) if rest else None
    if takes == "point" and point is None:
        raise BadArgument(f"{verb} takes x and y")
    return SquadOrder(squad, verb, "", point, formation)


def _point(words: list[str]) -> tuple[float, float]:
    try:
        x, y = (float(word) for word in words)
    except ValueError:
        raise BadArgument(f"expected x and y, then perhaps a formation; got {' '.join(words)[:80]!r}") from None
    if not math.isfinite(x + y):
        raise BadArgument(f"x and y must be finite, got {x} {y}")
    return x, y
