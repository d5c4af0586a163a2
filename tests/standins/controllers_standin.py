"""A kinematic stand-in for the simulator: discs on two wheels, sonars and target modules among circles and boxes."""

import math
from dataclasses import dataclass, field

import numpy as np

from coopsim.features.laws.body import Body, sonar_bearings
from coopsim.features.laws.formation_law import FormationPerception, positions_seen
from coopsim.geometry import Floats

STEP = 0.01
HOLD = 5
"""So many steps a command is held: the laws must bear being asked 20 times a second."""
ACCELERATION = 4.0
SINGLE = Body(radius=0.25, half_track=0.18, fastest=0.5, bearings=sonar_bearings(11, math.radians(220.0)), reach=3.0)


@dataclass(frozen=True)
class Circle:
    x: float
    y: float
    radius: float

    def gap(self, points: Floats) -> Floats:
        return np.hypot(points[:, 0] - self.x, points[:, 1] - self.y) - self.radius

    def cast(self, origins: Floats, directions: Floats) -> Floats:
        to = np.array([self.x, self.y]) - origins
        along = (to * directions).sum(-1)
        inside = self.radius**2 - ((to**2).sum(-1) - along**2)
        hit = along - np.sqrt(np.maximum(inside, 0.0))
        return np.where((inside > 0.0) & (hit > 0.0), hit, np.inf)


@dataclass(frozen=True)
class Box:
    x: float
    y: float
    length: float
    width: float
    angle: float = 0.0

    def _local(self, vectors: Floats) -> Floats:
        c, s = math.cos(self.angle), math.sin(self.angle)
        return np.stack([c * vectors[..., 0] + s * vectors[..., 1], c * vectors[..., 1] - s * vectors[..., 0]], -1)

    def gap(self, points: Floats) -> Floats:
        outside = np.abs(self._local(points - [self.x, self.y])) - np.array([self.length, self.width]) / 2.0
        return np.hypot(*np.maximum(outside, 0.0).T) + np.minimum(outside.max(axis=1), 0.0)

    def cast(self, origins: Floats, directions: Floats) -> Floats:
        start, way = self._local(origins - [self.x, self.y]), self._local(directions)
        half = np.array([self.length, self.width]) / 2.0
        with np.errstate(divide="ignore", invalid="ignore"):
            entry, exit_ = (-half - start) / way, (half - start) / way
        near, far = np.minimum(entry, exit_).max(-1), np.maximum(entry, exit_).min(-1)
        return np.where((near <= far) & (near > 0.0), near, np.inf)


def walls(size: float) -> list[Box]:
    """Return four walls around a square."""
    half = size / 2.0 + 0.1
    return [
        Box(0.0, half, size + 0.4, 0.2),
        Box(0.0, -half, size + 0.4, 0.2),
        Box(half, 0.0, 0.2, size + 0.4),
        Box(-half, 0.0, 0.2, size + 0.4),
    ]


@dataclass
class Arena:
    """Robots among obstacles.

    Attributes:
        poses: x, y, heading per robot, shape (n, 3).
        closest: Smallest gap there ever was between hulls, or a hull and an obstacle.
    """

    poses: Floats
    obstacles: list[Circle | Box] = field(default_factory=list)
    body: Body = SINGLE
    time: float = 0.0
    closest: float = math.inf

    def __post_init__(self) -> None:
        self.wheels = np.zeros((len(self.poses), 2))

    @property
    def motion(self) -> Floats:
        left, right = self.wheels.T
        return np.column_stack([(left + right) / 2.0, (right - left) / (2.0 * self.body.half_track)])

    def hold(self, commands: Floats) -> float:
        """Drive with the same commands for a while; return for how long."""
        for _ in range(HOLD):
            self.step(commands)
        return HOLD * STEP

    def step(self, commands: Floats) -> None:
        turn = commands[:, 1] * self.body.half_track
        wanted = np.clip(np.column_stack([commands[:, 0] - turn, commands[:, 0] + turn]), -0.5, 0.5)
        change = ACCELERATION * STEP
        self.wheels += np.clip(wanted - self.wheels, -change, change)
        v, w = self.motion.T
        middle = self.poses[:, 2] + w * STEP / 2.0
        self.poses[:, 0] += v * STEP * np.cos(middle)
        self.poses[:, 1] += v * STEP * np.sin(middle)
        self.poses[:, 2] += w * STEP
        self.time += STEP
        self.closest = min(self.closest, self.smallest_gap())

    def smallest_gap(self) -> float:
        points, radius = self.poses[:, :2], self.body.radius
        gaps = [float(obstacle.gap(points).min()) - radius for obstacle in self.obstacles]
        for first in range(len(points)):
            offsets = points[first + 1 :] - points[first]
            gaps += (np.hypot(*offsets.T) - 2.0 * radius).tolist()
        return min(gaps, default=math.inf)

    def ranges(self) -> Floats:
        n, body = len(self.poses), self.body
        angles = self.poses[:, 2:] + body.bearings
        directions = np.stack([np.cos(angles), np.sin(angles)], -1)
        origins = np.repeat(self.poses[:, np.newaxis, :2], len(body.bearings), axis=1)
        hits = np.full(angles.shape, np.inf)
        for obstacle in self.obstacles:
            hits = np.minimum(hits, obstacle.cast(origins, directions))
        for seen in range(n):
            disc = Circle(self.poses[seen, 0], self.poses[seen, 1], body.radius)
            rows = np.arange(n) != seen
            hits[rows] = np.minimum(hits[rows], disc.cast(origins[rows], directions[rows]))
        return np.clip(hits - body.radius, 0.0, body.reach)

    def polar(self, points: Floats) -> Floats:
        """Return distance, angle and seen of each point from each robot, shape (n, m, 3)."""
        to = points[np.newaxis] - self.poses[:, np.newaxis, :2]
        angle = np.arctan2(to[..., 1], to[..., 0]) - self.poses[:, 2:]
        angle = (angle + np.pi) % (2.0 * np.pi) - np.pi
        return np.stack([np.hypot(to[..., 0], to[..., 1]), angle, np.ones_like(angle)], -1)

    def view(self, target: tuple[float, float]) -> FormationPerception:
        n = len(self.poses)
        occupants = np.tile(np.arange(n, dtype=np.float64), (n, 1))
        occupants[np.arange(n), np.arange(n)] = -1
        return FormationPerception(
            ranges=self.ranges(),
            goal=self.polar(np.array([target]))[0, 0, :2],
            mates=positions_seen(self.polar(self.poses[:, :2]).reshape(n, -1), occupants, np.array([*range(n), -1])),
            motion=self.motion,
        )
