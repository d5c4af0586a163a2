"""A recording of ten robots, for benchmarks: how large it is, how fast one finds one's way in it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import msgpack
import numpy as np
import zstandard
from mcap.reader import make_reader

from coopsim.recording import Recording, Scrubber
from coopsim.replay.about import attachments
from coopsim.simulation import Simulation
from coopsim.state.edits import SetParameter
from coopsim.testkit.bench.measuring.workload import STEP, Avoidance, crowd
from coopsim.testkit.recorded_run import RecordedRun

ROBOTS, NOISE = 10, 0.02  # noise: without it readings compress to nothing


@dataclass(frozen=True, slots=True)
class Times:
    """Times of many tries [ms]."""

    p50: float
    p99: float


def film(path: Path, ticks: int) -> Path:
    """Record some ticks of ten robots that avoid each other, with noisy sonars; return the path."""
    spec = crowd(ROBOTS, "single")
    simulation = Simulation(spec, step=STEP, programs=[Avoidance()])
    with RecordedRun(simulation, path, attachments=attachments(spec)) as run:
        for place in simulation.layout.robots:
            edit = SetParameter(place.name, "sonars", "noise", NOISE)
            run.edit(edit)
        run.tick(ticks)
    return path


def poses_bytes(path: Path) -> int:
    """Return how many bytes the poses of a recording take, compressed as they are in the file, alone."""
    squeeze = zstandard.ZstdCompressor()
    with path.open("rb") as file:
        messages = make_reader(file).iter_messages(topics=["/coopsim/ticks"])
        return sum(
            len(squeeze.compress(msgpack.unpackb(message.data)["poses"]["planes"])) for _, _, message in messages
        )


def open_times(path: Path, tries: int = 5) -> Times:
    """Measure how long it takes from nothing to the first state."""

    def once() -> None:
        with Recording.open(path) as recording:
            Scrubber(recording).record(0)

    return _measured([once] * tries)


def seek_times(path: Path, tries: int) -> Times:
    """Measure going to random times, each with the poses of that time."""
    with Recording.open(path) as recording:
        scrubber = Scrubber(recording)
        places = np.random.default_rng(1).uniform(0.0, recording.duration, tries).tolist()
        return _measured([lambda at=at: scrubber.at_time(at).poses for at in places])  # type: ignore[misc]  # at is bound


def scrub_times(path: Path, frames: int) -> Times:
    """Measure going forward in steps of a tick from the middle on."""
    with Recording.open(path) as recording:
        scrubber = Scrubber(recording)
        middle = len(recording) // 2
        numbers = range(middle, min(len(recording), middle + frames))
        return _measured([lambda number=number: scrubber.record(number).poses for number in numbers])  # type: ignore[misc]  # number is bound


def _measured(tries: list[Callable[[], object]]) -> Times:
    times = []
    for attempt in tries:
        began = time.perf_counter()
        attempt()
        times.append(1e3 * (time.perf_counter() - began))
    p50, p99 = np.percentile(times, (50, 99)).tolist()
    return Times(p50, p99)
