"""The other quadrotor of the fidelity study: a rigid body in gusty air, with rotors that answer late."""

import numpy as np
import pytest

from coopsim.features.studies.other_quadrotor import OtherQuadrotor
from coopsim.geometry import Floats

HOVER = np.full(4, 1.03 * 9.81 / 4.0)


def flown(seed: int, thrusts: Floats, milliseconds: int, height: float = 5.0) -> OtherQuadrotor:
    robot = OtherQuadrotor(seed)
    robot.state[2] = height
    for _ in range(milliseconds):
        robot.advance(thrusts)
    return robot


def test_the_same_seed_is_the_same_flight_and_another_one_has_other_gusts() -> None:
    first, again, reseeded = (flown(seed, HOVER, 200) for seed in (1, 1, 2))
    assert first.state.tolist() == again.state.tolist()
    assert first.state.tolist() != reseeded.state.tolist()
    assert first.wind.shape == (3,)


def test_without_thrust_it_falls_until_the_floor_holds_it() -> None:
    falling = flown(1, np.zeros(4), 500)
    assert falling.state[2] == pytest.approx(5.0 - 0.5 * 9.81 * 0.25, abs=0.1)
    lying = flown(1, np.zeros(4), 100, height=0.0)
    assert lying.state[2] == 0.0
    assert lying.measured()[0] == pytest.approx([0.0, 0.0, 9.81], abs=1.0)


def test_rotors_answer_by_their_speed() -> None:
    robot = flown(1, HOVER, 40)
    share = robot.speeds / np.sqrt(HOVER)
    assert share == pytest.approx(1.0 - np.exp(-1.0), abs=0.02)


def test_its_attitude_stays_a_rotation_and_uneven_rotors_turn_it() -> None:
    robot = flown(1, HOVER * [1.0, 1.2, 1.0, 0.8], 300)
    assert np.linalg.norm(robot.state[6:10]) == pytest.approx(1.0)
    assert robot.state[10] > 0.5
