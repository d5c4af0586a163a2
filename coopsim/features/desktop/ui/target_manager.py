"""The Target Manager: coloured landmarks."""

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.templates import TARGET_COLORS
from coopsim.features.desktop.ui.entity_form import EntityForm
from coopsim.features.desktop.ui.manager_table import draw_table, explain_obstacle
from coopsim.features.desktop.ui.widgets import button, choice, plus

_NAME = "targets"


class TargetManager:
    """Inserts, moves and removes targets at any time."""

    def __init__(self, session: ViewerSession) -> None:
        self._session, self._form = session, EntityForm(session, _NAME)
        self._color = TARGET_COLORS[0]

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        session = self._session
        explain_obstacle(session)
        imgui.set_next_item_width(110.0)
        self._color = choice(f"{_NAME}.color", "", self._color, TARGET_COLORS)
        imgui.same_line()
        if plus(f"{_NAME}.insert", "Target", enabled=not session.obstacle):
            session.insert(f"target {self._color}")
        imgui.same_line()
        rows = session.model.of_kind["target"]
        chosen = session.entity(session.selected)
        is_mine = chosen is not None and chosen.kind == "target"
        if button(f"{_NAME}.delete", icons.ICON_FA_TRASH, enabled=is_mine and not session.obstacle):
            session.delete()
        draw_table(session, _NAME, rows)
        row, pose = session.entity(session.selected), session.pose(session.selected)
        if row is not None and pose is not None and row.kind == "target":
            imgui.separator_text(row.name)
            self._form.draw(row, pose)
