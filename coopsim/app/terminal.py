"""Status of a run for people: one live line on a terminal, an occasional line in a log."""

import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, TextIO

from coopsim.app import talk
from coopsim.app.line_writer import LineWriter
from coopsim.app.table import flowing, table

if TYPE_CHECKING:  # the simulator is not needed to show how to use it
    from coopsim.launch.report import Summary


_CLEAR = "\r\x1b[2K"
_INTERVALS = {talk.USUAL: 60.0, talk.VERBOSE: 5.0}
_SHORTEST = 1.0  # s; a robot that is late now and then is not worth a line
_LONG = 0.5  # s; about when a person begins to wonder
_MOST_ROWS = 20  # one screen of a small terminal with a few lines to spare


class Terminal:
    """Shows a run on stderr: words of controllers, complaints, and how it goes.

    On a terminal the last line lives. In a log each line begins with date and time, unless the journal of systemd
    writes them, and the state of the run once a minute, each 5 s with `--verbose`, and when it pauses or waits.

    Args:
        err: Where it is shown.
        clock: Seconds, for the interval in a log.
        now: Date and time.
    """

    def __init__(
        self,
        err: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        err = err or sys.stderr
        self._writer, self._clock, self._now = LineWriter(err), clock, now
        self._live = err.isatty()
        self._is_stamped = not self._live and "JOURNAL_STREAM" not in os.environ
        self._shown = ""
        self._due, self._soonest = -math.inf, -math.inf
        self._last: tuple[object, ...] = ()

    def note(self, text: str) -> None:
        """Print a line."""
        if talk.level() > talk.QUIET:
            self._line(text)

    def complain(self, text: str) -> None:
        """Print a complaint."""
        self._line(f"coopsim: {text}")

    def printed(self, controller: str, line: str) -> None:
        """Pass on a line that a controller printed."""
        if talk.level() > talk.QUIET:
            self._line(f"[{controller}] {line}")

    def audited(self, text: str) -> None:
        """Print a line of the audit: on a terminal with the time of day, which every line of a log has."""
        self.note(f"{self._now():%H:%M:%S} {text}" if self._live else text)

    def progress(self, status: Mapping[str, Any]) -> None:
        """Show how the run goes."""
        if talk.level() == talk.QUIET:
            return
        if self._live:
            self._show(status_line(status)[: shutil.get_terminal_size().columns - 1])
        elif self._is_due(status):
            self._line(status_line(status))

    def done(self) -> None:
        """Leave the live line as it stands and go on below it."""
        if self._shown:
            self._writer.write("\n")
        self._shown = ""
        self._writer.close()

    def _is_due(self, status: Mapping[str, Any]) -> bool:
        """Return whether a log gets a line: in its turn, or when the run paused, went on, or waits for others."""
        now = self._clock()
        long = frozenset(name for name, seconds in status.get("awaited", {}).items() if seconds >= _SHORTEST)
        state = (status.get("paused"), status["mode"], long, "stuck" in status)
        if now < self._due and (state == self._last or now < self._soonest):
            return False
        self._last, self._due, self._soonest = state, now + _INTERVALS[talk.level()], now + _SHORTEST
        return True

    def _show(self, text: str) -> None:
        if text != self._shown:
            self._writer.write(f"{_CLEAR}{text}")
            self._shown = text

    def _line(self, text: str) -> None:
        stamp = f"{self._now():%Y-%m-%d %H:%M:%S} " if self._is_stamped else ""
        clear, again = (_CLEAR, self._shown) if self._shown else ("", "")
        self._writer.write(f"{clear}{stamp}{text}\n{again}")


def status_line(status: Mapping[str, Any]) -> str:
    """Return the state of a run in one line: time, real-time factor, overruns, who is awaited."""
    mode = "paused" if status.get("paused") else status["mode"]
    parts = [f"{status['time']:8.2f} s", f"x{status['real_time_factor']:<6.2f}", mode]
    parts.append(f"overruns {status['overruns']}")
    if status.get("patience_fired"):
        parts.append(f"went on without a robot {status['patience_fired']} times")
    if "recording" in status:
        parts.append(recorded(status["recording"]))
    if status.get("stuck"):
        parts.append(f"no ticks for {status['stuck']['seconds']:.1f} s: {status['stuck']['text']} does not return")
    if max(status.get("awaited", {}).values(), default=0.0) >= _LONG:
        parts.append(awaited(status["awaited"], status["patience"], status["policy"]))
    return "  ".join(parts)


def recorded(recording: Mapping[str, Any]) -> str:
    """Return the state of a recording."""
    missing = f", {recording['gaps']} records missing" if recording.get("gaps") else ""
    waits = f", waiting for the recorder ({recording['awaited']:.1f} s)" if "awaited" in recording else ""
    return f"recording {recording.get('size_bytes', 0) / 1e6:.1f} MB{missing}{waits}"


def awaited(robots: Mapping[str, float], patience: float, policy: str) -> str:
    """Return the robots that lockstep waits for, and for how long.

    Args:
        robots: How long each has been waited for, by name [s]; the name "" stands for any client.
        patience: How long lockstep waits for a robot [s]; 0 = for ever.
        policy: What happens then.
    """
    if "" in robots:
        return f"waiting for a client ({robots['']:.1f} s)"
    longest = sorted(robots.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name} ({seconds:.1f} s)" for name, seconds in longest[:3])
    more = f" and {len(longest) - 3} more" if len(longest) > 3 else ""
    return f"waiting for {named}{more}, {limit(patience, policy)}"


def limit(patience: float, policy: str) -> str:
    """Return how long lockstep waits for a robot, and what happens then."""
    if patience == 0.0 or policy == "wait":
        return "without a time limit"
    return f"at most {patience:g} s each, then {policy}"


def lateness(summary: "Summary") -> str:
    """Return the lateness of ticks."""
    most = f"late by at most {summary.max_lateness * 1e3:.1f} ms"
    if summary.lateness_p50 is None or summary.lateness_p99 is None:
        return f"{most}, "
    slipped = f"{summary.slipped:.2f} s given up, " if summary.slipped else ""
    return f"{most} (p50 {_brief(summary.lateness_p50)}, p99 {_brief(summary.lateness_p99)}), {slipped}"


def _brief(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def summary_table(summary: "Summary") -> str:
    """Return the table at the end of a run: each robot, of many the first few, then the totals."""
    ticks, seconds = summary.own
    factor = seconds / summary.wall_time if summary.wall_time > 0 else 0.0
    totals = (
        f"{ticks} ticks, {seconds:.2f} s simulated in {summary.wall_time:.2f} s (x{factor:.2f}), "
        f"{summary.overruns} overruns, {lateness(summary)}"
        f"went on without a robot {summary.patience_fired} times"
    )
    return "\n".join([*_robots(summary), flowing(totals), f"state {summary.state_hash}"])


def _robots(summary: "Summary") -> list[str]:
    rows = [
        (name, f"{robot.x:.3f}", f"{robot.y:.3f}", f"{math.degrees(robot.heading):.1f}", robot.owner)
        for name, robot in summary.robots.items()
    ]
    shown = rows if talk.level() >= talk.VERBOSE else rows[:_MOST_ROWS]
    lines = [table(("robot", "x [m]", "y [m]", "heading [deg]", "owner"), shown)] if rows else []
    rest = len(rows) - len(shown)
    return [*lines, f"... and {rest} more robots; `--json` has all of them"] if rest else lines
