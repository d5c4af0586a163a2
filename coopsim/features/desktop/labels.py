"""Names of robots and targets, written over a picture."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.label_room import candidates, overlapping, places, silhouettes
from coopsim.features.desktop.model import SceneModel
from coopsim.geometry import Floats, Ints

_SIZE, _ROUND = 13, 4  # pixels; readable at the usual distance
_BESIDE, _ABOVE = 5.0, 3.0  # pixels; of paper around a name
_ROOM = np.array([90.0, 40.0])
"""Width and height of the parts of a picture that have room for one name [pixels]."""
# finding room among more of them would take longer than all else in a frame
_MOST_AVOIDED = 200
"""Of more robots and targets each name stands above its own, whoever is there."""
_STEP = 0.25
"""How far something moves before names are chosen anew [m]."""
Box: TypeAlias = tuple[float, float, float, float]
_PAPER, _INK = (28, 31, 36, 190), (238, 241, 246, 255)  # dark and half transparent: legible on every floor


def with_labels(picture: NDArray[np.uint8], model: SceneModel, camera: OrbitCamera) -> NDArray[np.uint8]:
    """Return a picture with the names of its robots and targets.

    Args:
        picture: Shape (height, width, 3).
        model: What it shows.
        camera: That looked.
    """
    image = Image.fromarray(picture).convert("RGBA")
    paper = Image.new("RGBA", image.size)
    draw, font = ImageDraw.Draw(paper), ImageFont.load_default(_SIZE)
    rows, _ = _seen(model, camera, np.arange(len(model.named[0])))
    names = _names(model, rows)
    extents = [draw.textbbox((0, 0), name, font=font) for name in names]
    sizes = [(right - left + 2.0 * _BESIDE, bottom - top + 2.0 * _ABOVE) for left, top, right, bottom in extents]
    for name, (left, top, *_), place in zip(names, extents, label_boxes(model, camera, rows, sizes), strict=True):
        if place is not None:
            low_x, low_y, high_x, high_y = place
            draw.rounded_rectangle((low_x, image.height - high_y, high_x, image.height - low_y), _ROUND, fill=_PAPER)
            corner = low_x + _BESIDE - left, image.height - high_y + _ABOVE - top
            draw.text(corner, name, font=font, fill=_INK)
    return np.asarray(Image.alpha_composite(image, paper).convert("RGB"))


def label_positions(model: SceneModel, camera: OrbitCamera) -> list[tuple[str, float, float]]:
    """Return the name of each robot and target with the pixel of its top, the farthest first.

    Args:
        model: What there is.
        camera: That looks.
    """
    rows, pixels = _seen(model, camera, np.arange(len(model.named[0])))
    return _with_names(model, rows, pixels)


def label_boxes(
    model: SceneModel,
    camera: OrbitCamera,
    rows: Ints,
    sizes: Sequence[tuple[float, float]],
    reserved: Sequence[Box] = (),
) -> list[Box | None]:
    """Return where names have room, left, low, right, high [pixels]; None = nowhere beside what they name.

    No name lies over a reserved part; nor over a robot, a target or another name, where there are not too many.

    Args:
        model: What there is.
        camera: That looks.
        rows: Of `model.named`, the farthest first.
        sizes: Width and height of each name [pixels].
        reserved: Parts of the picture where something else is drawn, left, low, right, high [pixels].
    """
    count, kept_free = len(model.named[0]), np.reshape(np.array(reserved, float), (-1, 4))
    if count > _MOST_AVOIDED:
        boxes = silhouettes(model, camera, rows)
        above = [_box(box, size, 0) for box, size in zip(boxes, sizes, strict=True)]
        return [None if overlapping(np.array(box), kept_free).any() else box for box in above]
    unnamed = np.setdiff1d(np.arange(count), rows)
    boxes = np.concatenate([silhouettes(model, camera, np.concatenate([rows, unnamed])), kept_free])
    pairs = zip(boxes, sizes, places(boxes, sizes, camera.size), strict=False)
    return [None if place is None else _box(box, size, place) for box, size, place in pairs]


def _box(box: Floats, size: tuple[float, float], place: int) -> Box:
    low_x, low_y, high_x, high_y = candidates(box, size)[place].tolist()
    return low_x, low_y, high_x, high_y


class _PlacedNames(NamedTuple):
    """All that boxes of names depend on.

    Attributes:
        matrix: Of the camera.
        picture: Width and height [pixels].
        sizes: Width and height of each name [pixels].
        reserved: Parts of the picture where something else is drawn.
        rows: Of `model.named`.
        poses: Of all entities, and of what moves by itself on robots.
    """

    model: SceneModel
    matrix: bytes
    picture: tuple[int, int]
    sizes: tuple[tuple[float, float], ...]
    reserved: tuple[Box, ...]
    rows: Ints
    poses: Floats

    def holds_for(self, wanted: "_PlacedNames") -> bool:
        """Return whether names would get the same boxes."""
        is_same = self.model is wanted.model and self[1:5] == wanted[1:5]
        return is_same and np.array_equal(self.rows, wanted.rows) and np.array_equal(self.poses, wanted.poses)


class NameChoice:
    """Names chosen to be written over a picture that is drawn again and again.

    Args:
        most: So many of them, the nearest. Of more of them, one for each part of the picture.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._made_for: tuple[SceneModel, bytes, tuple[str, ...]] | None = None
        self._poses, self._rows = np.zeros((0, 7)), np.zeros(0, np.int64)
        self._placed: _PlacedNames | None = None
        self._boxes: list[Box | None] = []

    def label_positions(
        self, model: SceneModel, camera: OrbitCamera, chosen: tuple[str, ...] = ()
    ) -> list[tuple[str, float, float]]:
        """Return names with the pixels of their tops, the farthest first.

        Args:
            model: What there is.
            camera: That looks.
            chosen: Names that come before others.
        """
        return _with_names(model, *self._seen_choice(model, camera, chosen))

    def _seen_choice(self, model: SceneModel, camera: OrbitCamera, chosen: tuple[str, ...]) -> tuple[Ints, Floats]:
        """Return the chosen rows of `named` that are in the picture, the farthest first, and where."""
        wanted = model, camera.matrix.tobytes(), chosen
        poses = model.entity_poses
        # chosen anew only when something moved: names that jump with each frame cannot be read
        if self._made_for != wanted or np.abs(poses - self._poses).max(initial=0.0) > _STEP:
            self._made_for, self._poses = wanted, poses.copy()
            self._rows = self._choose(model, camera, chosen)
        return _seen(model, camera, self._rows)

    def label_boxes(
        self,
        model: SceneModel,
        camera: OrbitCamera,
        chosen: tuple[str, ...],
        size: Callable[[str], tuple[float, float]],
        reserved: tuple[Box, ...] = (),
    ) -> list[tuple[str, Box]]:
        """Return names with their boxes, left, low, right, high [pixels]; of names without room none.

        Args:
            model: What there is.
            camera: That looks.
            chosen: Names that come before others.
            size: Returns width and height of a name [pixels].
            reserved: Parts of the picture where something else is drawn [pixels].
        """
        rows, _ = self._seen_choice(model, camera, chosen)
        names = _names(model, rows)
        sizes = tuple(map(size, names))
        placed = self._placed
        poses = np.concatenate([model.entity_poses, model.poses[model.limbs]])
        wanted = _PlacedNames(model, camera.matrix.tobytes(), camera.size, sizes, reserved, rows, poses)
        if placed is None or not placed.holds_for(wanted):
            # a scene that stands still is most of what people look at, and room for names takes long to find
            placed = self._placed = wanted
            self._boxes = label_boxes(model, camera, rows, sizes, reserved)
        return [(name, box) for name, box in zip(names, self._boxes, strict=True) if box is not None]

    def _choose(self, model: SceneModel, camera: OrbitCamera, chosen: tuple[str, ...]) -> Ints:
        named = model.named[0]
        if len(named) <= self._most:
            return np.arange(len(named))
        rows, pixels = _seen(model, camera, np.arange(len(named)))
        # last in the order is drawn on top, and kept where there is no room
        is_first = np.isin(named[rows], [model.numbers.get(name, -1) for name in chosen])
        order = np.argsort(is_first, kind="stable")
        rows, pixels = rows[order], pixels[order]
        return rows[_spread(pixels)][-self._most :] if len(rows) > self._most else rows


