"""Robots that are commanded every few ticks only: for which ticks a command counts. Pure logic.

Specification: docs/protocol.md, "Lockstep".
"""

from collections.abc import Collection, Iterable, Mapping


class Periods:
    """Number of ticks that a command of each robot counts for; one, where nothing else was said.

    Attributes:
        resting: Robots whose last command counts for the next tick: the first and the last tick that it counts for.
    """

    def __init__(self) -> None:
        self._ticks: dict[str, int] = {}
        self.resting: dict[str, tuple[int, int]] = {}
        self._next_end = 0

    def __bool__(self) -> bool:
        return bool(self._ticks)

    def set(self, robots: Iterable[str], ticks: int) -> None:
        """Let the next commands of robots count for a number of ticks."""
        for robot in robots:
            self.resting.pop(robot, None)
            self._ticks.pop(robot, None)
            if ticks > 1:
                self._ticks[robot] = ticks

    def of(self, robot: str) -> int:
        """Return for how many ticks a command of a robot counts."""
        return self._ticks.get(robot, 1)

    def resume(self, spans: Mapping[str, tuple[int, int]]) -> None:
        """Go on after commands that came elsewhere; `spans` are those of the robots that rest."""
        self.resting = dict(spans)
        self._next_end = 0

    def forget(self, robots: Iterable[str]) -> None:
        """Let commands of robots count for one tick: they have another owner, or none."""
        self.set(robots, 1)

    def begin(self, robots: Iterable[str], tick: int) -> None:
        """Note commands for a tick; one that comes before the last tick of a period does not lengthen it."""
        begun = [robot for robot in robots if robot in self._ticks and robot not in self.resting]
        if not begun:
            return
        spans = [(tick, tick + self._ticks[robot] - 1) for robot in begun]
        self.resting.update(zip(begun, spans, strict=True))
        self._next_end = min(self._next_end, min(spans)[1])

    def ticked(self, tick: int) -> None:
        """End the periods whose last tick is done."""
        if tick >= self._next_end:
            self.resting = {robot: span for robot, span in self.resting.items() if span[1] > tick}
            self._next_end = min((end for _, end in self.resting.values()), default=tick + 1)

    def further(self, robots: Collection[str], tick: int, *, lockstep: bool) -> int:
        """Return how many ticks after the one behind `tick` a STEP for robots is answered."""
        if not self._ticks:
            return 0
        if lockstep:
            return (
                max((self.resting[robot][1] for robot in robots if robot in self.resting), default=tick + 1) - tick - 1
            )
        return max((self._ticks.get(robot, 1) for robot in robots), default=1) - 1

    def hold(self, stamp: int, robots: Collection[str]) -> bool:
        """Return whether the periods of all these robots hold the tick of a stamp: the command is sent once more."""
        return bool(robots) and all(robot in self.resting and self.resting[robot][0] <= stamp for robot in robots)
