"""A run judged by the goals of its scenario: record by record while it goes on, or all of a recording.

Either way it is judged piece by piece: memory does not grow with its length, unless a metric needs all of it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coopsim.metrics import (
    ArrayPart,
    Formation,
    GoalResult,
    Measurement,
    Metrics,
    Pieces,
    RunArrays,
    RunningGoals,
    kept_formations,
)
from coopsim.recording import Recording
from coopsim.robots import RunSpec
from coopsim.scene import Goal
from coopsim.state import HEADER_BYTES, Layout, Record

_PART = 256  # records at once: arrays stay in the cache
_FIRST_LOOK = 50  # records; goals are looked at ever more seldom, in proportion to what is behind
_GROWTH = 1.05  # a decision is at most a twentieth of the run late


@dataclass(frozen=True)
class Judgement:
    """Outcome of a run.

    Attributes:
        goals: Each with its result.
        metrics: By name.
    """

    goals: tuple[GoalResult, ...]
    metrics: Metrics

    @property
    def is_missed(self) -> bool:
        """Whether a goal was missed."""
        return any(goal.met is False for goal in self.goals)

    def to_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it."""
        return {"goals": [goal.to_json() for goal in self.goals], "metrics": self.metrics}

    @property
    def text(self) -> str:
        """Message for people: a line for each goal."""
        return "\n".join(goal.text for goal in self.goals) or "the scenario has no goals"


class RunJudge:
    """Judges a run while it goes on.

    What counts ends with the record in which the last goal is decided, so that it does not matter how much later the
    run is stopped. Numbers are kept as recordings keep them, so that a recording is judged alike.

    Args:
        spec: What is run.
        names: Metrics to measure; None = all that are registered.
    """

    def __init__(self, spec: RunSpec, names: Sequence[str] | None = None) -> None:
        self._judging = _Judging(spec.scenario.goals, formations_of(spec), names)
        self._layout: Layout | None = None
        self._records: list[Record] = []
        self._times: list[float] = []
        self._count, self._look_at = 0, _FIRST_LOOK
        self._last_ns, self._shift_ns = 0, 0
        self.is_over = False

    def add(self, layout: Layout, record: Record) -> None:
        """Take the next record."""
        if layout is not self._layout or len(self._records) >= _PART:
            self._flush()
            self._layout = layout
        time_ns = record.header.time_ns
        self._shift_ns += max(0, self._last_ns - time_ns)  # as in recordings: time goes on where the clock is reset
        self._last_ns = time_ns
        self._times.append((time_ns + self._shift_ns) / 1e9)
        self._records.append(record)
        self._count += 1
        if self._count >= self._look_at and not self.is_over:
            self._look_at = max(self._count + _FIRST_LOOK, int(self._count * _GROWTH))
            self._flush()
            self.is_over = self._judging.is_decided

    def verdict(self) -> Judgement:
        """Return what became of the run; records that come later do not count."""
        self._flush()
        return self._judging.end()

    def _flush(self) -> None:
        if self._records and self._layout is not None:
            self._judging.add(records_as_part(self._layout, self._times, self._records))
            self._records, self._times = [], []


class _Judging:
    """Goals and metrics of a run so far.

    Args:
        goals: Of the scenario, robot by robot.
        formations: The places that teams should keep.
        names: Metrics to measure; None = all that are registered.
    """

    def __init__(
        self, goals: Sequence[Goal], formations: Sequence[Formation], names: Sequence[str] | None = None
    ) -> None:
        self._goals, self._metrics = RunningGoals(goals), Measurement(names)
        self._pieces = Pieces(formations)
        self._scouted = RunningGoals([goal for goal in goals if goal.kind == "reach"])
        self._may_be_decided = not self._scouted.count
        self._has_ended = False

    @property
    def is_decided(self) -> bool:
        """Whether the last goal is decided."""
        if self._has_ended:
            return True
        return self._may_be_decided and self._goals.decided_at(self._pieces.rest()) is not None

    def add(self, part: ArrayPart) -> None:
        """Take the next records; those after the last decision do not count."""
        if self._has_ended:
            return
        self._scout(RunArrays((part,)))
        for piece in self._pieces.add(part):
            self._judge(piece)

    def _scout(self, newest: RunArrays) -> None:
        """See by the newest records whether goals to reach may be decided; all that wait are judged only then."""
        if not self._may_be_decided:
            self._may_be_decided = self._scouted.decided_at(newest) is not None
            self._scouted.add(newest)

    def end(self) -> Judgement:
        """Take what is left; return the verdict."""
        self._judge(self._pieces.rest())
        self._has_ended = True
        metrics = self._metrics.metrics()
        return Judgement(self._goals.results(metrics), metrics)

    def _judge(self, piece: RunArrays) -> None:
        if self._has_ended:
            return
        end = self._goals.decided_at(piece)
        if end is not None:
            piece, self._has_ended = piece.until(end), True
        self._goals.add(piece)
        self._metrics.add(piece)


def judged_recording(recording: Recording, spec: RunSpec, goals: Sequence[Goal]) -> Judgement:
    """Return the verdict on a recording.

    Args:
        recording: Complete or cut off.
        spec: What was run.
        goals: Those of its scenario, or others.
    """
    judging = _Judging(goals, formations_of(spec))
    for part in _recorded(recording):
        judging.add(part)
    return judging.end()


def formations_of(spec: RunSpec) -> tuple[Formation, ...]:
    """Return the places that teams keep, as far as their control laws say them."""
    return kept_formations(
        (controller.run, controller.robots, {key: " ".join(words) for key, words in controller.arguments})
        for controller in spec.scenario.controllers
    )


def _recorded(recording: Recording) -> Iterator[ArrayPart]:
    for _, block in recording.blocks():
        yield ArrayPart(
            recording.layout(block.generation),
            block.positions_ns / 1e9,
            block.poses,
            block.twists,
            block.readings,
            block.commands,
            block.head("overruns"),
            block.head("max_lateness_ns") / 1e9,
        )


def records_as_part(layout: Layout, times: Sequence[float], records: Sequence[Record]) -> ArrayPart:
    """Return records as arrays, all of a kind at once."""
    header, count = records[0].header, len(records)
    rows = np.frombuffer(b"".join([record.raw_arrays for record in records])).reshape(count, -1)[:, HEADER_BYTES // 8 :]
    bodies, readings = header.bodies, 13 * header.bodies + header.readings
    single = rows[:, :readings].astype(np.float32)
    return ArrayPart(
        layout,
        np.array(times),
        single[:, : 7 * bodies].reshape(count, bodies, 7),
        single[:, 7 * bodies : 13 * bodies].reshape(count, bodies, 6),
        single[:, 13 * bodies :],
        rows[:, readings:].copy(),
        np.array([record.header.overruns for record in records]),
        np.array([record.header.max_lateness_ns for record in records]) / 1e9,
    )
