"""Rotors push, and inertial unit, pose, neighbours and rays measure what is there."""

import math
from dataclasses import replace

import numpy as np
import pytest
from flying_scenes import flight, order, position_of, run

from coopsim.features.space.devices import inner_loop as inner
from coopsim.features.space.devices.flying import fixed, measured
from coopsim.robots import load_type
from coopsim.scene import Object
from coopsim.sensing.nearest import nearest_in_space
from coopsim.simulation import Simulation

HIGH = ("q", "quadrotor", (0.0, 0.0, 5.0))


def _manual(simulation: Simulation, *thrusts: float) -> None:
    """Push by the rotors themselves; the autopilot has no command and leaves them alone."""
    simulation.command("q", "rotors", 10, thrusts)


@pytest.mark.parametrize(("rotor", "axis", "sign"), [(0, 1, -1.0), (1, 0, 1.0), (2, 1, 1.0), (3, 0, -1.0)])
def test_each_rotor_lifts_its_own_side(rotor: int, axis: int, sign: float) -> None:
    simulation = flight(HIGH)
    thrusts = [0.0] * 4
    thrusts[rotor] = 1.0
    _manual(simulation, *thrusts)
    for _ in range(2):
        simulation.tick()

    rate = simulation.reading("q", "imu")[3:]
    assert np.argmax(np.abs(rate)) == axis
    assert sign * rate[axis] > 0.05


def test_rotors_follow_with_the_lag_of_their_motors_within_their_limits() -> None:
    """S-53: what the inner loop wants of the propellers comes with a lag."""
    simulation = flight(HIGH, step=0.03)
    _manual(simulation, 2.0, 100.0, -5.0, math.nan)
    simulation.tick()

    share = 1.0 - math.exp(-1.0)
    assert simulation.reading("q", "rotors") == pytest.approx([2.0 * share, 6.0 * share, 0.0, 0.0])


def test_rotors_lift_more_near_the_floor_where_that_is_asked_for() -> None:
    simulation = flight(("q", "quadrotor", (0.0, 0.0, 0.06)), ("r", "quadrotor", (3.0, 0.0, 0.06)))
    block = simulation.tables.blocks[0].devices["rotors"]
    block.parameters["ground_effect"][0] = 1
    for name in "qr":
        simulation.command(name, "rotors", 10, (2.5, 2.5, 2.5, 2.5))
    run(simulation, 0.3)

    climbed = [position_of(simulation, name)[2] for name in "qr"]
    assert climbed[0] > climbed[1] + 0.01


def test_the_inertial_unit_feels_gravity_at_rest_and_nothing_but_drag_in_free_fall() -> None:
    """S-55: linear acceleration as a real unit feels it."""
    simulation = flight(("low", "quadrotor", (3.0, 0.0, 0.0)), HIGH)
    run(simulation, 0.1)
    assert np.mean(simulation.reading("low", "imu")[2]) == pytest.approx(9.81, abs=0.4)
    assert np.abs(simulation.reading("q", "imu")[:3]).max() < 0.6


def test_noise_and_bias_are_those_of_the_robot_file() -> None:
    """S-55: a virtual inertial unit with noise."""
    simulation = flight(("a", "quadrotor", (0.0, 0.0, 0.0)), ("b", "quadrotor", (2.0, 0.0, 0.0)))
    run(simulation, 0.5)
    seen = []
    for _ in range(400):
        simulation.tick()
        seen.append([simulation.reading(name, "imu").copy() for name in "ab"])
    readings = np.array(seen)
    assert readings[:, :, 3:].std(axis=0) == pytest.approx(np.full((2, 3), np.radians(0.3)), rel=0.15)
    assert readings[:, :, 0].std(axis=0) == pytest.approx([0.1, 0.1], rel=0.15)
    bias = readings[:, :, 3:].mean(axis=0)
    assert np.abs(bias).max() < 0.005
    assert not np.allclose(bias[0], bias[1], atol=1e-4)


