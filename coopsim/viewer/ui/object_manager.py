"""The Object Manager: boxes, cylinders and spheres, walls among them."""

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.viewer.session import ViewerSession
from coopsim.viewer.templates import SHAPES
from coopsim.viewer.ui.entity_form import EntityForm
from coopsim.viewer.ui.manager_table import draw_table
from coopsim.viewer.ui.widgets import button, plus

_NAME = "objects"


class ObjectManager:
    """Inserts, changes and removes objects at any time."""

    def __init__(self, session: ViewerSession) -> None:
        self._session, self._form = session, EntityForm(session, _NAME)

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        session = self._session
        for shape in SHAPES:
            if plus(f"{_NAME}.{shape}", shape.capitalize()):
                session.insert(shape)
            imgui.same_line()
        rows = [row for row in session.model.entities if row.kind == "object"]
        mine = {row.name for row in rows}
        if button(f"{_NAME}.delete", icons.ICON_FA_TRASH, enabled=session.selected in mine):
            session.delete()
        draw_table(session, _NAME, rows)
        row, pose = session.entity(session.selected), session.pose(session.selected)
        if row is not None and pose is not None and row.kind == "object":
            imgui.separator_text(f"{row.name}  \N{MIDDLE DOT}  {row.type}")
            self._form.draw(row, pose)
