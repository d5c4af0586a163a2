"""The tick: order, readings, determinism."""

import dataclasses
import pickle

import numpy as np
import pytest
from simulation_scenes import make_spec

from coopsim.robots import RunSpec
from coopsim.scene import Event
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import Remove

SET_VELOCITY = 10


def drive(simulation: Simulation, ticks: int, v: float = 0.3, w: float = 0.1) -> list[bytes]:
    hashes = []
    for name in simulation.layout.robot:
        simulation.command(name, "motors", SET_VELOCITY, (v, w))
    for _ in range(ticks):
        simulation.tick()
        hashes.append(simulation.state_hash())
    return hashes


def test_a_driven_robot_moves_forward_and_others_stay_s_22(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    simulation.command("robot1", "motors", SET_VELOCITY, (0.4, 0.0))
    for _ in range(200):
        simulation.tick()
    x, y = simulation.engine.planar[simulation.layout.robot["robot1"].body, :2]
    assert 0.5 < x + 2.0 < 0.8
    assert y == pytest.approx(0.0, abs=1e-6)
    assert simulation.engine.planar[simulation.layout.robot["robot2"].body, 0] == -2.0
    assert simulation.time == pytest.approx(2.0)


def test_readings_are_there_before_the_first_tick(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    ranges = simulation.reading("robot1", "sonars")
    assert ranges.shape == (11,)
    assert ranges.max() == 3.0
    assert ranges.min() == pytest.approx(1.0, abs=0.01)  # robot2 stands 1.5 m to the left
    distance, angle, seen = simulation.reading("robot1", "target")[:3]
    assert (distance, seen) == (pytest.approx(np.hypot(6, 3)), 1.0)
    assert angle == pytest.approx(np.arctan2(3, 6))


def test_sensors_read_what_the_step_left_behind_s_23(spec: RunSpec) -> None:
    simulation = Simulation(spec)
    drive(simulation, 250, w=0.0)
    x = simulation.engine.planar[simulation.layout.robot["robot1"].body, 0]
    assert simulation.reading("robot1", "sonars")[5] == pytest.approx(1.8 - x - 0.25, abs=1e-9)


def test_equal_runs_have_equal_hashes_in_every_tick(spec: RunSpec) -> None:
    assert drive(Simulation(spec), 150) == drive(Simulation(pickle.loads(pickle.dumps(spec))), 150)


def test_noise_depends_on_the_seed_alone() -> None:
    noisy = make_spec(events=(Event(0.0, (("robot1.sonars.noise", "0.05"),)),))
    first, same, reseeded = (drive(Simulation(noisy, seed=seed), 5) for seed in (1, 1, 2))
    assert first == same
    assert first != reseeded


def test_the_order_of_insertion_does_not_change_the_hash_of_a_still_scene(spec: RunSpec) -> None:
    turned = dataclasses.replace(
        spec, scenario=dataclasses.replace(spec.scenario, robots=tuple(reversed(spec.scenario.robots)))
    )
    first, reordered = Simulation(spec), Simulation(turned)
    assert first.engine.names == reordered.engine.names
    assert first.state_hash() == reordered.state_hash()


def test_timed_events_set_parameters_at_their_time() -> None:
    simulation = Simulation(make_spec(events=(Event(0.05, (("robot1.sonars.reach", "1.5"),)),)))
    for _ in range(5):
        simulation.tick()
    assert simulation.reading("robot1", "sonars").max() == 3.0
    simulation.tick()
    assert simulation.reading("robot1", "sonars").max() == 1.5
    assert simulation.happened[0].edit.kind == "set_parameter"


def test_a_timed_event_for_a_robot_that_is_gone_says_so_and_the_tick_goes_on() -> None:
    simulation = Simulation(make_spec(events=(Event(0.02, (("robot1.sonars.reach", "1.5"),)),)))
    apply(simulation, Remove("robot1"))
    for _ in range(5):
        simulation.tick()
    assert simulation.tick_count == 5
    assert "robot1" in simulation.happened[0].problem


def test_programs_run_before_the_actuators(spec: RunSpec) -> None:
    def forward(simulation: Simulation) -> None:
        simulation.command("robot1", "motors", SET_VELOCITY, (0.2, 0.0))

    simulation = Simulation(spec, programs=[forward])
    simulation.tick()
    assert simulation.engine.planar[simulation.layout.robot["robot1"].body, 3] > 0.0
