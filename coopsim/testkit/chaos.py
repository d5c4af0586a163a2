"""Faults of a bad network: decisions out of a seed, without any socket or clock."""

import random
from dataclasses import dataclass, field

from coopsim.errors import BadArgument

REQUESTS, REPLIES = "requests", "replies"
BOTH = (REQUESTS, REPLIES)


@dataclass(frozen=True, slots=True)
class Fate:
    """Fate of one message.

    Attributes:
        copies: How often it arrives: 0 = dropped, 2 = duplicated.
        delay: How much later it arrives [s].
        overtaken: Whether messages behind it may arrive before it.
        cuts: Whether the connection breaks with it.
    """

    copies: int = 1
    delay: float = 0.0
    overtaken: bool = False
    cuts: bool = False


@dataclass(frozen=True, slots=True)
class Chaos:
    """Faults of a network. The same seed decides the same about the n-th message of a connection, always.

    Attributes:
        seed: Where the decisions come from.
        drop: Probability that a message is lost.
        duplicate: Probability that it arrives twice.
        reorder: Probability that it is held back for `hold` seconds while later ones pass.
        cut: Probability that the connection breaks, and the message is lost with it.
        delay: Least and largest delay of a message [s]; order is kept.
        hold: How long a message that is overtaken is held back [s].
        directions: Which messages suffer: "requests" (to the server), "replies", or both.

    Raises:
        BadArgument: A probability lies outside of 0 and 1, a delay is negative, a direction unknown.
    """

    seed: int = 0
    drop: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    cut: float = 0.0
    delay: tuple[float, float] = (0.0, 0.0)
    hold: float = 0.02
    directions: tuple[str, ...] = field(default=BOTH)

    def __post_init__(self) -> None:
        for name in ("drop", "duplicate", "reorder", "cut"):
            value = getattr(self, name)
            if not 0.0 <= value <= 1.0:
                raise BadArgument(f"{name} is a probability within 0 and 1, got {value!r}")
        low, high = self.delay
        if not 0.0 <= low <= high or self.hold < 0.0:
            raise BadArgument(f"delay must be (least, largest) and hold at least 0 s, got {self.delay}, {self.hold}")
        if unknown := set(self.directions).difference(BOTH):
            raise BadArgument(f"directions are {' and '.join(BOTH)}, got {', '.join(sorted(unknown))}")

    def fate(self, connection: int, direction: str, number: int) -> Fate:
        """Return what becomes of message `number` in one direction of a connection; all count from 0."""
        if direction not in self.directions:
            return Fate()
        chance = random.Random(f"{self.seed} {connection} {direction} {number}")  # noqa: S311 - to be repeatable
        # always the same draws, so that raising one probability leaves the other decisions as they were
        drop, duplicate, reorder, cut, late = (chance.random() for _ in range(5))
        low, high = self.delay
        copies = 0 if drop < self.drop else 2 if duplicate < self.duplicate else 1
        return Fate(copies, low + late * (high - low), reorder < self.reorder, cut < self.cut)
