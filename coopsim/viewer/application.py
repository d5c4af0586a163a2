"""The window: the picture of a run, widgets around it, and the loop that draws both."""

import time
from collections import deque
from typing import Any

import numpy as np
import pyglet
from imgui_bundle import imgui
from numpy.typing import NDArray
from PIL import Image
from pyglet import gl
from pyglet.window import key, mouse

from coopsim.viewer.camera import VIEWS
from coopsim.viewer.gl.context import open_window, renderer_name
from coopsim.viewer.gl.target import RenderTarget
from coopsim.viewer.hand import Hand
from coopsim.viewer.link import ViewerLink
from coopsim.viewer.quality import Quality, is_software, suggested
from coopsim.viewer.renderer import Renderer
from coopsim.viewer.ribbons import RIBBON
from coopsim.viewer.session import ViewerSession
from coopsim.viewer.ui.bars import Bars
from coopsim.viewer.ui.events import WidgetLayer
from coopsim.viewer.ui.overlay import Rectangle, draw_overlay
from coopsim.viewer.ui.panels import Inspector, ScenePanel
from coopsim.viewer.ui.style import dress

_LEFT, _RIGHT, _TOOLS, _STATUS, _TIMELINE = 230, 280, 44, 30, 66
_FIXED = (
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_collapse
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_bring_to_front_on_focus
)


