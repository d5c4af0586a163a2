"""Tasks: what is learnt in a scenario, by whom, and when an episode ends."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from coopsim.features.learning.encoding import Acting, Observed
from coopsim.features.learning.encoding_kernels import lengths_of
from coopsim.features.learning.out_rules import OutRule
from coopsim.features.learning.plain_laws import Policy, reaching
from coopsim.features.learning.robot_groups import DrivenRobots
from coopsim.features.learning.starts import StartRule
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.robots import RunSpec


class TaskPlaces(NamedTuple):
    """Positions of everything that a task is about.

    Attributes:
        robots: x y heading and their velocities of the learners, shape (worlds, robots, 6).
        targets: x and y of the targets, shape (worlds, targets, 2) [m].
        bodies: x y heading and their velocities of all that moves, by name, shape (worlds, 6).
        heights: Of the bases of the learners above the floor, shape (worlds, robots) [m].
    """

    robots: Floats
    targets: Floats
    bodies: Mapping[str, Floats] = {}
    heights: Floats = np.zeros((0, 0))


@dataclass(frozen=True, slots=True)
class StepScene:
    """Scene after a step, from which rewards and ends are made; arrays are views or of this step.

    Attributes:
        worlds: All of it.
        places: Where everything is.
        touched: Whether something presses against a learner, shape (worlds, robots).
        before: What `LearningTask.measure` was after the step before, shape (worlds, robots, ...).
        now: What it is after this one.
        readings: Returns readings of learners by module, reading and column, shape (worlds, robots, width).
        actions: What learners were asked to do, shape (worlds, robots, actions).
        out: Learners whose part was over before this step, shape (worlds, robots).
    """

    worlds: Worlds
    places: TaskPlaces
    touched: Bools
    before: Floats
    now: Floats
    readings: Callable[..., Floats]
    actions: Floats
    out: Bools


class LearningTask(ABC):
    """A task; subclasses say what it is in class attributes, and write `measure`, `rewards` and `is_over`.

    Attributes:
        name: As it is registered: `coopsim/NAME-v0`.
        summary: One line for people.
        scenario: A path, the name of a built-in scenario, or what `coopsim.robots.load` returned.
        observed: What learners see.
        acting: What they do.
        every: Ticks of an action.
        limit: Actions after which an episode is cut off.
        starts: Where robots and targets begin.
        vary: Ranges of parameters that each episode draws.
        learners: Names of the robots that learn, all of one type; () = all robots.
        is_separate: Whether its worlds are `SeparateWorlds`; None = where a compiled batch cannot hold the scenario.
        outs: Rules of `is_out` that a robot alone can tell by its readings; `policy run` keeps to them.
    """

    name: str
    summary: str
    scenario: str | Path | RunSpec
    observed: Sequence[Observed]
    acting: Acting = Acting()
    every: int = 10
    limit: int = 200
    starts: Sequence[StartRule] = ()
    vary: Mapping[str, tuple[float, float]] = {}
    learners: Sequence[str] = ()
    is_separate: bool | None = None
    outs: Sequence[OutRule] = ()

    def driven(self) -> Sequence[DrivenRobots]:
        """Return the robots that laws drive."""
        return ()

    def plain_law(self) -> Policy | None:
        """Return a law that a learner has to beat, None where nobody has written one."""
        return None

    def prepare(self, worlds: Worlds) -> None:  # noqa: ARG002 - of the contract
        """Note the worlds of a batch, before the first episodes of it begin; most tasks need none."""
        return

    def begin(self, mask: Bools) -> None:  # noqa: ARG002 - of the contract
        """Forget what the task noted of the worlds that begin anew, shape (worlds,); most tasks note nothing."""
        return

    @abstractmethod
    def measure(self, places: TaskPlaces) -> Floats:
        """Return what an episode is about, such as distances to targets, shape (worlds, robots, ...)."""

    @abstractmethod
    def rewards(self, scene: StepScene) -> Floats:
        """Return the rewards of a step, shape (worlds, robots)."""

    @abstractmethod
    def is_over(self, scene: StepScene) -> Bools:
        """Return which worlds have reached their goal, shape (worlds,)."""

    def is_out(self, scene: StepScene) -> Bools | None:  # noqa: ARG002 - of the contract
        """Return whose part ends with this step while the world goes on, shape (worlds, robots); None = nobody's."""
        return None


class ReachTask(LearningTask):
    """Task in which each robot has a target of its own, and is rewarded for the way that it comes nearer.

    Attributes:
        near: Distance at which it is there [m].
        touch_cost: What a step costs in which it touches something.
        away_cost: What a step costs in which it is not there yet.
        margin: Part of a sonar's reach within which the plain law turns away.
        leftward: How much the plain law prefers to turn left there, as a part of a sonar's reach.
    """

    margin: float = 0.13
    leftward: float = 0.0

    near: float = 0.4
    touch_cost: float = 0.2
    away_cost: float = 0.02
    observed = (
        Observed("sonars", scale=3.0),
        Observed("target", columns=(0,), scale=10.0, own=3),
        Observed("target", columns=(1,), is_angle=True, own=3),
        Observed("motors", columns=(0, 1), scale=1.5),
    )

    def plain_law(self) -> Policy | None:
        """Return the law that heads for its target."""
        return reaching(self.margin, self.leftward)

    def measure(self, places: TaskPlaces) -> Floats:
        """Return how far each robot is from its target [m]."""
        robots, targets = places.robots, places.targets
        distances: Floats = lengths_of(targets[:, : robots.shape[1]] - robots[:, :, :2])
        return distances

    def rewards(self, scene: StepScene) -> Floats:
        """Return the way that each came nearer [m], 1 for all at the end, less what touching and being away cost."""
        # nothing is paid for staying there: whoever comes last would end what the others earn, and would learn to wait
        costs = self.touch_cost * scene.touched + self.away_cost * (scene.now >= self.near)
        rewards: Floats = (scene.before - scene.now) + 1.0 * self.is_over(scene)[:, np.newaxis] - costs
        return rewards

    def is_over(self, scene: StepScene) -> Bools:
        """Return where all robots are at their targets."""
        over: Bools = np.logical_and.reduce(scene.now < self.near, axis=1)
        return over
