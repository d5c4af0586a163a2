"""End of a run that stays: time stands still, clients are told why, and everything can still be asked and done."""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from coopsim.launch.goal_watch import GoalWatch
from coopsim.launch.outcome import RunOutcome
from coopsim.launch.run_controllers import RunControllers
from coopsim.launch.watching import RingFollowers
from coopsim.state import Record
from coopsim.transport import Channel
from coopsim.transport.control import ControllersNews

_TOLD_EVERY = 0.3
"""Between two looks at what clients are told [s]."""


class RunEnd:
    """End of a run: whether it is over, and what clients are told of its control laws, its goals and its end.

    Args:
        controllers: Of the run.
        goals: That are watched, None = nobody looks on.
        is_watched: Returns whether somebody looks on: as long as that is so the run stays after its end.
    """

    def __init__(
        self, controllers: RunControllers, goals: GoalWatch | None, is_watched: Callable[[], bool] | None
    ) -> None:
        self._controllers, self._goals, self._is_watched = controllers, goals, is_watched
        self._outcome: RunOutcome | None = None
        self._told: dict[str, Any] | None = None
        self._last, self._due = "", 0.0

    @property
    def is_reached(self) -> bool:
        """Whether the run is over, and stays."""
        return self._outcome is not None

    def conclude(self, outcome: RunOutcome, last: Record | None, failures: Sequence[str]) -> bool:
        """Handle the end of the run; return whether it stays.

        Args:
            outcome: Why it ends.
            last: The last record.
            failures: What went wrong meanwhile.
        """
        if self._is_watched is None or not self._is_watched() or outcome.is_fault:
            return False
        if self._outcome is None:
            self._outcome, self._due = outcome, 0.0
            place = {} if last is None else {"time": last.time, "tick": last.tick}
            self._told = {"text": outcome.reason, "time": 0.0, "tick": 0, **place, "failures": list(failures)}
        return True

    def outcome(self) -> RunOutcome | None:
        """Return how a run that stayed ends, as soon as nobody looks on any more; None = not yet."""
        if self._outcome is None or (self._is_watched is not None and self._is_watched()):
            return None
        return self._outcome

    def final(self, ending: RunOutcome) -> RunOutcome:
        """Return how the run ended: a person who closes what stayed does not stop it."""
        if self._outcome is not None and ending.code in {130, 143}:
            return replace(ending, code=self._outcome.code, reason=self._outcome.reason)
        return ending

    def report(self, host: Channel[Any, Any], following: RingFollowers) -> None:
        """Tell the host how control laws and goals stand; watch the goals of a scene that was loaded since.

        Args:
            host: Channel to it.
            following: What reads the records of the run.
        """
        if self._controllers.has_changed:
            self._controllers.has_changed = False
            self._outcome = self._told = None
            self._goals = GoalWatch(self._controllers.spec) if self._is_watched is not None else None
            following.exchange(self._goals)
            self._due = 0.0
        if not host.pending and (news := self.news()) is not None:
            host.send(news)

    def news(self) -> ControllersNews | None:
        """Return what clients are to be told, None where that has not changed."""
        now = time.monotonic()
        if now < self._due:
            return None
        self._due = now + _TOLD_EVERY
        goals = [] if self._goals is None else self._goals.standing(is_over=self._told is not None)
        text = json.dumps({**self._controllers.to_plain(), "goals": goals, "end": self._told})
        if text == self._last:
            return None
        self._last = text
        return ControllersNews(text)