def _seen(model: SceneModel, camera: OrbitCamera, rows: Ints) -> tuple[Ints, Floats]:
    """Return which of some named entities are in the picture, the farthest first, and where.

    Args:
        model: What there is.
        camera: That looks.
        rows: Of `named`.
    """
    numbers, heights = model.named
    tops = model.entity_poses[numbers[rows], :3]
    tops[:, 2] += heights[rows]
    pixels, away = camera.project(tops)
    (across, up), (width, height) = pixels.T, camera.size
    is_seen = (away > 0.0) & (across >= 0.0) & (up >= 0.0) & (across < width) & (up < height)
    shown = np.flatnonzero(is_seen)
    shown = shown[np.argsort(-away[shown], kind="stable")]
    return rows[shown], pixels[shown]


def _names(model: SceneModel, rows: Ints) -> list[str]:
    return [model.entities[number].name for number in model.named[0][rows].tolist()]


def _with_names(model: SceneModel, rows: Ints, pixels: Floats) -> list[tuple[str, float, float]]:
    pairs = zip(model.named[0][rows].tolist(), pixels.tolist(), strict=True)
    return [(model.entities[number].name, x, y) for number, (x, y) in pairs]


def _spread(pixels: Floats) -> Ints:
    """Return the last ones of each part of the picture, in the same order."""
    across, up = (pixels // _ROOM).astype(np.int64).T
    # one number for each part of the picture: `unique` of rows sorts far longer
    _, first = np.unique((across * 100_000 + up)[::-1], return_index=True)
    return np.sort(len(pixels) - 1 - first)
