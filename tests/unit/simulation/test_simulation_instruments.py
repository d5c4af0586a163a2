"""Robots with compass, gps and a camera that looks ahead, in whole simulations."""

import math

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.robots import built_in_names, load
from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.simulation.snapshot import restore, snapshot
from coopsim.state.edits import Insert, Remove, Reset

EVENTS = (
    Event(0.3, (("robot1.gps.loss", "0.4"), ("robot1.gps.delay", "0.35"))),
    Event(0.6, (("robot2.compass.bias", "0.2"), ("robot2.target.occlusion", "0"))),
)


def scouts() -> Simulation:
    simulation = Simulation(make_spec(2, kind="scout", events=EVENTS))
    for name in simulation.layout.robot:
        simulation.command(name, "motors", 10, (0.4, 0.2))
    return simulation


def hashes(simulation: Simulation, ticks: int = 100) -> list[bytes]:
    collected = []
    for _ in range(ticks):
        simulation.tick()
        collected.append(simulation.state_hash())
    return collected


def test_two_runs_of_the_same_seed_are_equal_bit_by_bit() -> None:
    assert hashes(scouts()) == hashes(scouts())


def test_what_is_under_way_belongs_to_a_snapshot() -> None:
    running = scouts()
    hashes(running, 77)
    raw = snapshot(running)
    first, second = scouts(), scouts()
    restore(first, raw)
    restore(second, raw)
    assert first.state_hash() == running.state_hash()
    assert hashes(first, 120) == hashes(second, 120)
    hashes(running, 120)
    for robot in ("robot1", "robot2"):
        np.testing.assert_allclose(first.reading(robot, "gps"), running.reading(robot, "gps"), atol=1e-9)


def test_robots_that_come_and_go_leave_what_is_under_way_alone() -> None:
    disturbed, quiet = scouts(), scouts()
    for simulation in (disturbed, quiet):
        hashes(simulation, 50)
    apply(disturbed, Insert("[ROBOT_1]\ntype scout\nname a_first\nposition 0 -4 0\n"))
    for simulation in (disturbed, quiet):
        hashes(simulation, 10)
    apply(disturbed, Remove("a_first"))
    for _ in range(60):
        disturbed.tick()
        quiet.tick()
        for robot in ("robot1", "robot2"):
            for module in ("gps", "compass"):
                assert (disturbed.reading(robot, module) == quiet.reading(robot, module)).all()


def test_a_gps_tells_where_a_robot_was_when_it_measured() -> None:
    """A-49: the position of a rover, as its receiver tells it."""
    simulation = scouts()
    row = simulation.layout.robots[0].body
    places = []
    for _ in range(200):
        simulation.tick()
        places.append(simulation.engine.planar[row, :2].copy())
        x, y, _, valid, age = simulation.reading("robot1", "gps")
        then = len(places) - 1 - round(age / 0.01)
        if valid and then >= 0:
            assert math.hypot(x - places[then][0], y - places[then][1]) < 5 * 0.3
    assert simulation.reading("robot1", "gps")[4] > 0.0


def test_a_reset_forgets_what_is_under_way() -> None:
    simulation = scouts()
    hashes(simulation, 60)
    apply(simulation, Reset())
    assert simulation.reading("robot1", "gps").tolist() == [0.0] * 5
    assert simulation.reading("robot1", "compass")[1] == 1.0


@pytest.mark.parametrize("name", built_in_names(".scenario"))
def test_every_built_in_scene_begins_with_nobody_touching_anything(name) -> None:
    simulation = Simulation(load(name))
    for _ in range(3):
        simulation.tick()
    robots = {place.body for place in simulation.layout.robots}
    pairs, points = simulation.engine.contacts()
    # what has no wheels lies on the floor: its normal has no level part
    stands = (pairs == -1).any(axis=1) & (np.hypot(points[:, 2], points[:, 3]) < 1e-6)
    touching = [pair for pair in pairs[~stands].tolist() if robots & set(pair)]
    assert touching == []


def test_the_crowd_has_a_hundred_robots_driven_by_one_controller() -> None:
    scenario = load("crowd").scenario
    assert len(scenario.robots) == 100
    (controller,) = scenario.controllers
    assert set(controller.robots) == {robot.name for robot in scenario.robots}
