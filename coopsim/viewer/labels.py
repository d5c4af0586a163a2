"""Names of robots and targets, written over a picture."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from coopsim.viewer.camera import OrbitCamera
from coopsim.viewer.model import SceneModel

_SIZE, _GAP, _ROUND = 13, 6, 4
_PAPER, _INK = (28, 31, 36, 190), (238, 241, 246, 255)


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
    for name, x, y in places(model, camera):
        left, top, right, bottom = draw.textbbox((0, 0), name, font=font)
        width, height = right - left, bottom - top
        corner = (x - width / 2, image.height - y - height - _GAP)
        box = (corner[0] - 5, corner[1] - 3, corner[0] + width + 5, corner[1] + height + 4)
        draw.rounded_rectangle(box, _ROUND, fill=_PAPER)
        draw.text((corner[0] - left, corner[1] - top), name, font=font, fill=_INK)
    return np.asarray(Image.alpha_composite(image, paper).convert("RGB"))


def places(model: SceneModel, camera: OrbitCamera, most: int = 10_000) -> list[tuple[str, float, float]]:
    """Return the name of each robot and target with the pixel of its top, the farthest first.

    Args:
        model: What there is.
        camera: That looks.
        most: So many of them, the nearest.
    """
    numbers, heights = model.named
    if not len(numbers):
        return []
    tops = model.entity_poses[numbers, :3]
    tops[:, 2] += heights
    pixels, away = camera.project(tops)
    (across, up), (width, height) = pixels.T, camera.size
    is_seen = (away > 0.0) & (across >= 0.0) & (up >= 0.0) & (across < width) & (up < height)
    shown = np.flatnonzero(is_seen)
    shown = shown[np.argsort(-away[shown], kind="stable")][-most:]
    pairs = zip(numbers[shown].tolist(), pixels[shown].tolist(), strict=True)
    return [(model.entities[number].name, x, y) for number, (x, y) in pairs]
