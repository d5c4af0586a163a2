"""Batch of a task: observations, rewards and ends of many worlds, with single worlds put back within a step."""

import logging
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coopsim.errors import BadArgument, EngineCannot, PluginFailed
from coopsim.features.learning.encoding import Observations, as_actions
from coopsim.features.learning.robot_groups import DrivenGroup
from coopsim.features.learning.separate import SeparateWorlds
from coopsim.features.learning.task import LearningTask, StepScene, TaskPlaces
from coopsim.features.learning.worlds import Worlds
from coopsim.geometry import Bools, Floats
from coopsim.plugins import blamed

_log = logging.getLogger(__name__)


class BatchStep(NamedTuple):
    """Result of a step.

    Attributes:
        observations: Shape (worlds, robots, numbers); of worlds that were put back, those of their new episode.
        rewards: Shape (worlds, robots).
        terminated: Worlds that reached their goal, diverged, or have no learner left, shape (worlds,).
        truncated: Worlds whose time was over, shape (worlds,).
        last: Observations before worlds were put back, where `resets` is on; else the same as `observations`.
        reached: Worlds that reached their goal, shape (worlds,).
        out: Learners whose part is over, before worlds were put back, shape (worlds, robots).
    """

    observations: Observations
    rewards: Floats
    terminated: Bools
    truncated: Bools
    last: Observations
    reached: Bools
    out: Bools

    @property
    def robots_terminated(self) -> Bools:
        """Learners that are out, or whose world terminated, shape (worlds, robots)."""
        terminated: Bools = self.out | self.terminated[:, np.newaxis]
        return terminated


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
        out: Learners whose part is over while their world goes on, shape (worlds, robots).
        knows_out: Whether the task says who is out.

    Raises:
        BadArgument: The task asks for readings that its robots do not have, or for steps or episodes without length.
        EngineCannot: A batch cannot hold the scenario, and the task wants no separate worlds.
    """

    def __init__(
        self, task: LearningTask, count: int, *, seed: int | None = None, threads: int = 1, resets: bool = True
    ) -> None:
        for name in ("every", "limit"):
            if not isinstance(getattr(task, name), int | np.integer) or getattr(task, name) < 1:
                raise BadArgument(f"task {task.name}: expected {name} to be 1 or more, got {getattr(task, name)!r}")
        self.task, self._resets = task, resets
        self.worlds = worlds = _worlds_of(task, count, seed, threads)
        others = task.driven()
        driven = {robot for driver in others for robot in driver.robots}
        learners = task.learners or [robot for robot in worlds.robots if robot not in driven]
        self._team = DrivenGroup(worlds, learners, task.observed, task.acting)
        self._others = [
            (DrivenGroup(worlds, driver.robots, driver.observed, driver.acting), driver.decide) for driver in others
        ]
        self.robots = self._team.names
        self.steps = np.zeros(count, np.int64)
        self.width, self.actions = self._team.width, task.acting.width
        self._bodies = worlds.bodies()
        self.out, self.knows_out = np.zeros((count, len(self.robots)), np.bool_), False
        self._unseeing = self.out  # who was out before the last step
        self._author = f"task {task.name}"
        with blamed(self._author):
            task.prepare(worlds)
            task.begin(np.ones(count, bool))
        self._measured = self._measure(self._places())
        self._given = np.zeros((count, len(self.robots), self.actions))
        self._seen_by_others = [team.restart(None) for team, _ in self._others]

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
        return self._put_back(np.ones(self.count, bool) if mask is None else mask, seeds)

    def step(self, actions: ArrayLike) -> BatchStep:
        """Give each learner its command, and make the ticks of one action.

        A learner that is out stands still, is rewarded with 0, and observes zeros from the next step on.

        Args:
            actions: From -1 to 1, shape (worlds, robots, actions); those of learners that are out count for nothing.

        Raises:
            BadArgument: They have another shape, or are not finite.
            PluginFailed: The task raises, or its rewards are not finite.
        """
        given = as_actions(actions, (self.count, len(self.robots), self.actions))
        self._given = given = np.where(self.out[..., np.newaxis], 0.0, given) if self.knows_out else given
        self._team.command(given, self.out if self.knows_out else None)
        for (team, decide), seen in zip(self._others, self._seen_by_others, strict=True):
            with blamed(self._author):
                decided = np.asarray(decide(seen, self._bodies))
            team.command(decided)
        self.worlds.step(self.task.every)
        self.steps += 1
        rewards, reached, out = self._judge()
        self._unseeing, self.out = self.out, out
        terminated = reached | ~self.worlds.running | out.all(axis=1)
        truncated = (self.steps >= self.task.limit) & ~terminated
        last = observations = self._shown(self._team.advance())
        self._seen_by_others = [team.advance() for team, _ in self._others]
        if self._resets and (over := terminated | truncated).any():
            observations = self._put_back(over, None)
        return BatchStep(observations, rewards, terminated, truncated, last, reached, out)

    def _judge(self) -> tuple[Floats, Bools, Bools]:
        """Return rewards, which worlds reached their goal, and which learners are out."""
        scene = self._scene()
        with blamed(self._author):
            rewards, is_over = np.asarray(self.task.rewards(scene), np.float64), np.asarray(self.task.is_over(scene))
            out = self.task.is_out(scene)
        self._measured = scene.now
        stopped = ~self.worlds.running
        if rewards.shape[:1] == stopped.shape:
            rewards = rewards.copy()  # it may be an array of the task
            rewards[stopped] = 0.0  # numbers of a world that diverged mean nothing
        shape = self.count, len(self.robots)
        if rewards.shape != shape or not np.isfinite(rewards).all():
            raise PluginFailed(
                f"{self._author}: expected finite rewards of shape {shape}, "
                f"got shape {rewards.shape}: {rewards.ravel()[:4]}"
            )
        self._check_truth("is_over", is_over, stopped.shape)
        if out is None:
            return rewards, is_over & ~stopped, self.out
        out, self.knows_out = np.asarray(out), True
        self._check_truth("is_out", out, shape)
        rewards[self.out] = 0.0
        return rewards, is_over & ~stopped, self.out | out

    def _check_truth(self, name: str, values: NDArray[Any], shape: tuple[int, ...]) -> None:
        if values.shape != shape or values.dtype != np.bool_:
            raise PluginFailed(
                f"{self._author}: expected from {name} truth values of shape {shape}, "
                f"got {values.dtype} of shape {values.shape}"
            )

    def _scene(self) -> StepScene:
        team, places = self._team, self._places()
        now = self._measure(places)
        return StepScene(self.worlds, places, team.touched, self._measured, now, team.readings, self._given, self.out)

    def _places(self) -> TaskPlaces:
        return TaskPlaces(self._team.poses, self.worlds.targets, self._bodies, self._team.heights)

    def _measure(self, places: TaskPlaces) -> Floats:
        with blamed(self._author):
            measured: Any = self.task.measure(places)
        if getattr(measured, "shape", ())[:1] != (self.count,):
            text = f"{type(measured).__name__} of shape {getattr(measured, 'shape', ())}"
            raise PluginFailed(
                f"{self._author}: expected from measure an array of shape ({self.count}, ...), got {text}"
            )
        array: Floats = measured
        return array

    def observe(self) -> Observations:
        """Return the observations of all learners as they are now, shape (worlds, robots, numbers)."""
        return self._shown(self._team.now())

    def _shown(self, observations: Observations) -> Observations:
        """Return observations with zeros for those who were out before the last step."""
        if self.knows_out:
            observations[self._unseeing] = 0.0
        return observations

    def _put_back(self, mask: NDArray[Any], seeds: ArrayLike | None) -> Observations:
        """Begin episodes in worlds of the mask; return the observations of all."""
        self.worlds.reset(mask, seeds)
        self.steps[mask] = 0
        if self.knows_out:
            self.out, self._unseeing = (
                np.where(mask[:, np.newaxis], False, array) for array in (self.out, self._unseeing)
            )
        with blamed(self._author):
            self.task.begin(mask)
        measured = self._measure(self._places())
        self._measured = np.where(mask.reshape(-1, *[1] * (measured.ndim - 1)), measured, self._measured)
        self._seen_by_others = [team.restart(mask) for team, _ in self._others]
        return self._shown(self._team.restart(mask))


def _worlds_of(task: LearningTask, count: int, seed: int | None, threads: int) -> Worlds:
    """Return the worlds of a task: those of one compiled call where it can hold them, unless the task says which."""

    def of(kind: type[Worlds]) -> Worlds:
        return kind(task.scenario, count, seed=seed, starts=task.starts, vary=task.vary, threads=threads)

    if task.is_separate:
        return of(SeparateWorlds)
    try:
        return of(Worlds)
    except EngineCannot as refusal:
        if task.is_separate is not None:
            raise
        reason = str(refusal)
    worlds = of(SeparateWorlds)
    _log.warning("task %s: each world is a simulation of its own, which is slower: %s", task.name, reason)
    return worlds
