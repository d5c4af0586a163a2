"""The panels beside the picture: what there is, and what the selected entity reads."""

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.beginnings.crews import crews_in
from coopsim.features.desktop.curves import PlotChannel
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.camera_view import CameraView
from coopsim.features.desktop.ui.manager_table import pick_row
from coopsim.features.desktop.ui.widgets import focus_item, remember
from coopsim.geometry import heading
from coopsim.robots.names import plain_type
from coopsim.state import EntityRow

_ICON = 23.0
"""From the left edge of icons, which differ in width, to the names behind them [units of the window]."""
_KINDS = (
    ("Robots", "robot", False),
    ("Objects", "object", False),
    ("Walls", "object", True),
    ("Targets", "target", False),
    ("Areas", "area", False),
)
_ICONS = {
    "robot": icons.ICON_FA_ROBOT,
    "target": icons.ICON_FA_BULLSEYE,
    "area": icons.ICON_FA_DRAW_POLYGON,
    "box": icons.ICON_FA_CUBE,
    "cylinder": icons.ICON_FA_DATABASE,
    "sphere": icons.ICON_FA_CIRCLE,
}
_NOTHING = 1e-12
"""Readings nearer to zero than this, as of a motor that stops, are shown as 0."""
_MOST = 8
"""Values of a reading that are shown."""


class ScenePanel:
    """All entities, with a search."""

    def __init__(self, session: ViewerSession) -> None:
        self._session, self._wanted, self._focus_next = session, "", ""
        self._rows_of: tuple[SceneModel | None, str, list[list[EntityRow]]] = None, "", []
        self._crews_of: tuple[SceneModel | None, dict[str, tuple[str, ...]]] = None, {}

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        imgui.set_next_item_width(-1)
        hint = f"{icons.ICON_FA_MAGNIFYING_GLASS}  Search"
        at_enter = imgui.InputTextFlags_.enter_returns_true
        is_entered, self._wanted = imgui.input_text_with_hint("##search", hint, self._wanted, at_enter)
        remember("tree.search")
        if is_entered and self._wanted:
            self._choose_first()
        imgui.begin_child("entities", child_flags=imgui.ChildFlags_.nav_flattened)
        self._teams()
        for (title, _, is_wall), rows in zip(_KINDS, self._found(), strict=True):
            flags = imgui.TreeNodeFlags_.span_avail_width
            flags |= imgui.TreeNodeFlags_.default_open if not is_wall else 0
            if rows and imgui.tree_node_ex(f"{title} ({len(rows)})###{title}", flags):
                self._rows(rows)
                imgui.tree_pop()
        imgui.end_child()

    def _choose_first(self) -> None:
        """Select the first entity that the search names, and give the keys to its row: arrow keys go on from there."""
        first = next((row.name for rows in self._found() for row in rows), "")
        if first:
            self._session.select(first)
            self._focus_next = first

    def _teams(self) -> None:
        """Draw the teams; a click selects all members of one, so that they are edited together."""
        session, wanted = self._session, self._wanted.lower()
        if self._crews_of[0] is not session.model:
            self._crews_of = session.model, crews_in(session.model.numbers)
        teams = {team: crew for team, crew in self._crews_of[1].items() if wanted in team.lower()}
        flags = imgui.TreeNodeFlags_.span_avail_width | imgui.TreeNodeFlags_.default_open
        if not teams or not imgui.tree_node_ex(f"Teams ({len(teams)})###Teams", flags):
            return
        for team, crew in teams.items():
            imgui.text_disabled(icons.ICON_FA_PEOPLE_CARRY_BOX)
            imgui.same_line(0, 7)
            if imgui.selectable(f"{team}##team", set(crew) <= set(session.chosen))[0]:
                session.choose(crew)
            remember(f"tree.{team}")
        imgui.tree_pop()

    def _found(self) -> list[list[EntityRow]]:
        """Return the rows of each of `_KINDS`, sought anew when the scene or the search has changed."""
        model, wanted = self._session.model, self._wanted.lower()
        if self._rows_of[0] is not model or self._rows_of[1] != wanted:
            rows = [row for row in model.entities if wanted in row.name.lower()]
            groups = [
                [row for row in rows if (row.kind, row.is_wall) == (kind, is_wall)] for _, kind, is_wall in _KINDS
            ]
            self._rows_of = model, wanted, groups
        return self._rows_of[2]

    def _rows(self, rows: list[EntityRow]) -> None:
        clipper = imgui.ListClipper()
        clipper.begin(len(rows))
        while clipper.step():
            for row in rows[clipper.display_start : clipper.display_end]:
                self._row(row)

    def _row(self, row: EntityRow) -> None:
        session = self._session
        imgui.push_id(row.name)
        is_hidden = row.name in session.hidden
        if imgui.small_button(icons.ICON_FA_EYE_SLASH if is_hidden else icons.ICON_FA_EYE):
            session.hide(row.name, hidden=not is_hidden)
        imgui.same_line(0, 3)
        is_locked = row.name in session.locked
        if imgui.small_button(icons.ICON_FA_LOCK if is_locked else icons.ICON_FA_LOCK_OPEN):
            session.lock(row.name, locked=not is_locked)
        remember(f"lock.{row.name}")
        imgui.same_line(0, 7)
        left = imgui.get_cursor_pos_x()
        imgui.text_colored(imgui.ImVec4(*row.color, 1.0), icon_of(row))
        imgui.same_line(left + _ICON)
        if imgui.selectable(row.name, row.name in session.chosen)[0]:
            pick_row(session, row.name)
        remember(f"tree.{row.name}")
        if row.name == self._focus_next:
            self._focus_next = ""
            focus_item()
        imgui.pop_id()


