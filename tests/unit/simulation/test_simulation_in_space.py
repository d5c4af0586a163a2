"""A simulation on an engine in three dimensions: whatever is only flat in the plane must be whole in space."""

from dataclasses import replace

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.features.proof.differing import hidden
from coopsim.robots import load
from coopsim.scene import Object
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import checkpoint, restore, snapshot
from coopsim.state.edits import Insert, Remove, Reset, Update

FALLING = "[OBJECT_1]\nname crate9\ntype box\nsize 0.4 0.4 0.4\nposition 0 3 2\norientation 10 20 30\nmass 5\n"


@pytest.fixture
def simulation():
    simulation = Simulation(make_spec(3), engine="mujoco")
    drive(simulation)
    return simulation


def drive(simulation, speed=0.4):
    for place in simulation.layout.robots:
        simulation.command(place.name, "motors", 10, (speed, 0.2))


def ticks(simulation, count):
    for _ in range(count):
        simulation.tick()
    simulation.engine.fill()


def row(simulation, name):
    return list(simulation.engine.names).index(name)


@pytest.mark.parametrize("name", ["formation", "single", "vee"])
def test_the_scenarios_run_on_mujoco_as_they_do_on_pymunk(name):
    paths = []
    for engine in ("pymunk", "mujoco"):
        simulation = Simulation(load(name), engine=engine)
        drive(simulation)
        ticks(simulation, 300)
        paths.append(simulation.engine.planar[[place.body for place in simulation.layout.robots], :2].copy())
        assert np.isfinite(simulation.readings).all()

    assert np.abs(paths[0] - paths[1]).max() < 0.02


def test_an_object_that_is_inserted_falls_tilted(simulation):
    apply(simulation, Insert(FALLING))

    ticks(simulation, 20)

    at = row(simulation, "crate9")
    assert simulation.engine.poses[at, 2] < 1.9
    assert abs(simulation.engine.poses[at, 4]) > 0.03
    assert simulation.engine.twists[at, 2] == pytest.approx(-9.81 * 0.2)


def test_an_update_in_mid_air_keeps_height_tilt_and_fall(simulation):
    apply(simulation, Insert(FALLING))
    ticks(simulation, 20)
    at = row(simulation, "crate9")
    before = simulation.engine.poses[at].copy(), simulation.engine.twists[at].copy()

    apply(simulation, Update("crate9", "mass 9"))
    simulation.engine.fill()

    at = row(simulation, "crate9")
    assert simulation.engine.mass[at] == 9.0
    assert simulation.engine.poses[at].tolist() == pytest.approx(before[0].tolist(), abs=1e-12)
    assert simulation.engine.twists[at].tolist() == pytest.approx(before[1].tolist(), abs=1e-12)


def test_what_is_removed_no_longer_holds_what_lay_on_it(simulation):
    simulation.change(simulation.scene.with_entity(Object("shelf", "box", (1.0, 1.0, 0.5), (-5.0, 3.0, 0.0))))
    text = FALLING.replace("0 3 2", "-5 3 0.5").replace("10 20 30", "0 0 0")
    apply(simulation, Insert(text))
    ticks(simulation, 100)
    assert simulation.engine.height[row(simulation, "crate9")] == pytest.approx(0.5, abs=0.01)

    apply(simulation, Remove("shelf"))
    ticks(simulation, 100)

    assert simulation.engine.height[row(simulation, "crate9")] == pytest.approx(0.0, abs=0.01)


@pytest.mark.parametrize("column", [2, 4, 8, 10])
def test_the_state_hash_sees_height_tilt_fall_and_tumbling(simulation, column):
    before = simulation.state_hash()
    simulation.engine.fill()
    state = np.concatenate([simulation.engine.poses[0], simulation.engine.twists[0]])
    planar = simulation.engine.planar[0].copy()
    state[column] += 1e-9 if column != 4 else 1e-8

    simulation.engine.set_spatial_state(np.array([0]), state[np.newaxis, :7], state[np.newaxis, 7:])

    assert simulation.engine.planar[0, :3].tolist() == pytest.approx(planar[:3].tolist(), abs=1e-6)
    assert simulation.state_hash() != before


def test_a_difference_in_height_alone_is_found(simulation):
    raised = Simulation(make_spec(3), engine="mujoco")
    drive(raised)
    for sim in (simulation, raised):
        ticks(sim, 5)
    assert hidden(simulation, raised) is None

    poses = raised.engine.poses[[1]].copy()
    poses[0, 2] += 0.5
    raised.engine.set_spatial_state(np.array([1]), poses, raised.engine.twists[[1]])
    spot = hidden(simulation, raised)

    assert spot is not None
    assert (spot.entity, spot.field) == (simulation.engine.names[1], "pose.z")


def test_continuations_of_a_snapshot_are_the_same_bit_by_bit(simulation):
    apply(simulation, Insert(FALLING))
    ticks(simulation, 70)
    raw, taken = snapshot(simulation), simulation.state_hash()

    hashes = []
    for _ in range(2):
        restored = Simulation(make_spec(3), engine="mujoco")
        restore(restored, raw)
        assert restored.state_hash() == taken
        ticks(restored, 60)
        hashes.append(restored.state_hash())
    checkpoint(simulation)
    ticks(simulation, 60)

    assert hashes == [simulation.state_hash()] * 2


def test_a_reset_puts_fallen_things_back(simulation):
    apply(simulation, Insert(FALLING))
    ticks(simulation, 30)

    apply(simulation, Reset())
    simulation.engine.fill()

    assert "crate9" not in simulation.engine.names
    assert simulation.engine.height.tolist() == [0.0] * len(simulation.engine.names)


def test_the_floor_of_the_scenario_is_the_floor_of_the_engine():
    spec = make_spec(1)
    world = replace(spec.scenario.world, floor=replace(spec.scenario.world.floor, orientation=(0.0, 0.2, 0.0)))
    simulation = Simulation(replace(spec, scenario=replace(spec.scenario, world=world)), engine="mujoco")

    ticks(simulation, 100)

    # the crate slides or stays by its friction; the robot, whose wheels are told to stand, stays where it is
    assert simulation.engine.poses[row(simulation, "robot1"), 0] == pytest.approx(-2.0, abs=0.1)
    assert abs(simulation.engine.poses[row(simulation, "robot1"), 5]) > 0.05


def test_a_load_on_a_robot_is_no_bump(simulation):
    text = FALLING.replace("0 3 2", "-2 0 0.32").replace("10 20 30", "0 0 0").replace("0.4 0.4 0.4", "0.3 0.3 0.1")
    drive(simulation, 0.0)
    apply(simulation, Insert(text))

    ticks(simulation, 100)

    pairs = [{simulation.engine.names[row] for row in pair} for pair in simulation.engine.contacts().pairs.tolist()]
    assert {"crate9", "robot1"} in pairs
    assert simulation.reading("robot1", "bumpers").tolist() == [0.0, 0.0]
