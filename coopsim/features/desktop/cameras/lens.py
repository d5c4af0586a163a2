"""Lens of a camera: its pose, and the way it takes images."""

import math
from dataclasses import dataclass

import numpy as np

from coopsim.features.desktop.matrices import perspective
from coopsim.geometry import Floats, Pose, Vector3, turned
from coopsim.interfaces import CAMERA
from coopsim.state import ModuleLayout, Record, RobotPlace

_NAMES = tuple(field.name for field in CAMERA.readings)
_NEAR, _FAR = 0.02, 500.0  # m; a lens sits 2 cm behind its cover, and a hall is shorter than 500 m
_AHEAD = 4.0
"""Shadows are drawn around a point so far ahead [m]."""


@dataclass(frozen=True, slots=True)
class LensSettings:
    """Settings of an image; names and units as those of the interface `CAMERA`."""

    image: float
    width: float
    height: float
    fov: float
    range: float
    noise: float
    noise_depth: float
    x: float
    y: float
    z: float
    azimuth: float
    elevation: float
    seed: float

    @classmethod
    def of(cls, record: Record, place: RobotPlace, module: ModuleLayout) -> "LensSettings":
        """Return what the readings of a camera say."""
        start = place.reading_offset + module.reading_offset
        return cls(*record.readings[start : start + len(_NAMES)].tolist())

    @property
    def size(self) -> tuple[int, int]:
        """Width and height [pixels]."""
        return int(self.width), int(self.height)


class Lens:
    """The eye of a robot, as the renderer wants it.

    Args:
        settings: How the image is taken.
        body: Pose of the body that it sits on.

    Attributes:
        size: Width and height of the image [pixels].
        eye: Where the lens is [m].
        centre: A point on the optical axis [m].
        distance: From the lens to that [m].
        matrix: From the world to the image, -1 to 1, shape (4, 4).
        focal_length: How large one metre is at a distance of one metre [pixels].
    """

    near, far = _NEAR, _FAR
    scale = 1.0

    def __init__(self, settings: LensSettings, body: Pose) -> None:
        turn = body[3:]
        flat, up = math.cos(settings.elevation), math.sin(settings.elevation)
        ahead, left = math.cos(settings.azimuth), math.sin(settings.azimuth)
        forward = turned(turn, (flat * ahead, flat * left, up))
        upward = turned(turn, (-up * ahead, -up * left, flat))
        self.size, self.distance = settings.size, _AHEAD
        self.eye = np.array(body[:3]) + np.array(turned(turn, (settings.x, settings.y, settings.z)))
        self.centre = self.eye + _AHEAD * np.array(forward)
        aspect, half = self.size[0] / self.size[1], math.tan(settings.fov / 2.0)
        self.focal_length = 0.5 * self.size[0] / half
        projection = perspective(2.0 * math.atan(half / aspect), aspect, _NEAR, _FAR)
        self.matrix: Floats = projection @ _view(self.eye, forward, upward)


def _view(eye: Floats, forward: Vector3, upward: Vector3) -> Floats:
    """Return the matrix from the world to the frame of an eye: x right, y up, z backward."""
    (a, b, c), (u, v, w) = forward, upward
    matrix = np.zeros((4, 4))
    # numpy's cross product takes twenty times as long for three numbers
    matrix[:3, :3] = (b * w - c * v, c * u - a * w, a * v - b * u), upward, (-a, -b, -c)
    matrix[:3, 3] = -matrix[:3, :3] @ eye
    matrix[3, 3] = 1.0
    return matrix
