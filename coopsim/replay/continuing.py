"""Going on from an instant of a recording: `FILE@12.5`, `FILE@tick:1250`."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coopsim.errors import BadArgument, CoopsimError, DamagedRecording
from coopsim.recording import KeyFrame, RecordBlock, Recording, Scrubber
from coopsim.replay.required_plugins import require
from coopsim.replay.rerun import Rerun
from coopsim.robots import RunSpec
from coopsim.simulation import Simulation
from coopsim.simulation.hashing import RULE
from coopsim.simulation.saved import unpacked
from coopsim.simulation.snapshot import snapshot
from coopsim.state.edits import Checkpoint, SetEngine, SetParameter, SetStep, TakeSnapshot

_FORM = "FILE@SECONDS or FILE@tick:N"


@dataclass(frozen=True, slots=True)
class Instant:
    """A place in a recording.

    Attributes:
        path: The recording.
        seconds: Position on its time line [s]; None = as `tick` says.
        tick: None = as `seconds` says; both None = the last record.
    """

    path: Path
    seconds: float | None = None
    tick: int | None = None

    @classmethod
    def parse(cls, text: str) -> "Instant":
        """Return the instant that `FILE@12.5`, `FILE@tick:1250`, or `FILE` alone (its end) names.

        Raises:
            BadArgument: What stands behind the last @ is neither seconds nor a tick.
        """
        file, at, place = text.rpartition("@")
        if not at or Path(text).exists():  # names with an @ in them
            return cls(Path(text))
        word = place.removeprefix("tick:")
        if word != place:
            if not word.isascii() or not word.isdecimal():
                raise BadArgument(f"{text!r}: the tick {word!r} is no whole number; expected {_FORM}")
            return cls(Path(file), tick=int(word))
        try:
            seconds = float(place)
        except ValueError:
            seconds = math.nan
        if not math.isfinite(seconds):
            raise BadArgument(f"{text!r}: {place!r} is no time in seconds; expected {_FORM}")
        return cls(Path(file), seconds=seconds)


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter and its new value: `robot1.sonars.noise=0.05`."""

    robot: str
    module: str
    name: str
    value: str

    @classmethod
    def parse(cls, text: str) -> "Setting":
        """Return the setting that a text names.

        Raises:
            BadArgument: It is not of the form ROBOT.MODULE.PARAMETER=VALUE.
        """
        path, equals, value = text.partition("=")
        parts = path.strip().rsplit(".", 2)
        if not equals or len(parts) != 3 or not all(parts):
            raise BadArgument(f"{text!r} is no setting; expected ROBOT.MODULE.PARAMETER=VALUE")
        robot, module, name = parts
        return cls(robot, module, name, value.strip())

    @property
    def edit(self) -> SetParameter:
        """The edit that does it."""
        return SetParameter(self.robot, self.module, self.name, self.value)

    def __str__(self) -> str:
        return f"{self.robot}.{self.module}.{self.name}={self.value}"


@dataclass(frozen=True, slots=True)
class Continuation:
    """State that a live run goes on from.

    Attributes:
        state: Snapshot, the settings in it.
        tick: Where it goes on.
        time: Simulated time there [s].
        step: Length of a tick there [s].
        engine: In force there.
        parent: What the recording of the continued run says about where it comes from.
        exact: Whether the state is the recorded one bit by bit. If not, contacts that key frames do not hold have
            changed its last digits since the key frame; it is the same at each continuation all the same.
        is_seamless: Whether the recorded tick after it follows from it bit by bit, with the edits on the way. If not,
            bodies touch there, and the engine of the parent remembered their contacts. None = nobody can look.
    """

    state: bytes
    tick: int
    time: float
    step: float
    engine: str
    parent: dict[str, Any]
    exact: bool
    is_seamless: bool | None


def continuation(
    recording: Recording,
    spec: RunSpec,
    instant: Instant,
    settings: Sequence[Setting] = (),
    step: float | None = None,
    engine: str | None = None,
) -> Continuation:
    """Return the state of a recording at an instant; the same instant always gives the same bytes.

    It begins at the last key frame before and does again what was recorded up to the instant.

    Args:
        recording: The file that the instant names.
        spec: What was run.
        instant: Within the recording.
        settings: Parameters to change there.
        step: Simulated seconds per tick from there on; None = as before.
        engine: That goes on from there; None = as before.

    Raises:
        EngineCannot: `engine` cannot hold what there is.
        BadArgument: The instant lies outside the recording, or a value outside its range.
        DamagedRecording: What lies between the key frame and the instant is missing.
        NamingError: A setting names what is not there.
        PluginMissing: The run was made with a plugin that is not here.
    """
    require(recording)
    number = _number(recording, instant)
    rerun = Rerun(spec)
    exact = _repeat(recording, rerun, number)
    simulation = rerun.simulation
    is_seamless = _is_seamless(recording, spec, simulation, number) if exact else False
    for setting in settings:
        _change(rerun, setting)
    if step is not None:
        rerun.edit(SetStep(step))
    if engine is not None:
        rerun.edit(SetEngine(engine))
    tick, seconds = simulation.tick_count, simulation.time
    parent = _parent(recording, simulation, settings, exact, is_seamless)
    step, engine = simulation.step_ns * 1e-9, simulation.engine_name
    simulation.hash_rule = RULE
    state = snapshot(simulation, simulation.snapshots)
    return Continuation(state, tick, seconds, step, engine, parent, exact, is_seamless)


