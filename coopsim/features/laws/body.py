"""Bodies of robots as control laws must know them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coopsim.geometry import Floats


@dataclass(frozen=True)
class Body:
    """Shape, wheels and sonars of the robots of one type.

    Attributes:
        radius: Of the hull [m].
        half_track: Half the distance between the wheels [m].
        fastest: Largest speed of a wheel [m/s].
        bearings: Directions of the sonars from right to left, shape (m,) [rad].
        reach: Largest distance a sonar reports [m].
        sharpest: Largest curvature of its path [1/m]; a car cannot turn on the spot.
        slides: Whether it moves in any direction at once.
    """

    radius: float
    half_track: float
    fastest: float
    bearings: Floats
    reach: float
    sharpest: float = np.inf
    slides: bool = False

    @cached_property
    def spread(self) -> float:
        """Angle of one sector [rad]."""
        return float(self.bearings[1] - self.bearings[0]) if len(self.bearings) > 1 else np.pi / 8

    @cached_property
    def rays(self) -> Floats:
        """Bearing of each sonar [rad], its cosine and sine, shape (m, 3)."""
        return np.column_stack([self.bearings, np.cos(self.bearings), np.sin(self.bearings)])

    def gaps(self, ranges: Floats) -> Floats:
        """Return ranges with infinity where the sonars saw nothing."""
        return np.where(ranges >= self.reach, np.inf, ranges)


def sonar_bearings(count: int, sector: float) -> Floats:
    """Return the directions of `count` sonars over `sector` [rad], from right to left, shape (count,) [rad]."""
    return np.linspace(-sector / 2.0, sector / 2.0, count) if count > 1 else np.zeros(1)
