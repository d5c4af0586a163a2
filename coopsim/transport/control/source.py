"""To and from the source of records: the physics process, or the playback."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from coopsim.errors import CoopsimError, error_for
from coopsim.geometry import heading
from coopsim.state import Layout, Record
from coopsim.state.edits import AnyEdit, EditResult
from coopsim.state.plain import AnyFloat, AnyParam
from coopsim.state.vocabulary import Declared
from coopsim.transport.control.common import Refusal


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Start(Declared):
    """All processes are ready: time begins."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordFrom(Declared):
    """Write key frames, wait for the recorder, and say where in the ring the recording begins."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordNoMore(Declared):
    """Write no key frames, and do not wait for the recorder."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EditRequest(Declared):
    """An edit that the host asks for; it is answered by `Answer` with the same id."""

    id: int
    edit: AnyEdit


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class CompilingKernels(Declared):
    """Machine code is made, which takes a while; told at most twice a second while it lasts.

    Attributes:
        done: Kernels that are compiled.
        total: Kernels that had no machine code; 0 = none of ours.
    """

    done: int = 0
    total: int = 0


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TicksLate(Declared):
    """Real time is not kept.

    Attributes:
        overruns: Ticks that began late.
        lateness: The largest one [s].
    """

    overruns: int
    lateness: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DurationOver(Declared):
    """The simulated time that was asked for is over."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DeviceFailed(Declared):
    """A device is switched off."""

    name: str
    text: str
    tick: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class DeviceNoticed(Declared):
    """A device says something about single robots, and goes on."""

    text: str
    tick: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TickFailed(Declared):
    """The engine could not make a tick."""

    engine: str
    text: str
    tick: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PluginStuck(Declared):
    """A call of a plugin does not return.

    Attributes:
        text: Which one.
        seconds: For how long.
    """

    text: str
    seconds: float


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PluginReturned(Declared):
    """The call that was stuck has returned."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ThreadsLeft(Declared):
    """A plugin left threads running."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordingBegins(Declared):
    """First position in the ring, and first revision, of the recording: from the source to the recorder."""

    position: int
    revision: int


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecordingRefused(Refusal):
    """The source cannot be recorded."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RecorderAwaited(Declared):
    """The run waits for the recorder, or does so no more."""

    is_awaited: bool


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PlanarPose(Declared):
    """Position of a robot in the end [m, m, rad]."""

    x: AnyFloat
    y: AnyFloat
    heading: AnyFloat


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SourceSummary(Declared):
    """Totals of a run.

    Attributes:
        sim_time: Simulated time [s].
        wall_time: Real time from the first tick to the last [s].
        overruns: Ticks that began late, real time.
        max_lateness: The largest lateness [s].
        slipped: Real time given up for good [s].
        state_hash: Of the last record, hexadecimal.
        lateness_p50: Lateness that half of the ticks do not exceed [s]; None = none was paced, or it is unknown.
        lateness_p99: Lateness that 99 of 100 ticks do not exceed [s].
        profile: What a tick costs (`simulation.profiling.Profile.to_plain`), if it was asked for.
    """

    ticks: int
    sim_time: float
    wall_time: float
    overruns: int
    max_lateness: float
    slipped: float
    state_hash: str
    robots: dict[str, PlanarPose]
    lateness_p50: float | None = None
    lateness_p99: float | None = None
    profile: dict[str, object] | None = None

    @classmethod
    def of(cls, layout: Layout, record: Record, wall_time: float) -> Self:
        """Return what the last record of a run says, and its layout."""
        header, poses = record.header, record.poses[np.array([place.body for place in layout.robots], np.int64)]
        robots = {
            place.name: PlanarPose(x, y, heading(*orientation))
            for place, (x, y, _, *orientation) in zip(layout.robots, poses.tolist(), strict=True)
        }
        return cls(
            ticks=header.tick,
            sim_time=record.time,
            wall_time=wall_time,
            overruns=header.overruns,
            max_lateness=header.max_lateness_ns / 1e9,
            slipped=header.slipped_ns / 1e9,
            state_hash=header.state_hash.hex(),
            robots=robots,
        )


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Answer(Declared):
    """Answer of the source to an edit.

    Attributes:
        error: Number of the error, 0 = it is in force.
        content: For the host alone.
        id: Of the request.
    """

    error: int = 0
    text: str = ""
    params: tuple[AnyParam, ...] = ()
    data: tuple[AnyFloat, ...] = ()
    tick: int = 0
    content: bytes = b""
    id: int = field(default=0, compare=False)

    @classmethod
    def of(cls, request: int, tick: int, result: EditResult, problem: CoopsimError | None = None) -> Self:
        """Return the answer to a request: what the edit answers, or why it was refused."""
        if problem is not None:
            return cls(problem.code, str(problem), tuple(problem.params), tick=tick, id=request)
        return cls(0, "", result.params, result.data, tick, result.content, request)

    def problem(self) -> CoopsimError | None:
        """Return the error to raise, None after success."""
        return error_for(self.error)(self.text).bring(*self.params) if self.error else None


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SourceFacts(Declared):
    """Facts of the source about itself (`/sim/info`)."""

    facts: dict[str, object]
