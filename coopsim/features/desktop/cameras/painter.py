"""Draws what the camera of a robot sees."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import NoImage, NoSuchName
from coopsim.features.desktop.cameras.lens import Lens, LensSettings
from coopsim.features.desktop.cameras.states import TickState
from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.lamps import shine
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.pixels import with_alpha, without_alpha
from coopsim.features.desktop.quality import SOFTWARE
from coopsim.features.desktop.rendering import PictureKind, PictureOrder, chosen_name, open_renderer
from coopsim.features.pictures.lights import recorded_lights
from coopsim.geometry import Pose
from coopsim.interfaces.camera import DEPTH, LABELS, RGB
from coopsim.state import Layout, ModuleLayout, RobotPlace

_KINDS: dict[str, PictureKind] = {DEPTH: "depth", LABELS: "labels", RGB: "colors"}
_MILLIMETRES = 1000.0  # depth cameras tell whole ones in 16 bits


class ImagePainter:
    """Draws images in memory; no display is needed.

    Args:
        tell: Takes what could not be drawn as it should.
        renderer: Name of what draws, "" = the one that the environment names, or the built-in one.

    Raises:
        BadArgument: There is no renderer of this name.
        CannotDraw: It cannot be used here.
    """

    def __init__(self, tell: Callable[[str], object] = print, renderer: str = "") -> None:
        self._renderer, self._tell = open_renderer(renderer, tell), tell
        self._name = renderer or chosen_name()
        self._layout: Layout | None = None
        self._rows = DrawList(SceneModel(()))
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
            PluginFailed: The renderer raised something, see `begin_checked`.
        """
        place, camera = _camera(state.layout, robot, module)
        settings = LensSettings.of(state.record, place, camera)
        if min(settings.size) < 1:
            raise NoImage(f"/{robot}/{module} has taken no image yet")
        self._set_poses(state)
        order = PictureOrder(_KINDS[encoding], SOFTWARE)
        pixels = self._renderer.begin_checked(self._rows, Lens(settings, _body_pose(state, robot, camera)), order)
        return lambda: _FINISHES[encoding](pixels(), settings, state.record.tick)

    def exchange(self, name: str) -> None:
        """Draw with another renderer from now on; where it cannot be used, what draws goes on.

        Raises:
            BadArgument: There is no renderer of this name.
            CannotDraw: It cannot be used here.
        """
        if name == self._name:
            return
        opened = open_renderer(name, self._tell)
        self._renderer.close()
        self._renderer, self._name = opened, name

    def close(self) -> None:
        """Give everything back."""
        self._renderer.close()

    def _set_poses(self, state: TickState) -> None:
        """Put everything where it is in a state."""
        if state.layout is not self._layout:
            self._layout = state.layout
            layout = state.layout
            self._rows = DrawList(SceneModel(layout.entities, layout.bodies, layout.joints))
            self._placed = None
        if self._placed is None or self._placed.record.header.revision != state.record.header.revision:
            self._rows.model.set_poses(np.asarray(state.record.poses))
            shine(self._rows.model, recorded_lights(state.layout, np.asarray(state.record.readings)))
            self._rows.update()
            self._placed = state


def _colors(words: NDArray[np.uint32], settings: LensSettings, tick: int) -> NDArray[np.uint32]:
    return with_alpha(noisy_colors(without_alpha(words), settings, tick)) if settings.noise else words


def _millimetres(depth: NDArray[np.float32], settings: LensSettings, tick: int) -> NDArray[np.uint16]:
    """Return depths with noise, 0 = nothing within range [mm]."""
    is_seen = depth <= settings.range
    if settings.noise_depth:
        depth = np.clip(add_noise(depth, settings, tick), 0.0, settings.range)
    return np.where(is_seen, np.rint(depth * _MILLIMETRES), 0.0).astype(np.uint16)


def _unchanged(labels: NDArray[np.uint16], _settings: LensSettings, _tick: int) -> NDArray[np.uint16]:
    return labels


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


_FINISHES: dict[str, Callable[[NDArray[Any], LensSettings, int], NDArray[Any]]] = {
    DEPTH: _millimetres,
    LABELS: _unchanged,
    RGB: _colors,
}

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
