"""Contents of a record besides its arrays."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import msgpack

from coopsim.errors import EngineCannot
from coopsim.geometry import all_finite
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.simulation import Simulation
from coopsim.state import MODES, RecordHeader
from coopsim.state.edits import AppliedEdit


class Timing(NamedTuple):
    """Course of time: mode, speed, and whether it stands still or has ended."""

    mode: str = "lockstep"
    speed: float = 1.0
    paused: bool = False
    ended: bool = False


def header_of(
    simulation: Simulation,
    revision: int,
    timing: Timing,
    lateness: Lateness,
    edits: bytes,
    keyframe: bytes = b"",
    *,
    is_hashed: bool = True,
) -> RecordHeader:
    """Return the header of a record of the present state.

    Args:
        simulation: What is recorded; its engine is filled.
        revision: Of the record.
        timing: How time goes on.
        lateness: Counters of late ticks.
        edits: Those applied since the record before, serialised.
        keyframe: The state that a run can be continued from; empty = none.
        is_hashed: Whether it has the state hash already.
    """
    return RecordHeader(  # in the order of its fields: names would take three times as long
        simulation.tick_count,
        revision,
        simulation.time_ns,
        simulation.step_ns,
        simulation.layout.generation,
        MODES.index(timing.mode),
        timing.paused,
        timing.ended,
        len(simulation.engine.names),
        simulation.readings.size,
        simulation.commands.size,
        len(edits),
        lateness.overruns,
        lateness.max_ns,
        lateness.slipped_ns,
        time.monotonic_ns(),
        len(keyframe),
        0,
        timing.speed,
        simulation.state_hash() if is_hashed else bytes(16),
    )


def check_finite(simulation: Simulation) -> None:
    """See to it that the bodies can be recorded.

    Raises:
        EngineCannot: The state is no longer finite.
    """
    # refused before anything is written: clients and recordings never see such a record
    if not all_finite(simulation.engine.planar):
        raise EngineCannot(f"tick {simulation.tick_count}: the physics diverged; try a smaller step or larger masses")


def serialize_edits(simulation: Simulation, edits: Sequence[AppliedEdit]) -> bytes:
    """Return edits and the events that happened since the record before, serialised; forget the events."""
    # edits came between ticks, before what happened in this one
    applied, simulation.happened = [*edits, *simulation.happened], []
    packed: bytes = msgpack.packb([edit.to_plain() for edit in applied]) if applied else b""
    return packed
