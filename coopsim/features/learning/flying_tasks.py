"""Tasks in space: way points for a quadrotor."""

from pathlib import Path

import numpy as np

from coopsim.features.learning.encoding import Acting, Observations, Observed
from coopsim.features.learning.plain_laws import Policy
from coopsim.features.learning.starts import StartRule
from coopsim.features.learning.task import LearningTask, StepScene, TaskPlaces
from coopsim.geometry import Bools, Floats

_FAR, _HIGH, _FAST = 10.0, 3.0, 2.0  # distance, height and speed that are seen as 1 [m] [m/s]


class WaypointsTask(LearningTask):
    """A quadrotor flies through three way points, one after the other.

    The first target is the way point that is next; as soon as it is reached, it moves to where the one after it was.

    Attributes:
        near: Distance at which a way point is reached [m].
        height: Of all way points above the floor [m].
    """

    name, summary = "Waypoints", "a quadrotor flies through three way points"
    scenario = Path(__file__).parent / "scenarios" / "waypoints.scenario"
    observed = (
        Observed("target", columns=(0,), scale=_FAR),
        Observed("target", columns=(1,), is_angle=True),
        Observed("pose", columns=(2,), scale=_HIGH),
        Observed("pose", columns=(7, 8, 9), scale=_FAST),
    )
    acting = Acting("autopilot", "set_velocity", low=(-1.5, -1.5, -1.0), high=(1.5, 1.5, 1.0))
    every, limit = 5, 200
    starts = (
        StartRule(distance=1.0),
        StartRule(names=("red", "lime", "blue"), area=(-3.0, -3.0, 3.0, 3.0)),
    )
    is_separate = True
    near, height = 0.4, 1.5

    def __init__(self) -> None:
        self._reached = np.zeros(0, np.int64)  # way points behind each world
        self._has_turned = np.zeros(0, np.bool_)  # where another one was next in the step before

    def begin(self, mask: Bools) -> None:
        """Have worlds of the mask begin with their first way point."""
        if self._reached.shape != mask.shape:
            self._reached, self._has_turned = np.zeros(mask.shape, np.int64), np.zeros(mask.shape, np.bool_)
        self._reached[mask] = 0
        self._has_turned[mask] = False

    def plain_law(self) -> Policy | None:
        """Return the law that flies straight to the next way point."""
        return self._fly

    def measure(self, places: TaskPlaces) -> Floats:
        """Return how far it is from the next way point, in space [m]."""
        away = places.targets[:, :1] - places.robots[:, :, :2]
        distances: Floats = np.sqrt((away**2).sum(axis=-1) + (places.heights - self.height) ** 2)
        return distances

    def rewards(self, scene: StepScene) -> Floats:
        """Return the way that it came nearer [m], 1 for each way point, less what time costs."""
        way = np.where(self._has_turned[:, np.newaxis], 0.0, scene.before - scene.now)
        is_there = scene.now[:, 0] < self.near
        self._reached += is_there
        self._has_turned = is_there
        targets = scene.places.targets
        targets[is_there, :-1] = targets[is_there, 1:]
        rewards: Floats = way + 1.0 * is_there[:, np.newaxis] - 0.01
        return rewards

    def is_over(self, scene: StepScene) -> Bools:
        """Return where it has been at all way points."""
        over: Bools = self._reached >= scene.places.targets.shape[1]
        return over

    def _fly(self, observations: Observations) -> Floats:
        distance, cos, sin, height = (observations[..., column] for column in range(4))
        speed = np.clip(_FAR * distance, 0.0, 1.0)
        climb = np.clip(self.height - _HIGH * height, -1.0, 1.0)
        return np.stack([speed * cos, speed * sin, climb], axis=-1)
