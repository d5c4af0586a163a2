"""Gyroscopic moments of rotors: closed forms of a gyroscope, and what a robot without them does."""

import math
from pathlib import Path

import numpy as np
import pytest

from coopsim.features.space.devices.gyroscope import precession, spin_up
from coopsim.interfaces import ROTORS, command_numbers
from coopsim.robots import load
from coopsim.simulation import Simulation

ROBOT = """[BODY]
type cylinder
size 0.4 0.4 0.1
mass 1
wheels no
[DEVICE_1]
type rotors
name rotors
paces no
drag 0
lag {lag}
torque 0
{more}
"""
SCENE = """[ROBOT_1]
type flyer
name q
position 0 0 200
[SIMULATION]
engine {engine}
step {step}
"""
SET = command_numbers(ROTORS).set_thrusts
INERTIA, CONSTANT = 1e-4, 1e-5
SPINNING = f"rotor_inertia {INERTIA}\nthrust_constant {CONSTANT}"
ENGINES = pytest.mark.parametrize("engine", ["flight", "mujoco"])


def simulation(folder: Path, engine: str, more: str, lag: float = 0.0, step: float = 0.02) -> Simulation:
    (folder / "flyer.robot").write_text(ROBOT.format(lag=lag, more=more))
    (folder / "q.scenario").write_text(SCENE.format(engine=engine, step=step))
    return Simulation(load(folder / "q.scenario"))


def twist(sim: Simulation) -> np.ndarray:
    return sim.engine.twists[list(sim.engine.names).index("q")]


def tumble(sim: Simulation, rates: tuple[float, float, float]) -> None:
    """Let the robot tilt at a rate, upright."""
    row = np.array([list(sim.engine.names).index("q")])
    poses, twists = sim.engine.poses[row].copy(), sim.engine.twists[row].copy()
    poses[0, 3:], twists[0, 3:] = (1.0, 0.0, 0.0, 0.0), rates
    sim.engine.set_spatial_state(row, poses, twists)


@ENGINES
def test_a_tilting_robot_precesses_as_a_gyroscope_and_gains_no_energy(tmp_path: Path, engine: str) -> None:
    sim = simulation(tmp_path, engine, SPINNING)
    thrust = 2.0
    sim.command("q", "rotors", SET, (0.0, thrust, 0.0, thrust))
    sim.tick()
    tumble(sim, (0.5, 0.0, 0.0))
    (row,) = (k for k, name in enumerate(sim.engine.names) if name == "q")
    tilting = sim.engine.tensors[row, 0, 0]
    momentum = 2.0 * INERTIA * math.sqrt(thrust / CONSTANT)
    ticks = round(math.pi / (momentum / tilting) / 0.02)
    for _ in range(ticks):
        sim.tick()
    rates = np.array(_own_rates(sim, row))
    angle = momentum / tilting * 0.02 * ticks
    np.testing.assert_allclose(rates, (0.5 * math.cos(angle), 0.5 * math.sin(angle), 0.0), atol=1e-9)
    assert math.hypot(*rates) == pytest.approx(0.5, rel=1e-9)


def _own_rates(sim: Simulation, row: int) -> tuple[float, float, float]:
    """Return the angular velocity of a body in its own frame."""
    w, *vector = sim.engine.poses[row, 3:].tolist()
    u, rates = -np.array(vector), sim.engine.twists[row, 3:]
    turned = rates + 2.0 * np.cross(u, np.cross(u, rates) + w * rates)
    return (float(turned[0]), float(turned[1]), float(turned[2]))


@ENGINES
@pytest.mark.parametrize("lag", [0.0, 0.05])
def test_a_body_turns_against_rotors_that_speed_up_and_momentum_stays(tmp_path: Path, engine: str, lag: float) -> None:
    sim = simulation(tmp_path, engine, SPINNING, lag)
    (row,) = (k for k, name in enumerate(sim.engine.names) if name == "q")
    for _ in range(20):
        sim.command("q", "rotors", SET, (0.0, 2.0, 0.0, 2.0))
        sim.tick()
    thrust = sim.reading("q", "rotors")[1]
    rotors = 2.0 * INERTIA * math.sqrt(thrust / CONSTANT)
    assert sim.engine.tensors[row, 2, 2] * twist(sim)[5] == pytest.approx(-rotors, rel=1e-9)


@ENGINES
def test_rotors_of_one_speed_are_no_gyroscope_and_without_inertia_nothing_changes(tmp_path: Path, engine: str) -> None:
    turned = []
    for more, thrusts in (("", (0.0, 2.0, 0.0, 2.0)), (SPINNING, (2.0, 2.0, 2.0, 2.0))):
        sim = simulation(tmp_path, engine, more)
        sim.command("q", "rotors", SET, thrusts)
        sim.tick()
        tumble(sim, (0.5, 0.0, 0.0))
        for _ in range(20):
            sim.tick()
        turned.append(twist(sim)[3:].copy())
    for rates in turned:
        np.testing.assert_allclose(rates, (0.5, 0.0, 0.0), atol=1e-12)


def test_the_mean_torque_tends_to_that_of_an_instant() -> None:
    tensor, x, y, momentum = np.diag([0.02, 0.03, 0.05]), 0.4, -0.7, 0.01
    assert precession(momentum, x, y, tensor, 1e-7) == pytest.approx((-momentum * y, momentum * x), rel=1e-6)
    assert precession(momentum, x, y, np.zeros((3, 3)), 0.01) == (0.0, 0.0)
    # a turn of a quarter: what was about x is about y, of one energy
    quarter = 0.5 * math.pi * math.sqrt(0.02 * 0.03)
    about_x, about_y = precession(quarter, x, 0.0, tensor, 1.0)
    assert 0.02 * x + about_x == pytest.approx(0.0, abs=1e-15)
    assert about_y**2 / 0.03 == pytest.approx(0.02 * x * x)


def test_rotors_at_front_and_rear_turn_against_those_at_the_sides() -> None:
    idle, mean = np.zeros(4), 0.5 * INERTIA * math.sqrt(1.0 / CONSTANT)
    for rotor, sense in enumerate((-1.0, 1.0, -1.0, 1.0)):
        thrusts = np.eye(4)[rotor]
        assert spin_up(idle, thrusts, (CONSTANT, INERTIA)) == pytest.approx((sense * mean, -2.0 * sense * mean))
