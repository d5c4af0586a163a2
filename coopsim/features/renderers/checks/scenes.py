"""Scenes whose pixels are known: an eye at a height of half a metre that looks along x."""

import math
from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.quality import Quality
from coopsim.features.desktop.rendering import PictureKind, PictureOrder, SceneRenderer
from coopsim.geometry import Vector3
from coopsim.state import EntityRow, Visual

RED, GREEN, BLUE = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
HUES: Final = {RED: 0, GREEN: 1, BLUE: 2}
"""Which channel stands out in a colour."""
SIZE = (160, 120)
PLAIN = Quality("off", 1)
_HEIGHT = 0.5
_CONTRAST = 1.6
"""Channel that stands out, by any other: light may wash a colour out so far, and skies are not so blue."""


def entity(name: str = "box", shape: str = "box", at: Vector3 = (0.0, 0.0, 0.0), **more: Any) -> EntityRow:
    """Return an object of one metre, red, at a place.

    Args:
        name: Of it.
        shape: It is drawn as.
        at: The middle of its base [m].
        more: Other values of `EntityRow`.
    """
    values: dict[str, Any] = {
        "size": (1.0, 1.0, 1.0),
        "color": RED,
        "visuals": (Visual(shape),),
        "body": -1,
        "kind": "object",
    } | more
    pose = (*at, 1.0, 0.0, 0.0, 0.0)
    return EntityRow(name=name, type=shape, pose=pose, mass=1.0, friction=0.5, **values)


def floor(side: float = 20.0) -> EntityRow:
    """Return a floor, its upper side at a height of 0."""
    visual = Visual("box", pose=(0.0, 0.0, -0.1, 1.0, 0.0, 0.0, 0.0))
    grey = (0.85, 0.85, 0.85)
    return entity("floor", kind="floor", size=(side, side, 0.1), color=grey, visuals=(visual,))


def rows_of(*entities: EntityRow) -> DrawList:
    """Return the rows of a scene."""
    rows = DrawList(SceneModel(entities))
    rows.update()
    return rows


def eye(x: float = -4.0, size: tuple[int, int] = SIZE, height: float = _HEIGHT) -> OrbitCamera:
    """Return a camera at (x, 0, height) that looks along x; 60 degrees from the lower to the upper edge."""
    return OrbitCamera(np.array([x + 2.0, 0.0, height]), math.pi, 0.0, 2.0, math.radians(60.0), size)


def render(
    renderer: SceneRenderer, rows: DrawList, camera: OrbitCamera, kind: PictureKind = "colors", **more: Any
) -> NDArray[Any]:
    """Return a picture: colours of shape (height, width, 3), depths or labels of shape (height, width).

    Args:
        renderer: That draws.
        rows: What there is.
        camera: Where to look from.
        kind: Of pixels.
        more: Other values of `PictureOrder`.
    """
    order = PictureOrder(kind, **({"quality": PLAIN} | more))
    return renderer.colors(rows, camera, order) if kind == "colors" else renderer.pixels(rows, camera, order)


def pixel_of(camera: OrbitCamera, point: Vector3) -> tuple[int, int]:
    """Return row and column of the pixel that shows a point, rows from the top."""
    (place,), _ = camera.project(np.array([point]))
    return camera.size[1] - 1 - int(place[1]), int(place[0])


def hue_at(picture: NDArray[Any], camera: OrbitCamera, point: Vector3) -> int:
    """Return which channel stands out where a point is seen, -1 = none does."""
    row, column = pixel_of(camera, point)
    return hue(picture[row, column])


def hue(color: NDArray[Any]) -> int:
    """Return which channel stands out in a colour, -1 = none does."""
    first, second = sorted(color.astype(float), reverse=True)[:2]
    return int(np.argmax(color)) if first > _CONTRAST * second else -1


def is_hue(picture: NDArray[Any], channel: int) -> NDArray[np.bool_]:
    """Return in which pixels a channel stands out, shape (height, width)."""
    other_channels = np.delete(picture.astype(float), channel, axis=2).max(axis=2)
    return np.asarray(picture[..., channel] > np.maximum(_CONTRAST * other_channels, 40.0))


def channels(hues: Iterable[int]) -> str:
    """Return channels in words."""
    return ", ".join(("no colour", "red", "green", "blue")[number + 1] for number in hues)
