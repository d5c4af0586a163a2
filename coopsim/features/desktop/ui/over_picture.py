"""Overlays of the picture: names, banners, cards, the page for a first user, and a layout's own."""

from coopsim.features.desktop.documents import Documents
from coopsim.features.desktop.labels import NameChoice
from coopsim.features.desktop.mouse_tool import MouseTool
from coopsim.features.desktop.screen import ScreenSettings
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.layouts import WindowLayout
from coopsim.features.desktop.ui.overlay import Rectangle, draw_band, draw_hint, draw_overlay
from coopsim.features.desktop.ui.run_end import RunEndCard
from coopsim.features.desktop.ui.scene_browser import StartPage

_MOST_NAMES = 60
"""Over the picture, so that they can be read."""


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
        is_dead = self._documents.death() is not None
        draw_overlay(session, self._names, view, scale, is_dead=is_dead)
        self._end_card.draw(view)
        self.start_page.draw(view)
        if not session.chosen and self._settings.arrangement in {"default", "wide"}:
            draw_hint(view)
        if layout is not None:
            layout.draw(view, scale)
        band = self._mouse_tool.band if layout is None else layout.mouse_tool.band
        if band is not None:
            draw_band(band, view, scale)
