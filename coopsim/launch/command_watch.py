"""Warns when time outruns controllers: a run in free mode does not wait for them."""

from collections.abc import Callable, Mapping
from typing import Any

_EARLY = 100


class CommandWatch:
    """Watches whether the robots of the controllers that were started get commands.

    Args:
        robots: How many robots these controllers drive.
        warn: Called with the text of a warning.
    """

    def __init__(self, robots: int, warn: Callable[[str], None]) -> None:
        self._robots, self._warn = robots, warn
        self._has_warned = False

    def check(self, status: Mapping[str, Any]) -> None:
        """Warn once, early: some have no command though many ticks are over."""
        if not self._has_warned and status["mode"] == "free" and status["tick"] >= _EARLY:
            self._tell(status.get("driven"), f"in the first {status['tick']} ticks")

    def conclude(self, mode: str, driven: int | None, ticks: int) -> None:
        """Warn in the end: some never got a command.

        Args:
            mode: How time passed.
            driven: How many robots were ever commanded; None = unknown.
            ticks: How many there were.
        """
        if mode == "free" and ticks > 0:
            self._tell(driven, f"in {ticks} ticks")

    def _tell(self, driven: int | None, when: str) -> None:
        if driven is None or driven >= self._robots:
            return
        self._has_warned = True
        self._warn(
            f"{self._robots - driven} of {self._robots} robots got no command {when}: in free mode time does not wait "
            "for controllers; --mode lockstep does"
        )
