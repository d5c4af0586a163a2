"""Tasks in which parameters are set, not commands given: gains of a system of components."""

from pathlib import Path

import numpy as np

from coopsim.features.learning.encoding import Acting, Observed
from coopsim.features.learning.plain_laws import Policy
from coopsim.features.learning.starts import StartRule
from coopsim.features.learning.task import LearningTask, StepScene, TaskPlaces
from coopsim.geometry import Bools, Floats

_CONTROLLER = "MyFollowerController"
_HIGH = (2.0, 1.0)  # largest values of both


class TuningTask(LearningTask):
    """Gains of a follower are tuned while it follows a leader; its control loop is a system of components on board.

    Source: AMSA, section 3 (leader and follower whose worn motors apply a part of their power).

    Attributes:
        wanted: Distance that the follower should keep [m].
        close: Largest root of its mean squared error in an episode that reaches its goal [m].
    """

    name, summary = "Tuning", "gains of a follower's system of components are tuned"
    scenario = Path(__file__).parent / "scenarios" / "tuning.scenario"
    observed = (
        Observed("MyDistanceMonitor", columns=(0,), scale=50.0),
        Observed(_CONTROLLER, columns=(0, 1), scale=100.0),
        Observed("motors", columns=(0, 1), scale=1.5),
    )
    acting = Acting(_CONTROLLER, "", low=(0.0, 0.0), high=_HIGH, parameters=("Kv", "Kw"))
    learners = ("rover",)
    every, limit = 50, 40
    starts = (StartRule(names=("rover",), distance=0.5, angle=0.5),)
    is_separate = True
    wanted, close = 1.5, 0.25

    def __init__(self) -> None:
        self._squares = np.zeros(0)
        self._steps = np.zeros(0, np.int64)

    def begin(self, mask: Bools) -> None:
        """Forget the errors of worlds of the mask."""
        if self._squares.shape != mask.shape:
            self._squares, self._steps = np.zeros(mask.shape), np.zeros(mask.shape, np.int64)
        self._squares[mask] = self._steps[mask] = 0

    def plain_law(self) -> Policy | None:
        """Return the law that sets the gains of the paper's scenario."""
        gains = 2.0 * np.divide((0.35, 0.005), _HIGH) - 1.0
        return lambda observations: np.broadcast_to(gains, (*observations.shape[:-1], len(gains)))

    def measure(self, places: TaskPlaces) -> Floats:
        """Return by how much the distance from the leader is wrong [m]."""
        away = places.bodies["leader"][:, np.newaxis, :2] - places.robots[:, :, :2]
        errors: Floats = np.linalg.norm(away, axis=-1) - self.wanted
        return errors

    def rewards(self, scene: StepScene) -> Floats:
        """Return the error of the distance as a cost [m]."""
        self._squares += scene.now[:, 0] ** 2
        self._steps += 1
        rewards: Floats = -np.minimum(np.abs(scene.now), 2.0 * self.wanted)
        return rewards

    def is_over(self, scene: StepScene) -> Bools:
        """Return where the time is over and the distance was kept well."""
        rms = np.sqrt(self._squares / np.maximum(self._steps, 1))
        over: Bools = (self._steps >= self.limit) & (rms < self.close) & scene.worlds.running
        return over
