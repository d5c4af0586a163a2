"""In lockstep readings are shown before their record is written; what was seen is recorded, or known to be missing."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from simulation_scenes import make_spec

from coopsim.geometry import Floats
from coopsim.recorder.ring_recorder import RingRecorder
from coopsim.recording import Recording, Writer
from coopsim.simulation import Simulation, record_kernels
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.publisher import Publisher
from coopsim.state import Record, RecordHeader
from coopsim.state.edits import AppliedEdit, Note
from coopsim.transport import Channel, Notifier, Ring, SourceLink


class Killed(BaseException):
    """The process ends here."""


class PlainPublisher(Publisher):
    """A publisher that writes all records in Python."""

    compiles = False


class PhysicsRig:
    """A publisher and the ends of those who read what it writes."""

    def __init__(self, *, compiles: bool) -> None:
        self.compiles, self.ways = compiles, set[str]()
        self.ring = Ring.create(ring_bytes=8 << 20, command_floats=4096)
        (near, host), (_, launcher) = self.channels = Channel.pair(), Channel.pair()
        (woken, wake), (_, permit) = self.bells = Notifier.pair(), Notifier.pair()
        self.simulation = Simulation(make_spec())
        make = Publisher if compiles else PlainPublisher
        self.publisher = make(self.simulation, self.ring, host, launcher, wake, Lateness())
        self.link, self.wake = SourceLink(self.ring, near, woken, permit), wake
        self.pace: dict[str, Any] = {"mode": "lockstep", "speed": 1.0, "paused": False}
        self.publisher.publish(**self.pace)
        self.link.poll()

    def tick(self, **pace: Any) -> None:
        self.simulation.tick()
        self.publisher.publish(**{**self.pace, **pace})

    def at_append(self, monkeypatch: pytest.MonkeyPatch, do: Callable[[], object]) -> None:
        """Call `do` when the whole record is about to be written."""
        append, finish = self.ring.append, record_kernels.finish

        def interrupted(header: RecordHeader, arrays: Sequence[Floats], *more: bytes) -> None:
            assert header.state_hash == self.simulation.state_hash()
            do()
            append(header, arrays, *more)
            self.ways.add("plain")

        def interrupted_compiled(*arguments: Any) -> None:
            do()
            finish(*arguments)
            self.ways.add("compiled")

        monkeypatch.setattr(self.ring, "append", interrupted)
        monkeypatch.setattr(record_kernels, "finish", interrupted_compiled)

    def close(self) -> None:
        self.ring.unlink()
        for pair in (*self.channels, *self.bells):
            for end in pair:
                end.close()


@pytest.fixture(params=[True, False], ids=["compiled", "plain"])
def rig(request: pytest.FixtureRequest) -> Iterator[PhysicsRig]:
    physics_rig = PhysicsRig(compiles=request.param)
    yield physics_rig
    physics_rig.close()


def test_readings_and_the_wake_up_come_before_the_record(rig: PhysicsRig, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []

    def note_order() -> None:
        record = rig.link.record
        seen.append((rig.link.woken.drain()[0], record.tick, record.readings.tolist(), rig.ring.count))

    rig.at_append(monkeypatch, note_order)
    rig.tick()
    assert seen == [(True, 1, rig.simulation.readings.tolist(), 1)]
    record = rig.link.record
    assert Record(rig.ring.latest()).header.state_hash == rig.simulation.state_hash()
    assert rig.ways == {"compiled" if rig.compiles else "plain"}
    assert not rig.link.woken.drain()[0], "once for a tick is enough"
    assert record.poses.tolist() == rig.simulation.engine.poses.tolist()


@pytest.mark.parametrize(
    ("pace", "note"),
    [({"mode": "free"}, ""), ({"paused": True}, ""), ({"ended": True}, ""), ({}, "something was changed")],
)
def test_what_is_more_than_a_tick_of_lockstep_is_shown_whole(
    rig: PhysicsRig, monkeypatch: pytest.MonkeyPatch, pace: dict[str, Any], note: str
) -> None:
    ahead: list[int] = []
    rig.at_append(monkeypatch, lambda: ahead.append(rig.ring.begun - rig.ring.count))
    rig.publisher.edits += [AppliedEdit(Note(note))] if note else []
    rig.tick(**pace)
    assert ahead == [0]
    assert rig.link.woken.drain()[0]


def test_a_record_with_a_key_frame_is_shown_whole(rig: PhysicsRig, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead: list[int] = []
    rig.at_append(monkeypatch, lambda: ahead.append(rig.ring.begun - rig.ring.count))
    wakeup, reader = Notifier.pair()
    rig.publisher.record_for(reader)
    for _ in range(3):
        rig.tick()
    wakeup.close()
    reader.close()
    assert ahead == [0, 1, 1]


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_recording_has_what_clients_saw_or_says_that_it_is_missing(
    rig: PhysicsRig, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, is_killed: bool
) -> None:
    recorder = RingRecorder(rig.ring, Writer(tmp_path / "a.mcap"))
    recorder.begin(rig.ring.position, 0)
    rig.tick()

    def kill() -> None:
        if is_killed:
            raise Killed

    rig.at_append(monkeypatch, kill)
    try:
        rig.tick()
    except Killed:
        rig.wake.close()
    assert rig.link.record.tick == 2, "clients see the tick in both cases"
    recorder.follow()
    recorder.close(is_source_gone=is_killed)
    with Recording.open(tmp_path / "a.mcap") as recording:
        assert [record.tick for record in recording.records()] == ([0, 1] if is_killed else [0, 1, 2])
        assert recording.gaps == is_killed
