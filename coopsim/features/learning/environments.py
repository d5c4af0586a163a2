"""Environments of Gymnasium: a task as one environment, and as a vector of them that one compiled call steps.

Importing this module registers all tasks as `coopsim/NAME-v0`.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.drawing import draw
from coopsim.features.learning.encoding import Observations, as_actions
from coopsim.features.learning.tasks import TASKS, task_of

_METADATA = {"render_modes": ["rgb_array"], "render_fps": 10}


def register() -> None:
    """Register all tasks that are not registered yet."""
    settings = {task.name: {"task": task.name} for task in TASKS.values()}
    # of a scenario: gymnasium.make("coopsim/Scenario-v0", task="gather.scenario")
    for name, kwargs in {**settings, "Scenario": dict[str, str]()}.items():
        if f"coopsim/{name}-v0" in gymnasium.registry:
            continue
        gymnasium.register(
            f"coopsim/{name}-v0",
            entry_point="coopsim.features.learning.environments:TaskEnv",
            vector_entry_point="coopsim.features.learning.environments:TaskVectorEnv",
            kwargs=kwargs,
        )


def spaces_of(batch: LearningBatch, robots: int) -> tuple[spaces.Box, spaces.Box]:
    """Return spaces of what so many robots observe and do; of one, without an axis for robots."""
    lead = () if robots == 1 else (robots,)
    return (
        spaces.Box(-1.0, 1.0, (*lead, batch.width), np.float32),
        spaces.Box(-1.0, 1.0, (*lead, batch.actions), np.float32),
    )


class TaskEnv(gymnasium.Env[Observations, NDArray[np.float32]]):
    """A world of a task, all robots of which one policy drives; the reward is the mean of theirs.

    Args:
        task: Name of a task, or a path of a scenario with a section `[LEARNING]`.
        render_mode: None or "rgb_array".
    """

    metadata = _METADATA

    def __init__(self, task: str = "target", render_mode: str | None = None) -> None:
        self.batch = LearningBatch(task_of(task), 1, resets=False)
        self.render_mode = render_mode
        self._robots = len(self.batch.robots)
        self.observation_space: Any
        self.action_space: Any
        self.observation_space, self.action_space = spaces_of(self.batch, self._robots)

    def reset(
        self,
        *,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - of the contract
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin an episode; without a seed, another one each time."""
        super().reset(seed=seed)
        observations = self.batch.reset([int(self.np_random.integers(1 << 31))])
        return self._own(observations), {}

    def step(self, action: NDArray[np.float32]) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Make the ticks of one action."""
        step = self.batch.step(as_actions(action, (1, self._robots, self.batch.actions), is_flat=True))
        infos = {"reason": self.batch.worlds.reason(0)} if self.batch.worlds.ends[0] else {}
        rewarded = float(step.rewards.mean())
        return self._own(step.observations), rewarded, bool(step.terminated[0]), bool(step.truncated[0]), infos

    def render(self) -> Any:
        """Return a picture from above, shape (height, width, 3)."""
        return draw(self.batch.worlds, 0) if self.render_mode == "rgb_array" else None

    def close(self) -> None:
        """Free the world."""
        self.batch.close()

    def _own(self, observations: Observations) -> Observations:
        own: Observations = observations[0, 0] if self._robots == 1 else observations[0]
        return own


class TaskVectorEnv(VectorEnv[Observations, NDArray[np.float32], NDArray[Any]]):
    """Many worlds of a task, stepped by one compiled call.

    Args:
        num_envs: How many.
        task: Name of a task, or a path of a scenario with a section `[LEARNING]`.
        render_mode: None or "rgb_array".
        threads: Over how many cores a step is spread.
        autoreset_mode: When a world that ended begins anew: in the next step, in the same one, or when it is asked to.
    """

    def __init__(
        self,
        num_envs: int = 1,
        task: str = "target",
        render_mode: str | None = None,
        threads: int = 1,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self._mode, self.num_envs, self.render_mode = AutoresetMode(autoreset_mode), num_envs, render_mode
        self.metadata = {**_METADATA, "autoreset_mode": self._mode}
        is_same = self._mode is AutoresetMode.SAME_STEP
        self.batch = LearningBatch(task_of(task), num_envs, threads=threads, resets=is_same)
        self._robots = len(self.batch.robots)
        self.single_observation_space, self.single_action_space = spaces_of(self.batch, self._robots)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin episodes: of all worlds, or of those in `options["reset_mask"]`."""
        mask = None if options is None else options.get("reset_mask")
        seeds: Any = None
        if isinstance(seed, int):
            seeds = np.arange(seed, seed + self.num_envs)
        elif seed is not None:
            drawn = np.random.default_rng().integers(1 << 31, size=self.num_envs)
            seeds = np.array([drawn[k] if own_seed is None else own_seed for k, own_seed in enumerate(seed)], np.int64)
        observations = self.batch.reset(seeds, mask)
        self._over[slice(None) if mask is None else mask] = False
        return self._own(observations), {}

    def step(self, actions: Any) -> tuple[Observations, NDArray[Any], NDArray[Any], NDArray[Any], dict[str, Any]]:
        """Make the ticks of one action in all worlds."""
        begun = self._over.copy()
        step = self.batch.step(as_actions(actions, (self.num_envs, self._robots, self.batch.actions), is_flat=True))
        observations, rewards = step.observations, step.rewards.mean(axis=1)
        terminated, truncated, infos = step.terminated, step.truncated, dict[str, Any]()
        if self._mode is AutoresetMode.NEXT_STEP and begun.any():
            # such a step begins the next episode, whatever the action was
            observations = self.batch.reset(mask=begun)
            rewards, terminated, truncated = (np.where(begun, 0, array) for array in (rewards, terminated, truncated))
            terminated, truncated = terminated.astype(bool), truncated.astype(bool)
        self._over = terminated | truncated
        if self._mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = {"final_obs": self._own(step.last), "_final_obs": self._over.copy()}
        return self._own(observations), rewards, terminated, truncated, infos

    def render(self) -> Any:
        """Return pictures from above of all worlds."""
        if self.render_mode != "rgb_array":
            return None
        return tuple(draw(self.batch.worlds, world) for world in range(self.num_envs))

    def close_extras(self, **_: Any) -> None:
        """Free the worlds."""
        self.batch.close()

    def _own(self, observations: Observations) -> Observations:
        return observations[:, 0] if self._robots == 1 else observations


register()
