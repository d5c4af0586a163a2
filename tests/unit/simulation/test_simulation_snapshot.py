"""Snapshots: every continuation of one instant is the same bit by bit."""

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from simulation_scenes import make_spec

from coopsim.errors import BadFile, NoSuchPlugin
from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import checkpoint, restore, snapshot
from coopsim.state.edits import GetParameter, Insert, Remove, SetParameter

EVENTS = (Event(0.5, (("robot1.sonars.noise", "0.05"),)), Event(1.5, (("robot2.sonars.reach", "1"),)))


def busy() -> Simulation:
    """Return a run in the midst of pushing a crate, with a late robot and a changed parameter."""
    simulation = Simulation(make_spec(events=EVENTS))
    apply(simulation, Insert("[ROBOT_1]\ntype single\nname late\nposition 1.0 0.1 0\n"))
    apply(simulation, SetParameter("late", "target", "robots", "robot1"))
    for name in simulation.layout.robot:
        simulation.command(name, "motors", 10, (0.4, 0.05))
    for _ in range(120):
        simulation.tick()
    return simulation


def hashes(simulation: Simulation, ticks: int = 150) -> list[bytes]:
    collected = []
    for _ in range(ticks):
        simulation.tick()
        collected.append(simulation.state_hash())
    return collected


def continued(raw: bytes) -> Simulation:
    simulation = Simulation(make_spec(events=EVENTS))
    restore(simulation, raw)
    return simulation


def test_every_continuation_is_the_same_bit_by_bit() -> None:
    raw = snapshot(busy())
    first, second = continued(raw), continued(raw)
    assert first.tick_count == 120
    assert first.state_hash() == second.state_hash()
    assert hashes(first) == hashes(second)


def test_a_checkpoint_makes_the_running_simulation_such_a_continuation() -> None:
    running = busy()
    checkpoint(running)
    raw = snapshot(running)
    assert hashes(running) == hashes(continued(raw))


def test_taking_a_snapshot_changes_nothing() -> None:
    disturbed, undisturbed = busy(), busy()
    collected = []
    for _ in range(50):
        snapshot(disturbed)
        disturbed.tick()
        collected.append(disturbed.state_hash())
    assert collected == hashes(undisturbed, 50)


def test_a_restored_state_is_the_one_that_was_saved() -> None:
    simulation = busy()
    before, raw = simulation.state_hash(), snapshot(simulation)
    later = continued(raw)
    assert later.state_hash() == before
    assert snapshot(later) == snapshot(continued(raw))
    assert later.agenda.done == 1
    assert apply(later, GetParameter("late", "target", "robots")).params == ("robot1",)


def test_a_snapshot_of_another_version_or_of_an_unknown_engine_is_refused() -> None:
    simulation = busy()
    raw = snapshot(simulation)
    unknown = msgpack.packb({**msgpack.unpackb(raw), "engine": "pymnuk"})
    with pytest.raises(NoSuchPlugin, match="pymnuk → pymunk"):
        restore(simulation, unknown)
    with pytest.raises(BadFile, match="no snapshot"):
        restore(simulation, b"\x80")


@given(st.binary(max_size=200))
def test_garbage_is_no_snapshot(raw: bytes) -> None:
    with pytest.raises(BadFile):
        restore(None, raw)  # type: ignore[arg-type]


@pytest.mark.parametrize("keep_time", [False, True])
def test_a_robot_that_watches_one_that_has_gone_is_restored(keep_time: bool) -> None:
    simulation = Simulation(make_spec())
    watched = "robot1", "target", "robots"
    apply(simulation, SetParameter(*watched, "robot2"))
    apply(simulation, Remove("robot2"))
    simulation.tick()
    raw = snapshot(simulation)

    restore(simulation, raw, keep_time=keep_time)

    assert snapshot(simulation) == raw
    assert apply(simulation, GetParameter(*watched)).params == ("robot2",)
