"""Scores of policies, a plain law and a policy by chance, which a learner has to beat."""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from coopsim.features.learning.batch import LearningBatch
from coopsim.features.learning.encoding import Observations
from coopsim.features.learning.task import LearningTask
from coopsim.features.learning.tasks import SpacingTask
from coopsim.geometry import Floats

Policy: TypeAlias = Callable[[Observations], Floats]
"""Returns actions from -1 to 1, shape (..., robots, actions), of observations."""
_SONARS = 11


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
        reached |= is_open & step.terminated & batch.worlds.running
        is_open &= ~(step.terminated | step.truncated)
        if not is_open.any():
            break
        observations = step.observations
    batch.close()
    return Score(float(reached.mean()), float(returns.mean()))


def by_chance(task: LearningTask, seed: int = 0) -> Policy:
    """Return a policy that draws actions."""
    rng, width = np.random.default_rng(seed), len(task.acting.low)
    return lambda observations: rng.uniform(-1.0, 1.0, (*observations.shape[:-1], width))


def law(task: LearningTask) -> Policy:
    """Return a plain law: it heads for the target, or for the distance from neighbours, and turns away from walls."""
    return _spacing(task) if isinstance(task, SpacingTask) else _reaching(task)


def _reaching(task: LearningTask) -> Policy:
    margin, leftward = (float(getattr(task, name, value)) for name, value in (("margin", 0.13), ("leftward", 0.0)))

    def act(observations: Observations) -> Floats:
        cos, sin = observations[..., _SONARS + 1], observations[..., _SONARS + 2]
        caution = np.where(observations[..., _SONARS] < 0.1, 0.0, margin)
        return _steer(observations, np.arctan2(sin, cos), caution, leftward)

    return act


def _spacing(task: SpacingTask) -> Policy:
    # a little more than is wanted, so that it is reached in the end
    wanted = float(getattr(task, "side", 1.08 * getattr(task, "wanted", 1.0))) / 5.0

    def act(observations: Observations) -> Floats:
        first = _SONARS
        distances = observations[..., first : first + 2]
        cosines, sines = observations[..., first + 2 : first + 4], observations[..., first + 4 : first + 6]
        pulls = distances - wanted
        if hasattr(task, "wanted"):
            pulls = np.minimum(pulls, 0.0)
        ahead, aside = (pulls * cosines).sum(axis=-1), (pulls * sines).sum(axis=-1)
        is_done = np.abs(pulls).max(axis=-1) < 0.02
        # backwards where that is nearer: a robot that is too close need not turn around
        angle = np.arctan2(aside, ahead)
        is_behind = np.abs(angle) > np.pi / 2
        turned = np.where(is_behind, (angle + 2.0 * np.pi) % (2.0 * np.pi) - np.pi, angle)
        speed = np.where(is_done, 0.0, np.clip(np.cos(turned), 0.0, 1.0) * np.where(is_behind, -1.0, 1.0))
        return np.stack([speed, np.where(is_done, 0.0, np.clip(turned, -1.0, 1.0))], axis=-1)

    return act


def _steer(observations: Observations, angle: Floats, margin: Floats, leftward: float) -> Floats:
    """Return speed and turn towards an angle, away from the closer side where something is nearer than the margin."""
    sonars = observations[..., :_SONARS]
    middle = _SONARS // 2
    right, left = sonars[..., :middle].min(axis=-1), sonars[..., middle + 1 :].min(axis=-1)
    ahead = sonars[..., middle - 2 : middle + 3].min(axis=-1)
    is_blocked = ahead < margin
    # who prefers the left makes a roundabout with others alike
    turn = np.where(is_blocked, np.where(right < left + leftward, 1.0, -1.0), np.clip(1.5 * angle, -1.0, 1.0))
    speed = np.where(is_blocked, np.clip(4.0 * ahead - 0.5, -0.3, 0.5), np.clip(np.cos(angle), 0.0, 1.0))
    return np.stack([speed, turn], axis=-1)
