"""The window: the picture of a run, widgets around it, and the loop that draws both."""

import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyglet
from imgui_bundle import imgui, implot
from numpy.typing import NDArray
from PIL import Image
from pyglet import gl
from pyglet.window import key, mouse

from coopsim.features.desktop.documents import Documents, Opener
from coopsim.features.desktop.filming import Filming
from coopsim.features.desktop.gl.buffers import pointer
from coopsim.features.desktop.gl.context import open_window, renderer_name
from coopsim.features.desktop.keeping_time import FramePacer
from coopsim.features.desktop.link import ViewerLink
from coopsim.features.desktop.mesh_source import MeshesOf
from coopsim.features.desktop.mouse_tool import MouseTool
from coopsim.features.desktop.pixels import free_name
from coopsim.features.desktop.quality import Quality, chosen, is_software
from coopsim.features.desktop.recent import RecentFiles, UserFolders
from coopsim.features.desktop.renderer_choice import RendererChoice
from coopsim.features.desktop.rendering import chosen_name
from coopsim.features.desktop.ribbons import joined, widened
from coopsim.features.desktop.scene_picture import ScenePicture
from coopsim.features.desktop.scenes.pictures import ScenePictures
from coopsim.features.desktop.screen import ARRANGEMENTS, ScreenSettings
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.teleoperation import Teleoperation
from coopsim.features.desktop.ui.bars import Bars
from coopsim.features.desktop.ui.docking import DockArea
from coopsim.features.desktop.ui.events import WidgetLayer
from coopsim.features.desktop.ui.file_dialog import draw_mistakes
from coopsim.features.desktop.ui.layouts import WindowLayout, layouts
from coopsim.features.desktop.ui.menus import Menus, WindowActions
from coopsim.features.desktop.ui.over_picture import OverPicture
from coopsim.features.desktop.ui.overlay import Rectangle
from coopsim.features.desktop.ui.panel_list import WindowContext, panels
from coopsim.features.desktop.ui.scene_browser import SceneBrowser, StartPage
from coopsim.features.desktop.ui.style import background, dress, paint
from coopsim.features.desktop.ui.units import WindowUnits, scaled
from coopsim.features.desktop.ui.view_menu import ViewMenu
from coopsim.features.desktop.window_keys import WindowKeys
from coopsim.geometry import Floats

_TOOLS, _STATUS = 44, 30
_WIDGET_RATE = 20.0
"""Of what widgets show where nobody touches them [Hz]; the picture is drawn more often."""
_BAR = (
    imgui.WindowFlags_.no_title_bar
    | imgui.WindowFlags_.no_resize
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_scrollbar
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.no_docking
)


