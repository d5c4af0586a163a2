"""The three verdicts on two runs, and the exit codes of commands that give them."""

from enum import Enum

EXIT_CODES = {"identical": 0, "different": 1, "identical as far as compared": 4}


class Outcome(Enum):
    """What a comparison found."""

    IDENTICAL = "identical"
    DIFFERENT = "different"
    PARTIAL = "identical as far as compared"

    @property
    def exit_code(self) -> int:
        """What a command that found it returns."""
        return EXIT_CODES[self.value]

    def describe(self, compared: int, total: int) -> str:
        """Return the text for a comparison that found no difference."""
        if self is Outcome.PARTIAL:
            return f"{self.value}, {compared} of {total} ticks"
        return f"{self.value}, {compared} ticks"
