"""The judgement of the Robotarium, against the loops that its simulator has."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.others.robotarium.safety import SafetyCounters, SafetyLimits
from coopsim.features.others.robotarium.served import HeldPoses, hold

LIMITS = SafetyLimits((-1.6, 1.6, -1.0, 1.0), 0.11, 0.016, 12.5, 0.135, 0.025)


def _looped(poses: np.ndarray, velocities: np.ndarray) -> tuple[int, int, int]:
    n = poses.shape[1]
    places = [poses[:2, i] + 0.025 * np.array([np.cos(poses[2, i]), np.sin(poses[2, i])]) for i in range(n)]
    outside = any(abs(x) > 1.6 or abs(y) > 1.0 for x, y in poses[:2].T)
    close = sum(np.linalg.norm(places[i] - places[j]) <= 0.135 for i in range(n) for j in range(i + 1, n))
    wheels = [(v + side * 0.055 * w) / 0.016 for v, w in velocities.T for side in (-1, 1)]
    return int(outside), int(close), int(any(abs(wheel) > 12.5 for wheel in wheels))


@given(st.integers(0, 8), st.integers(0, 10_000))
def test_violations_are_counted_as_rps_counts_them(count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    counters = SafetyCounters(LIMITS)
    expected = np.zeros(3, int)
    for spread in (0.2, 1.0, 2.0):
        poses = random.uniform(-1, 1, (3, count)) * [[spread], [0.6 * spread], [3.0]]
        velocities = random.normal(0.0, 0.1, (2, count)) * [[1.0], [10.0]]
        counters.count(poses, velocities)
        expected += _looped(poses, velocities)
    assert [counters.outside, counters.close, counters.fast] == expected.tolist()
    assert counters.is_safe == (not expected[:2].any())


@pytest.mark.parametrize(
    ("asked", "expected"),
    [((0.1, 1.0), (0.1, 1.0)), ((0.3, 0.0), (0.2, 0.0)), ((0.2, 2.0), (0.145, 1.0)), ((0.0, -9.0), (0.0, -0.4 / 0.11))],
)
def test_each_wheel_is_limited_by_itself(asked: tuple[float, float], expected: tuple[float, float]) -> None:
    assert LIMITS.limited(np.array([asked]).T)[:, 0] == pytest.approx(expected)


def test_poses_are_held_against_rps_and_copies_are_not() -> None:
    poses = hold(np.arange(6.0).reshape(3, 2))
    poses[0, [0, 1]] += 1.0
    poses[2, :] = 7.0
    assert poses.tolist() == [[0, 1], [2, 3], [4, 5]]
    for free in (poses.copy(), poses + 0.0, poses[:2]):
        before = free.tolist()
        free[0, 0] = 9.0
        assert free.tolist() != before
    assert isinstance(poses, HeldPoses)
    assert poses.shape == (3, 2)


def test_a_robot_on_the_border_is_within_it() -> None:
    counters = SafetyCounters(LIMITS)
    corners = np.array([[-1.6, 1.6, -1.6, 1.6], [-1.0, -1.0, 1.0, 1.0], np.zeros(4)])
    counters.count(corners, np.zeros((2, 4)))
    assert counters.outside == 0
    for axis, border in ((0, 1.6), (1, 1.0)):
        for side in (-border, border):
            poses = np.zeros((3, 1))
            poses[axis] = np.nextafter(side, 2.0 * side)
            before = counters.outside
            counters.count(poses, np.zeros((2, 1)))
            assert counters.outside == before + 1
