"""Items of AMSA on scenarios of timed parameter events; the names of the tests say which."""

from pathlib import Path

import numpy as np

from coopsim.robots import load
from coopsim.simulation import Simulation
from coopsim.simulation.edits import apply
from coopsim.state.edits import GetParameter

# scenario1 with devices' parameters in the place of those of its components: speed left of the motors, fixes lost, gain
SCENARIO1 = """
[SIMULATION]
engine kinematic
step 0.05
[ROBOT_1]
type scout
name leader
[ROBOT_2]
type scout
name follower
position -2 0 0
[EVENT_1]
at 0
set follower.motors.max_speed 0.6
set leader.gps.loss 0.0
set leader.motors.max_speed 0.3
set follower.motors.gain 350
[EVENT_2]
at 200
reset poses
set leader.motors.max_speed 0.2
set follower.motors.gain 150
[EVENT_3]
at 400
reset poses
set leader.motors.max_speed 0.3
set follower.motors.gain 100
[EVENT_4]
at 600
reset poses
set leader.motors.max_speed 0.2
set follower.motors.gain 50
"""
SCENARIO2 = """
[ROBOT_1]
type scout
name leader
[ROBOT_2]
type scout
name follower
position -2 0 0
[EVENT_1]
at 0
set follower.motors.max_speed 0.36
set leader.gps.loss 0.1
set follower.motors.gain 350
[EVENT_2]
at 100
reset poses
set follower.motors.gain 50
"""


def _loaded(tmp_path: Path, text: str) -> Simulation:
    file = tmp_path / "amsa.scenario"
    file.write_text(text)
    return Simulation(load(file), engine="kinematic", step=0.05)


def _run_until(simulation: Simulation, seconds: float) -> None:
    while simulation.time_ns < seconds * 1e9:
        for robot in ("leader", "follower"):
            simulation.command(robot, "motors", 10, (0.1, 0.0))
        simulation.tick()


def _parameter(simulation: Simulation, path: str) -> float:
    robot, module, name = path.split(".")
    edit = GetParameter(robot, module, name)
    return float(apply(simulation, edit).params[0])


def test_a_60_to_a_63_each_phase_begins_at_the_start_and_keeps_what_it_does_not_set(tmp_path: Path) -> None:
    simulation = _loaded(tmp_path, SCENARIO1)
    for begin, speed, gain in ((0.0, 0.3, 350.0), (200.0, 0.2, 150.0), (400.0, 0.3, 100.0), (600.0, 0.2, 50.0)):
        _run_until(simulation, begin + 0.1)  # the events of a phase have been carried out
        start = simulation.engine.planar[simulation.layout.robot["follower"].body, :2]
        assert np.hypot(*(start - [-2.0, 0.0])) < 0.05
        assert _parameter(simulation, "leader.motors.max_speed") == speed
        assert _parameter(simulation, "follower.motors.gain") == gain
        assert _parameter(simulation, "follower.motors.max_speed") == 0.6
        _run_until(simulation, begin + 199.9)
        assert simulation.engine.planar[simulation.layout.robot["leader"].body, 0] > 15.0
    assert not any(event.problem for event in simulation.happened)


def test_a_64_a_65_a_68_only_the_gain_changes_and_the_clock_runs_on(tmp_path: Path) -> None:
    simulation = _loaded(tmp_path, SCENARIO2)
    _run_until(simulation, 100.1)
    assert simulation.time_ns >= 100.1e9
    assert simulation.engine.planar[simulation.layout.robot["leader"].body, 0] < 0.1
    assert _parameter(simulation, "follower.motors.gain") == 50.0
    assert _parameter(simulation, "follower.motors.max_speed") == 0.36
    assert _parameter(simulation, "leader.gps.loss") == 0.1
