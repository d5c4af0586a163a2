"""Bodies of robots as control laws must know them."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coopsim.geometry import Floats, edge_distance, in_polygon


@dataclass(frozen=True)
class Body:
    """Shape, wheels and sonars of the robots of one type.

    Attributes:
        radius: Of the disc around its origin that holds the hull [m].
        half_track: Half the distance between the wheels [m].
        fastest: Largest speed of a wheel [m/s].
        bearings: Directions of the sonars from right to left, shape (m,) [rad].
        reach: Largest distance a sonar reports [m].
        sharpest: Largest curvature of its path [1/m]; a car cannot turn on the spot.
        slides: Whether it moves in any direction at once.
        outline: Corners of the hull, where that is a polygon, also one that is not convex, shape (k, 2) [m].
    """

    radius: float
    half_track: float
    fastest: float
    bearings: Floats
    reach: float
    sharpest: float = np.inf
    slides: bool = False
    outline: Floats | None = None

    @cached_property
    def spread(self) -> float:
        """Angle of one sector [rad]."""
        return float(self.bearings[1] - self.bearings[0]) if len(self.bearings) > 1 else np.pi / 8

    @cached_property
    def rays(self) -> Floats:
        """Bearing of each sonar [rad], its cosine and sine, shape (m, 3)."""
        return np.column_stack([self.bearings, np.cos(self.bearings), np.sin(self.bearings)])

    @cached_property
    def hulls(self) -> Floats:
        """Extent of the hull in the direction of each sonar, from where its ranges count, shape (m,) [m]."""
        if self.outline is None:
            return np.full(len(self.bearings), self.radius)
        return exits(self.outline, self.bearings)

    def around(self, offset: float) -> float:
        """Return the radius of the disc that holds the hull around a point so far ahead of the origin [m]."""
        if self.outline is None:
            return self.radius + offset
        return float(np.linalg.norm(self.outline - (offset, 0.0), axis=1).max())

    def away(self, places: Floats, poses: Floats) -> Floats:
        """Return how far places are from the hulls of robots at poses, 0 within, shape (p,) [m].

        Args:
            places: Shape (p, 2) [m].
            poses: x, y [m] and heading [rad] of the robot that each is compared with, shape (p, 3).
        """
        ways, (cos, sin) = places - poses[:, :2], (np.cos(poses[:, 2]), np.sin(poses[:, 2]))
        if self.outline is None:
            outside: Floats = np.maximum(np.linalg.norm(ways, axis=1) - self.radius, 0.0)
            return outside
        local = np.column_stack([cos * ways[:, 0] + sin * ways[:, 1], cos * ways[:, 1] - sin * ways[:, 0]])
        return np.where(in_polygon(local, self.outline), 0.0, edge_distance(local, self.outline))

    def gaps(self, ranges: Floats) -> Floats:
        """Return ranges with infinity where the sonars saw nothing."""
        return np.where(ranges >= self.reach, np.inf, ranges)


def sonar_bearings(count: int, sector: float) -> Floats:
    """Return the directions of `count` sonars over `sector` [rad], from right to left, shape (count,) [rad]."""
    return np.linspace(-sector / 2.0, sector / 2.0, count) if count > 1 else np.zeros(1)


def exits(outline: Floats, bearings: Floats) -> Floats:
    """Return where rays from the origin leave a polygon for good, shape (m,) [m]; 0 where they never meet it.

    Args:
        outline: Its corners, shape (k, 2) [m].
        bearings: Of the rays, shape (m,) [rad].
    """
    rays = np.column_stack([np.cos(bearings), np.sin(bearings)])[:, np.newaxis]
    edges = np.roll(outline, -1, axis=0) - outline
    cross = rays[..., 0] * edges[:, 1] - rays[..., 1] * edges[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):  # a ray along an edge: its neighbours have the same corners
        along = (outline[:, 0] * edges[:, 1] - outline[:, 1] * edges[:, 0]) / cross
        part = (outline[:, 0] * rays[..., 1] - outline[:, 1] * rays[..., 0]) / cross
        is_met = (part >= 0.0) & (part <= 1.0) & (along > 0.0)
    farthest: Floats = np.where(is_met, along, 0.0).max(axis=1)
    return farthest
