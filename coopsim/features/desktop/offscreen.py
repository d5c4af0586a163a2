"""Pictures without a window."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.camera import OrbitCamera
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.gl.context import open_window
from coopsim.features.desktop.gl.target import RenderTarget
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.quality import STILL, Quality
from coopsim.features.desktop.renderer import Renderer


class Offscreen:
    """Draws models into arrays; no display is needed.

    Args:
        size: Width and height of the pictures [pixels].
        quality: How much work to do.
        tell: Takes what could not be drawn as it should.
        source: Of meshes; None = files of this machine. `served_meshes.fetched_meshes` has those of a run elsewhere.

    Raises:
        CannotDraw: There is no OpenGL.
    """

    def __init__(
        self,
        size: tuple[int, int],
        quality: Quality = STILL,
        tell: Callable[[str], None] = print,
        source: MeshSource | None = None,
    ) -> None:
        self._context = open_window((16, 16))
        self._target = RenderTarget(size, quality.samples)
        self._renderer, self._quality = Renderer(tell, source), quality
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
        """
        self._context.switch_to()  # others may be open besides
        if model is not self._model:
            self._model, self._rows = model, DrawList(model)
        self._rows.update()
        camera.size = self._target.size
        self._renderer.draw(self._rows, camera, self._quality, self._target.begin, ribbons, grid=grid)
        return self._target.read()

    def close(self) -> None:
        """Give everything back."""
        self._context.switch_to()
        self._renderer.delete()
        self._target.delete()
        self._context.close()

    def __enter__(self) -> "Offscreen":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