class Inspector:
    """Panel of the selected entity, with what its sensors read now."""

    def __init__(self, session: ViewerSession, fonts: SimpleNamespace) -> None:
        self._session, self._fonts, self._camera = session, fonts, CameraView(session)

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        row, pose = self._session.entity(self._session.selected), self._session.pose(self._session.selected)
        if row is None or pose is None:
            imgui.text_wrapped("Click a robot, an object or a target.")
            return
        imgui.text_colored(imgui.ImVec4(*row.color, 1.0), icon_of(row))
        imgui.same_line(0, 8)
        imgui.push_font(self._fonts.bold, 18)
        imgui.text(row.name)
        imgui.pop_font()
        imgui.same_line(0, 10)
        imgui.text_disabled(plain_type(row.type))
        x, y, z = pose[:3]
        _line("position", f"{x:.3f}  {y:.3f}  {z:.3f} m", self._fonts.mono)
        _line("heading", f"{math.degrees(heading(*pose[3:])):8.1f}\N{DEGREE SIGN}", self._fonts.mono)
        _line("size", " ".join(f"{length:.3g}" for length in row.size) + " m", self._fonts.mono)
        if row.kind in {"robot", "object"}:
            _line("mass", f"{row.mass:g} kg" if row.mass else "fixed", self._fonts.mono)
        is_followed = self._session.following
        changed, is_followed = imgui.checkbox("follow", is_followed)
        if changed:
            self._session.following = is_followed
        if row.kind == "robot":
            self._readings(row.name)

    def _readings(self, robot: str) -> None:
        """Draw what the modules of a robot read."""
        readings = self._session.readings
        rows = readings[robot] if readings is not None and robot in readings.robots else None
        for module in _names(rows, {"robots", "table"}):
            if imgui.collapsing_header(module, imgui.TreeNodeFlags_.default_open):
                columns = getattr(rows, module)
                self._camera.draw(f"/{robot}/{module}", columns)
                for name in _names(columns, set()):
                    self._reading(PlotChannel(robot, module, name), getattr(columns, name))

    def _reading(self, channel: PlotChannel, value: Any) -> None:
        """Draw a reading; a click plots it, of several numbers the first one."""
        curves = self._session.curves
        color = imgui.Col_.text if channel in curves.chosen else imgui.Col_.text_disabled
        imgui.push_style_color(imgui.Col_.text, imgui.get_style_color_vec4(color))
        is_clicked = imgui.selectable(f"{channel.field}##{channel.label}", False, size=imgui.ImVec2(82, 0))[0]
        imgui.pop_style_color()
        if imgui.is_item_hovered():
            imgui.set_tooltip("click: plot it, or no more")
        if is_clicked:
            curves.toggle(channel)
        imgui.same_line(90)
        imgui.push_font(self._fonts.mono, 14)
        imgui.text_wrapped(_values(value))
        imgui.pop_font()


def icon_of(row: EntityRow) -> str:
    """Return the icon of an entity."""
    return str(_ICONS.get(row.kind) or _ICONS.get(row.type) or icons.ICON_FA_CUBE)


def _names(of: Any, besides: set[str]) -> list[str]:
    return [name for name in dir(of) if name not in besides] if of is not None else []


def _values(value: Any) -> str:
    numbers = np.atleast_1d(np.asarray(value, float)).ravel()
    shown = " ".join(f"{number:.3g}" if abs(number) > _NOTHING else "0" for number in numbers[:_MOST])
    return shown + (" \N{HORIZONTAL ELLIPSIS}" if len(numbers) > _MOST else "")


def _line(name: str, value: str, font: Any) -> None:
    imgui.text_disabled(name)
    imgui.same_line(90)
    imgui.push_font(font, 14)
    imgui.text_wrapped(value)
    imgui.pop_font()
