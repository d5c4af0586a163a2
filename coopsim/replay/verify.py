"""Proof that a recording is what this simulator does: all of it is done again, and all that it shows compared."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coopsim.devices.artifacts import running_extensions
from coopsim.errors import CoopsimError, DamagedRecording
from coopsim.recording import RecordBlock, Recording
from coopsim.replay.checked import Checks
from coopsim.replay.differing import NOWHERE, Difference, StateView, hidden, visible
from coopsim.replay.mismatch import Mismatch
from coopsim.replay.outcome import Outcome
from coopsim.replay.required_plugins import require
from coopsim.replay.rerun import Rerun
from coopsim.replay.run_json import spec_of
from coopsim.replay.texts import contradiction
from coopsim.robots import RunSpec
from coopsim.simulation.saved import unpacked
from coopsim.state.edits import AppliedEdit, Checkpoint, Restore

_PATIENCE = 2000
"""Ticks in which a difference must come to light."""


@dataclass(frozen=True, slots=True)
class Break:
    """A part of a recording that cannot be compared.

    Attributes:
        tick: The last one before it; None = the recording begins with it.
        resumed: Tick of the key frame from which the proof went on; None = there was none.
        reason: Why, for people.
    """

    tick: int | None
    resumed: int | None
    reason: str

    def __str__(self) -> str:
        on = "nothing after it can be compared" if self.resumed is None else f"goes on with tick {self.resumed}"
        where = "at the beginning" if self.tick is None else f"after tick {self.tick}"
        return f"{where}: {self.reason}; {on}"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a proof found.

    Attributes:
        ticks: How many were done again and were the same.
        total: How many the recording goes over, those that are missing too.
        difference: What differs first; the recording is first, the simulation second.
        breaks: What could not be compared.
        sim_time: Simulated time of `ticks` [s].
        wall_time: How long they took [s].
    """

    ticks: int
    total: int
    difference: Difference | None
    breaks: tuple[Break, ...]
    sim_time: float
    wall_time: float

    @property
    def outcome(self) -> Outcome:
        """Whether everything is the same, something is not, or what could be compared is."""
        if self.difference is not None:
            return Outcome.DIFFERENT
        return Outcome.PARTIAL if self.breaks or self.ticks < self.total else Outcome.IDENTICAL

    @property
    def identical(self) -> bool:
        """Whether everything was compared, and is the same."""
        return self.outcome is Outcome.IDENTICAL

    @property
    def speed(self) -> float:
        """Simulated seconds per real second."""
        return self.sim_time / self.wall_time if self.wall_time > 0 else 0.0

    def to_json(self) -> dict[str, Any]:
        """Return what `coopsim verify --json` prints."""
        breaks = [{"tick": it.tick, "resumed": it.resumed, "reason": it.reason} for it in self.breaks]
        difference = self.difference.to_json() if self.difference else None
        return {
            "outcome": self.outcome.value,
            "identical": self.identical,
            "compared": self.ticks,
            "total": self.total,
            "ticks": self.ticks,
            "first_difference": difference,
            "speed": self.speed,
            "breaks": breaks,
        }


def verify(recording: Recording, spec: RunSpec, *, clock: Callable[[], float] = time.perf_counter) -> Verdict:
    """Do everything again that a recording holds and compare all that it shows, bit by bit.

    Where records are missing the proof goes on with the next key frame. A key frame holds no contacts, so what
    follows one that is no checkpoint may part from the recording in the last digits without anybody's fault; it is
    compared as far as it is the same, and counts as unproven after that.

    Args:
        recording: Complete or cut off.
        spec: What was run.
        clock: Real time [s].

    Raises:
        DamagedRecording: There is no key frame to begin with.
        PluginMissing: It was made with a plugin that is not here.
        NoSuchPlugin: The engine or a device is not installed.
        BadFile: The key frames are of another version.
    """
    require(recording)
    with running_extensions():  # drivers may ask for them
        return _Proof(recording, Rerun(spec), spec, clock).run()


def measure_verify(path: str | Path) -> Verdict:
    """Return the proof of the recording in a file, for benchmarks.

    Raises:
        RecordingError: The file is no recording, or does not say what was run.
    """
    with Recording.open(path) as recording:
        return verify(recording, spec_of(recording))


