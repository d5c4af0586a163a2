"""Environments of Gymnasium: a task as one environment, and as a vector of them that one compiled call steps.

Importing this module registers all tasks as `coopsim/NAME-v0`.
"""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from coopsim.errors import BadArgument
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Observations, as_actions
from coopsim.features.learning.rendering import USUAL_METADATA, EpisodeRendering
from coopsim.features.learning.tasks import TASKS, task_of
from coopsim.geometry import Bools

_MOST_SEED = (1 << 62) - 1  # seeds of the next worlds fit into 64 bits, too


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


def _seeds_of(seed: object, count: int) -> NDArray[np.int64] | None:
    """Return the seeds of so many worlds, None where there are none.

    Raises:
        BadArgument: They are of another kind or number.
    """
    if seed is None:
        return None
    if isinstance(seed, int | np.integer) and _is_seed(seed):
        return int(seed) + np.arange(count, dtype=np.int64)
    if not isinstance(seed, Sequence | np.ndarray) or isinstance(seed, str | bytes) or len(seed) != count:
        raise BadArgument(f"expected a seed, a whole number from 0 on, or a list of {count}, got {seed!r}")
    wrong = [k for k, own_seed in enumerate(seed) if own_seed is not None and not _is_seed(own_seed)]
    if wrong:
        raise BadArgument(
            f"seed of world {wrong[0]}: expected a whole number from 0 to {_MOST_SEED}, or None, got {seed[wrong[0]]!r}"
        )
    drawn = np.random.default_rng().integers(1 << 31, size=count)
    return np.array([drawn[k] if own_seed is None else own_seed for k, own_seed in enumerate(seed)], np.int64)


def _is_seed(seed: object) -> bool:
    return isinstance(seed, int | np.integer) and not isinstance(seed, bool) and bool(0 <= seed <= _MOST_SEED)


def _info_of(out: Bools, mask: Bools) -> dict[str, Any]:
    """Return who is out in worlds of the mask, as infos of vectors say it."""
    return {"out": out.copy(), "_out": mask.copy()}


class TaskEnv(gymnasium.Env[Observations, NDArray[np.float32]]):
    """A world of a task, all robots of which one policy drives; the reward is the mean of theirs.

    Args:
        task: Name of a task, or a path of a scenario with a section `[LEARNING]`.
        render_mode: None, "rgb_array", or "human": a window.
    """

    metadata = USUAL_METADATA

    def __init__(self, task: str = "target", render_mode: str | None = None) -> None:
        self.batch = LearningBatch(task_of(task), 1, resets=False)
        self._rendering, self.render_mode = EpisodeRendering(self.batch, render_mode), render_mode
        self.metadata = self._rendering.metadata
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
        self._rendering.show()
        return self._own(observations), {}

    def step(self, action: NDArray[np.float32]) -> tuple[Observations, float, bool, bool, dict[str, Any]]:
        """Make the ticks of one action."""
        step = self.batch.step(as_actions(action, (1, self._robots, self.batch.actions), is_flat=True))
        self._rendering.show()
        infos: dict[str, Any] = {"reason": self.batch.worlds.reason(0)} if self.batch.worlds.ends[0] else {}
        if self.batch.knows_out:
            infos["out"] = step.out[0].copy()
        rewarded = float(step.rewards.mean())
        return self._own(step.observations), rewarded, bool(step.terminated[0]), bool(step.truncated[0]), infos

    def render(self) -> Any:
        """Return a picture from above, shape (height, width, 3); None where a window shows what happens, or nothing."""
        return self._rendering.picture()

    @property
    def watched_at(self) -> str:
        """Endpoint at which others may look on, "" = no window is open."""
        return self._rendering.endpoint

    def close(self) -> None:
        """Close the window, and free the world."""
        self._rendering.close()
        self.batch.close()

    def _own(self, observations: Observations) -> Observations:
        own: Observations = observations[0, 0] if self._robots == 1 else observations[0]
        return own


class TaskVectorEnv(VectorEnv[Observations, NDArray[np.float32], NDArray[Any]]):
    """Many worlds of a task, stepped by one compiled call.

    Args:
        num_envs: How many.
        task: Name of a task, or a path of a scenario with a section `[LEARNING]`.
        render_mode: None, "rgb_array", or "human": a window.
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
        is_same = self._mode is AutoresetMode.SAME_STEP
        self.batch = LearningBatch(task_of(task), num_envs, threads=threads, resets=is_same)
        self._rendering = EpisodeRendering(self.batch, render_mode)
        self.metadata = {**self._rendering.metadata, "autoreset_mode": self._mode}
        self._robots = len(self.batch.robots)
        self.single_observation_space, self.single_action_space = spaces_of(self.batch, self._robots)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(num_envs, bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, dict[str, Any]]:
        """Begin episodes: of all worlds, or of those in `options["reset_mask"]`.

        Args:
            seed: Of the first world, the next ones have the next numbers; or of each, None = one by chance; None = new
                ones that follow from the present ones.
            options: See above.

        Raises:
            BadArgument: A seed is no whole number from 0 on, or there are not as many as worlds.
        """
        mask = None if options is None else options.get("reset_mask")
        observations = self.batch.reset(_seeds_of(seed, self.num_envs), mask)
        self._over[slice(None) if mask is None else mask] = False
        self._rendering.show()
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
        self._rendering.show()
        if self._mode is AutoresetMode.SAME_STEP and self._over.any():
            infos = {"final_obs": self._own(step.last), "_final_obs": self._over.copy()}
            if self.batch.knows_out:
                infos |= {"final_info": _info_of(step.out, self._over), "_final_info": self._over.copy()}
        if self.batch.knows_out:
            infos |= _info_of(self.batch.out, np.ones(self.num_envs, np.bool_))
        return self._own(observations), rewards, terminated, truncated, infos

    def render(self) -> Any:
        """Return pictures from above of all worlds; None where a window shows the first one, or nothing does."""
        pictures = [self._rendering.picture(world) for world in range(self.num_envs)]
        return None if pictures[0] is None else tuple(pictures)

    @property
    def watched_at(self) -> str:
        """Endpoint at which others may look on, "" = no window is open."""
        return self._rendering.endpoint

    def close_extras(self, **_: Any) -> None:
        """Close the window, and free the worlds."""
        self._rendering.close()
        self.batch.close()

    def _own(self, observations: Observations) -> Observations:
        return observations[:, 0] if self._robots == 1 else observations


register()
