"""The judgement of the Robotarium: how often robots left the arena, came too close, or were asked too much."""

from dataclasses import dataclass

import numpy as np

from coopsim.features.others.robotarium.kernels import CLOSE, FAST, OUTSIDE, count_unsafe, write_limited
from coopsim.geometry import Floats


@dataclass(frozen=True, slots=True)
class SafetyLimits:
    """Limits of what is safe; the figures are those of the user's own `rps`.

    Attributes:
        bounds: Of the arena: x from, to, y from, to [m].
        track: Distance of the wheels [m].
        wheel: Radius of a wheel [m].
        fastest: Largest speed of a wheel [rad/s].
        diameter: Middles that are nearer than this may collide [m].
        offset: How far ahead of its axle the middle of a robot is [m].
    """

    bounds: tuple[float, float, float, float]
    track: float
    wheel: float
    fastest: float
    diameter: float = 0.11
    offset: float = 0.0

    def limited(self, velocities: Floats) -> Floats:
        """Return velocities that both wheels can turn, each limited by itself, shape (2, n)."""
        out = np.empty(velocities.shape)
        write_limited(velocities, self.track, self.wheel * self.fastest, out)
        return out

    @property
    def numbers(self) -> Floats:
        """All figures, as `count_unsafe` wants them."""
        return np.array([*self.bounds, self.track, self.fastest * self.wheel, self.diameter, self.offset], np.float64)


class SafetyCounters:
    """Violations so far, counted as `rps` counts them.

    Args:
        limits: What is safe.

    Attributes:
        limits: The same.
    """

    def __init__(self, limits: SafetyLimits) -> None:
        self.limits, self._numbers, self._counts = limits, limits.numbers, np.zeros(3, np.int64)

    @property
    def outside(self) -> int:
        """Steps in which a robot was outside."""
        return int(self._counts[OUTSIDE])

    @property
    def close(self) -> int:
        """Pairs of robots that were too close, in each step."""
        return int(self._counts[CLOSE])

    @property
    def fast(self) -> int:
        """Steps in which a wheel was asked for too much."""
        return int(self._counts[FAST])

    def count(self, poses: Floats, velocities: Floats) -> None:
        """Judge a step.

        Args:
            poses: x, y, heading, shape (3, n).
            velocities: As they were asked for: ahead and around, shape (2, n).
        """
        count_unsafe(poses, velocities, self._numbers, self._counts)

    @property
    def is_safe(self) -> bool:
        """Whether the Robotarium would take the script."""
        return not self.outside and not self.close

    def __str__(self) -> str:
        return f"outside {self.outside}, too close {self.close}, too fast {self.fast}"
