"""The corners and the height of a polygon in the Object Manager."""

from imgui_bundle import imgui

from coopsim.features.desktop.placing import outline_of, rounded
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.widgets import remember
from coopsim.state import EntityRow

_NAME = "objects.polygon"
_LEAST, _MOST = 0.01, 1e6  # m; a lower one cannot be seen from the side; engines hold 1e6 m
_HELP = "x and y of each corner in order [m], from the middle of the polygon.\nThe last one is joined with the first."


class PolygonFields:
    """Fields of a polygon.

    Args:
        session: What is shown.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._drafts: dict[str, str] = {}
        self._height: float | None = None

    def draw(self, row: EntityRow) -> None:
        """Draw them into the window that is begun."""
        imgui.begin_disabled(row.name in self._session.locked or bool(self._session.obstacle))
        imgui.push_item_width(-96.0)
        self._draw_height(row)
        self._draw_points(row)
        # a long line of numbers is hard to count
        corners = len(outline_of(row).split()) // 2
        imgui.text_disabled(f"{corners} corners")
        imgui.pop_item_width()
        imgui.end_disabled()

    def _draw_height(self, row: EntityRow) -> None:
        now = row.size[2] if self._height is None else self._height
        changed, height = imgui.drag_float("Height [m]", now, 0.01, _LEAST, _MOST, "%.3f")
        remember(f"{_NAME}.height")
        if changed or imgui.is_item_active():
            self._height = height
        if imgui.is_item_deactivated_after_edit():
            self._session.editor.update(row.name, {"height": rounded(height)})
        if not imgui.is_item_active():
            self._height = None

    def _draw_points(self, row: EntityRow) -> None:
        """Draw the corners as the file has them: a line of numbers is copied, and corrected, at once."""
        changed, text = imgui.input_text("Corners", self._drafts.get(row.name, outline_of(row)))
        remember(f"{_NAME}.points")
        if changed or imgui.is_item_active():
            self._drafts[row.name] = text
        if imgui.is_item_deactivated_after_edit():
            self._session.editor.update(row.name, {"points": self._drafts.pop(row.name, text).replace(",", " ")})
        elif not imgui.is_item_active():
            self._drafts.pop(row.name, None)
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_normal):
            imgui.set_tooltip(_HELP)
