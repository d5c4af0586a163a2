"""Goals of a scene while it runs: which are reached, and when."""

from typing import Any

from coopsim.metrics import GoalResult, RunArrays, RunningGoals
from coopsim.replay.judging import formations_of, records_as_part
from coopsim.robots import RunSpec
from coopsim.state import Layout, Record

_PART = 256
"""Records that are judged at once at the latest."""


class GoalWatch:
    """Takes all records of a run, and says how its goals stand.

    Unlike a judge it ends nothing and measures no metric: scores are open until the run is judged.

    Args:
        spec: What runs.
    """

    is_over = False

    def __init__(self, spec: RunSpec) -> None:
        self._goals, self._formations = spec.scenario.goals, formations_of(spec)
        self._running = RunningGoals(self._goals)
        self._layout: Layout | None = None
        self._records: list[Record] = []
        self._last_ns = 0

    def add(self, layout: Layout, record: Record) -> None:
        """Take the next record; where time begins anew the goals do so, too."""
        if record.header.time_ns < self._last_ns:
            self._running, self._records = RunningGoals(self._goals), []
        elif layout is not self._layout or len(self._records) >= _PART:
            self._flush()
        self._layout, self._last_ns = layout, record.header.time_ns
        self._records.append(record)

    def standing(self, *, is_over: bool) -> list[dict[str, Any]]:
        """Return each goal with what became of it so far.

        Args:
            is_over: Whether the run has ended, so that what was not reached is missed.
        """
        self._flush()
        return [_plain(result, is_over=is_over) for result in self._running.results({})]

    def _flush(self) -> None:
        if self._records and self._layout is not None:
            times = [record.header.time_ns / 1e9 for record in self._records]
            part = records_as_part(self._layout, times, self._records)
            self._running.add(RunArrays((part,), self._formations))
        self._records = []


def _plain(result: GoalResult, *, is_over: bool) -> dict[str, Any]:
    goal = result.goal
    if goal.kind == "score":
        return {
            "name": goal.name,
            "text": f"{goal.name}: {goal.subject} is measured when the run is judged",
            "met": None,
            "at": None,
        }
    is_open = result.at is None and not is_over
    met = None if is_open and goal.kind == "reach" else bool(result.met)
    text = f"{goal.name}: to be reached" if met is None else result.text.removeprefix("goal ")
    return {"name": goal.name, "text": text, "met": met, "at": result.at}
