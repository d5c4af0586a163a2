"""How large a recording of ten robots is, on the real simulation."""

from pathlib import Path

import pytest

from coopsim.recording import Recording, Scrubber, Writer
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import snapshot
from coopsim.state import Record, RecordHeader
from coopsim.state.edits import SetParameter
from coopsim.state.record import padded
from coopsim.testkit.bench.measuring.workload import Avoidance, crowd

TICKS, PER_HOUR = 1000, 360_000

pytestmark = pytest.mark.integration


def simulation() -> Simulation:
    """Return ten full robots that drive about, with noisy sonars."""
    sim = Simulation(crowd(10, "single"), step=0.01, programs=[Avoidance()])
    for place in sim.layout.robots:
        noise = SetParameter(place.name, "sonars", "noise", 0.02)
        apply(sim, noise)
    return sim


def record_of(made: Simulation) -> Record:
    """Return the record of the present state, with a key frame once a second."""
    made.engine.fill()
    keyframe = snapshot(made) if made.tick_count % 100 == 1 else b""
    header = RecordHeader(
        tick=made.tick_count,
        revision=made.tick_count,
        time_ns=made.time_ns,
        generation=made.layout.generation,
        bodies=len(made.engine.names),
        readings=made.readings.size,
        commands=made.commands.size,
        keyframe_bytes=len(keyframe),
        state_hash=made.state_hash(),
    )
    arrays = (made.engine.poses, made.engine.twists, made.readings, made.commands)
    tail = keyframe.ljust(padded(len(keyframe)), b"\0")
    return Record(header.pack() + b"".join(array.tobytes() for array in arrays) + tail)


def test_an_hour_of_ten_robots_takes_at_most_300_mb(tmp_path: Path) -> None:
    sim = simulation()
    records = []
    with Writer(tmp_path / "a.mcap", clock=lambda: sim.time) as writer:
        writer.layout(sim.layout)
        for _ in range(TICKS):
            sim.tick()
            records.append(record_of(sim))
            writer.write(records[-1])
    assert (tmp_path / "a.mcap").stat().st_size * PER_HOUR / TICKS <= 300e6
    with Recording.open(tmp_path / "a.mcap") as recording:
        scrubber = Scrubber(recording)
        for expected in records[::37]:
            at_tick = scrubber.at_tick(expected.tick)
            assert at_tick.header == expected.header
            assert at_tick.keyframe == expected.keyframe
            assert at_tick.commands.tobytes() == expected.commands.tobytes()
            assert at_tick.poses == pytest.approx(expected.poses, rel=1e-6, abs=1e-6)
            assert at_tick.readings == pytest.approx(expected.readings, rel=1e-6, abs=1e-6)


def test_an_hour_of_the_poses_of_ten_robots_takes_at_most_60_mb(tmp_path: Path) -> None:
    sim = simulation()
    with Writer(tmp_path / "a.mcap", clock=lambda: sim.time) as writer:
        for number in range(TICKS):
            sim.tick()
            sim.engine.fill()
            header = RecordHeader(tick=number, revision=number, time_ns=sim.time_ns, bodies=len(sim.engine.names))
            writer.write(Record(header.pack() + sim.engine.poses.tobytes() + bytes(48 * header.bodies)))
    assert (tmp_path / "a.mcap").stat().st_size * PER_HOUR / TICKS <= 60e6