class Application:
    """A window that shows a run.

    Args:
        link: To the run.
        size: Width and height of the window, in its units.
        opener: Starts another file in the place of what is shown; None = this window did not start it.
        folders: Where the windows of a person keep what they know.
        scale: Pixels for each unit of the window, 0 = as the display says.

    Raises:
        CannotDraw: There is no OpenGL, or no display.
    """

    def __init__(
        self,
        link: ViewerLink,
        size: tuple[int, int] = (1280, 800),
        opener: Opener | None = None,
        folders: UserFolders | None = None,
        scale: float = 0.0,
    ) -> None:
        self.window = open_window(scaled(size, scale), caption="coopsim", resizable=True, file_drops=True)
        self.units = WindowUnits(self.window, scale)
        self.session = ViewerSession(link)
        self._drive = Teleoperation(self.session)
        self.mouse_tool = MouseTool(self.session, self._drive.arm)
        imgui.set_current_context(imgui.create_context())
        implot.set_current_context(implot.create_context())
        fonts = dress()
        self._docks = DockArea()
        meshes = MeshesOf(lambda: self.session.link.meshes)
        self._picture = ScenePicture(self.session.note, meshes, self.window.switch_to)
        self._name = renderer_name()
        folders = folders or UserFolders()
        self.documents = Documents(self.session, opener, RecentFiles(folders.recent), folders.unsaved)
        self._film, self.pictures = Filming(self.session.note), ScenePictures(folders.pictures)
        context = WindowContext(self.session, fonts, self._drive, self.documents)
        self.layouts, self._begun_layouts = layouts(context), set[str]()
        self._panels = (*panels(context), *(panel for layout in self.layouts.values() for panel in layout.panels))
        apart = frozenset(panel.title for panel in self._panels if panel.place == "apart")
        self.settings, self._painted = ScreenSettings(apart=apart, renderer=chosen_name(), scale=scale), ""
        self._renderer_choice = RendererChoice(self.settings, self.session.note)
        browser = SceneBrowser(self.documents, self.pictures)
        self.menus = self._make_menus(browser)
        page = StartPage(self.session, self.documents, browser, self.pictures)
        self._over = OverPicture(self.session, self.documents, self.settings, self.mouse_tool, page)
        self._bars, self._fonts = Bars(self.session, fonts, self.documents, self.settings), fonts
        self._times: deque[float] = deque(maxlen=60)
        self._cost, self._title = 0.0, ""
        self._keys = WindowKeys(self.session, self.menus, self._drive, self._enter_next)
        self._listen()
        self._layer = WidgetLayer(self.window, self.units, self._is_picture, self._keys.is_taken, self.menus.enter)

    def _listen(self) -> None:
        """Hear of mouse and keys; widgets, which listen later, hear first."""
        self.window.push_handlers(
            on_mouse_press=self._press,
            on_mouse_drag=self._drag,
            on_mouse_release=self._release,
            on_mouse_scroll=self._scroll,
            on_key_press=self._keys.press,
            on_key_release=self._keys.release,
            on_deactivate=self._drive.let_go,
            on_close=self.menus.quit,
            on_file_drop=self._drop,
        )

    def _make_menus(self, browser: SceneBrowser) -> Menus:
        view = ViewMenu(self.session, self.settings, [panel.title for panel in self._panels], list(self.layouts))
        actions = WindowActions(self.window.close, self.save, self.film, lambda: self._film.is_on, view.draw)
        return Menus(self.session, self.documents, self.settings, actions, browser)

    def _enter_next(self, step: int) -> None:
        self._docks.enter_next(self._panels, self.settings, step)

    @property
    def view(self) -> Rectangle:
        """Rectangle of the picture: left, top, width, height, in units of the window."""
        return self._docks.view

    def run(self, is_over: Callable[[], bool] = lambda: False) -> None:
        """Draw until the window is closed.

        Args:
            is_over: Whether it is to be closed.
        """
        pacer = FramePacer()
        while not self.window.has_exit and self.window.context is not None and not is_over():
            pyglet.clock.tick()
            self.window.switch_to()
            self.window.dispatch_events()
            if self.window.has_exit or self.window.context is None:
                return
            self.draw(widgets=self.session.following or self._layer.is_due(_WIDGET_RATE))
            self.window.flip()
            pacer.wait(self.settings.rate)

    def draw(self, *, widgets: bool = True) -> None:
        """Draw one frame.

        Args:
            widgets: Whether they are asked what they show now; else they look as in the last frame.
        """
        self._times.append(began := time.perf_counter())
        if widgets:
            self._entitle()
            self._draw_widgets()
        else:
            self._advance()
            self._draw_picture()
        self._show_picture()
        if self._film.is_due() and (picture := self._picture.read()) is not None:
            self._film.add(picture)
        self._layer.draw()
        self._cost = 1000.0 * (time.perf_counter() - began)

    def _entitle(self) -> None:
        """Say in the title of the window what is shown."""
        facts = self.session.link.facts
        mark = "\N{BULLET} " * self.documents.has_unsaved
        said = [word for word in (f"{mark}{facts.caption or facts.scenario}", "coopsim") if word]
        if self._title != (title := " - ".join(said)):
            self._title = title
            self.window.set_caption(title)

    def picture(self) -> NDArray[np.uint8]:
        """Return what the picture shows now, without widgets, shape (height, width, 3)."""
        self.window.switch_to()
        self._draw_picture()
        picture = self._picture.read()
        assert picture is not None  # noqa: S101 - drawn just now
        return picture

    def screenshot(self) -> NDArray[np.uint8]:
        """Return the whole window as it was drawn last, shape (height, width, 3)."""
        self.window.switch_to()
        width, height = self.window.get_framebuffer_size()
        pixels = np.empty((height, width, 3), np.uint8)
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glPixelStorei(gl.GL_PACK_ALIGNMENT, 1)
        gl.glReadPixels(0, 0, width, height, gl.GL_RGB, gl.GL_UNSIGNED_BYTE, pointer(pixels))
        return pixels[::-1]

    def save(self) -> None:
        """Save the picture into a file in the current folder."""
        name = free_name(self.session.link.facts.scenario or "coopsim")
        try:
            Image.fromarray(self.picture()).save(name)
        except OSError as problem:
            self.session.note(f"{name} cannot be written: {problem.strerror}")
        else:
            self.session.note(f"saved: {name}")

    def film(self, path: Path | None) -> None:
        """Begin a film of the picture in a file; None = end it."""
        if path is None:
            self._film.stop()
        else:
            self._film.start(path, self._pixels())

    def close(self) -> None:
        """Give everything back; the run goes on."""
        self.documents.close()
        self._film.stop()
        self._drive.release()
        for layout in self.layouts.values():
            layout.close()
        self.session.link.close()
        if self.window.context is not None:
            self.window.switch_to()
            self.pictures.close()
            self._picture.delete()
            self.window.close()

    # the frame

    def _draw_widgets(self) -> None:
        self.units.scale = self.settings.scale
        self._layer.begin()
        try:
            self._paint()
            self.menus.draw()
            draw_mistakes(self.documents, self._fonts)
            self._bar("tools", imgui.Dir.up, _TOOLS, self._bars.tools)
            self._bar("status", imgui.Dir.down, _STATUS, self._draw_status)
            self._docks.begin(self._panels, self.settings)
            self._advance()
            self.session.pointer = self._pointed()
            self._draw_picture()  # a driver works on it while panels are made
            self._docks.draw(self._panels, self.settings)
            self._over.draw(self.view, self.units.pixels[1], self._layout)
        except BaseException:
            imgui.end_frame()
            raise
        self._layer.finish()

    def _advance(self) -> None:
        """Take in what came from the run and from the mouse."""
        self.session.camera.size, self.session.camera.scale = self._pixels(), self.units.pixels[1]
        self.session.update()
        self._drive.advance()
        self.mouse_tool.advance()
        self.documents.advance()
        for name, layout in self.layouts.items():
            if layout.update():
                self.settings.arrange(name)
                self._begun_layouts.add(name)
        self._leave_layouts()

    def _leave_layouts(self) -> None:
        """Go back to the usual panels where what a layout was begun for is shown no more."""
        over = {name for name in self._begun_layouts if self.session.is_connected and not self.layouts[name].is_live}
        self._begun_layouts -= over
        if self.settings.arrangement in over:
            self.settings.arrange(ARRANGEMENTS[0])

    @property
    def _layout(self) -> WindowLayout | None:
        """The layout of a package that has the mouse, None = the window itself has it."""
        layout = self.layouts.get(self.settings.arrangement)
        return layout if layout is not None and layout.is_live else None

    def _paint(self) -> None:
        if self._painted != self.settings.theme:
            self._painted = self.settings.theme
            paint(self.settings.theme)

    @staticmethod
    def _bar(name: str, side: imgui.Dir, height: float, draw: Callable[[], None]) -> None:
        viewport = imgui.get_main_viewport()
        imgui.set_next_window_bg_alpha(0.0)
        if imgui.internal.begin_viewport_side_bar(f"##{name}", viewport, side, height, _BAR):
            draw()
        imgui.end()

    def _draw_status(self) -> None:
        times = self._times
        rate = (len(times) - 1) / (times[-1] - times[0]) if len(times) > 2 else 0.0
        self._bars.status(rate, self._cost, "software GL" if is_software(self._name) else "hardware GL")

    def _draw_picture(self) -> None:
        up = self.units.pixels[1]
        session, layers = self.session, self.session.layers
        for name, preview in self.mouse_tool.previews.items():
            session.show_at(name, preview)
        ribbons = session.ribbons()
        if self.mouse_tool.pull is not None:
            ribbons = joined((ribbons, self.mouse_tool.pull.ribbons()))
        self._renderer_choice.follow(session.link.facts.renderers)
        self.settings.renderer = self._picture.exchange(self.settings.renderer)
        self._picture.draw(session.rows, session.camera, self._quality(), widened(ribbons, up), grid=layers.grid)

    def _show_picture(self) -> None:
        """Clear the window, and copy the picture into it."""
        left, top, _, high = self.view
        across, up = self.units.pixels
        height = self.window.get_framebuffer_size()[1]
        gl.glBindFramebuffer(gl.GL_FRAMEBUFFER, 0)
        gl.glDisable(gl.GL_SCISSOR_TEST)
        gl.glClearColor(*background(self.settings.theme), 1.0)
        gl.glClear(gl.GL_COLOR_BUFFER_BIT)
        self._picture.show(round(left * across), height - round((top + high) * up))

    def _quality(self) -> Quality:
        quality = chosen(self.settings.quality, self._name, len(self.session.model.entity))
        return quality if self.session.layers.shadows else Quality("off", quality.samples, quality.detail)

    def _pixels(self) -> tuple[int, int]:
        """Return width and height of the picture [pixels]."""
        _, _, width, height = self.view
        across, up = self.units.pixels
        return round(width * across), round(height * up)

    # events

    def _pixel(self, x: float, y: float) -> tuple[float, float]:
        """Return a place of the window as a pixel of the picture."""
        return self.units.in_picture(self.view, x, y)

    def _is_picture(self, x: float, y: float) -> bool:
        """Return whether a place of the window is in the picture."""
        (across, up), (width, height) = self._pixel(x, y), self._pixels()
        return 0.0 <= across < width and 0.0 <= up < height

    def _press(self, x: int, y: int, button: int, modifiers: int) -> None:
        if button in {mouse.LEFT, mouse.RIGHT}:
            alt = bool(modifiers & key.MOD_ALT) or self.settings.pulls
            if (layout := self._layout) is not None:
                layout.mouse_tool.press(*self._pixel(x, y), "left" if button == mouse.LEFT else "right")
                if button == mouse.LEFT:
                    return
            self.mouse_tool.press(*self._pixel(x, y), "left" if button == mouse.LEFT else "right", alt=alt)

    def _drag(self, x: int, y: int, _dx: int, _dy: int, buttons: int, modifiers: int) -> None:
        if (layout := self._layout) is not None:
            layout.mouse_tool.drag(*self._pixel(x, y))
            if buttons & mouse.LEFT:
                return
        shift, ctrl = bool(modifiers & key.MOD_SHIFT), bool(modifiers & key.MOD_CTRL)
        self.mouse_tool.drag(*self._pixel(x, y), shift=shift, ctrl=ctrl)

    def _release(self, x: int, y: int, button: int, modifiers: int) -> None:
        add = bool(modifiers & key.MOD_CTRL)
        if (layout := self._layout) is not None:
            layout.mouse_tool.release(*self._pixel(x, y), add=add)
            if button == mouse.LEFT:
                return
        self.mouse_tool.release(*self._pixel(x, y), add=add)

    def _scroll(self, x: int, y: int, _across: float, up: float) -> None:
        self.mouse_tool.scroll(*self._pixel(x, y), up)

    def _pointed(self) -> Floats | None:
        """Return the place on the floor that the mouse points to, None where it is not over the picture."""
        mouse, (left, top, width, high) = imgui.get_mouse_pos(), self.view
        if not (left <= mouse.x < left + width and top <= mouse.y < top + high):
            return None
        return self.session.camera.on_plane(*self._pixel(*self.units.in_window(mouse.x, mouse.y)))

    def _drop(self, _x: int, _y: int, paths: list[str]) -> None:
        """Open a file that was dropped on the window."""
        for path in paths[:1]:
            self.documents.open(path)
