"""Widgets that several panels use; where each was drawn last is known by its name."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.ui.style import ACCENT

PLACES: dict[str, tuple[float, float]] = {}
"""Middles of widgets in the window, from its upper left corner, by name."""
FOCUSED: list[str] = []
"""Name of the widget that had the focus of the keys last; at first there is none."""


def remember(name: str) -> None:
    """Take down where the last widget is, and whether it has the focus of the keys."""
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    PLACES[name] = ((low.x + high.x) / 2.0, (low.y + high.y) / 2.0)
    if imgui.is_item_focused():
        FOCUSED[:] = [name]


def focus_item() -> None:
    """Give the keys to the last widget, which may be one of the menu bar."""
    window, low, high = imgui.internal.get_current_window(), imgui.get_item_rect_min(), imgui.get_item_rect_max()
    corner = imgui.get_window_pos()
    imgui.internal.focus_window(window)
    place = imgui.internal.ImRect(low.x - corner.x, low.y - corner.y, high.x - corner.x, high.y - corner.y)
    scope = imgui.internal.get_current_focus_scope()
    imgui.internal.set_nav_id(imgui.get_item_id(), window.dc.nav_layer_current, scope, place)
    imgui.set_nav_cursor_visible(True)


def button(name: str, label: str, *, strong: bool = False, enabled: bool = True) -> bool:
    """Draw a button; return whether it was pressed."""
    if strong:
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*ACCENT, 0.85))
    imgui.begin_disabled(not enabled)
    is_hit = bool(imgui.button(f"{label}##{name}"))
    imgui.end_disabled()
    if strong:
        imgui.pop_style_color()
    remember(name)
    return is_hit


def plus(name: str, label: str, *, enabled: bool = True) -> bool:
    """Draw a button that inserts something."""
    return button(name, f"{icons.ICON_FA_PLUS}  {label}", strong=True, enabled=enabled)


def choice(
    name: str, label: str, now: str, choices: Sequence[str], refused: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Draw a list to choose from; return what is chosen.

    Args:
        name: Of the widget.
        label: Behind it.
        now: What is chosen.
        choices: In their order.
        refused: What cannot be chosen, with the reason; below the choices.
    """
    chosen = now
    if imgui.begin_combo(f"{label}##{name}", now):
        for word in choices:
            if imgui.selectable(word, word == now)[0]:
                chosen = word
            remember(f"{name}.{word}")
        for word, reason in refused.items():
            imgui.selectable(f"{word}  \N{MIDDLE DOT}  {reason}", False, imgui.SelectableFlags_.disabled)
            remember(f"{name}.{word}")
        imgui.end_combo()
    else:
        remember(name)
    return chosen
