"""Noise is a pure function of (seed, robot, device, tick, index)."""

import numpy as np
import pytest

from coopsim.devices.noise import add_noise, noise_key, normal, uniform


def keys_of(n: int, seed: int = 1) -> np.ndarray:
    return np.array([noise_key(seed, f"robot{i}", "sonars") for i in range(n)], np.uint64)


def deviates(n: int, width: int, ticks: int, seed: int = 1) -> np.ndarray:
    """Return deviates, shape (ticks, n, width)."""
    out = np.empty((ticks, n, width))
    for tick in range(ticks):
        normal(keys_of(n, seed), tick, out[tick])
    return out


def test_deviates_have_the_moments_of_a_normal_distribution() -> None:
    values = deviates(40, 11, 500).ravel()
    error = 1 / np.sqrt(values.size)
    assert values.mean() == pytest.approx(0.0, abs=4 * error)
    assert values.var() == pytest.approx(1.0, abs=4 * np.sqrt(2) * error)
    assert (values**3).mean() == pytest.approx(0.0, abs=4 * np.sqrt(15) * error)
    assert (values**4).mean() == pytest.approx(3.0, abs=4 * np.sqrt(96) * error)


def test_deviates_fall_below_each_quantile_as_often_as_a_normal_distribution_says() -> None:
    values = deviates(40, 11, 500).ravel()
    for quantile, share in ((-2.326348, 0.01), (-1.281552, 0.1), (0.0, 0.5), (1.281552, 0.9), (3.090232, 0.999)):
        assert (values < quantile).mean() == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / values.size))


@pytest.mark.parametrize("axis", [0, 1, 2], ids=["tick", "robot", "index"])
def test_neighbours_in_tick_robot_and_index_are_independent(axis) -> None:
    values = np.moveaxis(deviates(40, 12, 500), axis, 0)
    first, second = values[:-1].ravel(), values[1:].ravel()
    error = 1 / np.sqrt(first.size)
    assert (first * second).mean() == pytest.approx(0.0, abs=4 * error)
    assert (first**2 * second**2).mean() == pytest.approx(1.0, abs=4 * np.sqrt(8) * error)


def test_uniform_numbers_fill_their_range_evenly() -> None:
    out = np.empty((200, 500))
    uniform(keys_of(200), 7, out)
    counts, _ = np.histogram(out, 20, (0.0, 1.0))
    expected = out.size / 20
    assert out.min() > 0.0
    assert out.max() <= 1.0
    assert (((counts - expected) ** 2) / expected).sum() < 43.8  # chi square, 19 degrees of freedom, 0.1 %


def test_adding_robots_or_readings_changes_nobodys_noise() -> None:
    few, many = np.zeros((2, 3)), np.zeros((5, 8))
    normal(keys_of(2), 9, few)
    normal(keys_of(5), 9, many)
    assert (few == many[:2, :3]).all()


def test_noise_depends_on_seed_robot_device_and_tick() -> None:
    keys = [noise_key(1, "a", "b"), noise_key(2, "a", "b"), noise_key(1, "ab", ""), noise_key(1, "a", "c")]
    assert len(set(keys)) == 4
    out = np.empty((5, 1))
    normal(np.array(keys + keys[:1], np.uint64), 3, out)
    assert len(set(out.ravel().tolist())) == 4
    again = np.empty((1, 1))
    normal(np.array(keys[:1], np.uint64), 4, again)
    assert again[0, 0] != out[0, 0]


def test_a_key_is_the_same_in_every_process() -> None:
    assert noise_key(1, "robot1", "sonars") == 0xC977964031A905


def test_noise_is_scaled_by_each_rows_deviation_and_zero_leaves_a_row_alone() -> None:
    out, plain = np.full((3, 5), 7.0), np.empty((3, 5))
    add_noise(out, keys_of(3), 4, np.array([0.0, 0.5, 2.0]))
    normal(keys_of(3), 4, plain)
    assert (out[0] == 7.0).all()
    assert out[1:] == pytest.approx(7.0 + np.array([[0.5], [2.0]]) * plain[1:])


def test_noise_is_written_into_columns_of_a_wider_array_too() -> None:
    wide = np.zeros((2, 6))
    add_noise(wide[:, 1:4], keys_of(2), 4, np.ones(2))
    assert not wide[:, [0, 4, 5]].any()
    assert wide[:, 1:4].all()
