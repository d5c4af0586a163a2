"""Room for names in a picture: beside what they name, and over no robot, target or other name."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.poses import turned
from coopsim.geometry import Floats, Ints

_GAPS = (6.0, 30.0, 54.0)  # pixels; beside the silhouette, and one or two lines of text farther
_HALVES = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
_CORNERS = np.array([(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (0.0, 1.0)])


def silhouettes(model: SceneModel, camera: OrbitCamera, rows: Ints) -> Floats:
    """Return the boxes of pixels around named entities: left, low, right, high; shape (n, 4).

    Args:
        model: What there is.
        camera: That looks.
        rows: Of `model.named`.
    """
    numbers = model.named[0][rows]
    if not len(numbers):
        return np.zeros((0, 4))
    sizes = np.array([model.entities[number].size for number in numbers.tolist()])
    # a box that holds the hull however it is turned about the vertical axis
    sizes[:, :2] = np.hypot(sizes[:, 0], sizes[:, 1])[:, np.newaxis] / np.sqrt(2.0)
    points = model.entity_poses[numbers, np.newaxis, :3] + _CORNERS * sizes[:, np.newaxis]
    boxes = _boxes(points, camera)
    limbs = model.limbs[np.isin(model.entity[model.limbs], numbers)]
    if len(limbs):
        order = np.argsort(numbers)
        owners = order[np.searchsorted(numbers, model.entity[limbs], sorter=order)]
        halves = (_HALVES * model.size[limbs, np.newaxis]).reshape(-1, 3)
        reach = turned(np.repeat(model.poses[limbs, 3:], len(_HALVES), axis=0), halves)
        reached = _boxes(model.middles[limbs, np.newaxis] + reach.reshape(-1, len(_HALVES), 3), camera)
        np.minimum.at(boxes[:, :2], owners, reached[:, :2])
        np.maximum.at(boxes[:, 2:], owners, reached[:, 2:])
    return boxes


def _boxes(points: Floats, camera: OrbitCamera) -> Floats:
    """Return the boxes of pixels around points of several things, shape (n, points, 3) [m]."""
    pixels, _ = camera.project(points.reshape(-1, 3))
    pixels = pixels.reshape(*points.shape[:2], 2)
    return np.concatenate([pixels.min(axis=1), pixels.max(axis=1)], axis=1)


def places(boxes: Floats, sizes: Sequence[tuple[float, float]], picture: tuple[float, float]) -> list[int | None]:
    """Return the number of the place that each name has among `candidates`, None = there is no room for it.

    Args:
        boxes: What no name lies over: silhouettes of what is named, the farthest first, then all else, shape (m, 4)
            [pixels].
        sizes: Width and height of the names, the last one chooses first [pixels].
        picture: Its width and height [pixels].
    """
    chosen: list[int | None] = [None] * len(sizes)
    if not sizes:
        return chosen
    options = np.stack([candidates(box, size) for box, size in zip(boxes, sizes, strict=False)])
    is_inside = (options[..., :2] >= 0.0).all(axis=2) & (options[..., 2:] <= np.array(picture)).all(axis=2)
    is_free = np.asarray(is_inside & ~overlapping(options[:, :, np.newaxis], boxes).any(axis=2))
    taken = np.zeros((0, 4))
    for number in reversed(range(len(sizes))):
        free = np.flatnonzero(is_free[number] & ~overlapping(options[number][:, np.newaxis], taken).any(axis=1))
        if len(free):
            chosen[number] = int(free[0])
            taken = np.vstack([taken, options[number, free[0]]])
    return chosen


def overlapping(boxes: Floats, obstacles: Floats) -> NDArray[np.bool_]:
    """Return which boxes lie partly over obstacles, which broadcast against them."""
    low, high = boxes[..., :2] < obstacles[..., 2:], boxes[..., 2:] > obstacles[..., :2]
    return np.asarray((low & high).all(axis=-1))


def candidates(box: Floats, size: tuple[float, float]) -> Floats:
    """Return boxes around a silhouette, the best first: above, to the right, to the left, below; then farther away."""
    left, low, right, high = box.tolist()
    width, height = size
    middle, level = (left + right - width) / 2.0, (low + high - height) / 2.0
    corners = [
        corner
        for gap in _GAPS
        for corner in (
            (middle, high + gap),
            (right + gap, level),
            (left - gap - width, level),
            (middle, low - gap - height),
        )
    ]
    lower = np.array(corners)
    return np.concatenate([lower, lower + np.array([width, height])], axis=1)
