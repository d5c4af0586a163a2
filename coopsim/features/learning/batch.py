"""Batch of a task: observations, rewards and ends of many worlds, with single worlds put back within a step."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coopsim.errors import BadArgument, CoopsimError, PluginFailed
from coopsim.features.learning.encoding import Observations, encode
from coopsim.features.learning.task import LearningTask, StepScene, TaskPlaces
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.plugins import words


class BatchStep(NamedTuple):
    """Result of a step.

    Attributes:
        observations: Shape (worlds, robots, numbers); of worlds that were put back, those of their new episode.
        rewards: Shape (worlds, robots).
        terminated: Worlds that reached their goal, or diverged, shape (worlds,).
        truncated: Worlds whose time was over, shape (worlds,).
        last: Observations before worlds were put back, where `resets` is on; else the same as `observations`.
    """

    observations: Observations
    rewards: Floats
    terminated: Bools
    truncated: Bools
    last: Observations


class LearningBatch:
    """Many worlds of a task.

    Args:
        task: What is learnt.
        count: How many worlds.
        seed: Of world 0; None = the scenario's.
        threads: Over how many cores a step is spread.
        resets: Whether worlds that ended are put back within the same step.

    Attributes:
        worlds: What is simulated.
        robots: Names of the learners.
        width: How many numbers an observation has.
        actions: How many numbers an action has.
        steps: How many steps each world has made since its reset, shape (worlds,).

    Raises:
        BadArgument: The task asks for readings that its robots do not have.
        EngineCannot: A batch cannot hold the scenario.
    """

    def __init__(
        self, task: LearningTask, count: int, *, seed: int | None = None, threads: int = 1, resets: bool = True
    ) -> None:
        self.task, self._resets = task, resets
        self.worlds = worlds = Worlds(
            task.scenario, count, seed=seed, starts=task.starts, vary=task.vary, threads=threads
        )
        modules = {observed.module for observed in task.observed}
        self._readings = {module: worlds.readings(module) for module in sorted(modules)}
        self._slots = worlds.slots(task.acting.module)
        self._command = worlds.number_of(task.acting.module, task.acting.command)
        self.robots = worlds.robots
        for observed in task.observed:
            observed.width(observed.own or self._readings[observed.module].shape[-1])
        self._touched = worlds.readings("bumpers") if worlds.has("bumpers") else np.zeros((count, len(self.robots), 2))
        self.steps = np.zeros(count, np.int64)
        self.width, self.actions = self.observe().shape[-1], len(task.acting.low)
        self._measured = self._measure()

    @property
    def count(self) -> int:
        """Number of worlds."""
        return self.worlds.count

    def close(self) -> None:
        """Free the spaces."""
        self.worlds.close()

    def reset(self, seeds: ArrayLike | None = None, mask: NDArray[np.bool_] | None = None) -> Observations:
        """Begin new episodes.

        Args:
            seeds: As of `Worlds.reset`.
            mask: Which worlds; None = all.

        Returns:
            Observations of all worlds.
        """
        self._put_back(np.ones(self.count, bool) if mask is None else mask, seeds)
        return self.observe()

    def step(self, actions: ArrayLike) -> BatchStep:
        """Give each learner its command, and make the ticks of one action.

        Args:
            actions: From -1 to 1, shape (worlds, robots, actions).

        Raises:
            BadArgument: They have another shape, or are not finite.
            PluginFailed: The task raises, or its rewards are not finite.
        """
        given = np.asarray(actions)
        if given.shape != (self.count, len(self.robots), self.actions):
            raise BadArgument(
                f"expected actions of shape {(self.count, len(self.robots), self.actions)}, got {given.shape}"
            )
        slots = self._slots
        slots[..., 0] += 1.0
        slots[..., 1] = self._command
        slots[..., 2:] = self.task.acting.values(given)
        self.worlds.step(self.task.every)
        self.steps += 1
        rewards, terminated = self._judge()
        truncated = (self.steps >= self.task.limit) & ~terminated
        last = observations = self.observe()
        if self._resets and (over := terminated | truncated).any():
            self._put_back(over, None)
            observations = self.observe()
        return BatchStep(observations, rewards, terminated, truncated, last)

    def _judge(self) -> tuple[Floats, Bools]:
        """Return rewards, and which worlds terminated."""
        scene = self._scene()
        try:
            rewards, is_over = np.asarray(self.task.rewards(scene), np.float64), np.asarray(self.task.is_over(scene))
        except CoopsimError:
            raise
        except Exception as problem:  # whatever the author of a task raises, with its line
            raise PluginFailed(f"task {self.task.name}: {words(problem)}") from problem
        self._measured = scene.now
        stopped = ~self.worlds.running
        rewards[stopped] = 0.0  # numbers of a world that diverged mean nothing
        if rewards.shape != self._measured.shape or not np.isfinite(rewards).all():
            raise PluginFailed(
                f"task {self.task.name}: expected finite rewards of shape {self._measured.shape}, "
                f"got shape {rewards.shape}: {rewards.ravel()[:4]}"
            )
        return rewards, is_over | stopped

    def _scene(self) -> StepScene:
        worlds = self.worlds
        touched: Bools = np.logical_or.reduce(self._touched > 0.0, axis=-1)
        return StepScene(worlds, TaskPlaces(worlds.poses, worlds.targets), touched, self._measured, self._measure())

    def _measure(self) -> Floats:
        return self.task.measure(TaskPlaces(self.worlds.poses, self.worlds.targets))

    def observe(self) -> Observations:
        """Return the observations of all learners as they are now, shape (worlds, robots, numbers)."""
        return encode(self.task.observed, self._readings)

    def _put_back(self, mask: NDArray[Any], seeds: ArrayLike | None) -> None:
        self.worlds.reset(mask, seeds)
        self.steps[mask] = 0
        self._measured = np.where(mask[:, np.newaxis], self._measure(), self._measured)
