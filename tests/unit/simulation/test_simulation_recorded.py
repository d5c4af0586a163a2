"""The physics process while somebody records it."""

from collections.abc import Iterator
from typing import Any

import pytest
from simulation_scenes import make_spec
from test_simulation_process import Run

from coopsim.errors import EngineCannot
from coopsim.simulation import Simulation, edits
from coopsim.simulation.snapshot import restore
from coopsim.state import Record
from coopsim.state.edits import Checkpoint
from coopsim.transport import unpacked_layout
from coopsim.transport.control import (
    RecorderAwaited,
    RecordFrom,
    RecordingBegins,
    RecordingRefused,
    RecordNoMore,
    SourceSummary,
    Stop,
)


@pytest.fixture
def run(request: pytest.FixtureRequest) -> Iterator[Run]:
    run = Run(mode=getattr(request, "param", "lockstep"))
    run.start()
    yield run
    if run.thread.is_alive():
        run.stop()
    run.ring.unlink()
    for end in run.ends:
        end.close()


def heard(run: Run, *kinds: type[Any]) -> Any:
    """Return the next message of some kinds that the launcher is sent."""
    while messages := run.launcher.wait(20):
        for message in messages:
            if isinstance(message, kinds):
                return message
    raise AssertionError(f"it never said {kinds}")


def begin(run: Run) -> Record:
    """Ask it to be recorded; return the record that the recording begins with."""
    run.launcher.send(RecordFrom())
    said = heard(run, RecordingBegins)
    record = Record(run.ring.at(said.position))
    assert record.header.revision == said.revision
    return record


def test_a_recording_begins_with_a_checkpoint_and_the_state(run: Run) -> None:
    record = begin(run)
    assert [edit["edit"] for edit in record.edits] == ["checkpoint"]
    again = Simulation(make_spec())
    restore(again, record.keyframe)
    assert again.state_hash() == record.header.state_hash


def test_the_source_holds_the_place_until_the_recorder_comes(run: Run) -> None:
    begin(run)
    assert run.ring.recorder_cursor == run.ring.position


def test_the_record_that_a_recording_begins_with_brings_its_layout(run: Run) -> None:
    assert unpacked_layout(begin(run).packed_layout) == run.link.layout


def test_there_is_a_key_frame_each_second(run: Run) -> None:
    begin(run)
    ticks = []
    cursor = run.ring.position
    for tick in range(1, 221):
        run.link.grant_tick()
        run.until(lambda tick=tick: run.record.tick == tick)
    records, _, _ = run.ring.following(cursor)
    ticks = [Record(raw).tick for raw in records if Record(raw).keyframe]
    assert ticks == [0, 100, 200]


def test_nobody_waits_any_more_when_recording_is_over(run: Run) -> None:
    begin(run)
    run.launcher.send(RecordNoMore())
    run.edit("pause")
    run.edit("continue")
    assert run.ring.recorder_cursor == -1
    assert not run.record.keyframe


def test_what_cannot_be_recorded_is_refused_in_words_and_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise EngineCannot("this engine cannot go on from a snapshot")

    monkeypatch.setitem(edits._CARRY_OUT, Checkpoint, fail)
    run.launcher.send(RecordFrom())
    assert heard(run, RecordingRefused) == RecordingRefused(502, "this engine cannot go on from a snapshot")
    run.link.grant_tick()
    run.until(lambda: run.record.tick == 1)
    assert run.ring.recorder_cursor == -1


def test_a_state_that_does_not_fit_into_the_ring_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("coopsim.simulation.keyframes.snapshot", lambda *_: bytes(run.ring.largest))
    run.launcher.send(RecordFrom())
    said = heard(run, RecordingRefused)
    assert said.error == 603
    assert "--max-robots" in said.text
    assert run.edit("pause").error == 0


free = pytest.mark.parametrize("run", ["free"], indirect=True)


@free
def test_a_run_that_waits_for_its_recorder_says_so_and_when_it_goes_on(run: Run) -> None:
    begin(run)  # nobody reads on from here
    assert heard(run, RecorderAwaited).is_awaited
    stood_at = run.ring.count
    run.ring.acknowledge(run.ring.position)
    assert not heard(run, RecorderAwaited).is_awaited
    run.until(lambda: run.ring.count > stood_at)


@free
def test_a_run_that_waits_for_its_recorder_ends_when_it_need_not_any_more(run: Run) -> None:
    begin(run)
    assert heard(run, RecorderAwaited).is_awaited
    run.launcher.send(Stop("Ctrl-C"))
    run.ring.detach_reader()
    assert heard(run, SourceSummary).ticks == Record(run.ring.latest()).tick
    run.thread.join(20)


@free
def test_a_run_that_waits_for_its_recorder_ends_with_its_launcher(run: Run) -> None:
    begin(run)
    assert heard(run, RecorderAwaited).is_awaited
    run.launcher.close()
    run.thread.join(20)
    assert not run.thread.is_alive()


def test_there_is_a_key_frame_each_simulated_second_also_when_the_step_becomes_shorter(run: Run) -> None:
    run.edit("set_step", step=0.05)
    for tick in range(1, 41):
        run.link.grant_tick()
        run.until(lambda tick=tick: run.record.tick == tick)
    begin(run)
    cursor = run.ring.position
    run.edit("set_step", step=0.01)
    for tick in range(41, 261):
        run.link.grant_tick()
        run.until(lambda tick=tick: run.record.tick == tick)
    records, _, _ = run.ring.following(cursor)
    assert [Record(raw).tick for raw in records if Record(raw).keyframe] == [40, 140, 240]