def test_neighbours_are_those_of_a_search_through_all_pairs() -> None:
    rng = np.random.default_rng(5)
    for shape in ((30.0, 30.0, 30.0), (40.0, 40.0, 0.0), (90.0, 0.1, 0.0)):
        poses = np.zeros((200, 7))
        poses[:, :3] = rng.random((200, 3)) * shape
        poses[7, :3] = 1e5  # one that went astray
        rows, reach, out = np.arange(200), np.full(200, 9.0), np.empty((200, 5), np.int64)
        nearest_in_space(poses, rows, rows, rows, reach, out)
        away = np.linalg.norm(poses[:, None, :3] - poses[None, :, :3], axis=2)
        np.fill_diagonal(away, np.inf)
        expected = np.argsort(away, axis=1, kind="stable")[:, :5]
        expected[np.take_along_axis(away, expected, axis=1) > 9.0] = -1
        assert (out == expected).all()


def test_a_robot_sees_where_its_neighbours_are() -> None:
    """S-68: relative positions of robots in the neighbourhood."""
    simulation = flight(HIGH, ("r", "quadrotor", (1.0, 2.0, 7.0)), ("far", "quadrotor", (20.0, 0.0, 5.0)))
    seen = simulation.reading("q", "neighbours").reshape(-1, 4)
    assert seen[0] == pytest.approx([1.0, 2.0, 2.0, 3.0])
    assert not seen[1:].any()


def test_rays_find_walls_robots_and_the_floor_around_above_and_below() -> None:
    """S-68: the range sensor of the reference scenario."""
    wall = Object("wall", "box", (0.2, 4.0, 4.0), (2.0, 0.0, 0.0))
    simulation = flight(("q", "quadrotor", (0.0, 0.0, 1.0)), ("up", "quadrotor", (0.0, 0.0, 3.0)), objects=[wall])
    ahead, left, behind, right, above, below = simulation.reading("q", "range")
    assert ahead == pytest.approx(2.0 - 0.1 - 0.2, abs=1e-6)
    assert [left, behind, right] == [5.0, 5.0, 5.0]
    assert 1.8 < above < 2.0
    assert 0.9 < below < 1.1


def test_the_attitude_loop_keeps_to_whole_numbers_within_32_bits_whatever_it_measures() -> None:
    """S-54: the inner loop computes in whole numbers."""
    rng = np.random.default_rng(1)
    settings = np.array([20972, 700, 1536, 4000, 8000, 8192, 6144])
    state, thrusts = np.zeros(inner.STATES, np.int64), np.zeros(4, np.int64)
    for _ in range(2000):
        gyro, force = rng.integers(-32768, 32768, (2, 3))
        command = rng.integers(-(2**31), 2**31, inner.COMMANDS)
        inner.estimate_up(gyro, force, settings, state)
        inner.inner_loop(gyro, command, settings, state, thrusts)
        assert (np.abs(state) < 2**31).all()
        assert (thrusts >= 0).all()
        assert (thrusts <= 6144).all()


def test_the_estimate_of_up_turns_with_the_robot() -> None:
    settings = np.array([fixed(0.001, inner.STEP_BITS), 0, 0, 0, 0, 0, 0])
    state, gyro, force = np.zeros(inner.STATES, np.int64), np.zeros(3, np.int64), np.zeros(3, np.int64)
    measured(np.array([0.0, 0.0, 9.81]), inner.FORCE_BITS, force)
    measured(np.array([0.5, 0.0, 0.0]), inner.GYRO_BITS, gyro)
    for _ in range(1000):
        inner.estimate_up(gyro, force, settings, state)
    up = state[:3] / (1 << inner.UP_BITS)
    assert up == pytest.approx([0.0, math.sin(0.5), math.cos(0.5)], abs=2e-3)


def test_measurements_are_rounded_and_end_at_16_bits() -> None:
    """S-54: so do the converters before it."""
    out = np.zeros(3, np.int64)
    measured(np.array([1.0, -1e9, math.nan]), inner.GYRO_BITS, out)
    assert out.tolist() == [2048, -32768, 0]


def test_the_robot_file_has_no_wheels_and_the_autopilot_paces() -> None:
    kind = load_type("quadrotor")
    assert not kind.has_wheels
    assert [device.name for device in kind.devices if device.paces] == ["autopilot"]
    assert replace(kind).mass == 1.0


def test_a_quadrotor_does_not_fly_in_the_plane_but_its_sensors_work() -> None:
    simulation = flight(engine="pymunk")
    order(simulation, "q", "take_off", 1.0)
    run(simulation, 0.5)
    assert position_of(simulation, "q") == pytest.approx([0.0, 0.0, 0.0])
    assert simulation.reading("q", "imu")[2] == pytest.approx(9.81, abs=0.6)
