"""What a record says of a simulation, whoever publishes it."""

import msgpack
import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.errors import EngineCannot
from coopsim.simulation import Simulation
from coopsim.simulation.pacing import Lateness
from coopsim.simulation.records import Timing, check_finite, header_of, serialize_edits
from coopsim.state.edits import AppliedEdit, Note


def test_the_header_says_what_the_simulation_says_and_how_time_goes_on() -> None:
    simulation = Simulation(make_spec())
    simulation.tick()
    lateness = Lateness(overruns=3, max_ns=5_000, slipped_ns=7_000)
    header = header_of(simulation, 4, Timing("free", 2.0, paused=True), lateness, b"edits", b"keyframe")
    assert (header.tick, header.revision, header.time_ns, header.step_ns) == (1, 4, 10_000_000, 10_000_000)
    assert (header.mode, header.speed, header.paused, header.ended) == (2, 2.0, True, False)
    assert (header.overruns, header.max_lateness_ns, header.slipped_ns) == (3, 5_000, 7_000)
    assert (header.edits_bytes, header.keyframe_bytes, header.generation) == (5, 8, simulation.layout.generation)
    sizes = (len(simulation.engine.names), simulation.readings.size, simulation.commands.size)
    assert (header.bodies, header.readings, header.commands) == sizes
    assert header.state_hash == simulation.state_hash()


def test_edits_go_before_the_events_of_the_tick_and_events_are_taken_once() -> None:
    simulation = Simulation(make_spec())
    asked, happened = AppliedEdit(Note("asked")), AppliedEdit(Note("happened"), is_event=True)
    simulation.happened.append(happened)
    assert msgpack.unpackb(serialize_edits(simulation, [asked])) == [asked.to_plain(), happened.to_plain()]
    assert serialize_edits(simulation, []) == b""


def test_a_state_that_is_no_longer_finite_is_refused_with_its_tick(monkeypatch: pytest.MonkeyPatch) -> None:
    simulation = Simulation(make_spec())
    simulation.tick()
    monkeypatch.setattr(simulation.engine, "fill", lambda: None)
    simulation.engine.planar[0] = np.nan
    with pytest.raises(EngineCannot, match="tick 1: the physics diverged"):
        check_finite(simulation)
