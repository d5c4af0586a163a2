"""Pictures without a window."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.pixels import without_alpha
from coopsim.features.desktop.quality import STILL, Quality
from coopsim.features.desktop.rendering import PictureOrder, open_renderer
from coopsim.features.desktop.ribbons import RIBBON


class Offscreen:
    """Draws models into arrays; no display is needed.

    Args:
        size: Width and height of the pictures [pixels].
        quality: How much work to do.
        tell: Takes what could not be drawn as it should.
        source: Of meshes; None = files of this machine. `served_meshes.fetched_meshes` has those of a run elsewhere.
        renderer: Name of what draws, "" = the one that the environment names, or the built-in one.

    Raises:
        BadArgument: There is no renderer of this name.
        CannotDraw: It cannot be used here.
    """

    def __init__(
        self,
        size: tuple[int, int],
        quality: Quality = STILL,
        tell: Callable[[str], object] = print,
        source: MeshSource | None = None,
        renderer: str = "",
    ) -> None:
        self._renderer = open_renderer(renderer, tell, source)
        self._size, self._quality = size, quality
        self._model: SceneModel | None = None
        self._rows = DrawList(SceneModel(()))

    def picture(
        self, model: SceneModel, camera: OrbitCamera, ribbons: NDArray[np.void] | None = None, *, grid: bool = True
    ) -> NDArray[np.uint8]:
        """Return red, green and blue of a picture, the upper row first, shape (height, width, 3).

        Args:
            model: What there is.
            camera: That looks; it gets the size of the picture.
            ribbons: Rows of `RIBBON`.
            grid: Whether to draw a grid on the floor.

        Raises:
            PluginFailed: The renderer raised something, see `begin_checked`.
        """
        if model is not self._model:
            self._model, self._rows = model, DrawList(model)
        self._rows.update()
        camera.size = self._size
        lines = np.zeros(0, RIBBON) if ribbons is None else ribbons
        order = PictureOrder("colors", self._quality, lines, grid)
        return without_alpha(self._renderer.begin_checked(self._rows, camera, order)())

    def close(self) -> None:
        """Give everything back."""
        self._renderer.close()

    def __enter__(self) -> "Offscreen":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
