"""Frames of bodies and of the world: the same as rotations by matrices and cross products."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coopsim.features.space.frames import rotation, to_body, to_world, turning_moment, velocity_at
from coopsim.geometry import Floats

NUMBER = st.floats(-10.0, 10.0)
VECTOR = st.tuples(NUMBER, NUMBER, NUMBER).map(np.array)
SEED = st.integers(0, 1 << 32)
PLACES = np.array([[0, 0], [7, 6]])


def quaternion(seed: int) -> Floats:
    """Return a turn by chance."""
    q: Floats = np.random.default_rng(seed).normal(size=4)
    return q / np.linalg.norm(q)


def matrix(q: Floats) -> Floats:
    """Return the matrix of a turn by the formula of Rodrigues."""
    w, axis = q[0], q[1:]
    sine = np.linalg.norm(axis)
    if sine == 0.0:
        return np.eye(3)
    angle, unit = 2.0 * np.arctan2(sine, w), axis / sine
    cross = np.array([[0, -unit[2], unit[1]], [unit[2], 0, -unit[0]], [-unit[1], unit[0], 0]])
    turned: Floats = np.eye(3) + np.sin(angle) * cross + (1.0 - np.cos(angle)) * cross @ cross
    return turned


def state(seed: int) -> tuple[Floats, Floats]:
    """Return positions and velocities of two bodies by chance, as MuJoCo has them."""
    random = np.random.default_rng(seed)
    qpos, qvel = random.normal(size=14), random.normal(size=12)
    qpos[3:7], qpos[10:14] = quaternion(seed + 1), quaternion(seed + 2)
    return qpos, qvel


@settings(deadline=None)
@given(SEED, st.integers(0, 3))
def test_a_rotation_is_that_of_its_quaternion_wherever_that_begins(seed: int, at: int) -> None:
    q = quaternion(seed)
    raw = np.concatenate([np.full(at, 9.0), q, np.full(2, 9.0)])
    assert np.reshape(rotation(raw, at), (3, 3)) == pytest.approx(matrix(q), abs=1e-9)


@settings(deadline=None)
@given(SEED, VECTOR)
def test_what_is_turned_to_the_world_comes_back_to_the_body(seed: int, vector: Floats) -> None:
    q = quaternion(seed)
    in_world = to_world(q, 0, *vector)
    assert in_world == pytest.approx(matrix(q) @ vector, abs=1e-8)
    assert to_body(q, 0, *in_world) == pytest.approx(vector, abs=1e-8)
    assert np.linalg.norm(in_world) == pytest.approx(np.linalg.norm(vector), abs=1e-8)


@settings(deadline=None)
@given(SEED, VECTOR, st.sampled_from([0, 1]))
def test_a_spot_of_a_body_moves_with_it_and_around_it(seed: int, spot: Floats, row: int) -> None:
    qpos, qvel = state(seed)
    p, q = PLACES[row]
    turning = matrix(qpos[p + 3 : p + 7]) @ qvel[q + 3 : q + 6]
    expected = qvel[q : q + 3] + np.cross(turning, spot - qpos[p : p + 3])
    assert velocity_at(row, spot, qpos, qvel, PLACES) == pytest.approx(expected, abs=1e-8)


def test_what_is_no_body_stands_still() -> None:
    qpos, qvel = state(1)
    assert velocity_at(-1, np.ones(3), qpos, qvel, PLACES) == (0.0, 0.0, 0.0)


@settings(deadline=None)
@given(SEED, VECTOR, VECTOR, st.sampled_from([0, 1]))
def test_a_force_turns_a_body_about_its_centre(seed: int, spot: Floats, force: Floats, row: int) -> None:
    qpos, _ = state(seed)
    p = PLACES[row, 0]
    expected = matrix(qpos[p + 3 : p + 7]).T @ np.cross(spot - qpos[p : p + 3], force)
    moment = turning_moment(row, spot, tuple(force.tolist()), qpos, PLACES)  # type: ignore[arg-type]
    assert moment == pytest.approx(expected, abs=1e-7)
    assert turning_moment(row, qpos[p : p + 3], tuple(force.tolist()), qpos, PLACES) == (0.0, 0.0, 0.0)  # type: ignore[arg-type]


@settings(deadline=None)
@given(SEED, VECTOR, VECTOR)
def test_a_force_does_the_work_that_its_moment_and_itself_do(seed: int, spot: Floats, force: Floats) -> None:
    qpos, qvel = state(seed)
    power = float(np.dot(force, velocity_at(0, spot, qpos, qvel, PLACES)))
    moment = turning_moment(0, spot, tuple(force.tolist()), qpos, PLACES)  # type: ignore[arg-type]
    assert power == pytest.approx(float(np.dot(force, qvel[:3]) + np.dot(moment, qvel[3:6])), abs=1e-6)
