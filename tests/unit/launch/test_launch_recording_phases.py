"""The phases of a recording as a table: every phase, every event."""

from itertools import product

import pytest

from coopsim.launch.recording.phases import NEXT, Phase, RecordingEvent

TABLE = """
            STARTED  OPENED  SOURCE_READY  PLACED     REFUSED  FAILED  STOPPED    CLOSED  ENDED
IDLE        OPENING  -       -             -          -        -       -          -       -
OPENING     -        OPEN    -             -          -        LEFT    ENDING     LEFT    IDLE
OPEN        -        -       PLACING       -          -        LEFT    ENDING     LEFT    IDLE
PLACING     -        -       -             RECORDING  LEFT     LEFT    ENDING     LEFT    IDLE
RECORDING   -        -       -             -          -        LEFT    FINISHING  LEFT    IDLE
FINISHING   -        -       -             -          -        ENDING  -          ENDING  IDLE
ENDING      -        -       -             -          -        ENDING  -          ENDING  IDLE
LEFT        -        -       -             -          -        LEFT    ENDING     LEFT    IDLE
"""
"""Rows are phases, columns events; - = the event means nothing then."""
_HEAD, *_ROWS = (line.split() for line in TABLE.strip().splitlines())
WANTED = {
    (Phase[phase], RecordingEvent[event]): Phase[cell] if cell != "-" else None
    for phase, *cells in _ROWS
    for event, cell in zip(_HEAD, cells, strict=True)
}


def test_the_table_is_whole() -> None:
    assert set(WANTED) == set(product(Phase, RecordingEvent))


@pytest.mark.parametrize(("phase", "event"), sorted(WANTED, key=str), ids=lambda each: each.name)
def test_what_follows_an_event(phase: Phase, event: RecordingEvent) -> None:
    assert NEXT[phase].get(event) is WANTED[phase, event]


def test_every_phase_is_reached_and_every_recorder_that_ends_is_gone() -> None:
    reached = {Phase.IDLE}
    while more := {after for phase in reached for after in NEXT[phase].values()} - reached:
        reached |= more
    assert reached == set(Phase)
    assert all(NEXT[phase][RecordingEvent.ENDED] is Phase.IDLE for phase in set(Phase) - {Phase.IDLE})


def test_a_recording_begins_at_its_place_alone_and_is_stopped_once() -> None:
    begun = [(phase, event) for (phase, event), after in WANTED.items() if after is Phase.RECORDING]
    assert begun == [(Phase.PLACING, RecordingEvent.PLACED)]
    assert all(RecordingEvent.STOPPED not in NEXT[phase] for phase in Phase if phase.is_stopping)
    assert all(
        NEXT[phase][RecordingEvent.STOPPED].is_stopping for phase in Phase if RecordingEvent.STOPPED in NEXT[phase]
    )
