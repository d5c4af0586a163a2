"""The state hash."""

import msgpack
from simulation_scenes import make_spec

from coopsim.simulation import Simulation
from coopsim.simulation.hashing import RULE
from coopsim.simulation.snapshot import restore, snapshot


def test_every_part_of_the_state_counts() -> None:
    hashes = set()
    for change in ("nothing", "planar", "height", "readings", "memory"):
        simulation = Simulation(make_spec())
        if change == "planar":
            simulation.engine.planar[0, 0] += 1e-15 + abs(simulation.engine.planar[0, 0]) * 1e-15
        if change == "height":
            simulation.engine.height[0] += 1e-15
        if change == "readings":
            simulation.readings[-1] += 1.0
        if change == "memory":
            memory = simulation.tables.blocks[0].devices["motors"].memory
            next(iter(memory.values()))[...] += 1
        hashes.add(simulation.state_hash())
    assert len(hashes) == 5


def test_equal_states_have_equal_hashes() -> None:
    assert Simulation(make_spec()).state_hash() == Simulation(make_spec()).state_hash()


def test_how_many_commands_came_is_no_physics() -> None:
    once, each_tick = Simulation(make_spec()), Simulation(make_spec())
    once.command("robot1", "motors", 10, (0.3, 0.1))
    for _ in range(50):
        each_tick.command("robot1", "motors", 10, (0.3, 0.1))
        each_tick.tick()
        once.tick()
    assert each_tick.state_hash() == once.state_hash()


def test_an_older_recording_is_hashed_by_its_own_rule() -> None:
    simulation = Simulation(make_spec())
    simulation.command("robot1", "motors", 10, (0.3, 0.1))
    simulation.tick()
    state = msgpack.unpackb(snapshot(simulation))
    assert state.pop("hash") == RULE
    older = Simulation(make_spec())
    restore(older, msgpack.packb(state))
    assert older.state_hash() != simulation.state_hash()
    restore(older, snapshot(older))
    before = older.state_hash()
    older.tables.blocks[0].devices["motors"].memory["wheels"][0, 0] += 1
    assert older.state_hash() != before
