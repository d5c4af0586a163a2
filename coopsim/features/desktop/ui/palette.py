"""Palette of entities that can be dragged into the world."""

import math

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.beginnings.templates import POLYGON, ROBOT, TARGET_COLORS
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.style import WARN, shade
from coopsim.features.desktop.ui.widgets import remember
from coopsim.scene import TEAM

_ITEMS = (
    ("Robot", f"robot {ROBOT}", icons.ICON_FA_ROBOT),
    ("Team", f"robot {TEAM}", icons.ICON_FA_PEOPLE_CARRY_BOX),
    ("Target", f"target {TARGET_COLORS[0]}", icons.ICON_FA_BULLSEYE),
    ("Box", "box", icons.ICON_FA_CUBE),
    ("Cylinder", "cylinder", icons.ICON_FA_DATABASE),
    ("Sphere", "sphere", icons.ICON_FA_CIRCLE),
    ("Polygon", POLYGON, icons.ICON_FA_DRAW_POLYGON),
    ("Lamp", "artifact lamp", icons.ICON_FA_LIGHTBULB),
    ("Belt", "artifact conveyor", icons.ICON_FA_PALLET),
    ("Door", "artifact door", icons.ICON_FA_DOOR_OPEN),
)
_HIGH, _LEAST = 46.0, 58.0  # points; an icon over its name
_STILL = 6.0
"""Nearer than this to where it was pressed, the mouse was not dragged [units of the window]."""


class Palette:
    """Things to drag onto the floor; a click inserts one in the middle of the picture."""

    def __init__(self, session: ViewerSession) -> None:
        self._session = session
        self._dragged, self._began = "", (0.0, 0.0)

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        imgui.text_disabled("Nothing is inserted now" if self._session.obstacle else "Drag into the world")
        imgui.begin_disabled(bool(self._session.obstacle))
        width, gap = imgui.get_content_region_avail().x, imgui.get_style().item_spacing.x
        columns = max(1, int((width + gap) / (_LEAST + gap)))
        wide = (width - gap * (columns - 1)) / columns
        for number, (label, what, icon) in enumerate(_ITEMS):
            if number % columns:
                imgui.same_line()
            self._item(label, what, icon, wide)
        imgui.end_disabled()
        self._carry()

    def _item(self, label: str, what: str, icon: str, wide: float) -> None:
        is_pressed = imgui.button(f"##{label}", imgui.ImVec2(wide, _HIGH))
        remember(f"palette.{what}")
        if is_pressed and not self._dragged:
            self._session.insert(what)  # by a key
        low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
        draw, middle = imgui.get_window_draw_list(), (low.x + high.x) / 2.0
        for text, y in ((icon, low.y + 6.0), (label, high.y - 20.0)):
            size = imgui.calc_text_size(text)
            draw.add_text(imgui.ImVec2(middle - size.x / 2.0, y), imgui.get_color_u32(imgui.Col_.text), text)
        if imgui.is_item_activated() and imgui.is_mouse_down(0):
            mouse = imgui.get_mouse_pos()
            self._dragged, self._began = what, (mouse.x, mouse.y)

    def _carry(self) -> None:
        """Show what is dragged, and insert it where it is dropped."""
        if not self._dragged:
            return
        point, mouse = self._session.pointer, imgui.get_mouse_pos()
        if point is not None:
            draw = imgui.get_foreground_draw_list()
            draw.add_circle(imgui.ImVec2(mouse.x, mouse.y), 15.0, shade(*WARN), 0, 2.5)
            text = f"{self._dragged}  ({point[0]:.2f}, {point[1]:.2f})"
            draw.add_text(imgui.ImVec2(mouse.x + 20.0, mouse.y + 12.0), imgui.get_color_u32(imgui.Col_.text), text)
        if not imgui.is_mouse_down(0):
            if point is not None or math.dist(self._began, (mouse.x, mouse.y)) < _STILL:
                self._session.insert(self._dragged, point)
            self._dragged = ""
