"""Names of robots and targets, written over a picture."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from coopsim.viewer.camera import OrbitCamera
from coopsim.viewer.model import SceneModel

_SIZE, _GAP, _ROUND = 13, 6, 4
_PAPER, _INK = (28, 31, 36, 190), (238, 241, 246, 255)
_NAMED = ("robot", "target")


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


def places(model: SceneModel, camera: OrbitCamera) -> list[tuple[str, float, float]]:
    """Return the name of each robot and target with the pixel of its top, the farthest first."""
    rows = [(number, row) for number, row in enumerate(model.entities) if row.kind in _NAMED]
    if not rows:
        return []
    tops = np.array([model.entity_poses[number, :3] + (0.0, 0.0, row.size[2]) for number, row in rows])
    pixels, away = camera.project(tops)
    width, height = camera.size
    found = [
        (float(far), row.name, float(x), float(y))
        for (_, row), (x, y), far in zip(rows, pixels, away, strict=True)
        if far > 0.0 and 0.0 <= x < width and 0.0 <= y < height
    ]
    return [(name, x, y) for _, name, x, y in sorted(found, reverse=True)]
