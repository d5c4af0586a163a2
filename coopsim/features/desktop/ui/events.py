"""Events of a pyglet window for Dear ImGui; those that belong to widgets go no further."""

import time
from collections.abc import Callable
from typing import Any, assert_never

from imgui_bundle import imgui
from pyglet.window import key, mouse

from coopsim.features.desktop.ui.input_queue import (
    ButtonTurned,
    InputEvent,
    InputQueue,
    KeyTurned,
    LetterWritten,
    MouseMoved,
    WheelTurned,
)
from coopsim.features.desktop.ui.painter import WidgetPainter
from coopsim.features.desktop.ui.units import WindowUnits

_NAMES = {
    **{getattr(key, letter): letter.lower() for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"},
    **{getattr(key, f"_{digit}"): f"_{digit}" for digit in range(10)},
    **{getattr(key, f"F{number}"): f"f{number}" for number in range(1, 13)},
    key.TAB: "tab",
    key.LEFT: "left_arrow",
    key.RIGHT: "right_arrow",
    key.UP: "up_arrow",
    key.DOWN: "down_arrow",
    key.HOME: "home",
    key.END: "end",
    key.DELETE: "delete",
    key.BACKSPACE: "backspace",
    key.SPACE: "space",
    key.RETURN: "enter",
    key.ESCAPE: "escape",
    key.PERIOD: "period",
    key.MINUS: "minus",
    key.PAGEUP: "page_up",
    key.PAGEDOWN: "page_down",
    key.INSERT: "insert",
    key.NUM_ENTER: "keypad_enter",
    key.LCTRL: "left_ctrl",
    key.RCTRL: "right_ctrl",
    key.LSHIFT: "left_shift",
    key.RSHIFT: "right_shift",
}
_KEYS = {symbol: getattr(imgui.Key, name) for symbol, name in _NAMES.items()}
_MODIFIERS = (
    (key.MOD_CTRL, imgui.Key.mod_ctrl),
    (key.MOD_SHIFT, imgui.Key.mod_shift),
    (key.MOD_ALT, imgui.Key.mod_alt),
)
_BUTTONS = {mouse.LEFT: 0, mouse.RIGHT: 1, mouse.MIDDLE: 2}
_ALT = {key.LALT, key.RALT}
_OF_THE_WINDOW = {key.F6, key.F10}
"""Keys that lead from widget to widget, also out of a field that is written in."""
_OF_THE_FOCUS = {key.SPACE, key.RETURN, key.NUM_ENTER, key.ESCAPE}
"""Keys that press the widget that has the focus, or take the focus from it."""
_NOWHERE = -3.4e38  # what Dear ImGui takes as "no mouse": -FLT_MAX


class WidgetLayer:
    """Widgets over a window; handlers are to be pushed after those of what lies below.

    Args:
        window: Of pyglet.
        units: Of the window.
        is_picture: Whether no widget but such as float lies at a place, from the lower left corner.
        is_taken: Whether a key, with its modifiers, belongs to what lies below as long as nothing is written.
        enter_menus: Gives the keys to the menus: `Alt` was pressed, and nothing with it.
    """

    def __init__(
        self,
        window: Any,
        units: WindowUnits,
        is_picture: Callable[[float, float], bool] = lambda *_: True,
        is_taken: Callable[[int, int], bool] = lambda *_: False,
        enter_menus: Callable[[], object] = lambda: None,
    ) -> None:
        self._window, self._units, self._io = window, units, imgui.get_io()
        self._is_picture, self._is_taken = is_picture, is_taken
        self._enter_menus, self._is_alt_alone = enter_menus, False
        self._queue, self._io.config_input_trickle_event_queue = InputQueue(), False  # the queue does it
        flags = imgui.BackendFlags_
        self._io.backend_flags |= flags.renderer_has_textures | flags.renderer_has_vtx_offset
        self._painter, self._last = WidgetPainter(), time.perf_counter()
        window.push_handlers(self)

    def begin(self) -> None:
        """Begin a frame."""
        self._io.display_size = imgui.ImVec2(*self._units.size)
        self._io.display_framebuffer_scale = imgui.ImVec2(*self._units.pixels)
        now = time.perf_counter()
        self._io.delta_time, self._last = max(now - self._last, 1e-5), now
        for event in self._queue.frame():
            self._feed(event)
        imgui.new_frame()

    def is_due(self, rate: float) -> bool:
        """Return whether a frame is to be begun: there was input, the window has another size, or the last one is old.

        Args:
            rate: Of frames where nothing is touched [Hz].
        """
        is_held = any(imgui.is_mouse_down(button) for button in _BUTTONS.values())
        is_resized = self._io.display_size != imgui.ImVec2(*self._units.size)
        return bool(len(self._queue)) or is_held or is_resized or time.perf_counter() - self._last >= 1.0 / rate

    def finish(self) -> None:
        """End the frame; from now on it is what `draw` draws."""
        imgui.render()
        self._painter.load(imgui.get_draw_data(), self._units.size, self._units.pixels)

    def draw(self) -> None:
        """Draw the last frame."""
        self._painter.draw(self._units.size, self._units.pixels)

    def on_mouse_motion(self, x: int, y: int, *_: object) -> None:
        """Follow the mouse."""
        factor = self._units.factor
        self._queue.add(MouseMoved(x / factor, (self._window.height - 1 - y) / factor))

    def on_mouse_drag(self, x: int, y: int, *_: object) -> bool | None:
        """Follow the mouse with a button down."""
        self.on_mouse_motion(x, y)
        return self._io.want_capture_mouse or None

    def on_mouse_press(self, x: int, y: int, button: int, modifiers: int) -> bool | None:
        """Press a button."""
        self._modify(modifiers)
        self.on_mouse_motion(x, y)
        self._is_alt_alone = False
        if button in _BUTTONS:
            self._queue.add(ButtonTurned(_BUTTONS[button], down=True))
        return self._io.want_capture_mouse or not self._is_picture(x, y) or None

    def on_mouse_release(self, x: int, y: int, button: int, _modifiers: int) -> None:
        """Release a button; what lies below hears of it, too."""
        self.on_mouse_motion(x, y)
        if button in _BUTTONS:
            self._queue.add(ButtonTurned(_BUTTONS[button], down=False))

    def on_mouse_scroll(self, _x: int, _y: int, across: float, up: float) -> bool | None:
        """Turn the wheel."""
        self._queue.add(WheelTurned(-across, up))
        return self._io.want_capture_mouse or None

    def on_mouse_leave(self, *_: object) -> None:
        """Forget the mouse that left the window, unless it drags."""
        if not any(imgui.is_mouse_down(button) for button in range(3)):
            self._queue.add(MouseMoved(_NOWHERE, _NOWHERE))

    def on_key_press(self, symbol: int, modifiers: int) -> bool | None:
        """Press a key."""
        self._modify(modifiers)
        self._is_alt_alone = symbol in _ALT
        is_pressing = self._io.nav_visible and symbol in _OF_THE_FOCUS
        is_ours = symbol not in _OF_THE_WINDOW and (self._has_keys() or is_pressing)
        if symbol in _KEYS and (is_ours or not self._is_taken(symbol, modifiers)):
            self._queue.add(KeyTurned(_KEYS[symbol], down=True))
        return is_ours or None

    def on_key_release(self, symbol: int, modifiers: int) -> None:
        """Release a key."""
        self._modify(modifiers)
        if symbol in _ALT and self._is_alt_alone:
            self._enter_menus()
        if symbol in _KEYS:
            self._queue.add(KeyTurned(_KEYS[symbol], down=False))

    def on_text(self, text: str) -> bool | None:
        """Write."""
        for letter in text:
            if letter.isprintable():
                self._queue.add(LetterWritten(letter))
        return self._has_keys() or None

    def _has_keys(self) -> bool:
        """Return whether keys belong to widgets: something is written, or a menu or a dialog is open."""
        return bool(self._io.want_text_input or imgui.is_popup_open("", imgui.PopupFlags_.any_popup))

    def _modify(self, modifiers: int) -> None:
        for bit, modifier in _MODIFIERS:
            self._queue.add(KeyTurned(modifier, down=bool(modifiers & bit)))

    def _feed(self, event: InputEvent) -> None:
        match event:
            case MouseMoved(x, y):
                self._io.add_mouse_pos_event(x, y)
            case ButtonTurned(button, down):
                self._io.add_mouse_button_event(button, down)
            case WheelTurned(across, up):
                self._io.add_mouse_wheel_event(across, up)
            case KeyTurned(symbol, down):
                self._io.add_key_event(symbol, down)
            case LetterWritten(letter):
                self._io.add_input_character(ord(letter))
            case _:
                assert_never(event)
