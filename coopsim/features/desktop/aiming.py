"""Aim of a camera, in words: a view, a robot to follow, an eye and what it looks at."""

import math

import numpy as np

from coopsim.errors import BadArgument
from coopsim.features.desktop.camera import VIEWS, OrbitCamera
from coopsim.features.desktop.model import SceneModel
from coopsim.geometry import Floats, heading

_BEHIND, _ABOVE = 3.2, math.radians(24.0)
"""How a robot is followed: so far behind it [m], so high above it [rad]."""


def aim(camera: OrbitCamera, model: SceneModel, words: str) -> None:
    """Turn a camera.

    Args:
        camera: That is turned; its size says what fits into the picture.
        model: What there is to see.
        words: One of `VIEWS`, the name of an entity that is followed, or six numbers: x,y,z of the eye, and of what
            it looks at.

    Raises:
        BadArgument: They are none of these.
    """
    if words in VIEWS:
        camera.turn_to(words)
        camera.show_all(model.corners())
    elif words in model.numbers:
        follow(camera, model, words)
    elif words.count(",") == 5:
        eye, centre = np.array(_numbers(words)).reshape(2, 3)
        _aim_at(camera, eye, centre)
    else:
        raise _unknown(words)


def follow(camera: OrbitCamera, model: SceneModel, name: str) -> None:
    """Look at an entity from behind.

    Args:
        camera: That is turned.
        model: What there is.
        name: Of the entity.
    """
    pose, size = model.entity_poses[model.numbers[name]], model.entities[model.numbers[name]].size
    camera.centre = pose[:3] + np.array([0.0, 0.0, size[2]])
    camera.yaw = heading(*pose[3:]) + math.pi
    camera.pitch, camera.distance = _ABOVE, _BEHIND + 2.0 * max(size)


def _aim_at(camera: OrbitCamera, eye: Floats, centre: Floats) -> None:
    back = eye - centre
    length = float(np.linalg.norm(back))
    if length < 1e-3:
        raise BadArgument("the eye and the point that it looks at are the same; give two different points")
    camera.centre, camera.distance = centre, length
    camera.yaw = math.atan2(back[1], back[0])
    # straight from above there is no way to tell what is up in the picture
    steep = math.asin(max(-1.0, min(1.0, back[2] / length)))
    camera.pitch = max(-math.pi / 2 + 1e-4, min(math.pi / 2 - 1e-4, steep))


def _numbers(words: str) -> list[float]:
    try:
        numbers = [float(word) for word in words.split(",")]
    except ValueError:
        raise _unknown(words) from None
    if not all(map(math.isfinite, numbers)):
        raise _unknown(words)
    return numbers


def _unknown(words: str) -> BadArgument:
    views = ", ".join(VIEWS)
    return BadArgument(
        f"no camera {words!r}: expected {views}, the name of a robot or an object, or six numbers x,y,z,x,y,z: "
        "where the eye is and where it looks"
    )
