"""Comparison of engines by one recorded run: the same commands, tick by tick, and how far the bodies part.

Source: SwarmSimX, section 2.1 (the physics engine is exchangeable); positions are aligned by `position_lag`.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.errors import BadArgument, DamagedRecording
from coopsim.geometry import Floats
from coopsim.recording import RecordBlock, Recording
from coopsim.replay.required_plugins import require
from coopsim.replay.rerun import Rerun
from coopsim.robots import RunSpec, engine_type
from coopsim.scene import by_name
from coopsim.simulation import Simulation
from coopsim.state.edits import SetEngine

DIVERGED = 0.01
"""Bodies that are farther apart count as diverged [m]."""
_STANDS = 0.01  # m; what noise of engines moves a body at rest
_MOST_SAMPLES = 20_000  # of a recording; ways are compared, not ticks


@dataclass(frozen=True, slots=True)
class EngineTrajectories:
    """Trajectories of the bodies on one engine.

    Attributes:
        lag: Its `position_lag` [ticks]; paths begin that much later, to mean the same instants on every engine.
        speed: Simulated seconds per second of a tick in the middle of all.
        times: Of the samples, from the beginning [s], shape (k,).
        ways: x y z and heading by name of the body, NaN where it was not there, shape (k, 4) [m, rad].
    """

    engine: str
    lag: int
    speed: float
    times: Floats
    ways: Mapping[str, Floats]

    @property
    def moving(self) -> list[str]:
        """Names of the bodies that went somewhere, by name."""
        return [name for name in sorted(self.ways, key=by_name) if _extent(self.ways[name]) > _STANDS]


@dataclass(frozen=True, slots=True)
class EngineDeviation:
    """Distances of the bodies of one engine from those of another.

    Attributes:
        first: When the first body was farther than `DIVERGED` away [s]; None = never.
        median: Over all bodies that moved and all samples [m].
        largest: [m].
        body: Whose that was, "" = nothing moved.
    """

    engine: str
    first: float | None
    median: float
    largest: float
    body: str


def courses(
    recording: Recording,
    spec: RunSpec,
    engines: Sequence[str],
    duration: float = math.inf,
    *,
    clock: Callable[[], float] = time.perf_counter,
) -> list[EngineTrajectories]:
    """Do a recorded run again on each of several engines, from its first key frame.

    Args:
        recording: Its commands and edits count, not the engine it was made with.
        spec: What was run.
        engines: Names of registered engines.
        duration: Simulated time that is done again at most [s].
        clock: Real time [s].

    Raises:
        DamagedRecording: It has no key frame to begin with, or records are missing.
        EngineCannot: An engine cannot hold a body; the text names both.
        NoSuchPlugin: An engine is not registered.
    """
    require(recording)
    return [_Follower(recording, spec, engine, duration, clock).run() for engine in engines]


def apart(reference: EngineTrajectories, compared: EngineTrajectories) -> EngineDeviation:
    """Return how far the bodies of `other` are from those of `reference`, at the same instants."""
    count = min(len(reference.times), len(compared.times))
    names = sorted({*reference.moving, *compared.moving} & reference.ways.keys() & compared.ways.keys(), key=by_name)
    if not names or not count:
        return EngineDeviation(compared.engine, None, 0.0, 0.0, "")
    gaps = np.array([_gap(reference.ways[name][:count], compared.ways[name][:count]) for name in names])
    finite_gaps = gaps[np.isfinite(gaps)]
    if not finite_gaps.size:
        return EngineDeviation(compared.engine, None, 0.0, 0.0, "")
    diverged = np.flatnonzero((gaps > DIVERGED).any(axis=0))
    first = float(reference.times[diverged[0]]) if diverged.size else None
    body = names[int(np.nanargmax(gaps)) // count]
    return EngineDeviation(compared.engine, first, float(np.median(finite_gaps)), float(finite_gaps.max()), body)


class _Follower:
    """An engine that does what was recorded."""

    def __init__(
        self, recording: Recording, spec: RunSpec, engine: str, duration: float, clock: Callable[[], float]
    ) -> None:
        frame = next(iter(recording.blocks()), (0, None))[1]
        if frame is None or 0 not in frame.keyframes:
            raise DamagedRecording(f"{recording.path}: it does not begin with a key frame")
        engine_type(engine)  # an unknown name is refused before anything else
        self._recording, self._engine, self._clock = recording, engine, clock
        self._rerun = Rerun(spec)
        self._rerun.begin(frame.keyframes[0])
        self._set_engine()
        self._begin_ns = int(frame.positions_ns[0])
        self._end_ns = self._begin_ns + duration * 1e9
        self._every = max(1, math.ceil(len(recording) / _MOST_SAMPLES))
        self._ticks = 0
        self._times: list[float] = []
        self._samples: list[tuple[tuple[str, ...], Floats]] = []
        self._costs: list[float] = []

    @property
    def _simulation(self) -> Simulation:
        return self._rerun.simulation

    def run(self) -> EngineTrajectories:
        """Do everything again."""
        self._sample(self._begin_ns)
        is_first = True
        for _, block in self._recording.blocks():
            for row in range(int(is_first), len(block)):
                if block.positions_ns[row] > self._end_ns:
                    return self._course()
                self._follow(block, row)
            is_first = False
        return self._course()

    def _follow(self, block: RecordBlock, row: int) -> None:
        applied = block.edits.get(row, ())
        changed = [
            edit_applied.edit
            for edit_applied in applied
            if not isinstance(edit_applied.edit, SetEngine) and not edit_applied.is_event
        ]
        for edit in changed:
            self._rerun.edit(edit)
        if changed:
            self._set_engine()  # what was put back may have been another's
        if int(block.ticks[row]) == self._simulation.tick_count:
            return
        began = self._clock()
        self._rerun.tick(block, row)
        self._costs.append(self._clock() - began)
        self._ticks += 1
        self._sample(int(block.positions_ns[row]))

    def _set_engine(self) -> None:
        self._rerun.edit(SetEngine(self._engine))

    def _sample(self, position_ns: int) -> None:
        """Keep where everything is, of the ticks that every engine is looked at in."""
        engine = self._simulation.engine
        behind = self._ticks - engine.position_lag
        if behind < 0 or behind % self._every:
            return
        self._times.append((position_ns - self._begin_ns - engine.position_lag * self._simulation.step_ns) * 1e-9)
        where = np.column_stack([engine.poses[:, :3], engine.planar[:, 2]])
        self._samples.append((tuple(engine.names), where))

    def _course(self) -> EngineTrajectories:
        names = sorted({name for present, _ in self._samples for name in present}, key=by_name)
        if not self._costs:
            raise BadArgument(f"{self._recording.path}: there is no tick to compare")
        ways = {name: np.full((len(self._samples), 4), np.nan) for name in names}
        for number, (present, where) in enumerate(self._samples):
            for name, place in zip(present, where, strict=True):
                ways[name][number] = place
        speed = self._simulation.step_ns * 1e-9 / max(float(np.median(self._costs)), 1e-9)
        lag = self._simulation.engine.position_lag
        return EngineTrajectories(self._engine, lag, speed, np.array(self._times), ways)


def _gap(first: Floats, second: Floats) -> Floats:
    """Return the distance of two ways at each sample, shape (k,) [m]."""
    distance: Floats = np.sqrt(((first[:, :3] - second[:, :3]) ** 2).sum(axis=1))
    return distance


def _extent(way: Floats) -> float:
    points = way[np.isfinite(way[:, 0]), :3]
    return float(np.sqrt(((points - points[0]) ** 2).sum(axis=1)).max()) if len(points) else 0.0
