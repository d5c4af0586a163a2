"""Sliders for the joints of an arm, its gripper, and fields for the place of its tool; handles at the tool."""

import math

from imgui_bundle import imgui

from coopsim.features.desktop.arm_moves import Arm, SelectedArm
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.tool_gizmo import AXES, ToolGizmo
from coopsim.features.desktop.ui.overlay import Rectangle
from coopsim.features.desktop.ui.style import ACCENT, shade
from coopsim.features.desktop.ui.widgets import PLACES, remember

_LABELS = -96.0
"""Room for labels at the right [units of the window]."""
# red, green and blue as the axes of every viewer, of the lightness that the colour-blind tell apart
_COLORS = ((0.84, 0.37, 0.0), (0.0, 0.62, 0.45), (0.35, 0.71, 0.91))
"""Of the handles along x, y and z (Okabe and Ito's vermilion, bluish green and sky blue)."""
_THICK, _KNOB = 3.0, 7.0  # points; lines to be seen on any floor, ends to be hit


class ArmForm:
    """Joints, gripper and tool of the selected arm.

    Args:
        session: What is shown.
        arm: That is selected.
    """

    def __init__(self, session: ViewerSession, arm: SelectedArm) -> None:
        self._session, self._selected = session, arm
        self._drafts: dict[str, float] = {}

    def draw(self) -> None:
        """Draw it into the window that is begun; nothing where no arm is selected."""
        selected = self._selected
        arm, positions = selected.arm, selected.positions()
        if arm is None or positions is None:
            return
        imgui.separator_text("Joints")
        imgui.begin_disabled(bool(self._session.obstacle) or arm.robot in self._session.locked)
        imgui.push_item_width(_LABELS)
        for joint, position in enumerate(positions.tolist()):
            wanted = self._joint(arm, joint, position)
            if wanted is not None:
                selected.move_joints([*positions[:joint], wanted, *positions[joint + 1 :]])
        opening = selected.opening()
        if opening is not None:
            wanted = self._number("gripper", "Gripper [m]", opening, (0.0, arm.widest))
            if wanted is not None:
                selected.move_gripper(wanted)
        self._tool()
        imgui.pop_item_width()
        imgui.end_disabled()

    def _joint(self, arm: Arm, joint: int, position: float) -> float | None:
        """Draw the slider of a joint; return where it shall go [rad, m]."""
        is_slide = joint < len(arm.joints) and arm.joints[joint].kind == "slide"
        name = arm.joints[joint].name if joint < len(arm.joints) else f"joint {joint + 1}"
        unit = 1.0 if is_slide else math.degrees(1.0)
        low, high = (unit * bound for bound in arm.limits(joint))
        label = f"{name} [{'m' if is_slide else chr(0xB0)}]"
        wanted = self._number(f"joint{joint + 1}", label, unit * position, (low, high))
        return None if wanted is None else wanted / unit

    def _tool(self) -> None:
        """Draw the place of the tool in the world."""
        point = self._selected.tool()
        if point is None:
            return
        imgui.separator_text("Tool")
        for axis, name in enumerate(AXES):
            wanted = self._number(f"tool.{name}", f"{name} [m]", float(point[axis]), None)
            if wanted is not None:
                moved = point.copy()
                moved[axis] = wanted
                self._selected.move_tool(moved)

    def _number(self, key: str, label: str, now: float, limits: tuple[float, float] | None) -> float | None:
        """Draw a slider, or a field without limits; return its value when it is final."""
        title, shown = f"{label}##arm.{key}", self._drafts.get(key, now)
        if limits is None:
            changed, value = imgui.drag_float(title, shown, 0.005, 0.0, 0.0, "%.3f")
        else:
            changed, value = imgui.slider_float(title, shown, *limits, "%.3f" if limits[1] < math.pi else "%.1f")
        remember(f"arm.{key}")
        if changed or imgui.is_item_active():
            self._drafts[key] = value
        if imgui.is_item_deactivated_after_edit():
            return self._drafts.pop(key, value)
        if not imgui.is_item_active():
            self._drafts.pop(key, None)
        return None


def draw_gizmo(session: ViewerSession, gizmo: ToolGizmo, view: Rectangle, scale: float) -> None:
    """Draw the handles over the picture.

    Args:
        session: What is shown.
        gizmo: The handles.
        view: Where the picture is.
        scale: Pixels for each unit of the window.
    """
    ends = gizmo.ends()
    if ends is None:
        return
    pixels, ahead = session.camera.project(ends)
    if ahead.min() <= 0.0:
        return
    left, top, _, height = view
    *tips, middle = (imgui.ImVec2(left + x / scale, top + height - y / scale) for x, y in pixels.tolist())
    draw = imgui.get_background_draw_list()
    for axis, tip in enumerate(tips):
        color = shade(*(ACCENT if gizmo.axis == axis else _COLORS[axis]))
        draw.add_line(middle, tip, color, _THICK)
        draw.add_circle_filled(tip, _KNOB, color)
        # a letter besides the colour, which not everybody tells apart
        draw.add_text(imgui.ImVec2(tip.x + _KNOB + 2.0, tip.y - _KNOB), shade(0.95, 0.95, 0.95), AXES[axis])
        PLACES[f"gizmo.{AXES[axis]}"] = tip.x, tip.y
    draw.add_circle_filled(middle, _KNOB, shade(*ACCENT))
    PLACES["gizmo.middle"] = middle.x, middle.y
