"""What people see while a run goes on: one live line on a terminal, a line now and then in a pipe."""

import math
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO

from coopsim.app.table import table

if TYPE_CHECKING:  # the simulator is not needed to show how to use it
    from coopsim.launch import Summary


_CLEAR = "\r\x1b[2K"
_PIPE_INTERVAL = 5.0


class Terminal:
    """Shows a run; progress goes to stdout, words of controllers and complaints to stderr.

    Args:
        out: Where progress goes.
        err: Where complaints go.
        clock: Seconds, for the interval in a pipe.
    """

    def __init__(
        self,
        out: TextIO | None = None,
        err: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out, self._err, self._clock = out or sys.stdout, err or sys.stderr, clock
        self._live = self._out.isatty()
        self._shown = ""
        self._due = -math.inf

    def note(self, text: str) -> None:
        """Say something once."""
        self._line(self._out, text)

    def complain(self, text: str) -> None:
        """Say what went wrong."""
        self._line(self._err, f"coopsim: {text}")

    def printed(self, controller: str, line: str) -> None:
        """Pass on a line that a controller printed."""
        self._line(self._err, f"[{controller}] {line}")

    def progress(self, status: Mapping[str, Any]) -> None:
        """Show how the run goes."""
        text = status_line(status)
        if self._live:
            self._show(text[: shutil.get_terminal_size().columns - 1])
        elif self._clock() >= self._due:
            self._due = self._clock() + _PIPE_INTERVAL
            self._line(self._out, text)

    def done(self) -> None:
        """Leave the live line as it stands and go on below it."""
        if self._shown:
            self._out.write("\n")
            self._out.flush()
        self._shown = ""

    def _show(self, text: str) -> None:
        if text != self._shown:
            self._out.write(f"{_CLEAR}{text}")
            self._out.flush()
            self._shown = text

    def _line(self, stream: TextIO, text: str) -> None:
        shown = self._shown
        if shown:
            self._out.write(_CLEAR)
            self._out.flush()
        stream.write(f"{text}\n")
        stream.flush()
        if shown:
            self._shown = ""
            self._show(shown)


def status_line(status: Mapping[str, Any]) -> str:
    """Return the state of a run in one line: time, real-time factor, overruns, who is awaited."""
    mode = "paused" if status.get("paused") else status["mode"]
    parts = [f"{status['time']:8.2f} s", f"x{status['real_time_factor']:<6.2f}", mode]
    parts.append(f"overruns {status['overruns']}")
    if status.get("patience_fired"):
        parts.append(f"went on without a robot {status['patience_fired']} times")
    if "recording" in status:
        parts.append(recorded(status["recording"]))
    if status.get("awaited"):
        parts.append(awaited(status["awaited"]))
    return "  ".join(parts)


def recorded(recording: Mapping[str, Any]) -> str:
    """Say how a recording goes."""
    missing = f", {recording['gaps']} records missing" if recording.get("gaps") else ""
    waits = f", waiting for the recorder ({recording['awaited']:.1f} s)" if "awaited" in recording else ""
    return f"recording {recording.get('size_bytes', 0) / 1e6:.1f} MB{missing}{waits}"


def awaited(robots: Mapping[str, float]) -> str:
    """Say who is waited for; the name "" stands for a first client."""
    if "" in robots:
        return f"waiting for a first client ({robots['']:.1f} s)"
    longest = sorted(robots.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{name} ({seconds:.1f} s)" for name, seconds in longest[:3])
    more = f" and {len(longest) - 3} more" if len(longest) > 3 else ""
    return f"waiting for {named}{more}"


def lateness(summary: "Summary") -> str:
    """Say how late ticks began."""
    most = f"late by at most {summary.max_lateness * 1e3:.1f} ms"
    if summary.lateness_p50 is None or summary.lateness_p99 is None:
        return f"{most}, "
    return f"{most} (p50 {_brief(summary.lateness_p50)}, p99 {_brief(summary.lateness_p99)}), "


def _brief(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def summary_table(summary: "Summary") -> str:
    """Return the table at the end of a run: each robot, then the totals."""
    rows = [
        (name, f"{it.x:.3f}", f"{it.y:.3f}", f"{math.degrees(it.heading):.1f}", it.owner)
        for name, it in summary.robots.items()
    ]
    ticks, seconds = summary.own
    factor = seconds / summary.wall_time if summary.wall_time > 0 else 0.0
    totals = (
        f"{ticks} ticks, {seconds:.2f} s simulated in {summary.wall_time:.2f} s (x{factor:.2f}), "
        f"{summary.overruns} overruns, {lateness(summary)}"
        f"went on without a robot {summary.patience_fired} times\nstate {summary.state_hash}"
    )
    robots = table(("robot", "x [m]", "y [m]", "heading [deg]", "owner"), rows)
    return f"{robots}\n{totals}" if rows else totals
