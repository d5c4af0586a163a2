"""Distance sensors of the Robotarium, against loops over rays, lines and circles, and the random numbers of `rps`."""

import math
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coopsim.features.others.robotarium import distances as distances_module
from coopsim.features.others.robotarium.distances import (
    DistanceModel,
    distance_model,
    endpoints,
    simulate_distances,
    source_digest,
    write_nearest,
)

SENSORS = np.array([[-0.04, 0.0, 0.05, 0.04], [0.04, 0.06, 0.0, -0.05], [math.pi, math.pi / 2, 0.0, -math.pi / 4]])
EXACT = DistanceModel(SENSORS, 0.11, 0.01, 1.2, 0.0, 0.0, 0.0)
NOISY = EXACT._replace(error=0.03, dropout=0.3, outlier=0.2)


def _line(start: np.ndarray, ray: np.ndarray, line: np.ndarray) -> float:
    try:
        part, along = np.linalg.solve(np.stack([ray, line[0] - line[1]], axis=1), line[0] - start)
    except np.linalg.LinAlgError:
        return math.inf
    return part if part >= 0 and 0 <= along <= 1 else math.inf


def _circle(start: np.ndarray, ray: np.ndarray, middle: np.ndarray) -> float:
    passed = ray @ (middle - start)
    square = passed**2 - (middle - start) @ (middle - start) + 0.055**2
    # a sensor within another robot does not see its rim, nor one behind its middle
    return passed - math.sqrt(square) if square >= 0 and passed >= math.sqrt(square) and passed <= 1.2 else math.inf


def _looped(poses: np.ndarray, lines: np.ndarray) -> np.ndarray:
    headings = [np.array([[math.cos(h), -math.sin(h)], [math.sin(h), math.cos(h)]]) for h in poses[2]]
    middles = [pose[:2] + turn @ [0.01, 0.0] for pose, turn in zip(poses.T, headings, strict=True)]
    nearest = np.empty((4, poses.shape[1]))
    for i, turn in enumerate(headings):
        for j, sensor in enumerate(SENSORS.T):
            start, ray = middles[i] + turn @ sensor[:2], turn @ [math.cos(sensor[2]), math.sin(sensor[2])]
            met = [_line(start, ray, line) for line in lines]
            met += [_circle(start, ray, middle) for k, middle in enumerate(middles) if k != i]
            nearest[j, i] = min([1.2, *met])
    return nearest


@given(st.integers(0, 6), st.integers(0, 5), st.integers(0, 10_000))
def test_rays_meet_lines_and_robots_as_in_a_loop(robots: int, count: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    poses = random.uniform(-1, 1, (3, robots)) * [[0.6], [0.4], [3.0]]
    lines = random.uniform(-1.0, 1.0, (count, 2, 2))
    nearest = np.empty((4, robots))
    write_nearest(poses, lines, SENSORS, 0.11, 0.01, 1.2, nearest)
    assert nearest == pytest.approx(_looped(poses, lines), abs=1e-9)
    said = simulate_distances(poses, lines, EXACT)
    assert np.array_equal(said < 0, nearest >= 1.2)
    assert said[said >= 0] == pytest.approx(nearest[nearest < 1.2])
    ends = endpoints(poses, said, EXACT)
    assert np.array_equal(np.isnan(ends[0]), said < 0)


def test_a_ray_beside_a_line_meets_nothing_and_no_obstacles_are_none() -> None:
    poses = np.zeros((3, 1))
    along = np.array([[[0.2, 0.0], [0.9, 0.0]]])
    assert simulate_distances(poses, along, EXACT)[2, 0] == -1.0
    assert simulate_distances(poses, None, EXACT).tolist() == [[-1.0]] * 4


def test_an_end_of_a_ray_is_where_it_meets_the_line_seen_from_the_axle() -> None:
    poses = np.array([[0.3], [0.1], [math.pi / 2]])
    said = simulate_distances(poses, np.array([[[-1.0, 0.8], [1.0, 0.8]]]), EXACT)
    # rps begins rays at the middle of a robot, and draws them from its axle: 0.01 m behind
    assert said[2, 0] == pytest.approx(0.8 - 0.1 - 0.01 - 0.05)
    assert endpoints(poses, said, EXACT)[:, 2, 0] == pytest.approx([0.3, 0.79])


def test_noise_has_the_random_numbers_of_rps_in_its_order() -> None:
    poses = np.array([[0.0, 0.4], [0.0, 0.05], [0.0, 3.0]])
    lines = np.array([[[-0.5, 1.0], [0.5, 1.0]], [[1.0, -1.0], [1.0, 1.0]]])
    nearest = np.empty((4, 2))
    write_nearest(poses, lines, SENSORS, 0.11, 0.01, 1.2, nearest)
    for seed in range(20):
        random = np.random.RandomState(seed)
        expected = np.full((4, 2), -1.0)
        for i in range(2):
            for j in range(4):
                if nearest[j, i] < 1.2 and random.rand() >= 0.3:
                    is_outlier = random.rand() < 0.2
                    value = nearest[j, i] * (1.0 + 0.03 * random.randn()) if not is_outlier else random.uniform(0, 1.2)
                    expected[j, i] = np.clip(value, 0, 1.2)
        np.random.seed(seed)  # noqa: NPY002 - the generator that rps draws from
        assert simulate_distances(poses, lines, NOISY) == pytest.approx(expected)


def test_sensors_of_another_source_are_those_of_that_package(monkeypatch: pytest.MonkeyPatch) -> None:
    class Kind:
        DISTANCE_SENSORS_ORIENTATION = SENSORS
        ROBOT_DIAMETER, CENTER_OFFSET, DISTANCE_SENSOR_RANGE, DISTANCE_SENSOR_ERROR = 0.11, 0.01, 1.2, 0.03
        DISTANCE_SENSOR_DROPOUT_PROB, DISTANCE_SENSOR_OUTLIER_PROB = 0.3, 0.2

        def _calculate_endpoints(self) -> None: ...

    assert distance_model(Kind) is None  # its module has no simulation of them
    module: Any = ModuleType("own_rps")
    module.simulate_distance_sensors = _looped
    monkeypatch.setitem(distances_module.sys.modules, "own_rps", module)
    Kind.__module__ = "own_rps"
    assert distance_model(Kind) is None
    monkeypatch.setattr(distances_module.inspect, "getsource", lambda _: "text")
    monkeypatch.setattr(distances_module, "KNOWN_SENSORS", frozenset({source_digest("texttext")}))
    model = distance_model(Kind)
    assert model is not None
    assert np.array_equal(model.sensors, SENSORS)
    assert model[1:] == NOISY[1:]
