"""Plain laws: what a learner has to beat, in terms of what it observes."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from coopsim.features.learning.encoding import Observations
from coopsim.geometry import Floats

Policy: TypeAlias = Callable[[Observations], Floats]
"""Returns actions from -1 to 1, shape (..., robots, actions), of observations."""
SONARS = 11
"""Sonars of the robot `single`."""
SPACING_SCALE = 5.0
"""Distance that is seen as 1 where robots keep distances [m]."""
_BEHIND_SONARS = 5  # distance, cosine and sine of the angle, two speeds


def reaching(margin: float = 0.13, leftward: float = 0.0) -> Policy:
    """Return a law that heads for its target and turns away from walls, of observations as those of `ReachTask`.

    Args:
        margin: Part of a sonar's reach within which it turns away.
        leftward: How much it prefers to turn left there, as a part of a sonar's reach.
    """

    def act(observations: Observations) -> Floats:
        sonars = observations.shape[-1] - _BEHIND_SONARS
        cos, sin = observations[..., sonars + 1], observations[..., sonars + 2]
        caution = np.where(observations[..., sonars] < 0.1, 0.0, margin)
        return steer(observations[..., :sonars], np.arctan2(sin, cos), caution, leftward)

    return act


def spacing(side: float, *, is_least: bool) -> Policy:
    """Return a law that keeps a distance from two neighbours, of observations as those of `SpacingTask`.

    Args:
        side: The distance [m].
        is_least: Whether more than that is as good.
    """
    # a little more than is wanted, so that it is reached in the end
    wanted = (1.08 * side if is_least else side) / SPACING_SCALE

    def act(observations: Observations) -> Floats:
        first = SONARS
        distances = observations[..., first : first + 2]
        cosines, sines = observations[..., first + 2 : first + 4], observations[..., first + 4 : first + 6]
        pulls = distances - wanted
        if is_least:
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


def steer(sonars: Observations, angle: Floats, margin: Floats, leftward: float) -> Floats:
    """Return speed and turn towards an angle, away from the closer side where something is nearer than the margin."""
    middle = sonars.shape[-1] // 2
    right, left = sonars[..., :middle].min(axis=-1), sonars[..., middle + 1 :].min(axis=-1)
    ahead = sonars[..., middle - 2 : middle + 3].min(axis=-1)
    is_blocked = ahead < margin
    # who prefers the left makes a roundabout with others alike
    turn = np.where(is_blocked, np.where(right < left + leftward, 1.0, -1.0), np.clip(1.5 * angle, -1.0, 1.0))
    speed = np.where(is_blocked, np.clip(4.0 * ahead - 0.5, -0.3, 0.5), np.clip(np.cos(angle), 0.0, 1.0))
    return np.stack([speed, turn], axis=-1)
