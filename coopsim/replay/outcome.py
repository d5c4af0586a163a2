"""The verdicts on two runs, the exit codes of commands that give them, and what recordings claim."""

from enum import Enum
from typing import NamedTuple

EXIT_CODES = {"identical": 0, "different": 1, "identical as far as compared": 4, "cannot tell": 4}


class Outcome(Enum):
    """The result of a comparison."""

    IDENTICAL = "identical"
    DIFFERENT = "different"
    PARTIAL = "identical as far as compared"
    UNKNOWN = "cannot tell"

    @property
    def exit_code(self) -> int:
        """Exit code of a command with this outcome."""
        return EXIT_CODES[self.value]

    def describe(self, compared: int, total: int) -> str:
        """Return the text for a comparison that found no difference."""
        if self is Outcome.PARTIAL:
            return f"{self.value}, {compared} of {total} ticks"
        return self.value if self is Outcome.UNKNOWN else f"{self.value}, {compared} ticks"


class Claim(NamedTuple):
    """A kind of thing that a recording says.

    Attributes:
        kind: `states`, `told values`, `attached texts`.
        where: Which of them: names, ticks, how many.
    """

    kind: str
    where: str

    def __str__(self) -> str:
        return f"{self.kind} ({self.where})" if self.where else self.kind
