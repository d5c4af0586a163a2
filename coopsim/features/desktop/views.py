"""Pictures of a file, one instant after the other, by one camera."""

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.aiming import aim, follow
from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.labels import with_labels
from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.offscreen import Offscreen
from coopsim.features.desktop.shown import Shown


class View:
    """View of a file: camera and layers.

    Args:
        shown: The file.
        offscreen: What draws.
        size: Width and height of the pictures [pixels].
        camera: Where it looks from (`aiming.aim`); an entity is followed; "" = from where the file says, or `iso`.
        trails: How many seconds of their ways to draw [s].
        layers: What is drawn besides bodies.
    """

    def __init__(
        self, shown: Shown, offscreen: Offscreen, size: tuple[int, int], camera: str, trails: float, layers: Layers
    ) -> None:
        self._shown, self._offscreen = shown, offscreen
        self._words, self._trails, self._layers = camera, trails, layers
        self._camera: OrbitCamera | None = None
        self._size = size

    def picture(self, seconds: float) -> NDArray[np.uint8]:
        """Return the picture of an instant, shape (height, width, 3)."""
        model = self._shown.at(seconds)
        if self._camera is None:
            self._camera = OrbitCamera(size=self._size)
            self._words = self._words or self._shown.camera or "iso"
            aim(self._camera, model, self._words)
        elif self._words in model.numbers:
            follow(self._camera, model, self._words)
        ribbons = [self._shown.measured(seconds, self._layers)]
        ribbons += [self._shown.trails(seconds, self._trails)] if self._trails else []
        pixels = self._offscreen.picture(model, self._camera, np.concatenate(ribbons), grid=self._layers.grid)
        return with_labels(pixels, model, self._camera) if self._layers.labels else pixels


def instants(begin: float, end: float, rate: float) -> list[float]:
    """Return instants from begin to end, `rate` per second."""
    count = int((end - begin) * rate + 1e-9) + 1
    return [begin + number / rate for number in range(count)]
