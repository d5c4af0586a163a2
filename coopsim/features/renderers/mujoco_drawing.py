"""Pictures by MuJoCo: its contexts, its light and its camera, in the thread that made them."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import CannotDraw
from coopsim.features.desktop.camera import Viewpoint
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.mesh_source import LocalMeshes, MeshSource
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.pixels import with_alpha
from coopsim.features.desktop.quality import Quality
from coopsim.features.desktop.rendering import PictureOrder
from coopsim.features.renderers.egl import EglContext
from coopsim.features.renderers.mujoco_assets import Assets
from coopsim.features.renderers.mujoco_scene import GeomScene
from coopsim.features.space.binding import mujoco
from coopsim.geometry import Floats

_LIGHT = np.array([0.40, -0.33, 0.85]) / np.linalg.norm([0.40, -0.33, 0.85])
"""Where the light comes from: as in the built-in renderer."""
_AMBIENT, _FROM_ABOVE = (0.40, 0.40, 0.42), (0.12, 0.13, 0.14)
_DIFFUSE, _GLOSS = (0.52, 0.504, 0.468), (0.15, 0.15, 0.15)
_SHADOW_SIDES = {"off": 1, "flat": 1024, "mapped": 4096}
"""Sides of what the light sees [pixels]."""
_WIDEST = 60.0
"""Greatest reach of the shadows around what the camera looks at [m]."""
_MARGIN = 0.5
"""Width of the strip around all shapes that shadows fall on [m]."""
_FAR = 1e-6
"""Depths of MuJoCo go to 0 in the distance; smaller ones are those of the sky."""
_LARGEST = 8192  # pixels; drivers promise no larger buffers
_Key = tuple[int, int]


class MujocoDrawing:
    """Draws scenes by MuJoCo.

    Args:
        tell: Takes what could not be drawn as it should, once for each file.
        source: Of meshes; None = files of this machine.

    Raises:
        CannotDraw: There is no EGL with OpenGL.
    """

    def __init__(self, tell: Callable[[str], object], source: MeshSource | None) -> None:
        self._source, self._tell, self._told = source or LocalMeshes(), tell, set[str]()
        self._egl = EglContext()
        self._egl.make_current()
        self._contexts: dict[_Key, Any] = {}
        self._model: SceneModel | None = None
        self._version = self._source.version

    def draw(self, rows: DrawList, camera: Viewpoint, order: PictureOrder) -> NDArray[Any]:
        """Return the pixels of a picture, see `SceneRenderer.begin`.

        Raises:
            CannotDraw: It is too large, or MuJoCo refuses a mesh.
        """
        width, height = camera.size
        if not 0 < width <= _LARGEST or not 0 < height <= _LARGEST:
            raise CannotDraw(f"a picture has 1 to {_LARGEST} pixels along each side, got {width} x {height}").advise("")
        self._load(rows)
        context = self._context(order, camera.size)
        self._geoms.write(rows, order.ribbons if order.kind == "colors" else order.ribbons[:0], grid=order.grid)
        for mesh in self._assets.skins:
            mujoco.mjr_uploadMesh(self._assets.model, context, mesh)
        self._aim(camera)
        self._light(rows, camera, context, order.quality)
        self._set_flags(order)
        rectangle = mujoco.MjrRect(0, 0, width, height)
        mujoco.mjr_render(rectangle, self._geoms.scene, context)
        return _READERS[order.kind](rectangle, context, camera)

    def close(self) -> None:
        """Give everything back."""
        self._egl.make_current()
        self._drop()
        self._egl.close()

    def _note(self, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            self._tell(text)

    def _load(self, rows: DrawList) -> None:
        """Take over another scene, or meshes that came since."""
        if rows.model is self._model and self._version == self._source.version:
            return
        self._drop()
        self._version = self._source.version
        self._assets = Assets(rows.model, self._note, self._source)
        self._geoms = GeomScene(rows, self._assets)
        self._model = rows.model

    def _drop(self) -> None:
        """Give the memory of the graphics card back."""
        for context in self._contexts.values():
            context.free()
        self._contexts, self._model = {}, None

    def _context(self, order: PictureOrder, size: tuple[int, int]) -> Any:
        """Return the context for a quality; depths and labels must not be smoothed."""
        quality = order.quality
        samples = quality.samples if order.kind == "colors" and quality.samples > 1 else 0
        key = samples, _SHADOW_SIDES[quality.shadows] if order.kind == "colors" else 1
        if key not in self._contexts:
            model = self._assets.model
            model.vis.quality.offsamples, model.vis.quality.shadowsize = key
            model.vis.global_.offwidth, model.vis.global_.offheight = size
            self._contexts[key] = mujoco.MjrContext(model, mujoco.mjtFontScale.mjFONTSCALE_50.value)
        context = self._contexts[key]
        if (context.offWidth, context.offHeight) != size:
            mujoco.mjr_resizeOffscreen(*size, context)
        mujoco.mjr_setBuffer(mujoco.mjtFramebuffer.mjFB_OFFSCREEN.value, context)
        context.readDepthMap = mujoco.mjtDepthMap.mjDEPTH_ZEROFAR
        return context

    def _aim(self, camera: Viewpoint) -> None:
        matrix = camera.matrix
        upward = matrix[1, :3] / np.linalg.norm(matrix[1, :3])
        top = camera.near / float(np.linalg.norm(matrix[1, :3]))
        for eye in self._geoms.scene.camera:  # one for each eye; both are the same
            eye.pos, eye.forward, eye.up = camera.eye, matrix[3, :3], upward
            eye.frustum_near, eye.frustum_far = camera.near, camera.far
            eye.frustum_bottom, eye.frustum_top, eye.frustum_center = -top, top, 0.0
            eye.frustum_width = top * camera.size[0] / camera.size[1]

    def _light(self, rows: DrawList, camera: Viewpoint, context: Any, quality: Quality) -> None:
        middle, half = _lit(rows, camera)
        scene = self._geoms.scene
        scene.nlight = 2
        sun, ambient = scene.lights[:2]  # a light that casts shadows gives nothing in them, not even its ambient part
        for light, direction in ((sun, -_LIGHT), (ambient, np.array([0.0, 0.0, -1.0]))):
            light.type, light.headlight = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL, 0
            light.pos, light.dir = middle - 2.0 * half * direction, direction
            light.attenuation, light.castshadow = (1.0, 0.0, 0.0), 0
            light.ambient = light.diffuse = light.specular = (0.0, 0.0, 0.0)
        sun.diffuse, sun.specular, sun.castshadow = _DIFFUSE, _GLOSS, int(quality.shadows != "off")
        ambient.ambient, ambient.diffuse = _AMBIENT, _FROM_ABOVE
        context.shadowClip = half

    def _set_flags(self, order: PictureOrder) -> None:
        is_colors, flag, flags = order.kind == "colors", mujoco.mjtRndFlag, self._geoms.scene.flags
        flags[:] = 0
        flags[flag.mjRND_SHADOW] = is_colors and order.quality.shadows != "off"
        flags[flag.mjRND_SKYBOX] = is_colors
        flags[flag.mjRND_CULL_FACE] = 1
        flags[flag.mjRND_SEGMENT] = flags[flag.mjRND_IDCOLOR] = not is_colors


def _lit(rows: DrawList, camera: Viewpoint) -> tuple[Floats, float]:
    """Return middle and half the side of what the light sees: all, or what is near the point that is looked at."""
    low, high = rows.bounds()
    middle, half = (low + high) / 2.0, float(np.linalg.norm(high - low)) / 2.0 + _MARGIN
    reach = min(_WIDEST, 1.5 * camera.distance)
    return (middle, half) if half <= reach else (np.asarray(camera.centre), reach)


def _read_colors(rectangle: Any, context: Any, camera: Viewpoint) -> NDArray[np.uint32]:
    return with_alpha(_read_bytes(rectangle, context, camera))


def _read_labels(rectangle: Any, context: Any, camera: Viewpoint) -> NDArray[np.uint16]:
    pixels = _read_bytes(rectangle, context, camera).astype(np.uint16)
    return pixels[..., 0] | pixels[..., 1] << np.uint16(8)


def _read_bytes(rectangle: Any, context: Any, camera: Viewpoint) -> NDArray[np.uint8]:
    width, height = camera.size
    pixels = np.empty((height, width, 3), np.uint8)
    mujoco.mjr_readPixels(pixels, None, rectangle, context)
    return np.ascontiguousarray(pixels[::-1])


def _read_depth(rectangle: Any, context: Any, camera: Viewpoint) -> NDArray[np.float32]:
    width, height = camera.size
    kept = np.empty((height, width), np.float32)
    mujoco.mjr_readPixels(None, kept, rectangle, context)
    near, far = camera.near, camera.far
    depth = near * far / (near + kept[::-1] * (far - near))
    return np.where(kept[::-1] > _FAR, depth, np.inf).astype(np.float32)


_READERS: dict[str, Callable[[Any, Any, Viewpoint], NDArray[Any]]] = {
    "colors": _read_colors,
    "depth": _read_depth,
    "labels": _read_labels,
}