class _Proof:
    """One proof: a re-run beside the records, and where it stands."""

    def __init__(self, recording: Recording, rerun: Rerun, spec: RunSpec, clock: Callable[[], float]) -> None:
        self._recording, self._rerun, self._spec, self._clock = recording, rerun, spec, clock
        self._checks = Checks(recording, spec, rerun.simulation)
        self._running = self._exact = self._has_skipped = self._knows_snapshots = False
        self._why = "the recording begins without a key frame"
        self._breaks: list[Break] = []
        self._revision = self._tick = -1
        self._ticks = self._sim_ns = 0
        self._suspect: tuple[int, float] | None = None
        self._difference: Difference | None = None

    def run(self) -> Verdict:
        """Return what was found."""
        began, recording = self._clock(), self._recording
        contradicting = contradiction(recording.metadata, recording.attachments, self._spec)
        if contradicting is not None:
            tick = recording.first_tick
            self._difference = Difference(tick, recording.begin_ns / 1e9, contradicting, tick)
        for block, row in self._rows():
            if self._difference is not None:
                break
            self._take(block, row)
        self._finish()
        wall = self._clock() - began
        total = max(self._ticks, recording.last_tick - recording.first_tick)
        return Verdict(self._ticks, total, self._difference, tuple(self._breaks), self._sim_ns / 1e9, wall)

    def _finish(self) -> None:
        if self._difference is not None:
            return
        if not self._running:
            self._give_up()
        elif missing := self._recording.index.tail_gap:
            self._breaks.append(Break(self._tick, None, f"{missing} records are missing"))
        elif self._recording.damaged and not self._breaks:
            self._breaks.append(Break(self._tick, None, "a chunk cannot be read"))
        if self._suspect is not None:
            self._difference = Difference(*self._suspect, NOWHERE, self._suspect[0])

    def _rows(self) -> Iterator[tuple[RecordBlock, int]]:
        """Yield every record that can be read."""
        for chunk in range(self._recording.chunks):
            try:
                block = self._recording.block(chunk)
                # to ask for their lengths decodes them: what is damaged comes to light here
                if not len(block.heads) == len(block.commands) == len(block.hashes):
                    raise DamagedRecording("its tables hold different numbers of records")
            except DamagedRecording as problem:
                self._stop(f"a chunk cannot be read ({problem})")
                self._has_skipped = True
                continue
            yield from ((block, row) for row in range(len(block)))

    def _take(self, block: RecordBlock, row: int) -> None:
        revision = int(block.head("revision")[row])
        if self._revision >= 0 and (revision <= self._revision or (row and revision != self._revision + 1)):
            self._differ(block, row, Mismatch("", "number of the record", str(revision), str(self._revision + 1)))
            return
        if self._running and revision != self._revision + 1:
            self._stop(f"{revision - self._revision - 1} records are missing")
        self._revision = revision
        if self._running:
            self._follow(block, row)
        elif row in block.keyframes:
            self._begin(block, row)
        else:
            self._has_skipped = True

    def _begin(self, block: RecordBlock, row: int) -> None:
        """Go on from a key frame."""
        tick = int(block.ticks[row])
        is_first = not (self._has_skipped or self._tick >= 0)
        self._rerun.begin(block.keyframes[row], block.generation)
        self._knows_snapshots = is_first and "snapshots" in unpacked(block.keyframes[row])
        if not is_first:
            self._breaks.append(self._break(tick))
        self._has_skipped = False
        self._exact = any(isinstance(each.edit, Checkpoint) for each in block.edits.get(row, ()))
        self._running, self._tick = True, tick
        self._checks.begin()
        self._compare(block, row, happened=[each for each in block.edits.get(row, ()) if each.is_event])

    def _follow(self, block: RecordBlock, row: int) -> None:
        self._tick = int(block.ticks[row])
        before = self._rerun.simulation.time_ns
        try:
            is_tick = self._rerun.follow(block, row)
        except CoopsimError as problem:
            self._cannot_follow(block, row, problem)
            return
        if self._suspect is not None:
            self._look_closer(block, row)
        elif self._compare(block, row, self._rerun.happened) and is_tick:
            self._ticks += 1
            self._sim_ns += self._rerun.simulation.time_ns - before

    def _compare(self, block: RecordBlock, row: int, happened: list[AppliedEdit]) -> bool:
        """Return whether the records are the same; look for the difference if they should be."""
        if self._rerun.simulation.state_hash() == block.hashes[row].tobytes():
            mismatch = self._checks.differing(block, row, happened, with_frame=self._exact)
            if mismatch is not None:
                self._differ(block, row, mismatch)
            return mismatch is None
        if self._exact:
            self._suspect = int(block.ticks[row]), int(block.head("time_ns")[row]) / 1e9
            self._look_closer(block, row)
        else:
            self._tick -= 1
            self._stop("contacts that the key frame does not hold make the rest differ in its last digits")
        return False

    def _differ(self, block: RecordBlock, row: int, mismatch: Mismatch) -> None:
        tick = int(block.ticks[row])
        self._difference = Difference(tick, int(block.head("time_ns")[row]) / 1e9, mismatch, tick)

    def _cannot_follow(self, block: RecordBlock, row: int, problem: CoopsimError) -> None:
        tick, time_ns = int(block.ticks[row]), int(block.head("time_ns")[row])
        lost = any(
            isinstance(each.edit, Restore) and each.edit.name not in self._rerun.simulation.snapshots
            for each in block.edits.get(row, ())
        )
        if lost and not self._knows_snapshots:
            self._stop(f"{problem}; it was taken before the recording or in a part that is missing")
        elif self._exact:
            names = ", ".join(each.edit.kind for each in block.edits.get(row, ())) or "tick"
            tick, seconds = self._suspect or (tick, time_ns / 1e9)
            self._difference = Difference(tick, seconds, Mismatch("", names, "done", f"refused ({problem})"), tick)
        else:
            self._stop(str(problem))

    def _look_closer(self, block: RecordBlock, row: int) -> None:
        """Find out what differs: by what every record shows, by the whole state where there is a key frame."""
        assert self._suspect is not None  # noqa: S101 - asked for only then
        recorded = StateView.of_row(self._recording.layout(block.generation), block, row)
        mismatch = visible(recorded, StateView.of_simulation(self._rerun.simulation))
        if mismatch is None and row in block.keyframes:
            other = Rerun(self._spec)
            other.begin(block.keyframes[row])
            mismatch = hidden(other.simulation, self._rerun.simulation)
        seen = int(block.ticks[row])
        if mismatch is not None or seen > self._suspect[0] + _PATIENCE:
            self._difference = Difference(*self._suspect, mismatch or NOWHERE, seen)

    def _stop(self, why: str) -> None:
        """Compare nothing more until the next key frame."""
        if self._running or self._tick < 0:  # before the first key frame, damage says more than that there is none
            self._running, self._why = False, why

    def _break(self, resumed: int | None) -> Break:
        return Break(self._tick if self._tick >= 0 else None, resumed, self._why)

    def _give_up(self) -> None:
        if self._revision < 0 or (self._tick < 0 and not self._ticks):
            raise DamagedRecording(f"{self._recording.path}: there is no key frame from which it could be done again")
        self._breaks.append(self._break(None))
