"""The parts of a composed object in the Object Manager: shape, size, place, turn, mass and colour of each."""

import math
from dataclasses import replace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.beginnings.templates import SHAPES
from coopsim.features.desktop.part_list import PartList
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.widgets import button, choice, plus, remember
from coopsim.geometry import Vector3
from coopsim.scene.object_part import ObjectPart
from coopsim.state import EntityRow

_NAME = "objects.part"
_LEAST, _MOST = 0.01, 1e6  # m; a thinner part cannot be picked with the mouse; engines hold 1e6 m
_NO_SHARE = "by volume"
_STEPS = {"[deg]": 0.5}
"""Of what is dragged, by unit; 0.01 for others."""


def _degrees(orientation: Vector3) -> tuple[float, ...]:
    return tuple(round(math.degrees(angle), 4) for angle in orientation)


class PartFields:
    """Fields of all parts of an object.

    Args:
        session: What is shown.
    """

    def __init__(self, session: ViewerSession) -> None:
        self._session, self.list = session, PartList(session)
        self._drafts: dict[str, list[float]] = {}

    def draw(self, row: EntityRow) -> None:
        """Draw them into the window that is begun."""
        self.list.watch(row.name)
        imgui.begin_disabled(row.name in self._session.locked or bool(self._session.obstacle))
        imgui.separator_text(f"Parts: the shape above and {len(self.list.parts)} more")
        for shape in SHAPES:
            if plus(f"{_NAME}.add.{shape}", shape.capitalize()):
                self.list.add(shape)
            imgui.same_line()
        imgui.new_line()
        for number, part in self.list.parts.items():
            self._draw_part(row, number, part)
        imgui.end_disabled()

    def _draw_part(self, row: EntityRow, number: int, part: ObjectPart) -> None:
        name = f"{_NAME}.{number}"
        is_open = imgui.tree_node_ex(f"Part {number}: {part.shape}##{name}", imgui.TreeNodeFlags_.default_open)
        remember(name)
        if not is_open:
            return
        imgui.push_item_width(-96.0)
        shape = choice(f"{name}.shape", "Shape", part.shape, SHAPES)
        if shape != part.shape:
            self.list.put(number, replace(part, shape=shape))
        size = self._numbers(f"{name}.size", "Size [m]", part.size, _LEAST)
        if size is not None:
            self.list.put(number, replace(part, size=(size[0], size[1], size[2])))
        place = self._numbers(f"{name}.position", "Place [m]", part.position, -_MOST)
        if place is not None:
            self.list.put(number, replace(part, position=(place[0], place[1], place[2])))
        turn = self._numbers(f"{name}.orientation", "Turn [deg]", _degrees(part.orientation), -_MOST)
        if turn is not None:
            angles = math.radians(turn[0]), math.radians(turn[1]), math.radians(turn[2])
            self.list.put(number, replace(part, orientation=angles))
        self._mass(name, number, part, row.mass)
        color = self._numbers(f"{name}.color", "Colour", part.color or row.color, 0.0, is_color=True)
        if color is not None:
            self.list.put(number, replace(part, color=(color[0], color[1], color[2])))
        if button(f"{name}.delete", icons.ICON_FA_TRASH):
            self.list.remove(number)
        imgui.pop_item_width()
        imgui.tree_pop()

    def _mass(self, name: str, number: int, part: ObjectPart, whole: float) -> None:
        """Draw the share in the mass of the whole; 0 = by its volume, of what the others leave."""
        numbers = self._numbers(f"{name}.mass", "Mass [kg]", (part.mass or 0.0,), 0.0, _NO_SHARE)
        if numbers is not None and whole > 0.0:
            self.list.put(number, replace(part, mass=numbers[0] or None))

    def _numbers(
        self, name: str, label: str, now: tuple[float, ...], least: float, zero: str = "", *, is_color: bool = False
    ) -> list[float] | None:
        """Draw one or three numbers; return them when the mouse lets go."""
        shown = self._drafts.get(name, [*now])
        if is_color:
            changed, shown = imgui.color_edit3(f"{label}##{name}", shown)
        elif len(shown) == 3:
            changed, shown = imgui.drag_float3(
                f"{label}##{name}", shown, _STEPS.get(label[-5:], 0.01), least, _MOST, "%.3f"
            )
        else:
            form = zero if zero and not shown[0] else "%.3f"
            changed, value = imgui.drag_float(f"{label}##{name}", shown[0], 0.01, least, _MOST, form)
            shown = [value]
        remember(name)
        if changed or imgui.is_item_active():
            self._drafts[name] = [*shown]
        if imgui.is_item_deactivated_after_edit():
            return [round(draft, 6) for draft in self._drafts.pop(name, [*shown])]
        if not imgui.is_item_active() and not is_color:
            self._drafts.pop(name, None)
        return None
