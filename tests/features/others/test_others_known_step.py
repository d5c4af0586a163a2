"""The step of an `rps` whose source is known is done in its stead; one that is not known is called."""

from typing import Any

import numpy as np
import pytest

from coopsim.features.others.robotarium import served as served_module
from coopsim.features.others.robotarium.distances import DistanceModel
from coopsim.features.others.robotarium.served import _digest, served


class _Arena:
    """Robots that go ahead by a metre in each step."""

    def __init__(self) -> None:
        self.judged: list[Any] = []
        self.poses = np.zeros((3, 2))
        self.sees: list[bool] = []

    def begin(self, poses: Any, *_: Any, sees: bool) -> Any:
        self.sees.append(sees)
        self.poses = poses.copy()
        return self.poses.copy()

    def step(self, velocities: Any) -> Any:
        self.poses[0] += 1.0
        self.asked = velocities
        return self.poses.copy()


class _Rps:
    """As much of `rps` 2.1 as a step needs."""

    TIME_STEP = 0.033
    BASE_LENGTH = 0.11
    WHEEL_RADIUS = 0.016
    MAX_WHEEL_VELOCITY = 12.5
    COLLISION_DIAMETER, COLLISION_OFFSET = 0.135, 0.025
    BOUNDARIES = np.array([-1.6, 1.6, -1.0, 1.0])
    _sim_in_real_time = show_figure = initializing = _distance_sensors_enabled = False

    def __init__(self) -> None:
        self._called_step_already, self._checked_poses_already = True, False
        self._poses = np.array([[0.0, 1.5], [0.0, 0.0], [0.0, 0.0]])
        self._velocities = np.array([[0.1, 9.0], [0.0, 0.0]])
        self._encoders = np.zeros((2, 2))
        self._errors: dict[str, int] = {}
        self._iteration = self.own_steps = self.simulations = 0

    def get_poses(self) -> Any:
        return self._poses.copy()

    def set_velocities(self, ids: Any, velocities: Any) -> None:
        self._velocities[:, ids] = velocities

    def step(self) -> None:
        self.own_steps += 1

    def _nothing(self) -> None: ...

    simulate_accelerations = simulate_gyros = simulate_magnetometers = simulate_orientations = _nothing
    get_accelerations = get_gyros = get_magnetic_fields = get_orientations = _nothing

    def simulate_encoder_readings(self) -> None:
        self.simulations += 1
        self._encoders += np.round(1000.0 * self._velocities)

    _distances = np.full((1, 2), np.nan)

    def get_distances(self) -> Any:
        return self._distances.copy()

    def get_encoders(self) -> Any:
        return self._encoders.copy()


def _robotarium(monkeypatch: pytest.MonkeyPatch, *, is_known: bool) -> tuple[Any, _Arena]:
    if is_known:
        monkeypatch.setattr(served_module, "KNOWN_STEPS", frozenset({_digest(_Rps)}))
    arena = _Arena()
    return served(_Rps, arena, is_drawn=False, is_paced=False)(), arena  # type: ignore[arg-type]


def test_a_known_step_is_done_here_and_encoders_are_simulated_when_they_are_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robotarium, arena = _robotarium(monkeypatch, is_known=True)
    for step in range(3):
        poses = robotarium.get_poses()
        assert poses[0].tolist() == [step, 1.5 + step]
        poses[0] = 77.0  # their own
        robotarium.set_velocities([0], [[0.1 * step], [0.0]])
        robotarium.step()
    assert (robotarium.own_steps, robotarium.simulations, robotarium._iteration) == (0, 0, 3)
    assert arena.sees == [False]
    # the second robot's wheels cannot turn so fast, as `rps` says once, and it began inside, 0.1 m from the border
    assert arena.asked[0].tolist() == pytest.approx([0.2, 0.2])
    assert robotarium._errors == {"robots_outside_boundaries": 2, "exceeded_actuator_limits": 1}
    assert robotarium.get_encoders()[0].tolist() == [300.0, 600.0]
    assert robotarium.get_encoders()[0].tolist() == [300.0, 600.0]
    assert robotarium.simulations == 1
    assert robotarium._poses[0].tolist() == [3.0, 4.5]


def test_a_known_step_insists_on_poses_first_as_that_of_rps(monkeypatch: pytest.MonkeyPatch) -> None:
    robotarium, arena = _robotarium(monkeypatch, is_known=True)
    with pytest.raises(AssertionError, match="get_poses before calling step"):
        robotarium.step()
    assert not arena.sees
    robotarium.get_poses()
    with pytest.raises(AssertionError, match="once per call of step"):
        robotarium.get_poses()


def test_an_unknown_step_and_one_that_simulates_distances_are_called(monkeypatch: pytest.MonkeyPatch) -> None:
    robotarium, _ = _robotarium(monkeypatch, is_known=False)
    robotarium.step()
    assert robotarium.own_steps == 1
    robotarium, arena = _robotarium(monkeypatch, is_known=True)
    robotarium._distance_sensors_enabled = True
    robotarium.get_poses()
    robotarium.step()
    assert (robotarium.own_steps, arena.sees) == (1, [True])


def test_distances_of_known_sensors_are_simulated_when_they_are_read_for_the_last_step(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    robotarium, _ = _robotarium(monkeypatch, is_known=True)
    ahead = DistanceModel(np.array([[0.05], [0.0], [0.0]]), 0.11, 0.0, 1.2, 0.0, 0.0, 0.0)
    type(robotarium)._distance_model, robotarium._distance_sensors_enabled = ahead, True
    robotarium.obstacles = np.array([[[2.85, -1.0], [2.85, 1.0]]])
    assert np.isnan(robotarium.get_distances()).all()
    for _ in range(2):
        robotarium.get_poses()
        robotarium.step()
    assert robotarium.own_steps == 0
    # the first robot stands at 2 m behind the line of 2.85 m, the second one has passed it
    assert robotarium.get_distances().tolist() == [[pytest.approx(0.8), -1.0]]
    assert robotarium.get_distance_endpoints()[0, 0].tolist() == [
        pytest.approx(2.85),
        pytest.approx(np.nan, nan_ok=True),
    ]
    robotarium.obstacles = None  # what was read stays until the next step
    assert robotarium.get_distances()[0, 0] == pytest.approx(0.8)
    robotarium.get_poses()
    robotarium.step()
    assert robotarium.get_distances()[0].tolist() == [-1.0, -1.0]
    assert np.isnan(robotarium.get_distance_endpoints()).all()


def test_a_class_without_a_source_is_not_known() -> None:
    assert _digest(type("Robotarium", (), {"get_poses": len, "step": len})) == ""
