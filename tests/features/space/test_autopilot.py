"""Quadrotors fly as they are commanded, and what cannot fly is said once."""

import math

import numpy as np
import pytest
from flying_scenes import fault, flight, order, position_of, run

from coopsim.geometry import heading
from coopsim.simulation import Simulation

ENGINES = pytest.mark.parametrize("engine", ["mujoco", "flight"])
TWO = (("a", "quadrotor", (0.0, 0.0, 0.0)), ("b", "quadrotor", (2.0, 0.0, 0.0)))


@ENGINES
def test_without_a_command_the_rotors_stand_still(engine: str) -> None:
    simulation = flight(engine=engine)
    run(simulation, 1.0)

    assert position_of(simulation, "q") == pytest.approx([0.0, 0.0, 0.0], abs=0.01)
    assert not simulation.reading("q", "rotors").any()


@ENGINES
def test_it_takes_off_goes_to_a_place_turns_and_lands(engine: str) -> None:
    """S-53: the outer loop leads to a place and a heading."""
    simulation = flight(engine=engine)
    order(simulation, "q", "take_off", 1.5)
    run(simulation, 5.0)
    assert position_of(simulation, "q") == pytest.approx([0.0, 0.0, 1.5], abs=0.1)
    order(simulation, "q", "go_to", 1.0, -2.0, 2.0, 1.0)
    run(simulation, 10.0)
    w, _, _, z = simulation.reading("q", "pose")[3:7]
    assert position_of(simulation, "q") == pytest.approx([1.0, -2.0, 2.0], abs=0.1)
    assert 2.0 * math.atan2(z, w) == pytest.approx(1.0, abs=0.05)
    order(simulation, "q", "land")
    run(simulation, 8.0)
    assert position_of(simulation, "q")[2] == pytest.approx(0.0, abs=0.02)
    assert simulation.reading("q", "rotors") == pytest.approx(0.0, abs=1e-3)
    order(simulation, "q", "take_off", 1.0)
    run(simulation, 5.0)
    assert position_of(simulation, "q")[2] == pytest.approx(1.0, abs=0.1)


@ENGINES
def test_it_flies_at_a_velocity_and_follows_points_that_come_with_each_tick(engine: str) -> None:
    """S-18: an outside program says where to; the driver flies by forces and torques."""
    simulation = flight(*TWO, engine=engine)
    for name in "ab":
        order(simulation, name, "take_off", 1.0)
    run(simulation, 4.0)
    order(simulation, "a", "set_velocity", 0.0, 0.5, 0.1, 0.2)
    before = position_of(simulation, "a"), simulation.time
    row, errors = list(simulation.engine.names).index("a"), []
    for _ in range(200):
        now = simulation.time - before[1]
        y, speed = 0.5 * now + 0.1 * math.sin(now) - 0.1 * now, 0.4 + 0.1 * math.cos(now)
        order(simulation, "b", "follow", 2.0, y, 1.0, 0.0, speed, 0.0, 0.0, -0.1 * math.sin(now), 0.0)
        simulation.tick()
        errors.append(abs(position_of(simulation, "b")[1] - y))
    flown = (position_of(simulation, "a") - before[0]) / (simulation.time - before[1])
    assert flown == pytest.approx([0.0, 0.5, 0.1], abs=0.1)
    assert heading(*simulation.engine.poses[row, 3:]) == pytest.approx(0.2 * (simulation.time - before[1]), abs=0.1)
    assert np.mean(errors) < 0.15


def test_aerial_and_ground_robots_share_one_world_and_a_quadrotor_lands_on_another_robot() -> None:
    simulation = flight(("q", "quadrotor", (1.5, 0.0, 0.0)), ("g", "single", (0.0, 0.0, 0.0)))
    order(simulation, "q", "go_to", 0.3, 0.0, 1.2)
    run(simulation, 8.0)
    simulation.command("g", "motors", 10, (0.1, 0.0))
    run(simulation, 3.0)
    below = simulation.engine.poses[list(simulation.engine.names).index("g")]
    assert position_of(simulation, "q") == pytest.approx([0.3, 0.0, 1.2], abs=0.1)
    assert below[0] == pytest.approx(0.3, abs=0.03)
    order(simulation, "q", "set_velocity", 0.0, 0.0, -0.3)
    simulation.command("g", "motors", 10, (0.0, 0.0))
    run(simulation, 4.0)
    assert position_of(simulation, "q")[2] > 0.25  # it stands on the hull, 0.3 m high


def _tip_over(simulation: Simulation, robot: str) -> None:
    row = list(simulation.engine.names).index(robot)
    pose, twist = simulation.engine.poses[[row]].copy(), np.zeros((1, 6))
    pose[0, 3:] = (0.0, 1.0, 0.0, 0.0)
    simulation.engine.set_spatial_state(np.array([row]), pose, twist)
    simulation.sense(0.0)


@ENGINES
def test_a_quadrotor_upside_down_is_said_once_with_its_cure_and_the_others_fly_on(engine: str) -> None:
    simulation = flight(*TWO, engine=engine)
    for name in "ab":
        order(simulation, name, "take_off", 1.0)
    run(simulation, 4.0)
    _tip_over(simulation, "a")
    run(simulation, 3.0)

    remarks = [remark.text for remark in simulation.failures.remarks]
    assert len(remarks) == 1
    assert remarks[0].startswith("autopilot of a: upside down")
    assert "put it upright" in remarks[0]
    assert fault(simulation, "a") == 1.0
    assert simulation.reading("a", "rotors") == pytest.approx(0.0, abs=1e-6)
    assert position_of(simulation, "b") == pytest.approx([2.0, 0.0, 1.0], abs=0.1)
    assert not list(simulation.failures)


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_command_that_is_no_number_holds_the_robot_is_said_once_and_the_others_fly_on(value: float) -> None:
    simulation = flight(*TWO)
    for name in "ab":
        order(simulation, name, "take_off", 1.0)
    run(simulation, 4.0)
    order(simulation, "a", "go_to", value, 0.0, 1.0)
    order(simulation, "b", "go_to", 2.0, 0.0, 1.5)
    run(simulation, 4.0)

    assert [remark.text.partition(",")[0] for remark in simulation.failures.remarks] == [
        "autopilot of a: commanded with what is no finite number"
    ]
    assert fault(simulation, "a") == 2.0
    assert position_of(simulation, "a") == pytest.approx([0.0, 0.0, 1.0], abs=0.1)
    assert position_of(simulation, "b") == pytest.approx([2.0, 0.0, 1.5], abs=0.1)
    order(simulation, "a", "go_to", 0.5, 0.0, 1.0)
    run(simulation, 4.0)
    assert fault(simulation, "a") == 0.0
    assert position_of(simulation, "a") == pytest.approx([0.5, 0.0, 1.0], abs=0.1)


def test_the_same_run_has_the_same_hashes_and_a_snapshot_of_the_memory_is_all_there_is() -> None:
    hashes = []
    for _ in range(2):
        simulation = flight(step=0.01, seed=3)
        order(simulation, "q", "eight", 2.0, 1.0, 6.0, 1.0, 0.4)
        run(simulation, 2.0)
        hashes.append(simulation.state_hash())
    assert hashes[0] == hashes[1]
