"""Progress of a study for people: a bar on a terminal, an occasional line in a log."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from coopsim.app import talk

if TYPE_CHECKING:
    from coopsim.features.studies.job import Row

_EVERY = 5.0  # s; a log of a night stays readable
_MOST_GOALS, _MOST_REASONS = 4, 8  # a line holds so many; different reasons are named once each


@contextmanager
def progress(total: int, done: int) -> "Iterator[Callable[[Row], None]]":
    """Show how a study goes, and why runs fail as soon as one does.

    Args:
        total: Number of runs.
        done: How many of them were done before.
    """
    if talk.level() == talk.QUIET:
        yield lambda _: None
        return
    if done:
        talk.note(f"{done} of {total} runs were done before")
    reasons = FailureReasons()
    if sys.stderr.isatty() and find_spec("rich"):
        with _bar(total, done) as shown:
            yield lambda row: _show_run(row, reasons, shown)
    else:
        lines = _Lines(total, done)
        yield lambda row: _show_run(row, reasons, lines.show)


def _show_run(row: "Row", reasons: "FailureReasons", shown: "Callable[[Row], None]") -> None:
    reason = reasons.new(row)
    if reason:
        talk.note(reason)
    shown(row)


def named(row: "Row") -> str:
    """Return values and seed of a run, as people read them."""
    values = " ".join(f"{name}={value}" for name, value in row["values"].items())
    return f"({values} seed {row['seed']})" if values else f"(seed {row['seed']})"


@contextmanager
def _bar(total: int, done: int) -> "Iterator[Callable[[Row], None]]":
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[tally]}"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        tally = Tally()
        task = bar.add_task("", total=total, completed=done, tally="")

        def advance(row: "Row") -> None:
            tally.add(row)
            bar.update(task, advance=1, tally=tally.text)

        yield advance


class FailureReasons:
    """Reasons of failed runs, each once: a failure of every run shows at the first one."""

    def __init__(self) -> None:
        self._reasons: set[str] = set()

    def new(self, row: "Row") -> str:
        """Return the line about a failed run, "" where it did not fail or the reason was shown before."""
        error = row.get("error", "")
        if not error or error in self._reasons or len(self._reasons) >= _MOST_REASONS:
            return ""
        self._reasons.add(error)
        return f"run {row['number']} {named(row)} failed: {error}"


class Tally:
    """Counts how runs ended, and which goals they met."""

    def __init__(self) -> None:
        self.count, self._good, self._failed = 0, 0, 0
        self._goals: dict[str, list[int]] = {}
        self._began = time.monotonic()

    def add(self, row: "Row") -> None:
        """Count a run."""
        self.count += 1
        self._good += row["success"]
        self._failed += "error" in row
        for goal in row["goals"]:
            if goal["met"] is not None:
                counts = self._goals.setdefault(goal["name"], [0, 0])
                counts[0] += goal["met"]
                counts[1] += 1

    @property
    def rate(self) -> float:
        """Runs per second."""
        return self.count / max(time.monotonic() - self._began, 1e-9)

    @property
    def text(self) -> str:
        """Counts, goals and rate in words."""
        failed = f", {self._failed} failed" if self._failed else ""
        shown = list(self._goals.items())[:_MOST_GOALS]
        goals = ", ".join(f"{name} {met}/{judged}" for name, (met, judged) in shown)
        return f"{self._good} succeeded{failed}{f' ({goals})' if goals else ''}, {self.rate:.3g} runs/s"


class _Lines:
    """Progress of a study, line by line.

    Args:
        total: Number of runs.
        done: How many of them were done before.
    """

    def __init__(self, total: int, done: int) -> None:
        self._total, self._done, self._tally, self._due = total, done, Tally(), time.monotonic() + _EVERY

    def show(self, row: "Row") -> None:
        """Count a run, and print a line when one is due."""
        self._tally.add(row)
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + _EVERY
        so_far = self._done + self._tally.count
        left = (self._total - so_far) / self._tally.rate
        talk.note(f"{so_far} of {self._total} runs, {self._tally.text}, {left:.0f} s left")
