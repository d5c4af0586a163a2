"""Scores of policies, a plain law and a policy by chance, which a learner has to beat."""

from typing import NamedTuple

import numpy as np

from coopsim.errors import BadArgument
from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.plain_laws import Policy
from coopsim.features.learning.task import LearningTask


class Score(NamedTuple):
    """Score of a policy, on average of all episodes.

    Attributes:
        reached: Part of the episodes that reached their goal.
        returned: Sum of rewards of an episode, mean of all robots.
    """

    reached: float
    returned: float


def score(task: LearningTask, policy: Policy, *, episodes: int = 100, seed: int = 10_000) -> Score:
    """Return how a policy does in one episode of each of some seeds, all at once."""
    batch = LearningBatch(task, episodes, seed=seed, resets=False)
    observations, returns = batch.reset(np.arange(seed, seed + episodes)), np.zeros(episodes)
    is_open, reached = np.ones(episodes, bool), np.zeros(episodes, bool)
    for _ in range(task.limit):
        step = batch.step(policy(observations))
        returns[is_open] += step.rewards.mean(axis=1)[is_open]
        reached |= is_open & step.reached
        is_open &= ~(step.terminated | step.truncated)
        if not is_open.any():
            break
        observations = step.observations
    batch.close()
    return Score(float(reached.mean()), float(returns.mean()))


def by_chance(task: LearningTask, seed: int = 0) -> Policy:
    """Return a policy that draws actions."""
    rng, width = np.random.default_rng(seed), task.acting.width
    return lambda observations: rng.uniform(-1.0, 1.0, (*observations.shape[:-1], width))


def law(task: LearningTask) -> Policy:
    """Return the plain law of a task.

    Raises:
        BadArgument: It has none, as those of scenarios.
    """
    plain = task.plain_law()
    if plain is None:
        raise BadArgument(f"task {task.name} has no plain law; expected a policy")
    return plain


def scores_beside(task: LearningTask, policy: Policy, episodes: int) -> dict[str, Score]:
    """Return how a policy, the plain law of a task where it has one, and actions by chance do in the same episodes."""
    plain = task.plain_law()
    others = {"chance": by_chance(task)} if plain is None else {"law": plain, "chance": by_chance(task)}
    return {name: score(task, driver, episodes=episodes) for name, driver in {"policy": policy, **others}.items()}
