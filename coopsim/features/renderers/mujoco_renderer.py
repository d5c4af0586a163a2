"""Renderer over MuJoCo's own: its lights, shadows and shapes, in a context and a thread of its own."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, ClassVar

from numpy.typing import NDArray

from coopsim.errors import CannotDraw, PluginFailed
from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.mesh_source import MeshSource
from coopsim.features.desktop.rendering import PictureOrder, SceneRenderer
from coopsim.interpreter import extra_command

if TYPE_CHECKING:
    from coopsim.features.renderers.mujoco_drawing import MujocoDrawing


class MujocoRenderer(SceneRenderer):
    """Draws with MuJoCo, whatever engine moves the scene.

    MuJoCo wants a context of the compatibility profile, which no window of ours has. It gets one by EGL, in a thread
    of its own, so that no other context of the process is ever replaced. What is selected shines.
    """

    abilities: ClassVar[frozenset[str]] = frozenset(
        {"depth", "labels", "ribbons", "shadows", "textures", "meshes", "skins"}
    )

    def __init__(self, tell: Callable[[str], object] = print, source: MeshSource | None = None) -> None:
        super().__init__(tell, source)
        self._thread = ThreadPoolExecutor(1, "mujoco-renderer")
        try:
            self._drawing: MujocoDrawing = self._thread.submit(_open, tell, source).result()
        except BaseException:
            self._thread.shutdown()
            raise

    def begin(self, rows: DrawList, camera: Viewpoint, order: PictureOrder) -> Callable[[], NDArray[Any]]:
        """Draw a picture; it has one buffer, so that it is read at once."""
        pixels = self._thread.submit(self._drawing.draw, rows, camera, order).result()
        return lambda: pixels

    def close(self) -> None:
        """Give everything back."""
        self._thread.submit(self._drawing.close).result()
        self._thread.shutdown()


def _open(tell: Callable[[str], object], source: MeshSource | None) -> "MujocoDrawing":
    try:
        from coopsim.features.renderers.mujoco_drawing import MujocoDrawing
    except PluginFailed:
        missing = CannotDraw(f"the renderer mujoco needs the package MuJoCo: {extra_command('mujoco')}")
        raise missing.advise("") from None
    return MujocoDrawing(tell, source)
