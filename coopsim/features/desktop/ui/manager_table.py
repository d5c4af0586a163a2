"""The table of a manager: entities of one kind, and where they are."""

import math
from collections.abc import Sequence

from imgui_bundle import imgui

from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.style import WARN, written
from coopsim.features.desktop.ui.widgets import remember
from coopsim.geometry import heading
from coopsim.state import EntityRow

# shares of the width; names are twice as long as numbers
_COLUMNS = (("Name", 2.2), ("x", 1.0), ("y", 1.0), ("\N{GREEK SMALL LETTER THETA}", 1.0))
_LINES = 5.5  # the half one shows that the list goes on


def draw_table(session: ViewerSession, name: str, rows: Sequence[EntityRow]) -> None:
    """Draw entities; a click selects one, with Ctrl more.

    Args:
        session: What is shown.
        name: Of the manager.
        rows: Entities.
    """
    flags = imgui.TableFlags_
    look = flags.row_bg | flags.borders_inner_h | flags.scroll_y | flags.sizing_stretch_prop
    height = imgui.get_text_line_height_with_spacing() * min(_LINES, len(rows) + 1.5)
    if not imgui.begin_table(f"##{name}", len(_COLUMNS), look, imgui.ImVec2(0.0, height)):
        return
    imgui.table_setup_scroll_freeze(0, 1)
    for title, width in _COLUMNS:
        imgui.table_setup_column(title, 0, width)
    imgui.table_headers_row()
    clipper = imgui.ListClipper()
    clipper.begin(len(rows))
    while clipper.step():
        for row in rows[clipper.display_start : clipper.display_end]:
            _row(session, name, row)
    imgui.end_table()


def explain_obstacle(session: ViewerSession) -> None:
    """Say why nothing can be edited, where nothing can."""
    if session.obstacle:
        imgui.push_style_color(imgui.Col_.text, written(WARN))
        imgui.text_wrapped(f"{session.obstacle[0].upper()}{session.obstacle[1:]}.")
        imgui.pop_style_color()


def pick_row(session: ViewerSession, name: str) -> None:
    """Select an entity; with Ctrl besides, or no more."""
    if not imgui.get_io().key_ctrl:
        session.select(name)
    elif name in session.chosen:
        session.choose([name_chosen for name_chosen in session.chosen if name_chosen != name])
    else:
        session.choose([*session.chosen, name])


def _row(session: ViewerSession, name: str, row: EntityRow) -> None:
    pose = session.pose(row.name)
    if pose is None:
        return
    imgui.table_next_row()
    imgui.table_next_column()
    if imgui.selectable(row.name, row.name in session.chosen, imgui.SelectableFlags_.span_all_columns)[0]:
        pick_row(session, row.name)
    remember(f"{name}.{row.name}")
    turn = round(math.degrees(heading(*pose[3:]))) % 360
    for text in (f"{pose[0]:.2f}", f"{pose[1]:.2f}", f"{turn}\N{DEGREE SIGN}"):
        imgui.table_next_column()
        imgui.text(text)
