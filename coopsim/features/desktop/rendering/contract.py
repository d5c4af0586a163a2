"""Contract of renderers: what draws the scene of windows, cameras and pictures can be exchanged.

A renderer is a class that is registered as an entry point `coopsim.renderers`. It gets rows of shapes and a camera, and
returns arrays. It may draw in a context, a thread or a process of its own: nobody asks how.

Everything is in metres, x forward, y left, z up; quaternions are (w, x, y, z). Rows of pictures begin at the top.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.pixels import without_alpha
from coopsim.features.desktop.quality import SOFTWARE, Quality
from coopsim.features.desktop.ribbons import RIBBON

PictureKind: TypeAlias = Literal["colors", "depth", "labels"]
"""What the pixels of a picture are."""
ABILITIES: Mapping[str, str] = MappingProxyType(
    {
        "depth": "pictures of depths",
        "labels": "pictures of labels",
        "ribbons": "lines of sensors, ways and springs",
        "shadows": "shadows",
        "textures": "pictures and patterns on shapes, and the grid of the floor",
        "meshes": "shapes from files",
        "skins": "cloths and soft bodies as surfaces",
        "outlines": "an outline around what is selected",
    }
)
"""Parts of a picture that a renderer may leave out; those that it draws are its `abilities`."""


@dataclass(frozen=True, slots=True)
class PictureOrder:
    """Picture that is wanted.

    Attributes:
        kind: "colors", "depth" or "labels".
        quality: How much work to do; a renderer follows it as far as it can.
        ribbons: Rows of `RIBBON` that are drawn over the scene.
        grid: Whether to draw a grid on the floor.
    """

    kind: PictureKind = "colors"
    quality: Quality = SOFTWARE
    ribbons: NDArray[np.void] = field(default_factory=lambda: np.zeros(0, RIBBON), compare=False)
    grid: bool = False


class SceneRenderer(ABC):
    """Draws scenes into arrays.

    An object is made, used and closed by one thread. Several live beside each other in a process.

    Source: SwarmSimX, section 2.1 (renderer and physics are exchangeable behind abstract classes).

    Args:
        tell: Takes what could not be drawn as it should, once for each file.
        source: Of meshes; None = files of this machine.

    Attributes:
        abilities: Those of `ABILITIES` that it draws. It refuses pictures of depths or labels that it does not claim,
            and leaves everything else out without an error.

    Raises:
        CannotDraw: It cannot be used on this machine; `cure` says what to install.
    """

    abilities: ClassVar[frozenset[str]] = frozenset()

    def __init__(self, tell: Callable[[str], object] = print, source: MeshSource | None = None) -> None:
        self._tell, self._source = tell, source

    @abstractmethod
    def begin(self, rows: DrawList, camera: Viewpoint, order: PictureOrder) -> Callable[[], NDArray[Any]]:
        """Begin a picture; return what waits for its pixels.

        Between `begin` and the call another picture may be begun, but not two. The rows may change as soon as `begin`
        returns, so a renderer copies what it needs. A renderer without such a pipeline draws here.

        Args:
            rows: Shapes: `rows.model` says what there is, `rows.model.looks` how it looks, `rows.rows` where it is, in
                which size and colour, `rows.is_hidden` what is not drawn. Another model may come at any time.
            camera: Where to look from; the picture has its size.
            order: What the pixels are to be, and how much work to do.

        Returns:
            A function that returns an array of shape (height, width):
            of "colors" as uint32, red in the lowest byte, then green and blue;
            of "depth" as float32, the distance along the optical axis, infinite where there is nothing [m];
            of "labels" as uint16, 1 + the number of the entity in `rows.model.entities`, 0 = nothing, 65535 = beyond.

        Raises:
            CannotDraw: It draws no pictures of this kind, or none as large.
        """

    @abstractmethod
    def close(self) -> None:
        """Give everything back; nothing is drawn any more."""

    def begin_checked(self, rows: DrawList, camera: Viewpoint, order: PictureOrder) -> Callable[[], NDArray[Any]]:
        """Begin a picture of a renderer that may have mistakes, see `begin`; both steps may fail.

        Raises:
            PluginFailed: It raised something, or gave pixels of another shape; the text says where.
        """
        what, shape = f"renderer {type(self).__name__}", camera.size[::-1]
        with plugins.blamed(what):
            read = self.begin(rows, camera, order)

        def checked() -> NDArray[Any]:
            with plugins.blamed(what):
                pixels = read()
            if (got := getattr(pixels, "shape", None)) != shape:
                place = plugins.defined_at(type(self).begin)
                raise PluginFailed(
                    f"{place}: {what}: expected pixels of the shape (height, width) = {shape}, got {got}"
                )
            return pixels

        return checked

    def pixels(self, rows: DrawList, camera: Viewpoint, order: PictureOrder) -> NDArray[Any]:
        """Return a picture, see `begin`."""
        return self.begin(rows, camera, order)()

    def colors(self, rows: DrawList, camera: Viewpoint, order: PictureOrder) -> NDArray[np.uint8]:
        """Return red, green and blue of a picture, shape (height, width, 3)."""
        return without_alpha(self.pixels(rows, camera, order))

    def __enter__(self) -> "SceneRenderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
