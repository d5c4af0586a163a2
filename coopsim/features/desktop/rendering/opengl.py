"""The built-in renderer: OpenGL 3.3 by pyglet, in a context that needs no display."""

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.label_rows import LabelRows, labels_of
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.rendering.contract import ABILITIES, PictureOrder, SceneRenderer

_MOST_TARGETS = 8
"""Pictures in memory that are kept for the next ones: pairs of a few sizes."""
_SKY = 0.999994
"""Depths from here on, as OpenGL keeps them, are those of the sky."""


class OpenGlRenderer(SceneRenderer):
    """Draws with the shaders of the window."""

    abilities: ClassVar[frozenset[str]] = frozenset(ABILITIES)

    def __init__(self, tell: Callable[[str], object] = print, source: MeshSource | None = None) -> None:
        super().__init__(tell, source)
        # names of a module that fails to be imported where OpenGL is missing
        from coopsim.features.desktop.gl.context import open_window
        from coopsim.features.desktop.gl.target import RenderTarget
        from coopsim.features.desktop.renderer import Renderer

        self._context, self._new_target = open_window((16, 16)), RenderTarget
        self._renderer = Renderer(tell, source)
        self._targets: dict[tuple[tuple[int, int], int, int], RenderTarget] = {}
        self._turn = 0
        self._labels = LabelRows(SceneModel(()))

    def begin(self, rows: DrawList, camera: Viewpoint, order: PictureOrder) -> Callable[[], NDArray[Any]]:
        """Have a picture drawn; meanwhile the graphics card, or other cores, draw."""
        self._context.switch_to()  # others may be open besides
        is_colors, quality = order.kind == "colors", order.quality
        target = self._target(camera.size, quality.samples if is_colors else 1)
        if order.kind == "labels":
            self._renderer.draw_labels(self._label_rows(rows), camera, quality, target.begin)
        else:
            self._renderer.draw(rows, camera, quality, target.begin, order.ribbons, grid=order.grid)
        target.flush()
        readers: dict[str, Callable[[Any, float, float], NDArray[Any]]]
        readers = {"colors": self._read_words, "depth": self._read_depth, "labels": self._read_labels}
        read = readers[order.kind]
        return partial(read, target, camera.near, camera.far)

    def close(self) -> None:
        """Give everything back."""
        self._context.switch_to()
        self._renderer.delete()
        for target in self._targets.values():
            target.delete()
        self._targets = {}
        self._context.close()

    def _read_words(self, target: Any, _near: float, _far: float) -> NDArray[np.uint32]:
        self._context.switch_to()
        words: NDArray[np.uint32] = target.read_words()
        return words

    def _read_labels(self, target: Any, near: float, far: float) -> NDArray[np.uint16]:
        return labels_of(self._read_words(target, near, far))

    def _read_depth(self, target: Any, near: float, far: float) -> NDArray[np.float32]:
        self._context.switch_to()
        kept: NDArray[np.float32] = target.read_depth()
        depth = 2.0 * near * far / (far + near - (2.0 * kept - 1.0) * (far - near))
        depth[kept >= _SKY] = np.inf
        return depth

    def _label_rows(self, rows: DrawList) -> LabelRows:
        """Return rows whose colours are labels, where everything is now."""
        if self._labels.model is not rows.model:
            self._labels = LabelRows(rows.model)
        self._labels.hide_as(rows)
        self._labels.update()
        return self._labels

    def _target(self, size: tuple[int, int], samples: int) -> Any:
        """Return one of two targets of a size, by turns: one is read while the other is drawn to."""
        self._turn = 1 - self._turn
        key = size, samples, self._turn
        target = self._targets.pop(key, None)
        if target is None:
            while len(self._targets) >= _MOST_TARGETS:  # the one that was not drawn to for longest
                self._targets.pop(next(iter(self._targets))).delete()
            target = self._new_target(size, samples)
        self._targets[key] = target
        return target
