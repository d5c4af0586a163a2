"""The picture of a window: drawn by the renderer that a person chose, which may change at any time."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import BadArgument, CannotDraw, CoopsimError, PluginError
from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.drawn_content import DrawnContent
from coopsim.features.desktop.gl.target import RenderTarget, UploadedPicture
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.quality import Quality
from coopsim.features.desktop.renderer import Renderer
from coopsim.features.desktop.rendering import BUILT_IN, PictureOrder, SceneRenderer, open_renderer

_Canvas = RenderTarget | UploadedPicture


class ScenePicture:
    """Picture in the context of a window.

    The built-in renderer draws in that context. Others draw where they like, and their pixels are copied.

    Args:
        tell: Takes what could not be drawn as it should.
        source: Of meshes.
        make_current: Brings the context of the window back, which a renderer may have left.

    Attributes:
        renderer: Name of what draws.
    """

    def __init__(self, tell: Callable[[str], object], source: MeshSource, make_current: Callable[[], object]) -> None:
        self._tell, self._source, self._make_current = tell, source, make_current
        self.renderer = BUILT_IN
        self._native = Renderer(tell, source)
        self._foreign: SceneRenderer | None = None
        self._canvas: _Canvas | None = None
        self._last = DrawnContent()

    def exchange(self, name: str) -> str:
        """Draw with another renderer from now on; where it cannot be used, what draws goes on, and people are told.

        Returns:
            The name of what draws.
        """
        if name == self.renderer:
            return name
        try:
            opened = None if name == BUILT_IN else open_renderer(name, self._tell, self._source)
        except (BadArgument, CannotDraw, PluginError) as problem:
            self._tell(f"{problem}; {self.renderer} goes on")
            return self.renderer
        finally:
            self._make_current()
        self._close_foreign()
        self._foreign, self.renderer = opened, name
        return name

    def draw(
        self, rows: DrawList, camera: Viewpoint, quality: Quality, ribbons: NDArray[np.void], *, grid: bool
    ) -> None:
        """Draw a picture of the size of the camera; arguments as those of `PictureOrder`."""
        if self._foreign is not None:
            words, order = None, PictureOrder("colors", quality, ribbons, grid)
            try:
                words = self._foreign.begin_checked(rows, camera, order)()
            except CoopsimError as problem:  # the window goes on with what always draws
                self._tell(f"the renderer {self.renderer} failed: {problem}; {BUILT_IN} goes on")
                self.exchange(BUILT_IN)
            self._make_current()
            if words is not None:
                self._uploaded(camera.size).write(words)
                return
        target = self._target(camera.size, quality.samples)
        if self._last.is_of(target, rows, camera, (quality, grid, self._source.version), ribbons):
            return
        self._native.draw(rows, camera, quality, target.begin, ribbons, grid=grid)
        target.flush()

    def show(self, left: int, bottom: int) -> None:
        """Copy it into the window."""
        if self._canvas is not None:
            self._canvas.show(left, bottom)

    def read(self) -> NDArray[np.uint8] | None:
        """Return red, green and blue of what was drawn last, shape (height, width, 3); None = nothing yet."""
        return None if self._canvas is None else self._canvas.read()

    def delete(self) -> None:
        """Give everything back."""
        self._close_foreign()
        self._native.delete()
        self._clear()

    def _close_foreign(self) -> None:
        foreign, self._foreign = self._foreign, None
        if foreign is not None:
            foreign.close()
            self._make_current()

    def _clear(self) -> None:
        if self._canvas is not None:
            self._canvas.delete()
            self._canvas = None

    def _target(self, size: tuple[int, int], samples: int) -> RenderTarget:
        canvas = self._canvas
        if isinstance(canvas, RenderTarget) and (canvas.size, canvas.samples) == (size, samples):
            return canvas
        self._clear()
        self._canvas = target = RenderTarget(size, samples)
        return target

    def _uploaded(self, size: tuple[int, int]) -> UploadedPicture:
        canvas = self._canvas
        if isinstance(canvas, UploadedPicture) and canvas.size == size:
            return canvas
        self._clear()
        self._canvas = uploaded = UploadedPicture(size)
        return uploaded
