"""Live runs, what was seen of them, and recordings: time in one control."""

import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from coopsim.features.desktop.history import History
from coopsim.features.desktop.link import CONTROLLERS, RunFacts, ViewerLink
from coopsim.features.desktop.playback_facts import PLAYBACK

if TYPE_CHECKING:
    from coopsim.client import Client, State

CLOCK, STEP = "/sim/clock", "/sim/step"
SPEEDS = (-8.0, -4.0, -2.0, -1.0, -0.5, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Speeds that can be chosen."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A part of the time line [s]."""

    begin: float
    end: float


class TimeControl:
    """Plays, scrubs, steps and repeats.

    A recording is moved by its server. A live run is paused, stepped and sped up by its clock as long as it is
    followed; what was seen of it can be scrubbed and played by itself, while the run goes on.

    Args:
        link: Returns the connection to the run.
        history: What was seen.
        answered: Takes what went wrong.

    Attributes:
        is_following: Whether the newest state of a live run is shown.
        playhead: What is shown of the past of a live run [s].
    """

    def __init__(
        self, link: Callable[[], ViewerLink], history: History, answered: Callable[[Exception | None], None]
    ) -> None:
        self._link, self._history, self._told = link, history, answered
        self.is_following, self.playhead = True, 0.0
        self._is_playing, self._speed = False, 1.0
        self._loop: TimeSpan | None = None
        self._last = time.monotonic()

    @property
    def is_replay(self) -> bool:
        """Whether a recording is shown."""
        return self._link().facts.playback is not None

    @property
    def is_past(self) -> bool:
        """Whether what was seen of a live run is shown."""
        return not self.is_replay and not self.is_following

    @property
    def span(self) -> TimeSpan:
        """Span of time that can be gone to."""
        playback, times = self._link().facts.playback, self._history.times
        if playback is not None:
            return TimeSpan(playback.begin, playback.end)
        return TimeSpan(times[0], times[-1]) if times else TimeSpan(0.0, 0.0)

    @property
    def is_playing(self) -> bool:
        """Whether time goes on."""
        facts = self._link().facts
        if facts.playback is not None:
            return facts.playback.playing
        return not facts.paused if self.is_following else self._is_playing

    @property
    def speed(self) -> float:
        """Simulated seconds per real second that were asked for."""
        facts = self._link().facts
        if facts.playback is not None:
            return facts.playback.speed
        return facts.speed if self.is_following else self._speed

    @property
    def loop(self) -> TimeSpan | None:
        """Part that is repeated."""
        playback = self._link().facts.playback
        if playback is None:
            return self._loop
        return TimeSpan(*playback.loop) if playback.loop is not None else None

    def on_line(self, seconds: float) -> float:
        """Return where on the line of time something is that is shown.

        A recording's line goes on where its run was reset and simulated time began anew.

        Args:
            seconds: Simulated time of it [s].
        """
        playback = self._link().facts.playback
        return seconds if playback is None else min(playback.end, max(playback.begin, seconds + playback.shift))

    def toggle_play(self) -> None:
        """Let time go on, or stop it."""
        facts = self._link().facts
        if facts.playback is not None:
            self._ask(PLAYBACK, "pause" if facts.playback.playing else "play")
        elif self.is_following and facts.paused:
            self._go_on(facts)
        elif self.is_following:
            self._ask(CLOCK, "pause")
        else:
            self._is_playing = not self._is_playing

    def _go_on(self, facts: RunFacts) -> None:
        """Let a run go on: in real time where lockstep would wait for ever, since its control laws have ended."""
        laws = facts.standing.get("controllers", ())
        if facts.mode == "lockstep" and laws and not any(law["state"] == "running" for law in laws):
            self._link().ask(_leave_lockstep, failed=self._told)  # whatever comes of it, time goes on then
        self._ask(CLOCK, "continue_")

    def step(self, count: int = 1) -> None:
        """Go one tick, record or seen state on; below 0 back, which a live clock cannot."""
        if self.is_replay:
            self._ask(PLAYBACK, "step", count)
        elif self.is_following and count > 0:
            self._ask(CLOCK, "step", count)
        else:
            self._step_past(count)

    def set_speed(self, speed: float) -> None:
        """Set how many times as fast as a clock time goes; below 0 backward."""
        if self.is_replay:
            self._ask(PLAYBACK, "speed", speed)
        elif self.is_following and speed > 0.0:
            self._ask(CLOCK, "set_speed", speed)
        else:
            self._show_past(self.span.end if self.is_following else self.playhead)
            self._speed, self._is_playing = speed, True

    def ask_clock(self, command: str, *values: float | str) -> None:
        """Send a command to the clock of a live run."""
        self._ask(CLOCK, command, *values)

    def seek(self, seconds: float) -> None:
        """Show another instant [s]."""
        if self.is_replay:
            self._ask(PLAYBACK, "seek", seconds)
        else:
            self._show_past(seconds)

    def repeat(self, part: TimeSpan | None) -> None:
        """Repeat a part, or nothing more."""
        if self.is_replay:
            if part is None:
                self._ask(PLAYBACK, "unloop")
            else:
                self._ask(PLAYBACK, "loop", part.begin, part.end)
            return
        self._loop = part
        if part is not None:
            self._show_past(part.begin)
            self._is_playing = True

    def follow(self) -> None:
        """Show the newest state; of a recording its end."""
        self.is_following, self._is_playing, self._loop = True, False, None
        if self.is_replay:
            self._ask(PLAYBACK, "seek", self.span.end)

    def run_again(self) -> None:
        """Put everything back, and let all control laws of the scene begin again."""
        self.follow()
        self._ask(CONTROLLERS, "restart")

    def advance(self, now: float) -> None:
        """Play what was seen.

        Args:
            now: By the monotonic clock [s].
        """
        passed, self._last = now - self._last, now
        if not self.is_past or not self._is_playing:
            return
        part = self._loop or self.span
        self.playhead += self._speed * passed
        if self._loop is not None:
            length = max(1e-6, part.end - part.begin)
            self.playhead = part.begin + (self.playhead - part.begin) % length
        elif self.playhead >= part.end and self._speed > 0.0:
            self.follow()
        elif self.playhead <= part.begin:
            self.playhead, self._is_playing = part.begin, False

    def _show_past(self, seconds: float) -> None:
        span = self.span
        self.is_following, self.playhead = False, min(span.end, max(span.begin, seconds))

    def _step_past(self, count: int) -> None:
        times = self._history.times
        if not times:
            return
        instant = times[-1] if self.is_following else self.playhead
        number = bisect_right(times, instant + 1e-9) - 1 if count > 0 else bisect_left(times, instant - 1e-9)
        self._is_playing = False
        self._show_past(times[min(len(times) - 1, max(0, number + count))])

    def _ask(self, target: str, command: str, *values: float | str) -> None:
        self._link().call(target, command, *values, then=self._told)


def _leave_lockstep(simulation: "Client") -> None:
    """Choose real time where no client drives a robot."""
    if not simulation.module(STEP).owners().owners:
        simulation.module(CLOCK).set_mode("real-time")


def continue_beside(file: str, state: "State | None", seconds: float, begin: Callable[[Path, int], None] | None) -> str:
    """Begin a run at an instant of a recording; return what came of it, for people.

    Args:
        file: The recording, "" = there is none.
        state: That is shown, None = nothing is.
        seconds: Simulated time of it [s].
        begin: Starts the run, None = nobody can.
    """
    if begin is None:
        return "this window cannot start other runs: coopsim run --from FILE@SECONDS does"
    if not file:
        return "a run goes on from recordings alone: record this one first"
    # simulated times come twice where a run was run again, ticks do not
    tick = 0 if state is None else state.tick
    if not Path(file).is_file():
        return f"{file} is on another machine or in another folder: coopsim run --from {file}@tick:{tick} there"
    begin(Path(file), tick)
    return f"a run that goes on from {seconds:.3f} s begins in another window"
