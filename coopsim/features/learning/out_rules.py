"""Rules by which robots tell from their own readings that their part in a task is over."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.geometry import Bools, Floats


@dataclass(frozen=True, slots=True)
class OutRule:
    """A rule: a robot is out where the mean of some of its readings is above or below a limit.

    Attributes:
        module: Its name.
        columns: Which of its readings; () = all.
        limit: In the unit of the readings.
        is_above: Whether it is out above the limit, not below it.
    """

    module: str
    columns: tuple[int, ...] = ()
    limit: float = 0.0
    is_above: bool = True

    def meets(self, readings: Floats) -> Bools:
        """Return which robots meet the rule.

        Args:
            readings: Of the module, shape (robots, width).
        """
        mean = (readings[:, list(self.columns)] if self.columns else readings).mean(axis=-1)
        met: Bools = mean > self.limit if self.is_above else mean < self.limit
        return met


class OutRobots:
    """Robots that a policy drives, and who of them is out, as a batch has it.

    Args:
        rules: Whoever meets one of them is out until the program ends.
        names: Of the robots, in the order of rows.
        note: Is called with a text when a robot comes to be out.
    """

    def __init__(self, rules: Sequence[OutRule], names: Sequence[str], note: Callable[[str], None]) -> None:
        self._rules, self._names, self._note = tuple(rules), tuple(names), note
        self._out, self._is_begun = np.zeros(len(names), np.bool_), False

    def judge(self, readings: Mapping[str, Floats]) -> Bools:
        """Return who is out after a step, shape (robots,); before the first one nobody is.

        Args:
            readings: Of each module, shape (robots, width).
        """
        if self._is_begun:
            before = self._out.copy()
            for rule in self._rules:
                self._out |= rule.meets(readings[rule.module])
            for row in np.flatnonzero(self._out & ~before):
                self._note(f"{self._names[row]} is out, and stands still from now on")
        self._is_begun = True
        return self._out
