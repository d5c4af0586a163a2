"""Proof that a recording is what this simulator does: all of it is done again, and all that it shows compared."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from coopsim.devices.artifacts import running_extensions
from coopsim.errors import CoopsimError, DamagedRecording, PluginError
from coopsim.features.proof.checked import ENDED, Checks
from coopsim.features.proof.differing import NOWHERE, Difference, StateView, hidden, visible
from coopsim.features.proof.stated import ProgramEdits, stated_claims, written_by
from coopsim.features.proof.verdict import Break, Verdict
from coopsim.memory import uncollected
from coopsim.recording import RecordBlock, Recording
from coopsim.replay.about import BEGINS_RUN
from coopsim.replay.mismatch import Mismatch
from coopsim.replay.outcome import Claim
from coopsim.replay.plainly import FirstDifference, fork, without_places
from coopsim.replay.required_plugins import missing_metrics, require
from coopsim.replay.rerun import Rerun
from coopsim.replay.run_json import spec_of
from coopsim.replay.texts import examine_texts
from coopsim.robots import RunSpec
from coopsim.simulation import Simulation
from coopsim.simulation.hashing import is_exact
from coopsim.simulation.saved import unpacked
from coopsim.simulation.snapshot import checkpoint, restore, snapshot
from coopsim.state.edits import AppliedEdit, Checkpoint, Restore

# a difference in what devices remember shows only when a reading depends on it
_PATIENCE = 2000
"""Ticks in which a difference must come to light."""
_MADE = (
    "of these files this build makes other bodies or joints than the one that wrote the recording (see verify.md); "
    "what follows is compared from there. To prove all of it, use that build, or record the run again"
)


def verify(recording: Recording, spec: RunSpec, *, clock: Callable[[], float] = time.perf_counter) -> Verdict:
    """Do everything again that a recording holds and compare all that it shows, bit by bit.

    Where records are missing the proof goes on with the next key frame. A key frame holds no contacts, so what
    follows one that is no checkpoint may part from the recording in the last digits without anybody's fault; it is
    compared as far as it is the same, and counts as unproven after that.

    Args:
        recording: Complete or cut off.
        spec: What was run.
        clock: Real time [s].

    Where a plugin, a device or an engine is missing, nothing is done again: the verdict is that nobody can tell here.

    Raises:
        DamagedRecording: There is no key frame to begin with.
        BadFile: The key frames are of another version.
    """
    try:
        require(recording)
        with running_extensions():  # drivers may ask for them
            return _Proof(recording, Rerun(spec), spec, clock).run()
    except PluginError as problem:
        return Verdict(0, recording.last_tick - recording.first_tick, None, (), 0.0, 0.0, open=(str(problem),))


def measure_verify(path: str | Path) -> Verdict:
    """Return the proof of the recording in a file, for benchmarks.

    Raises:
        RecordingError: The file is no recording, or does not say what was run.
    """
    with Recording.open(path) as recording:
        return verify(recording, spec_of(recording))


class _Proof:
    """A proof: a re-run beside the records, and where it stands."""

    def __init__(self, recording: Recording, rerun: Rerun, spec: RunSpec, clock: Callable[[], float]) -> None:
        self._recording, self._rerun, self._spec, self._clock = recording, rerun, spec, clock
        self._checks = Checks(recording, spec, rerun.simulation)
        self._running = self._exact = self._has_skipped = self._knows_snapshots = False
        self._why = "the recording begins without a key frame"
        self._breaks: list[Break] = []
        self._revision = self._tick = -1
        self._gap = self._ticks = self._sim_ns = 0
        self._suspect: tuple[int, float] | None = None
        self._difference: Difference | None = None
        self._program_edits, self._records, self._frames, self._has_ended = ProgramEdits(), 0, 0, False
        self._proved, self._stated = list[Claim](), list[Claim]()
        self._open = missing_metrics(recording, spec)

    def run(self) -> Verdict:
        """Return what was found: what the records show comes first, then what the file says in words."""
        began, recording = self._clock(), self._recording
        for block, row in self._rows():
            if self._difference is not None:
                break
            self._check(block, row)
        self._finish()
        if self._difference is None:
            self._compare_texts()
        wall = self._clock() - began
        total = max(self._ticks, recording.last_tick - recording.first_tick)
        claims = tuple(self._proved_claims()), (*self._stated, *self._program_edits.claims, *stated_claims(recording))
        results = self._difference, tuple(self._breaks), self._sim_ns / 1e9, wall
        return Verdict(self._ticks, total, *results, *claims, tuple(self._open), written_by(recording))

    def _proved_claims(self) -> Iterator[Claim]:
        if not self._records:
            return
        records = f"{self._records} records"
        yield Claim("states", f"{records}: hashes, poses, velocities, readings, and the commands that led to them")
        yield Claim("times, pace and layouts", records)
        yield Claim("edits of the scene and timed events", records)
        if self._frames:
            yield Claim("key frames", str(self._frames))
        yield from self._proved

    def _compare_texts(self) -> None:
        recording = self._recording
        texts = examine_texts(recording.metadata, recording.attachments, self._spec, recording.path.parent)
        if texts.mismatch is not None:
            tick = recording.first_tick
            self._difference = Difference(tick, recording.begin_ns / 1e9, texts.mismatch, tick)
        self._proved += texts.proved
        self._stated += texts.stated
        self._open += texts.open

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
        elif not self._breaks and self._difference is None:
            self._compare_end()
        if again := ", ".join(self._checks.recounted):
            self._stated.append(Claim("commands counted anew", f"{again}; `parent` alone explains it"))

    def _compare_end(self) -> None:
        """Compare where the records end with what the writer noted when it closed the file."""
        recording = self._recording
        ending = recording.ending
        if ending is not None:
            missing = ending.records - len(recording)
            if missing > 0:
                self._breaks.append(Break(self._tick, None, f"{missing} records are missing at the end"))
            elif missing or (ending.revision, ending.tick) != (self._revision, self._tick):
                noted, last = f"record {ending.revision}", f"record {self._revision}"
                tick = recording.last_tick
                self._difference = Difference(tick, recording.end_ns / 1e9, Mismatch("", "end", noted, last), tick)
        elif recording.complete and "program" in recording.metadata:
            self._breaks.append(Break(self._tick, None, "nothing says that these are all records"))
        elif recording.complete and not self._has_ended:
            self._stated.append(Claim("end", f"tick {self._tick}: older versions do not say why a recording ends"))

    def _rows(self) -> Iterator[tuple[RecordBlock, int]]:
        """Yield every record that can be read."""
        for chunk in range(self._recording.chunks):
            self._gap = self._recording.index.places[chunk].gap
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

    def _check(self, block: RecordBlock, row: int) -> None:
        revision = int(block.head("revision")[row])
        if self._revision >= 0 and (revision <= self._revision or (row and revision != self._revision + 1)):
            self._differ(block, row, Mismatch("", "number of the record", str(revision), str(self._revision + 1)))
            return
        jump = revision - self._revision - 1
        if not row and self._revision >= 0 and self._gap > jump:
            self._differ(block, row, Mismatch("", "gap", f"{self._gap} records", f"{jump} records"))
            return
        if self._running and jump:
            self._stop(f"{jump} records are missing")
        self._revision = revision
        self._program_edits.count(block, row)
        if self._running:
            self._follow(block, row)
        elif row in block.keyframes:
            with uncollected():  # states of thousands of robots are taken apart
                self._begin(block, row)
        else:
            self._has_skipped = True

    def _begin(self, block: RecordBlock, row: int) -> None:
        """Go on from a key frame."""
        tick = int(block.ticks[row])
        is_first = not (self._has_skipped or self._tick >= 0)
        if is_first:
            self._compare_start(block, row)
        self._rerun.begin(block.keyframes[row], block.generation)
        self._knows_snapshots = is_first and "snapshots" in unpacked(block.keyframes[row])
        if not is_first:
            self._breaks.append(self._break(tick))
        self._has_skipped = False
        self._exact = any(isinstance(applied.edit, Checkpoint) for applied in block.edits.get(row, ()))
        self._exact = self._exact and not self._is_rounded(block, row)
        self._running, self._tick = True, tick
        self._checks.begin()
        self._compare(block, row, happened=[applied for applied in block.edits.get(row, ()) if applied.is_event])

    def _compare_start(self, block: RecordBlock, row: int) -> None:
        """Compare the first key frame with what `run.json` makes, if it is the beginning of a run."""
        tick, begins = int(block.ticks[row]), self._recording.metadata.get("begins")
        if tick and begins != BEGINS_RUN:
            self._stated.append(Claim("first state", f"tick {tick}: the run began before"))
            return
        difference = unlike_start(block.keyframes[row], self._rerun.simulation)
        if difference is None:
            self._proved.append(Claim("first state", "the one that run.json makes"))
        elif begins == BEGINS_RUN and difference.path[0] == "bodies" and written_by(self._recording):
            part = _part_of(block.keyframes[row], difference)
            values = f"{difference.first} and {difference.second}"
            self._open.append(f"the beginning: {difference.where}, of {part}, is {values}; {_MADE}")
        elif begins == BEGINS_RUN:
            self._differ(block, row, Mismatch("", f"key frame {difference.where}", difference.first, difference.second))
        else:
            text = f"tick {tick}: {difference.where} is {difference.first}, run.json makes {difference.second}"
            self._stated.append(Claim("first state", text))

    def _is_rounded(self, block: RecordBlock, row: int) -> bool:
        """Return whether the key frame is of a version that rounded bodies beside arms on `mujoco`, and did so."""
        simulation = self._rerun.simulation
        if is_exact(simulation.hash_rule) or simulation.engine_name != "mujoco":
            return False
        is_same: bool = simulation.state_hash() == block.hashes[row].tobytes()
        return not is_same

    def _follow(self, block: RecordBlock, row: int) -> None:
        self._tick = int(block.ticks[row])
        before = self._rerun.simulation.time_ns
        try:
            is_tick = self._rerun.follow(block, row)
        except CoopsimError as problem:
            self._cannot_follow(block, row, problem)
            return
        if self._suspect is not None:
            self._compare_closely(block, row)
        elif self._compare(block, row, self._rerun.happened) and is_tick:
            self._ticks += 1
            self._sim_ns += self._rerun.simulation.time_ns - before

    def _compare(self, block: RecordBlock, row: int, happened: list[AppliedEdit]) -> bool:
        """Return whether the records are the same; look for the difference if they should be."""
        if self._rerun.simulation.state_hash() == block.hashes[row].tobytes():
            mismatch = self._checks.differing(block, row, happened, with_frame=self._exact)
            if mismatch is not None:
                self._differ(block, row, mismatch)
                return False
            self._records += 1
            self._frames += self._exact and row in block.keyframes
            self._has_ended = bool(int(block.head("flags")[row]) & ENDED)
            return True
        if self._exact:
            self._suspect = int(block.ticks[row]), int(block.head("time_ns")[row]) / 1e9
            self._compare_closely(block, row)
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
            isinstance(applied.edit, Restore) and applied.edit.name not in self._rerun.simulation.snapshots
            for applied in block.edits.get(row, ())
        )
        if isinstance(problem, PluginError):
            self._open.append(str(problem))
            self._stop(str(problem).partition("\n")[0])
        elif lost and not self._knows_snapshots:
            self._stop(f"{problem}; it was taken before the recording or in a part that is missing")
        elif self._exact:
            names = ", ".join(applied.edit.kind for applied in block.edits.get(row, ())) or "tick"
            tick, seconds = self._suspect or (tick, time_ns / 1e9)
            self._difference = Difference(tick, seconds, Mismatch("", names, "done", f"refused ({problem})"), tick)
        else:
            self._stop(str(problem))

    def _compare_closely(self, block: RecordBlock, row: int) -> None:
        """Find out what differs: by what every record shows, by the whole state where there is a key frame."""
        assert self._suspect is not None  # noqa: S101 - asked for only then
        recorded = StateView.of_row(self._recording.layout(block.generation), block, row)
        mismatch = visible(recorded, StateView.of_simulation(self._rerun.simulation))
        if mismatch is None and row in block.keyframes:
            recorded_state = Rerun(self._spec)
            recorded_state.begin(block.keyframes[row])
            mismatch = hidden(recorded_state.simulation, self._rerun.simulation)
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


# The first state of a recording, against the one that `run.json` makes.
_COUNTED = ("generation", "snapshots")
"""What counts changes and holds what was there before, and is no state."""


def unlike_start(state: bytes, simulation: Simulation) -> FirstDifference | None:
    """Return where the first key frame is not the beginning of a run, None if it is that.

    Args:
        state: The key frame.
        simulation: Just made of `run.json`; whatever it holds is forgotten.

    Raises:
        BadFile: The key frame cannot be read.
    """
    simulation.hash_rule = unpacked(state).get("hash", 1)
    if hasattr(simulation.engine, "integrate_as"):  # older ones had other integrators
        simulation.engine.integrate_as(unpacked(state)["bodies"])
    checkpoint(simulation)
    begun = snapshot(simulation, {})
    if state == begun or _fork(state, begun) is None:
        return None
    restore(simulation, state)  # what went through an engine is written as this version writes it
    return _fork(snapshot(simulation), begun)


def _fork(recorded: bytes, begun: bytes) -> FirstDifference | None:
    sides = (
        {name: value for name, value in unpacked(raw).items() if name not in _COUNTED} for raw in (recorded, begun)
    )
    return fork(*map(without_places, sides))


def _part_of(state: bytes, difference: FirstDifference) -> str:
    """Return the name of the body or joint of a key frame that differs: their descriptions begin with it."""
    value = without_places(unpacked(state)["bodies"])
    for place, step in enumerate(difference.path[1:]):
        if place and isinstance(value, list) and value and isinstance(value[0], str):
            return value[0]
        if not isinstance(value, list) or not isinstance(step, int):
            break
        value = value[step]
    return "its bodies or joints"
