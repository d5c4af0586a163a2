"""Keys of the window beside those of menus and widgets: driving, views, layers, the camera, panels."""

from collections.abc import Callable

from imgui_bundle import imgui
from pyglet.window import key

from coopsim.features.desktop.camera import VIEWS
from coopsim.features.desktop.layers import LAYER_KEYS
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.teleoperation import DriveKey, Teleoperation
from coopsim.features.desktop.ui.menus import Menus

_DRIVE: dict[int, DriveKey] = {key.UP: "forward", key.DOWN: "back", key.LEFT: "left", key.RIGHT: "right"}
_LAYERS = {getattr(key, letter): name for name, letter in LAYER_KEYS.items() if letter}
_WAYS = {key.UP: (0.0, 1.0), key.DOWN: (0.0, -1.0), key.LEFT: (-1.0, 0.0), key.RIGHT: (1.0, 0.0)}
_ZOOM = {key.PAGEUP: 1.0, key.PAGEDOWN: -1.0}
"""Steps of the wheel that a key stands for."""
_TURN, _SHIFT = 26.0, 60.0  # units of the window that the mouse would move: 9 degrees; a twentieth of a usual picture


class WindowKeys:
    """Keys that no widget wants.

    Args:
        session: What they work on.
        menus: Have shortcuts of their own, and hear first.
        drive: A robot that the arrow keys may drive.
        enter_next: Gives the keys to the next panel, or with -1 to the one before.
    """

    def __init__(
        self, session: ViewerSession, menus: Menus, drive: Teleoperation, enter_next: Callable[[int], None]
    ) -> None:
        self._session, self._menus, self._drive, self._enter_next = session, menus, drive, enter_next

    def is_taken(self, symbol: int, modifiers: int) -> bool:
        """Return whether a key belongs here, and not to the widget that has the focus."""
        return symbol in _WAYS and (bool(self._drive.robot) or bool(modifiers & key.MOD_CTRL))

    def release(self, symbol: int, _modifiers: int) -> None:
        """Release a key."""
        if symbol in _DRIVE:
            self._drive.press(_DRIVE[symbol], down=False)

    def press(self, symbol: int, modifiers: int) -> bool | None:
        """Press a key; return True where it stands for something here."""
        if symbol in _WAYS and modifiers & key.MOD_CTRL:
            self._move_camera(*_WAYS[symbol], is_shift=bool(modifiers & key.MOD_SHIFT))
            return True
        if symbol in _DRIVE:
            return self._drive.press(_DRIVE[symbol], down=True) or None
        return self._menus.press(symbol, modifiers) or self._view(symbol, modifiers)

    def _view(self, symbol: int, modifiers: int) -> bool | None:
        session, layers = self._session, self._session.layers
        views = dict(zip((key._1, key._2, key._3, key._4), VIEWS, strict=True))  # noqa: SLF001 - how pyglet calls digits
        match symbol:
            case key.COMMA:
                session.step(-1)
            case key.END:
                session.time_control.follow()
            case key.F:
                session.focus()
            case key.TAB if not imgui.get_io().nav_active:
                self._enter_next(1)
            case key.F6:
                self._enter_next(-1 if modifiers & key.MOD_SHIFT else 1)
            case _ if symbol in _ZOOM:
                session.camera.zoom(_ZOOM[symbol])
            case _ if symbol in _LAYERS and not modifiers & key.MOD_CTRL:
                layers.toggle(_LAYERS[symbol])
            case key.ESCAPE:
                session.select("")
            case _ if symbol in views:
                session.turn_camera_to(views[symbol])
            case _:
                return None
        return True

    def _move_camera(self, across: float, up: float, *, is_shift: bool) -> None:
        """Turn the camera as the mouse does, or move it over the floor."""
        camera = self._session.camera
        self._session.following = False
        if is_shift:
            x, y = camera.size[0] / 2.0, camera.size[1] / 2.0
            step = _SHIFT * camera.scale
            camera.translate((x, y), (x - step * across, y - step * up))
        else:
            camera.rotate(_TURN * camera.scale * across, _TURN * camera.scale * up)
