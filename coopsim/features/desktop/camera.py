"""The camera that looks at the scene, and how the mouse moves it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Protocol

import numpy as np

from coopsim.features.desktop.matrices import look_at, perspective
from coopsim.geometry import Floats, Vector3

VIEWS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "iso": (math.radians(-125.0), math.radians(38.0)),
        "top": (math.radians(-90.0), math.radians(90.0)),
        "front": (math.radians(-90.0), math.radians(8.0)),
        "side": (math.radians(0.0), math.radians(8.0)),
    }
)
"""Yaw and pitch of the eye, seen from what it looks at [rad]: x points right in `top` and `front`."""
_RADIANS_PER_UNIT = 0.006  # half a turn by a drag across a small window
# rad; under the floor nothing is drawn, and straight down the view has no upward direction
_LOWEST, _STEEPEST = 0.02, math.pi / 2 - 1e-4
_NEAREST, _FARTHEST = 0.2, 5000.0  # m; closer the near plane would cut robots, farther the depth buffer loses them
# five to six steps of the wheel halve the distance
_SHRUNK = 0.88
"""Distance after one step of the wheel, as a share of that before."""
_AWAY = 3.0  # times the distance; a robot that jumped so far was put there, and the camera jumps with it
_MARGIN = 1.06  # a little room around a scene that fills the picture
_OVERVIEW = 5.0
"""Least distance of a look at everything [m]: a robot alone leaves floor around it."""


class Viewpoint(Protocol):
    """Properties of a camera that the renderer reads."""

    @property
    def eye(self) -> Floats:
        """Where it is [m]."""

    @property
    def centre(self) -> Floats:
        """A point that it looks at [m]."""

    @property
    def distance(self) -> float:
        """From the eye to the centre [m]."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture [pixels]."""

    @property
    def matrix(self) -> Floats:
        """From the world to the screen, -1 to 1, shape (4, 4)."""

    @property
    def focal_length(self) -> float:
        """How large one metre is at a distance of one metre [pixels]."""

    @property
    def near(self) -> float:
        """Smallest distance along the axis that is drawn [m]."""

    @property
    def far(self) -> float:
        """Largest distance along the axis that is drawn [m]."""

    @property
    def scale(self) -> float:
        """Pixels for each unit of the window; lines are as wide as that."""


