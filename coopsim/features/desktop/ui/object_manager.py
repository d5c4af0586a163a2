"""The Object Manager: shapes, what is composed of them, and polygons; and the Target Manager."""

from pathlib import Path

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.beginnings.templates import COMPOSED, POLYGON, SHAPES, TARGET_COLORS
from coopsim.features.desktop.placing import texture_of
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.entity_form import EntityForm
from coopsim.features.desktop.ui.file_dialog import FileDialog
from coopsim.features.desktop.ui.manager_table import draw_table, explain_obstacle
from coopsim.features.desktop.ui.part_fields import PartFields
from coopsim.features.desktop.ui.polygon_fields import PolygonFields
from coopsim.features.desktop.ui.widgets import button, choice, plus
from coopsim.scene.edit import NO_TEXTURE
from coopsim.scene.textures import PATTERNS, is_pattern
from coopsim.state import EntityRow

_NAME = "objects"
_IN_A_ROW = 3
"""Buttons that a panel of the usual width has room for."""
_FILE = "File..."
_PICTURES = (".png", ".jpg", ".jpeg", ".bmp", ".gif")


class ObjectManager:
    """Inserts, changes and removes objects at any time."""

    def __init__(self, session: ViewerSession) -> None:
        self._session, self._form = session, EntityForm(session, _NAME)
        self._files, self.parts, self._outline = FileDialog(Path.cwd()), PartFields(session), PolygonFields(session)

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        session = self._session
        explain_obstacle(session)
        for number, kind in enumerate((*SHAPES, POLYGON, *COMPOSED), 1):
            if plus(f"{_NAME}.{kind}", kind.capitalize(), enabled=not session.obstacle):
                session.insert(kind)
            if number % _IN_A_ROW:
                imgui.same_line()
        rows = session.model.of_kind["object"]
        chosen = session.entity(session.selected)
        is_mine = chosen is not None and chosen.kind == "object"
        if button(f"{_NAME}.delete", icons.ICON_FA_TRASH, enabled=is_mine and not session.obstacle):
            session.delete()
        draw_table(session, _NAME, rows)
        row, pose = session.entity(session.selected), session.pose(session.selected)
        if row is not None and pose is not None and row.kind == "object":
            imgui.separator_text(f"{row.name}  \N{MIDDLE DOT}  {row.type}")
            self._form.draw(row, pose)
            self._texture(row)
            if row.type == POLYGON:
                self._outline.draw(row)
            elif not row.is_wall:
                self.parts.draw(row)
        self._files.draw()

    def _texture(self, row: EntityRow) -> None:
        """Draw the choice of what is on an object: a pattern, a picture out of a file, or its colour alone."""
        now = texture_of(row)
        shown = now if is_pattern(now) or not now else Path(now).name
        imgui.begin_disabled(row.name in self._session.locked or bool(self._session.obstacle))
        imgui.set_next_item_width(-96.0)
        choice_made = choice(f"{_NAME}.texture", "Texture", shown or NO_TEXTURE, (NO_TEXTURE, *PATTERNS, _FILE))
        imgui.end_disabled()
        if choice_made == _FILE:
            self._files.ask("Texture", _PICTURES, lambda path: self._put(row.name, str(path.resolve())))
        elif choice_made != (shown or NO_TEXTURE):
            self._put(row.name, choice_made)

    def _put(self, name: str, texture: str) -> None:
        self._session.editor.update(name, {"texture": texture})


_TARGETS = "targets"


class TargetManager:
    """Inserts, moves and removes targets at any time."""

    def __init__(self, session: ViewerSession) -> None:
        self._session, self._form = session, EntityForm(session, _TARGETS)
        self._color = TARGET_COLORS[0]

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        session = self._session
        explain_obstacle(session)
        imgui.set_next_item_width(110.0)
        self._color = choice(f"{_TARGETS}.color", "", self._color, TARGET_COLORS)
        imgui.same_line()
        if plus(f"{_TARGETS}.insert", "Target", enabled=not session.obstacle):
            session.insert(f"target {self._color}")
        imgui.same_line()
        rows = session.model.of_kind["target"]
        chosen = session.entity(session.selected)
        is_mine = chosen is not None and chosen.kind == "target"
        if button(f"{_TARGETS}.delete", icons.ICON_FA_TRASH, enabled=is_mine and not session.obstacle):
            session.delete()
        draw_table(session, _TARGETS, rows)
        row, pose = session.entity(session.selected), session.pose(session.selected)
        if row is not None and pose is not None and row.kind == "target":
            imgui.separator_text(row.name)
            self._form.draw(row, pose)
