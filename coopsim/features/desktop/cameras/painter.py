"""Draws what the camera of a robot sees; to import it raises CannotDraw where OpenGL is missing."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import NoImage, NoSuchName
from coopsim.features.desktop.cameras.labels import LabelRows, labels_of
from coopsim.features.desktop.cameras.lens import Lens, LensSettings
from coopsim.features.desktop.cameras.states import TickState
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.gl.context import open_window
from coopsim.features.desktop.gl.target import RenderTarget
from coopsim.features.desktop.lamps import recorded_lights, shine
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.pixels import with_alpha, without_alpha
from coopsim.features.desktop.quality import SOFTWARE
from coopsim.features.desktop.renderer import Renderer
from coopsim.geometry import Pose
from coopsim.interfaces.camera import DEPTH, LABELS, RGB
from coopsim.state import Layout, ModuleLayout, RobotPlace

_QUALITY = SOFTWARE
_MILLIMETRES = 1000.0  # depth cameras tell whole ones in 16 bits


class ImagePainter:
    """Draws images in memory; no display is needed.

    Args:
        tell: Takes what could not be drawn as it should.

    Raises:
        CannotDraw: There is no OpenGL.
    """

    def __init__(self, tell: Callable[[str], object] = print) -> None:
        self._context = open_window((16, 16))
        self._renderer = Renderer(tell)
        self._targets: dict[tuple[tuple[int, int], int], RenderTarget] = {}
        self._turn = 0
        self._layout: Layout | None = None
        self._rows = DrawList(SceneModel(()))
        self._label_rows = LabelRows(self._rows.model)
        self._placed: TickState | None = None

    def colors(self, state: TickState, robot: str, module: str) -> NDArray[np.uint8]:
        """Return red, green and blue of an image, the upper row first, shape (height, width, 3).

        Raises:
            NoSuchName: There is no such camera in this state.
            NoImage: It has taken no image.
        """
        return without_alpha(self.begin(state, robot, module, RGB)())

    def depth(self, state: TickState, robot: str, module: str) -> NDArray[np.uint16]:
        """Return depths along the optical axis, 0 = nothing within range, shape (height, width) [mm].

        Raises:
            NoSuchName: There is no such camera in this state.
            NoImage: It has taken no image.
        """
        return self.begin(state, robot, module, DEPTH)()

    def labels(self, state: TickState, robot: str, module: str) -> NDArray[np.uint16]:
        """Return what pixels show: 1 + the place of an entity in the layout, 0 = nothing, shape (height, width).

        Raises:
            NoSuchName: There is no such camera in this state.
            NoImage: It has taken no image.
        """
        return self.begin(state, robot, module, LABELS)()

    def begin(self, state: TickState, robot: str, module: str, encoding: str) -> Callable[[], NDArray[Any]]:
        """Have an image drawn; return what reads it, before another image but one is begun.

        It reads depths, labels, or pixels as words: red in their lowest byte, then green and blue. Meanwhile the
        graphics card, or other cores, may draw.

        Raises:
            NoSuchName: There is no such camera in this state.
            NoImage: It has taken no image.
        """
        settings, target = self._draw(state, robot, module, encoding)
        target.flush()
        read = {DEPTH: self._read_depth, LABELS: self._read_labels}.get(encoding, self._read_colors)
        return partial(read, target, settings, state.record.tick)

    def _read_colors(self, target: RenderTarget, settings: LensSettings, tick: int) -> NDArray[np.uint32]:
        self._context.switch_to()
        words = target.read_words()
        return with_alpha(noisy_colors(without_alpha(words), settings, tick)) if settings.noise else words

    def _read_depth(self, target: RenderTarget, settings: LensSettings, tick: int) -> NDArray[np.uint16]:
        self._context.switch_to()
        near, far = Lens.near, Lens.far
        depth = 2.0 * near * far / (far + near - (2.0 * target.read_depth() - 1.0) * (far - near))
        is_seen = depth <= settings.range
        if settings.noise_depth:
            depth = np.clip(add_noise(depth, settings, tick), 0.0, settings.range)
        return np.where(is_seen, np.rint(depth * _MILLIMETRES), 0.0).astype(np.uint16)

    def _read_labels(self, target: RenderTarget, _settings: LensSettings, _tick: int) -> NDArray[np.uint16]:
        self._context.switch_to()
        return labels_of(target.read_words())

    def close(self) -> None:
        """Give everything back."""
        self._context.switch_to()
        self._renderer.delete()
        for target in self._targets.values():
            target.delete()
        self._context.close()

    def _draw(self, state: TickState, robot: str, module: str, encoding: str) -> tuple[LensSettings, RenderTarget]:
        place, camera = _camera(state.layout, robot, module)
        settings = LensSettings.of(state.record, place, camera)
        if min(settings.size) < 1:
            raise NoImage(f"/{robot}/{module} has taken no image yet")
        self._context.switch_to()  # others may be open besides
        self._set_poses(state)
        target = self._target(settings.size)
        lens = Lens(settings, _body_pose(state, robot, camera))
        if encoding == LABELS:
            self._label_rows.update()
            self._renderer.draw_labels(self._label_rows, lens, _QUALITY, target.begin)
        else:
            self._renderer.draw(self._rows, lens, _QUALITY, target.begin, grid=False)
        return settings, target

    def _set_poses(self, state: TickState) -> None:
        """Put everything where it is in a state."""
        if state.layout is not self._layout:
            self._layout = state.layout
            layout = state.layout
            self._rows = DrawList(SceneModel(layout.entities, layout.bodies, layout.joints))
            self._label_rows = LabelRows(self._rows.model)
            self._placed = None
        if self._placed is None or self._placed.record.header.revision != state.record.header.revision:
            self._rows.model.set_poses(np.asarray(state.record.poses))
            shine(self._rows.model, recorded_lights(state.layout, np.asarray(state.record.readings)))
            self._rows.update()
            self._placed = state

    def _target(self, size: tuple[int, int]) -> RenderTarget:
        """Return one of two targets of a size, by turns: one is read while the other is drawn to."""
        self._turn = 1 - self._turn
        key = size, self._turn
        if key not in self._targets:
            self._targets[key] = RenderTarget(size, _QUALITY.samples)
        return self._targets[key]


def _camera(layout: Layout, robot: str, module: str) -> tuple[RobotPlace, ModuleLayout]:
    place = layout.robot.get(robot)
    camera = place.type.module(module) if place is not None else None
    if place is None or camera is None:
        raise NoSuchName(f"/{robot}/{module} was not there at this tick").bring(f"/{robot}/{module}")
    return place, camera


def _body_pose(state: TickState, robot: str, module: ModuleLayout) -> Pose:
    name = f"{robot}.{module.body}" if module.body else robot
    x, y, z, w, i, j, k = state.record.poses[state.layout.bodies.index(name)].tolist()
    return x, y, z, w, i, j, k


# Noise of images: a function of the camera's seed and the tick alone, so that a replay has the same.
_COLORS, _DEPTHS = range(2)


def noisy_colors(colors: NDArray[np.uint8], settings: LensSettings, tick: int) -> NDArray[np.uint8]:
    """Return colours with noise, shape (height, width, 3)."""
    deviates = _deviates(settings, tick, _COLORS, colors.shape)
    noisy: NDArray[np.uint8] = np.clip(np.rint(colors + 255.0 * settings.noise * deviates), 0, 255).astype(np.uint8)
    return noisy


def add_noise(depth: NDArray[np.float32], settings: LensSettings, tick: int) -> NDArray[np.float32]:
    """Return depths with noise, shape (height, width) [m]."""
    noisy: NDArray[np.float32] = depth + settings.noise_depth * _deviates(settings, tick, _DEPTHS, depth.shape)
    return noisy


def _deviates(settings: LensSettings, tick: int, kind: int, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return normal numbers."""
    key = np.array([int(settings.seed), 2 * tick + kind], np.uint64)
    return np.random.Generator(np.random.Philox(key=key)).standard_normal(shape, np.float32)