@dataclass
class OrbitCamera:
    """An eye on a sphere around what it looks at. Pixels count from the lower left corner.

    Attributes:
        centre: What it looks at [m].
        yaw: Of the eye, seen from the centre [rad].
        pitch: Of the eye, above the centre [rad].
        distance: From the eye to the centre [m].
        field_of_view: From the lower to the upper edge [rad].
        size: Width and height of the picture [pixels].
        scale: Pixels for each unit of the window; the mouse moves by units, and outlines are as wide.
    """

    centre: Floats = field(default_factory=lambda: np.zeros(3))
    yaw: float = VIEWS["iso"][0]
    pitch: float = VIEWS["iso"][1]
    distance: float = 12.0
    field_of_view: float = math.radians(40.0)
    size: tuple[int, int] = (1280, 800)
    scale: float = 1.0

    @property
    def eye(self) -> Floats:
        """Position of the eye [m]."""
        return _eye(self.centre, self.yaw, self.pitch, self.distance)

    @property
    def matrix(self) -> Floats:
        """From the world to the screen, -1 to 1, shape (4, 4)."""
        x, y, z = self.centre.tolist()
        return _matrix((x, y, z), self.yaw, self.pitch, self.distance, (self.field_of_view, self.aspect))

    @property
    def near(self) -> float:
        """Smallest distance that is drawn [m]."""
        return _reach(self.distance)[0]

    @property
    def far(self) -> float:
        """Largest distance that is drawn [m]."""
        return _reach(self.distance)[1]

    @property
    def aspect(self) -> float:
        """Width by height."""
        return self.size[0] / max(1, self.size[1])

    @property
    def focal_length(self) -> float:
        """Size of one metre at a distance of one metre [pixels]."""
        return 0.5 * self.size[1] / math.tan(self.field_of_view / 2.0)

    def show_all(self, points: Floats) -> None:
        """Fit the picture to a scene, shape (n, 3) [m]; a small one leaves room around it."""
        self.fit(points)
        self.distance = max(self.distance, _OVERVIEW)

    def turn_to(self, view: str) -> None:
        """Turn to one of `VIEWS`."""
        self.yaw, self.pitch = VIEWS[view][0], min(_STEEPEST, VIEWS[view][1])

    def rotate(self, dx: float, dy: float) -> None:
        """Turn around the centre as the mouse moves [pixels]."""
        turn = _RADIANS_PER_UNIT / self.scale
        self.yaw -= dx * turn
        self.pitch = min(_STEEPEST, max(_LOWEST, self.pitch - dy * turn))

    def translate(self, before: tuple[float, float], after: tuple[float, float]) -> None:
        """Move so that the point under the mouse stays under it."""
        a, b = self.on_plane(*before, self.centre[2]), self.on_plane(*after, self.centre[2])
        if a is not None and b is not None and np.linalg.norm(a - b) < _AWAY * self.distance:
            self.centre = self.centre + a - b

    def zoom(self, steps: float, cursor: tuple[float, float] | None = None) -> None:
        """Go nearer, towards what is under the cursor; below 0 go away."""
        distance = min(_FARTHEST, max(_NEAREST, self.distance * _SHRUNK**steps))
        point = None if cursor is None else self.on_plane(*cursor, self.centre[2])
        if point is not None and np.linalg.norm(point - self.centre) < _AWAY * self.distance:
            self.centre = point + (self.centre - point) * (distance / self.distance)
        self.distance = distance

    def fit(self, points: Floats) -> None:
        """Go, without turning, to the nearest place where all points are seen, shape (n, 3) [m]."""
        turn = look_at(self.eye, self.centre)[:3, :3]
        right, up, back = turn @ points.T
        high = math.tan(self.field_of_view / 2.0) / _MARGIN
        x, away_x = _seen_from(right, back, high * self.aspect)
        y, away_y = _seen_from(up, back, high)
        self.distance = min(_FARTHEST, max(_NEAREST, max(away_x, away_y) - float(back.mean())))
        self.centre = np.array([x, y, max(away_x, away_y) - self.distance]) @ turn

    def ray(self, x: float, y: float) -> tuple[Floats, Floats]:
        """Return origin and direction of the ray through a pixel."""
        width, height = self.size
        ends = np.array([[2.0 * x / width - 1.0, 2.0 * y / height - 1.0, depth, 1.0] for depth in (-1.0, 1.0)])
        seen = ends @ np.linalg.inv(self.matrix).T
        near, far = seen[:, :3] / seen[:, 3:]
        return near, (far - near) / np.linalg.norm(far - near)

    def on_plane(self, x: float, y: float, height: float = 0.0) -> Floats | None:
        """Return the point of a level plane under a pixel, None where it does not show."""
        origin, direction = self.ray(x, y)
        if abs(direction[2]) < 1e-9:
            return None
        length = (height - origin[2]) / direction[2]
        return origin + length * direction if length > 0.0 else None

    def project(self, points: Floats) -> tuple[Floats, Floats]:
        """Return pixels of points, shape (n, 2), and their distances before the eye [m], below 0 behind it."""
        seen = np.c_[points, np.ones(len(points))] @ self.matrix.T
        ahead = np.where(np.abs(seen[:, 3:]) < 1e-6, 1e-6, seen[:, 3:])
        return (seen[:, :2] / ahead + 1.0) / 2.0 * np.array(self.size), seen[:, 3]


def _reach(distance: float) -> tuple[float, float]:
    """Return the smallest and the largest distance that is drawn [m]."""
    return max(0.02, 0.01 * distance), 20.0 * distance + 500.0


def _eye(centre: Floats, yaw: float, pitch: float, distance: float) -> Floats:
    flat = math.cos(pitch)
    return centre + distance * np.array((flat * math.cos(yaw), flat * math.sin(yaw), math.sin(pitch)))


@lru_cache(maxsize=16)
def _matrix(centre: Vector3, yaw: float, pitch: float, distance: float, angles: tuple[float, float]) -> Floats:
    """Return the matrix of a camera; it is asked for many times in a frame."""
    middle = np.array(centre)
    matrix = perspective(*angles, *_reach(distance)) @ look_at(_eye(middle, yaw, pitch, distance), middle)
    matrix.flags.writeable = False
    return matrix


def _seen_from(across: Floats, back: Floats, slope: float) -> tuple[float, float]:
    """Return where an eye is, across and back, that just sees all points between two edges of its picture.

    Args:
        across: Of the points, along the picture [m].
        back: Of the points, towards the eye [m].
        slope: How far apart the middle and an edge of the picture are at a distance of 1.
    """
    high, low = float((across + slope * back).max()), float((across - slope * back).min())
    return (high + low) / 2.0, (high - low) / (2.0 * slope)