class Application:
    """A window that shows a run.

    Args:
        link: To the run.
        size: Width and height of the window.

    Raises:
        CannotDraw: There is no OpenGL, or no display.
    """

    def __init__(self, link: ViewerLink, size: tuple[int, int] = (1280, 800)) -> None:
        self.window = open_window(size, caption="coopsim", resizable=True)
        self.session = ViewerSession(link)
        self.hand = Hand(self.session)
        imgui.create_context()
        fonts = dress()
        self._renderer, self._name = Renderer(self.session.note), renderer_name()
        self._target: RenderTarget | None = None
        self._bars = Bars(self.session, fonts, self.window.close, self.save)
        self._scene, self._inspector = ScenePanel(self.session), Inspector(self.session, fonts)
        self._times: deque[float] = deque(maxlen=60)
        self._cost = 0.0
        self.window.push_handlers(
            on_mouse_press=self._press,
            on_mouse_drag=self._drag,
            on_mouse_release=self._release,
            on_mouse_scroll=self._scroll,
            on_key_press=self._key,
        )
        self._layer = WidgetLayer(self.window)

    @property
    def view(self) -> Rectangle:
        """Where the picture is: left, top, width, height, in units of the window."""
        width, height = self.window.get_size()
        top = imgui.get_frame_height() + _TOOLS
        below = _STATUS + (_TIMELINE if self.session.link.facts.playback else 0)
        return _LEFT, top, max(32.0, width - _LEFT - _RIGHT), max(32.0, height - top - below)

    def run(self) -> None:
        """Draw until the window is closed."""
        while not self.window.has_exit and self.window.context is not None:
            began = time.perf_counter()
            pyglet.clock.tick()
            self.window.switch_to()
            self.window.dispatch_events()
            if self.window.has_exit or self.window.context is None:
                return
            self.draw()
            self.window.flip()
            time.sleep(max(0.0, 1.0 / self._bars.rate - (time.perf_counter() - began)))

    def draw(self) -> None:
        """Draw one frame."""
        began = time.perf_counter()
        self._times.append(began)
        self.session.camera.size = self._pixels()
        self.session.update()
        self._draw_widgets()
        self._draw_picture()
        self._layer.draw()
        self._cost = 1000.0 * (time.perf_counter() - began)

    def picture(self) -> NDArray[np.uint8]:
        """Return what the picture shows now, without widgets, shape (height, width, 3)."""
        self.window.switch_to()
        self._draw_picture()
        assert self._target is not None  # noqa: S101 - drawn to just now
        return self._target.read()

    def save(self) -> None:
        """Save the picture into a file in the current folder."""
        name = self.session.screenshot_name()
        try:
            Image.fromarray(self.picture()).save(name)
        except OSError as problem:
            self.session.note(f"{name} cannot be written: {problem.strerror}")
        else:
            self.session.note(f"saved: {name}")

    def close(self) -> None:
        """Give everything back; the run goes on."""
        self.session.link.close()
        if self.window.context is not None:
            self.window.switch_to()
            self._renderer.delete()
            self.window.close()

    # the frame

    def _draw_widgets(self) -> None:
        self._layer.begin()
        try:
            self._bars.menus()
            width, height = self.window.get_size()
            left, top, wide, high = self.view
            with_time = self.session.link.facts.playback
            bar = imgui.get_frame_height()
            self._panel("tools", (0, bar, width, _TOOLS), self._bars.tools)
            self._panel("scene", (0, top, _LEFT, height - top - _STATUS), self._scene.draw)
            self._panel("inspector", (width - _RIGHT, top, _RIGHT, height - top - _STATUS), self._inspector.draw)
            if with_time is not None:
                self._panel("time", (left, top + high, wide, _TIMELINE), lambda: self._bars.timeline(with_time))
            self._panel("status", (0, height - _STATUS, width, _STATUS), self._draw_status)
            draw_overlay(self.session, self.view, self._layer.scale[1])
        except BaseException:
            imgui.end_frame()
            raise

    @staticmethod
    def _panel(name: str, place: Rectangle, draw: Any) -> None:
        left, top, width, height = place
        imgui.set_next_window_pos(imgui.ImVec2(left, top))
        imgui.set_next_window_size(imgui.ImVec2(width, height))
        imgui.begin(name, None, _FIXED)
        draw()
        imgui.end()

    def _draw_status(self) -> None:
        times = self._times
        rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 2 else 0.0
        self._bars.status(rate, self._cost, "software GL" if is_software(self._name) else "hardware GL")

    def _draw_picture(self) -> None:
        left, top, _, high = self.view
        across, up = self._layer.scale
        size = self._pixels()
        quality = self._quality()
        if self._target is None or self._target.size != size or self._target.samples != quality.samples:
            if self._target is not None:
                self._target.delete()
            self._target = RenderTarget(size, quality.samples)
        session, layers = self.session, self.session.layers
        held, ghost = self.hand.held, self.hand.ghost
        if held and ghost is not None:
            session.show_at(held, ghost)
        ribbons = session.ribbons() if layers.trails else np.zeros(0, RIBBON)
        begin = self._target.begin
        self._renderer.draw(session.rows, session.camera, quality, begin, ribbons, grid=layers.grid)
        height = self.window.get_framebuffer_size()[1]
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glClearColor(0.085, 0.09, 0.105, 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        self._target.show(round(left * across), height - round((top + high) * up))

    def _quality(self) -> Quality:
        found = suggested(self._name, len(self.session.model.entity))
        return found if self.session.layers.shadows else Quality("off", found.samples, found.detail)

    def _pixels(self) -> tuple[int, int]:
        """Return width and height of the picture [pixels]."""
        _, _, width, height = self.view
        across, up = self._layer.scale
        return round(width * across), round(height * up)

    # events

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return a place of the window as a pixel of the picture."""
        left, top, _, high = self.view
        across, up = self._layer.scale
        return (x - left) * across, (y - (self.window.height - top - high)) * up

    def _press(self, x: int, y: int, button: int, _modifiers: int) -> None:
        if button in {mouse.LEFT, mouse.RIGHT}:
            self.hand.press(*self._pixel(x, y), "left" if button == mouse.LEFT else "right")

    def _drag(self, x: int, y: int, _dx: int, _dy: int, _buttons: int, modifiers: int) -> None:
        shift, ctrl = bool(modifiers & key.MOD_SHIFT), bool(modifiers & key.MOD_CTRL)
        self.hand.drag(*self._pixel(x, y), shift=shift, ctrl=ctrl)

    def _release(self, x: int, y: int, _button: int, _modifiers: int) -> None:
        self.hand.release(*self._pixel(x, y))

    def _scroll(self, x: int, y: int, _across: float, up: float) -> None:
        self.hand.scroll(*self._pixel(x, y), up)

    def _key(self, symbol: int, modifiers: int) -> bool | None:
        session, layers = self.session, self.session.layers
        views = dict(zip((key._1, key._2, key._3, key._4), VIEWS, strict=True))  # noqa: SLF001 - how pyglet calls digits
        match symbol:
            case key.Z if modifiers & key.MOD_CTRL:
                session.moves.undo()
            case key.Y if modifiers & key.MOD_CTRL:
                session.moves.redo()
            case key.Q if modifiers & key.MOD_CTRL:
                self.window.close()
            case key.SPACE:
                session.toggle_play()
            case key.PERIOD:
                session.step()
            case key.COMMA if session.link.facts.playback is not None:
                session.step(-1)
            case key.F:
                session.focus()
            case key.P:
                self.save()
            case key.L:
                layers.labels = not layers.labels
            case key.T:
                layers.trails = not layers.trails
            case key.G:
                layers.grid = not layers.grid
            case key.ESCAPE:
                session.select("")
            case _ if symbol in views:
                session.look_from(views[symbol])
            case _:
                return None
        return True
