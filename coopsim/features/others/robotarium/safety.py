"""The judgement of the Robotarium: how often robots left the arena, came too close, or were asked too much."""

from dataclasses import dataclass

import numpy as np

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
        ahead, around = velocities[0], 0.5 * self.track * velocities[1]
        most = self.wheel * self.fastest
        left, right = np.clip(ahead - around, -most, most), np.clip(ahead + around, -most, most)
        return np.stack([0.5 * (left + right), (right - left) / self.track])


@dataclass(slots=True)
class SafetyCounters:
    """Violations so far, counted as `rps` counts them.

    Attributes:
        limits: What is safe.
        outside: Steps in which a robot was outside.
        close: Pairs of robots that were too close, in each step.
        fast: Steps in which a wheel was asked for too much.
    """

    limits: SafetyLimits
    outside: int = 0
    close: int = 0
    fast: int = 0

    def count(self, poses: Floats, velocities: Floats) -> None:
        """Judge a step.

        Args:
            poses: x, y, heading, shape (3, n).
            velocities: As they were asked for: ahead and around, shape (2, n).
        """
        limits, (x, y, heading) = self.limits, poses
        left, right, bottom, top = limits.bounds
        self.outside += bool(((x < left) | (x > right) | (y < bottom) | (y > top)).any())
        middles = x + limits.offset * np.cos(heading) + 1j * (y + limits.offset * np.sin(heading))
        gaps = np.abs(middles[:, np.newaxis] - middles)
        # each pair stands twice in the table, and every robot once beside itself
        self.close += (int(np.count_nonzero(gaps <= limits.diameter)) - middles.size) // 2
        turning = 0.5 * limits.track * np.abs(velocities[1])
        self.fast += bool((np.abs(velocities[0]) + turning > limits.fastest * limits.wheel).any())

    @property
    def is_safe(self) -> bool:
        """Whether the Robotarium would take the script."""
        return not self.outside and not self.close

    def __str__(self) -> str:
        return f"outside {self.outside}, too close {self.close}, too fast {self.fast}"
