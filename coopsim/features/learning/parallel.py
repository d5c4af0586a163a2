"""Environment of PettingZoo: a task whose robots are agents that act at the same time."""

from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import ParallelEnv

from coopsim.errors import BadArgument
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Observations, as_actions
from coopsim.features.learning.environments import spaces_of
from coopsim.features.learning.rendering import EpisodeRendering
from coopsim.features.learning.tasks import task_of
from coopsim.suggest import hint


class TaskParallelEnv(ParallelEnv[str, Observations, NDArray[np.float32]]):  # type: ignore[misc]
    """A world of a task; agents are its robots, and all end together but those that are out before.

    Args:
        task: Name of a task, or a path of a scenario with a section `[LEARNING]`.
        render_mode: None, "rgb_array", or "human": a window.
    """

    def __init__(self, task: str = "target", render_mode: str | None = None) -> None:
        self.batch = LearningBatch(task_of(task), 1, resets=False)
        self._rendering, self.render_mode = EpisodeRendering(self.batch, render_mode), render_mode
        name = f"coopsim_{self.batch.task.name.lower()}_v0"
        self.metadata = {"name": name, **self._rendering.metadata, "is_parallelizable": True}
        self.possible_agents = list(self.batch.robots)
        self.agents: list[str] = []
        seen, done = spaces_of(self.batch, 1)
        own_spaces = dict.fromkeys(self.possible_agents, (seen, done))
        self.observation_spaces = {agent: spaces.Box(seen.low, seen.high) for agent in own_spaces}
        self.action_spaces = {agent: spaces.Box(done.low, done.high) for agent in own_spaces}
        self._chance, _ = seeding.np_random()

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Return what an agent observes: the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """Return what an agent does: the same object each time."""
        return self.action_spaces[agent]

    def reset(
        self,
        seed: int | None = None,
        options: dict[str, Any] | None = None,  # noqa: ARG002 - of the contract
    ) -> tuple[dict[str, Observations], dict[str, dict[str, Any]]]:
        """Begin an episode; without a seed, another one each time."""
        if seed is not None:
            self._chance, _ = seeding.np_random(seed)
        self.agents = self.possible_agents[:]
        observations = self.batch.reset([int(self._chance.integers(1 << 31))])
        self._rendering.show()
        return self._by_agent(observations[0]), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, NDArray[np.float32]]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Make the ticks of one action; an agent without one stands still, and one that is out stays so."""
        still = np.zeros(self.batch.actions, np.float32)
        unknown = next((name for name in actions if name not in self.action_spaces), None)
        if unknown is not None:
            agents_known = ", ".join(self.possible_agents)
            raise BadArgument(f"no agent is called {unknown!r}{hint(str(unknown), self.action_spaces)}; {agents_known}")
        given = [as_actions(actions.get(agent, still), still.shape) for agent in self.possible_agents]
        step, agents = self.batch.step(np.array(given)[np.newaxis]), self.agents
        self._rendering.show()
        has_terminated = dict(zip(self.possible_agents, step.robots_terminated[0].tolist(), strict=True))
        terminated, truncated = {agent: has_terminated[agent] for agent in agents}, bool(step.truncated[0])
        rewards = dict(zip(self.possible_agents, step.rewards[0].tolist(), strict=True))
        seen, infos = self._by_agent(step.observations[0]), {agent: dict[str, Any]() for agent in agents}
        observations = {agent: seen[agent] for agent in agents}
        self.agents = [] if truncated else [agent for agent in agents if not terminated[agent]]
        gained = {agent: rewards[agent] for agent in agents}
        return observations, gained, terminated, dict.fromkeys(agents, truncated), infos

    def state(self) -> Observations:
        """Return what all agents observe, for critics."""
        state: Observations = np.concatenate(list(self.batch.observe()[0]))
        return state

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

    def _by_agent(self, observations: Observations) -> dict[str, Observations]:
        return dict(zip(self.possible_agents, observations, strict=True))


def parallel_env(task: str = "target", render_mode: str | None = None) -> TaskParallelEnv:
    """Return a task as an environment of PettingZoo; `pettingzoo.utils.parallel_to_aec` makes one of turns of it."""
    return TaskParallelEnv(task, render_mode)
