"""Overlays of the picture in their order: names, banners, cards, start page, hint, a layout's own, selection band."""

import numpy as np
from imgui_bundle import imgui

from coopsim.features.desktop.documents import Documents
from coopsim.features.desktop.labels import NameChoice
from coopsim.features.desktop.mouse_tool import MouseTool
from coopsim.features.desktop.pulling import Pull
from coopsim.features.desktop.screen import ScreenSettings
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.arm_form import draw_gizmo
from coopsim.features.desktop.ui.layouts import WindowLayout
from coopsim.features.desktop.ui.overlay import EDGE, Rectangle, draw_overlay
from coopsim.features.desktop.ui.run_end import RunEndCard
from coopsim.features.desktop.ui.scene_browser import StartPage
from coopsim.features.desktop.ui.style import ACCENT, shade

_MOST_NAMES = 60
"""Over the picture, so that they can be read."""
_MOUSE = "left: select, drag, rotate    right: translate    wheel: zoom    F1: all keys"
_PULLS = "left: pull a body by a force    X: drag again"
_LEAST = 200.0
"""Of lower pictures nothing is covered [units of the window]."""


class OverPicture:
    """Draws over the picture.

    Args:
        session: What is shown.
        documents: Know why a run died.
        settings: What a person chose for the window.
        mouse_tool: What the mouse does.
        start_page: For a first user.
    """

    def __init__(
        self,
        session: ViewerSession,
        documents: Documents,
        settings: ScreenSettings,
        mouse_tool: MouseTool,
        start_page: StartPage,
    ) -> None:
        self._session, self._documents, self._settings, self._mouse_tool = session, documents, settings, mouse_tool
        self._names, self._end_card = NameChoice(_MOST_NAMES), RunEndCard(session, documents)
        self.start_page = start_page

    def draw(self, view: Rectangle, scale: float, layout: WindowLayout | None) -> None:
        """Draw all of it.

        Args:
            view: Where the picture is.
            scale: Pixels for each unit of the window.
            layout: Of a package that has the mouse, None = the window itself has it.
        """
        session = self._session
        is_dead, is_opening = self._documents.death() is not None, self._documents.is_opening
        draw_overlay(session, self._names, view, scale, is_dead=is_dead, is_opening=is_opening)
        draw_gizmo(session, self._mouse_tool.gizmo, view, scale)
        if self._mouse_tool.pull is not None:
            _draw_force(session, self._mouse_tool.pull, view, scale)
        self._end_card.draw(view)
        self.start_page.draw(view)
        if self._settings.pulls:
            _draw_hint(view, _PULLS)
        elif not session.chosen and self._settings.arrangement in {"default", "wide"}:
            _draw_hint(view, _MOUSE)
        if layout is not None:
            layout.draw(view, scale)
        band = self._mouse_tool.band if layout is None else layout.mouse_tool.band
        if band is not None:
            _draw_band(band, view, scale)


def _draw_force(session: ViewerSession, pull: Pull, view: Rectangle, scale: float) -> None:
    """Write how strong a pull is beside where it ends."""
    (pixel,), (ahead,) = session.camera.project(pull.end[np.newaxis])
    if ahead > 0.0:
        left, top, _, height = view
        place = imgui.ImVec2(left + pixel[0] / scale + 12.0, top + height - pixel[1] / scale - 8.0)
        text = f"{float(np.linalg.norm(pull.force)):.0f} N"
        size, draw = imgui.calc_text_size(text), imgui.get_background_draw_list()
        corners = (
            imgui.ImVec2(place.x - 4.0, place.y - 2.0),
            imgui.ImVec2(place.x + size.x + 4.0, place.y + size.y + 2.0),
        )
        draw.add_rect_filled(*corners, shade(0.09, 0.10, 0.12, 0.85), 4)
        draw.add_text(place, shade(0.93, 0.65, 0.10), text)


def _draw_hint(view: Rectangle, text: str) -> None:
    """Say at the lower edge of the picture what the mouse does, where there is room for it."""
    left, top, width, height = view
    size = imgui.calc_text_size(text)
    if size.x + 2.0 * EDGE > width or height < _LEAST:
        return
    draw, x, y = imgui.get_background_draw_list(), left + 16.0, top + height - size.y - 12.0
    corners = imgui.ImVec2(x - 8.0, y - 4.0), imgui.ImVec2(x + size.x + 8.0, y + size.y + 4.0)
    draw.add_rect_filled(*corners, shade(0.09, 0.10, 0.12, 0.6), 4)
    draw.add_text(imgui.ImVec2(x, y), shade(0.86, 0.88, 0.92), text)


def _draw_band(band: tuple[tuple[float, float], tuple[float, float]], view: Rectangle, scale: float) -> None:
    """Draw the band around what is to be selected.

    Args:
        band: Two corners [pixels of the picture].
        view: Where the picture is.
        scale: Pixels for each unit of the window.
    """
    left, top, _, height = view
    begin, end = (imgui.ImVec2(left + x / scale, top + height - y / scale) for x, y in band)
    low = imgui.ImVec2(min(begin.x, end.x), min(begin.y, end.y))
    high = imgui.ImVec2(max(begin.x, end.x), max(begin.y, end.y))
    draw = imgui.get_background_draw_list()
    draw.add_rect_filled(low, high, shade(*ACCENT, 0.25))
    draw.add_rect(low, high, shade(*ACCENT))
