"""Tasks that are built in, by name."""

from pathlib import Path

import numpy as np

from coopsim.errors import NoSuchName
from coopsim.features.learning.encoding import Observed
from coopsim.features.learning.flying_tasks import WaypointsTask
from coopsim.features.learning.plain_laws import SPACING_SCALE, Policy, spacing
from coopsim.features.learning.rival_tasks import CaptureTask, PursuitTask, TransportTask
from coopsim.features.learning.section_task import SectionTask
from coopsim.features.learning.starts import StartRule
from coopsim.features.learning.task import LearningTask, ReachTask, StepScene, TaskPlaces
from coopsim.features.learning.tuning_tasks import TuningTask
from coopsim.geometry import Bools, Floats
from coopsim.suggest import hint

_FOLDER = Path(__file__).parent / "scenarios"


class TargetTask(ReachTask):
    """A robot, one target, both anywhere in an arena."""

    name, summary = "Target", "one robot drives to a target"
    scenario = _FOLDER / "target.scenario"
    starts = (StartRule(area=(-4.0, -4.0, 4.0, 4.0)), StartRule(names=("red",), area=(-4.0, -4.0, 4.0, 4.0)))


class NavigateTask(ReachTask):
    """Four robots on one side of a hall with obstacles, and a target for each on the other side."""

    name, summary = "Navigate", "four robots drive to a target each among obstacles"
    scenario = _FOLDER / "navigate.scenario"
    limit = 400
    starts = (
        StartRule(area=(-6.0, -4.0, -3.2, 4.0)),
        StartRule(names=("red", "lime", "blue", "yellow"), distance=0.6),
    )


class DoorwayTask(ReachTask):
    """Two robots before a door that lets one through."""

    name, summary = "Doorway", "two robots pass a door one after the other"
    scenario = _FOLDER / "doorway.scenario"
    limit = 300
    starts = (StartRule(distance=0.8, angle=1.0),)


class CrossingTask(ReachTask):
    """Six robots on a circle, each with its target at the opposite place."""

    name, summary = "Crossing", "six robots cross a circle"
    scenario = _FOLDER / "crossing.scenario"
    limit = 300
    starts = (StartRule(distance=0.3, angle=0.3),)
    margin, leftward = 0.25, 0.4


class SpacingTask(LearningTask):
    """Robots that see their nearest neighbours.

    Attributes:
        seen: Slots of neighbours that they see.
    """

    observed = (
        Observed("sonars", scale=3.0),
        Observed("target", columns=(0, 3), scale=SPACING_SCALE),
        Observed("target", columns=(1, 4), is_angle=True),
        Observed("motors", columns=(0, 1), scale=1.5),
    )

    def rewards(self, scene: StepScene) -> Floats:
        """Return by how much the measure became smaller, less what it is and what touching costs."""
        rewards: Floats = (scene.before - scene.now) - 0.05 * scene.now - 0.1 * scene.touched
        return rewards


class FormationTask(SpacingTask):
    """Three robots anywhere in an arena become a triangle whose sides are 1.2 m."""

    name, summary = "Formation", "three robots become a triangle"
    scenario = _FOLDER / "formation.scenario"
    starts = (StartRule(area=(-2.5, -2.5, 2.5, 2.5)),)
    side, close = 1.2, 0.15  # m

    def plain_law(self) -> Policy | None:
        """Return the law that keeps the side."""
        return spacing(self.side, is_least=False)

    def measure(self, places: TaskPlaces) -> Floats:
        """Return by how much the distances to the others differ from the side, on average [m]."""
        errors = np.abs(_distances(places.robots) - self.side)
        neighbours = places.robots.shape[1] - 1
        mean: Floats = (errors.sum(axis=2) - self.side) / neighbours  # a robot is 0 from itself
        return mean

    def is_over(self, scene: StepScene) -> Bools:
        """Return where the triangle is there."""
        over: Bools = np.logical_and.reduce(scene.now < self.close, axis=1)
        return over


class CoverageTask(SpacingTask):
    """Five robots in the middle of an arena spread until each is far from all others."""

    name, summary = "Coverage", "five robots spread over a floor"
    scenario = _FOLDER / "coverage.scenario"
    starts = (StartRule(distance=0.3, angle=np.pi),)
    wanted = 2.5  # m

    def plain_law(self) -> Policy | None:
        """Return the law that keeps away."""
        return spacing(self.wanted, is_least=True)

    def measure(self, places: TaskPlaces) -> Floats:
        """Return what is missing to the wanted distance from the nearest other robot [m]."""
        distances = _distances(places.robots) + np.where(np.eye(places.robots.shape[1]), np.inf, 0.0)
        missing: Floats = np.maximum(self.wanted - distances.min(axis=2), 0.0)
        return missing

    def is_over(self, scene: StepScene) -> Bools:
        """Return where all are apart."""
        over: Bools = np.logical_and.reduce(scene.now <= 0.0, axis=1)
        return over


def _distances(robots: Floats) -> Floats:
    """Return the distances of all robots from each other, shape (worlds, robots, robots) [m]."""
    places = robots[:, :, :2]
    distances: Floats = np.linalg.norm(places[:, :, np.newaxis] - places[:, np.newaxis], axis=-1)
    return distances


TASKS: dict[str, type[LearningTask]] = {
    task.name.lower(): task
    for task in (
        *(TargetTask, NavigateTask, DoorwayTask, CrossingTask, FormationTask, CoverageTask),
        *(PursuitTask, TransportTask, CaptureTask, WaypointsTask, TuningTask),
    )
}
"""By name in small letters."""


def task_of(name: str) -> LearningTask:
    """Return a built-in task, or that of a scenario with a section `[LEARNING]`.

    Args:
        name: Of the task, or a path of a scenario.

    Raises:
        NoSuchName: There is none of this name.
        BadFile: The scenario has mistakes.
        BadArgument: It says nothing of learning.
    """
    if name.lower() in TASKS:
        return TASKS[name.lower()]()
    if name.endswith(".scenario") or Path(name).is_file():
        return SectionTask(name)
    tasks = f"known: {', '.join(TASKS)}, and files of scenarios with a section [LEARNING]"
    raise NoSuchName(f"no task is called {name!r}{hint(name.lower(), TASKS)}; {tasks}")
