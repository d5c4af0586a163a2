"""Evolution of small networks: CMA-ES over the weights, all candidates of a generation in one batch of worlds."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.errors import EngineCannot
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Observations
from coopsim.features.learning.policy_file import PolicyFacts, save_policy
from coopsim.features.learning.task import LearningTask
from coopsim.geometry import Floats
from coopsim.interpreter import extra_command

Told = Callable[[int, float, float], None]
"""Called with the number of a generation, its best return and the mean of all."""


class Evolution:
    """A search for the weights of a network with one hidden layer.

    Args:
        task: What is learnt.
        hidden: Width of the hidden layer.
        population: Candidates of a generation.
        episodes: Worlds in which each of them is tried, the same for all.
        seed: Of the search and of the episodes.

    Attributes:
        best: Weights of the best candidate so far.
        returned: What it reached in its generation.

    Raises:
        EngineCannot: The package `cmaes` is missing.
    """

    def __init__(
        self, task: LearningTask, *, hidden: int = 8, population: int = 16, episodes: int = 4, seed: int = 1
    ) -> None:
        try:
            from cmaes import SepCMA
        except ImportError:
            raise EngineCannot("evolution needs the package cmaes").advise(extra_command("learning")) from None
        self.task, self._episodes, self._seed = task, episodes, seed
        self._batch = LearningBatch(task, population * episodes, resets=False)
        self._shape = self._batch.width, hidden, self._batch.actions
        size = (self._shape[0] + 1) * hidden + (hidden + 1) * self._shape[2]
        self._search = SepCMA(mean=np.zeros(size), sigma=0.5, population_size=population, seed=seed)
        self.generation, self.best, self.returned = 0, np.zeros(size), -np.inf

    @property
    def state(self) -> tuple[Any, ...]:
        """State of the search, for `pickle`: another search of the same task goes on from it."""
        return self._search, self.generation, self.best, self.returned

    @state.setter
    def state(self, state: tuple[Any, ...]) -> None:
        self._search, self.generation, self.best, self.returned = state

    def advance(self) -> tuple[float, float]:
        """Try one generation; return its best return and the mean of all."""
        candidates = np.array([self._search.ask() for _ in range(self._search.population_size)])
        returns = self._try(candidates)
        self._search.tell([(weights, -float(got)) for weights, got in zip(candidates, returns, strict=True)])
        best = int(returns.argmax())
        if returns[best] > self.returned:
            self.best, self.returned = candidates[best], float(returns[best])
        self.generation += 1
        return float(returns[best]), float(returns.mean())

    def _try(self, candidates: Floats) -> Floats:
        """Return what each candidate reaches, shape (candidates,)."""
        count, batch = len(candidates), self._batch
        seeds = 1_000_000 * self._seed + self.generation * self._episodes + np.arange(self._episodes)
        observations = batch.reset(np.tile(seeds, count))
        weights = [np.repeat(part, self._episodes, axis=0) for layer in self._layers(candidates) for part in layer]
        returns, is_open = np.zeros(batch.count), np.ones(batch.count, bool)
        for _ in range(self.task.limit):
            step = batch.step(_act(observations, weights))
            returns[is_open] += step.rewards.mean(axis=1)[is_open]
            is_open &= ~(step.terminated | step.truncated)
            if not is_open.any():
                break
            observations = step.observations
        means: Floats = returns.reshape(count, -1).mean(axis=1)
        return means

    def _layers(self, weights: Floats) -> list[tuple[Floats, Floats]]:
        """Return weights and biases of both layers of candidates, shape (candidates, size)."""
        seen, hidden, done = self._shape
        parts = np.split(weights, np.cumsum([seen * hidden, hidden, hidden * done]), axis=1)
        first, second = parts[0].reshape(-1, seen, hidden), parts[2].reshape(-1, hidden, done)
        return [(first, parts[1]), (second, parts[3])]

    def save(self, path: str | Path) -> None:
        """Write the best candidate as a policy file."""
        layers = [(weights[0], biases[0]) for weights, biases in self._layers(self.best[np.newaxis])]
        save_policy(path, facts_of(self.task, self._batch), layers)

    def close(self) -> None:
        """Free the worlds."""
        self._batch.close()


def facts_of(task: LearningTask, batch: LearningBatch) -> PolicyFacts:
    """Return what a policy of a task says of itself."""
    period = task.every * batch.worlds.dt
    return PolicyFacts(task.name, tuple(task.observed), task.acting, period, batch.width, tuple(task.outs))


def _act(observations: Observations, weights: list[Floats]) -> Floats:
    """Return the actions of all worlds, each by its own network."""
    first, first_bias, second, second_bias = weights
    hidden = np.tanh(observations @ first + first_bias[:, np.newaxis])
    actions: Floats = np.tanh(hidden @ second + second_bias[:, np.newaxis])
    return actions
