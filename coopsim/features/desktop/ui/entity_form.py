"""The values of an entity, to be changed; a change is sent when the mouse lets go."""

import math
from collections.abc import Callable, Sequence

from imgui_bundle import imgui

from coopsim.features.beginnings.templates import POLYGON, SIZED
from coopsim.features.desktop.placing import angles, rounded
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.widgets import remember
from coopsim.geometry import Pose
from coopsim.robots.names import plain_type
from coopsim.scene import writing
from coopsim.state import EntityRow

_LABELS = -96.0
"""Room for labels at the right [units of the window]."""
_RENAMED = (
    "Another name makes another thing: it is removed and inserted anew,\nand programs that knew the old one lose it."
)
_RESIZED = "The belt is removed and inserted anew where it stands;\nwhat it was commanded since its beginning is lost."
_RANGES = {
    "position": (0.01, 0.0, 0.0),
    "orientation": (1.0, 0.0, 0.0),
    "size": (0.01, 0.01, 1e6),
    "mass": (0.05, 0.0, 1e6),
    "friction": (0.01, 0.0, 1e6),
}
"""By key: what a pixel of a drag changes, the smallest and the largest value; both 0 = there is no limit."""


class EntityForm:
    """Fields of an entity.

    Args:
        session: What is shown.
        name: Of the panel that it is in; widgets are known by it.
        leave: Takes the name of what is about to get another one.
    """

    def __init__(self, session: ViewerSession, name: str, leave: Callable[[str], None] = lambda _: None) -> None:
        self._session, self._name, self._leave = session, name, leave
        self._drafts: dict[str, list[float]] = {}
        self._names: dict[str, str] = {}

    def draw(self, row: EntityRow, pose: Pose) -> None:
        """Draw it into the window that is begun."""
        imgui.begin_disabled(row.name in self._session.locked or bool(self._session.obstacle))
        imgui.push_item_width(_LABELS)
        self._rename(row)
        if row.kind != "area":
            self._numbers(row, "position", "Position [m]", pose[:3])
        if row.kind not in ("target", "area"):
            self._turn(row, pose)
        if row.kind == "object":
            if row.type != POLYGON:
                self._numbers(row, "size", "Size [m]", row.size)
            self._numbers(row, "mass", "Mass [kg]", (row.mass,))
            self._numbers(row, "friction", "Friction", (row.friction,))
        elif row.kind == "robot" and plain_type(row.type) in SIZED:
            self._resize(row)
        self._color(row)
        imgui.pop_item_width()
        imgui.end_disabled()

    def _rename(self, row: EntityRow) -> None:
        """Draw the name; members of a team are named by it."""
        imgui.begin_disabled("/" in row.name)
        changed, shown = imgui.input_text("Name", self._names.get(row.name, row.name))
        remember(f"{self._name}.name")
        imgui.end_disabled()
        if changed or imgui.is_item_active():
            self._names[row.name] = shown
        if imgui.is_item_deactivated_after_edit():
            wanted = self._names.pop(row.name, shown).strip()
            if wanted and wanted != row.name:
                self._leave(row.name)
                self._session.editor.rename(row.name, wanted, self._session.names)
        elif not imgui.is_item_active():
            self._names.pop(row.name, None)
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_normal):
            imgui.set_tooltip(_RENAMED)

    def _turn(self, row: EntityRow, pose: Pose) -> None:
        turned = [math.degrees(angle) for angle in angles(pose[3:])]
        if row.kind == "robot":
            self._numbers(row, "orientation", "Heading [\N{DEGREE SIGN}]", turned[2:], "0 0 ")
        else:
            self._numbers(row, "orientation", "Rotation [\N{DEGREE SIGN}]", turned)

    def _numbers(self, row: EntityRow, key: str, label: str, now: Sequence[float], before: str = "") -> None:
        """Draw one or three numbers.

        Args:
            row: Whose they are.
            key: In its section.
            label: For people.
            now: Values now.
            before: Words before them.
        """
        values = self._dragged(row, key, label, now)
        if values is not None:
            self._session.editor.update(row.name, {key: before + " ".join(rounded(value) for value in values)})

    def _resize(self, row: EntityRow) -> None:
        """Draw the size of an artifact, which no edit of it can change."""
        size = self._dragged(row, "size", "Size [m]", row.size)
        if imgui.is_item_hovered(imgui.HoveredFlags_.delay_normal):
            imgui.set_tooltip(_RESIZED)
        if size is not None:
            self._leave(row.name)
            self._session.editor.resize(row.name, " ".join(rounded(length) for length in size))

    def _dragged(self, row: EntityRow, key: str, label: str, now: Sequence[float]) -> list[float] | None:
        """Draw one or three numbers that can be dragged and typed; return them when they are final."""
        step, low, high = _RANGES[key]

        def draw(shown: list[float]) -> tuple[bool, list[float]]:
            if len(shown) == 3:
                return imgui.drag_float3(f"{label}##{key}", shown, step, low, high, "%.3f")
            changed, value = imgui.drag_float(f"{label}##{key}", shown[0], step, low, high, "%.3f")
            return changed, [value]

        return self._field(row, key, now, draw)

    def _color(self, row: EntityRow) -> None:
        def draw(shown: list[float]) -> tuple[bool, list[float]]:
            return imgui.color_edit3("Colour", shown, imgui.ColorEditFlags_.display_hex)

        if row.kind != "target":
            values = self._field(row, "color", row.color, draw)
            if values is not None:
                red, green, blue = values
                self._session.editor.update(row.name, {"color": " ".join(writing.color((red, green, blue)))})

    def _field(
        self,
        row: EntityRow,
        key: str,
        now: Sequence[float],
        draw: Callable[[list[float]], tuple[bool, list[float]]],
    ) -> list[float] | None:
        """Draw a field; return its values when they are final."""
        draft = f"{row.name} {key}"
        changed, shown = draw(list(self._drafts.get(draft, now)))
        remember(f"{self._name}.{key}")
        if changed or imgui.is_item_active():
            self._drafts[draft] = list(shown)
        if imgui.is_item_deactivated_after_edit():
            return self._drafts.pop(draft, list(shown))
        if not imgui.is_item_active() and key != "color":
            self._drafts.pop(draft, None)
        return None
