"""The state hash."""

from simulation_scenes import make_spec

from coopsim.simulation import Simulation


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