def _parent(
    recording: Recording, simulation: Simulation, settings: Sequence[Setting], exact: bool, is_seamless: bool | None
) -> dict[str, Any]:
    """Return what a continuation says of where it comes from."""
    said = {
        "file": str(recording.path),
        "tick": simulation.tick_count,
        "time": simulation.time,
        "set": [str(setting) for setting in settings],
        "exact": exact,
        "seamless": is_seamless,
    }
    return said | ({"run": recording.metadata["run"]} if "run" in recording.metadata else {})


def _number(recording: Recording, instant: Instant) -> int:
    """Return the number of the record that an instant means."""
    scrubber = Scrubber(recording)
    last = scrubber.record(len(recording) - 1)
    if instant.tick is not None:
        first = recording.first_tick
        if not first <= instant.tick <= last.tick:
            raise BadArgument(f"{recording.path} holds ticks {first} to {last.tick}, not {instant.tick}").advise("")
        return scrubber.number_at_tick(instant.tick)
    if instant.seconds is not None:
        begin, end = recording.begin_ns / 1e9, recording.end_ns / 1e9
        if not begin - 1e-9 <= instant.seconds <= end + 1e-9:
            raise BadArgument(
                f"{recording.path} goes from {begin:g} s to {end:g} s; {instant.seconds:g} s is outside"
            ).advise("")
        return scrubber.number_at_time(instant.seconds)
    return len(recording) - 1


def _repeat(recording: Recording, rerun: Rerun, number: int) -> bool:
    """Bring `rerun` to a record; return whether its state is the recorded one, bit by bit."""
    wanted = Scrubber(recording).record(number).header.state_hash
    frame = recording.keyframe(number)
    if frame is None:
        raise DamagedRecording(f"{recording.path}: there is no key frame at or before the instant")
    _create_snapshots(recording, rerun, number)
    _run(recording, rerun, frame, number)
    if rerun.simulation.state_hash() == wanted:
        return True
    # contacts that the key frame does not hold: a checkpoint needs none
    start = _checkpoint(recording, number)
    if start is not None and start.number < frame.number:
        with suppress(DamagedRecording):  # records are missing between
            _run(recording, rerun, start, number)
            return rerun.simulation.state_hash() == wanted
        _run(recording, rerun, frame, number)
    return False


def _checkpoint(recording: Recording, number: int) -> KeyFrame | None:
    """Return the key frame of the last checkpoint at or before a record."""
    checkpoint = None
    for group in recording.edits():
        if group.number > number:
            break
        if any(isinstance(applied.edit, Checkpoint) for applied in group.edits):
            checkpoint = group.number
    frame = None if checkpoint is None else recording.keyframe(checkpoint)
    return frame if frame is not None and frame.number == checkpoint else None


def _create_snapshots(recording: Recording, rerun: Rerun, number: int) -> None:
    """Take the named snapshots that there are at a record, as far as key frames hold them; take others again."""
    named = rerun.simulation.snapshots
    taken = {0: None, **dict.fromkeys(_snapshot_edits(recording, number))}
    for place in taken:
        frame = recording.keyframe(place)
        held = unpacked(frame.state).get("snapshots") if frame is not None and frame.number == place else None
        if held is not None:
            named.update(held)
        elif place and (before := recording.keyframe(place - 1)) is not None:
            _run(recording, rerun, before, place)


def _snapshot_edits(recording: Recording, number: int) -> list[int]:
    """Return the records up to one in which named snapshots were taken that were not taken anew later."""
    last: dict[str, int] = {}
    for group in recording.edits():
        if group.number > number:
            break
        last |= {applied.edit.name: group.number for applied in group.edits if isinstance(applied.edit, TakeSnapshot)}
    return sorted(last.values())


def _run(recording: Recording, rerun: Rerun, frame: KeyFrame, number: int) -> None:
    """Do again what was recorded after a key frame, up to a record."""
    rerun.begin(frame.state)
    revision = None
    for first, block in recording.blocks(frame.number):
        for row in range(max(0, frame.number - first), min(len(block), number + 1 - first)):
            recorded = int(block.head("revision")[row])
            if revision is not None and recorded != revision + 1:
                raise DamagedRecording(
                    f"{recording.path}: {recorded - revision - 1} records are missing before tick {block.ticks[row]}, "
                    "so what comes after them cannot be done again; continue from an instant before or a second later"
                )
            if revision is not None:
                rerun.follow(block, row)
            revision = recorded
        if first + len(block) > number:
            return


def _is_seamless(recording: Recording, spec: RunSpec, simulation: Simulation, number: int) -> bool | None:
    """Return whether the next recorded tick follows from a state, edits on the way included.

    None = nobody can look: the recording ends here, records are missing, or an edit cannot be done again.
    """
    scrubber = Scrubber(recording)
    trial, revision = Rerun(spec), scrubber.record(number).header.revision
    trial.begin(snapshot(simulation, simulation.snapshots))
    for following in range(number + 1, len(recording)):
        block, row = _row(recording, following)
        revision += 1
        if int(block.head("revision")[row]) != revision:
            return None
        try:
            is_tick = trial.follow(block, row)
        except CoopsimError:
            return None
        if trial.simulation.state_hash() != block.hashes[row].tobytes():
            return False
        if is_tick:
            return True
    return None


def _row(recording: Recording, number: int) -> tuple[RecordBlock, int]:
    first, block = next(recording.blocks(number))
    return block, number - first


def _change(rerun: Rerun, setting: Setting) -> None:
    try:
        rerun.edit(setting.edit)
    except CoopsimError as problem:
        raise type(problem)(f"--set {setting}: {problem}") from None
