"""Things to look at, and what is seen of them."""

from typing import Any

import numpy as np

from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.quality import Quality
from coopsim.state import EntityRow, Visual

SIZE = (320, 240)
FAST = Quality("flat", 1)
RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


def row(name: str = "box1", kind: str = "object", shape: str = "box", **more: Any) -> EntityRow:
    pose = (*more.pop("at", (0.0, 0.0, 0.0)), *more.pop("turn", (1.0, 0.0, 0.0, 0.0)))
    rest = {"size": (1.0, 1.0, 1.0), "color": RED, "visuals": (Visual(shape),), "body": -1} | more
    return EntityRow(name=name, kind=kind, type=shape, pose=pose, mass=1.0, friction=0.5, **rest)


def floor(side: float = 10.0) -> EntityRow:
    look = (Visual("box", pose=(0.0, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0)),)
    return row("floor", "floor", size=(side, side, 0.1), color=(0.85, 0.85, 0.85), visuals=look)


def looking(model: SceneModel, view: str = "iso", size: tuple[int, int] = SIZE) -> OrbitCamera:
    camera = OrbitCamera(size=size)
    camera.turn_to(view)
    camera.fit(model.corners())
    return camera


def patch(picture: np.ndarray, x: float, y: float, half: int = 2) -> np.ndarray:
    """Mean colour around a pixel that counts from the lower left corner."""
    column, line = round(x), picture.shape[0] - 1 - round(y)
    part = picture[max(0, line - half) : line + half + 1, max(0, column - half) : column + half + 1]
    return part.reshape(-1, 3).mean(axis=0)


def patch_at(picture: np.ndarray, camera: OrbitCamera, point: tuple[float, float, float]) -> np.ndarray:
    """Mean colour where a point of the world is seen."""
    (pixel,), _ = camera.project(np.array([point]))
    return patch(picture, *pixel)
