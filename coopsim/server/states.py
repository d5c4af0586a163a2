"""Head of every state, by whatever carrier it goes."""

from typing import Any

from coopsim.state import Record


def head_of(record: Record, run: int) -> tuple[Any, ...]:
    """Return tick, time, generation, revision, mode, is paused, is ended, run."""
    header = record.header
    return (
        header.tick,
        record.time,
        header.generation,
        header.revision,
        record.mode,
        int(header.paused),
        int(header.ended),
        run,
    )
