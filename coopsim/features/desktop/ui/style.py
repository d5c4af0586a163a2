"""Fonts and colours of the widgets."""

from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import TypeAlias

import imgui_bundle
from imgui_bundle import imgui

from coopsim.features.desktop.screen import Theme

ACCENT = (0.16, 0.55, 0.95)  # one colour for what can be pressed
# green, amber and red that differ in brightness, too: for the colour-blind
GOOD, WARN, BAD = (0.00, 0.66, 0.48), (0.93, 0.65, 0.10), (0.90, 0.33, 0.10)
_DARKER = 0.6
"""Share of a colour that words in it have on light panels."""
_Color: TypeAlias = tuple[float, float, float, float]
_BOTH: dict[str, _Color] = {
    "header_hovered": (*ACCENT, 0.40),
    "header_active": (*ACCENT, 0.55),
    "button_active": (*ACCENT, 0.8),
    "check_mark": (*ACCENT, 1.0),
    "slider_grab": (*ACCENT, 0.9),
    "slider_grab_active": (*ACCENT, 1.0),
    "nav_cursor": (*ACCENT, 1.0),
    "tab_hovered": (*ACCENT, 0.45),
    "tab_selected_overline": (*ACCENT, 1.0),
    "docking_preview": (*ACCENT, 0.6),
    "separator_hovered": (*ACCENT, 0.7),
    "separator_active": (*ACCENT, 1.0),
    "docking_empty_bg": (0.0, 0.0, 0.0, 0.0),
    "resize_grip": (0.0, 0.0, 0.0, 0.0),
    "scrollbar_bg": (0.0, 0.0, 0.0, 0.0),
    "modal_window_dim_bg": (0.03, 0.035, 0.045, 0.55),
}
_DARK: dict[str, _Color] = {
    "window_bg": (0.105, 0.113, 0.129, 1.0),
    "child_bg": (0.0, 0.0, 0.0, 0.0),
    "popup_bg": (0.13, 0.14, 0.16, 0.98),
    "border": (0.22, 0.235, 0.26, 1.0),
    "frame_bg": (0.165, 0.176, 0.20, 1.0),
    "frame_bg_hovered": (0.20, 0.215, 0.245, 1.0),
    "frame_bg_active": (0.22, 0.24, 0.28, 1.0),
    "title_bg": (0.085, 0.09, 0.105, 1.0),
    "title_bg_active": (0.085, 0.09, 0.105, 1.0),
    "menu_bar_bg": (0.085, 0.09, 0.105, 1.0),
    "header": (0.19, 0.215, 0.255, 1.0),
    "button": (0.185, 0.198, 0.225, 1.0),
    "button_hovered": (0.235, 0.25, 0.285, 1.0),
    "tab": (0.085, 0.09, 0.105, 1.0),
    "tab_selected": (0.105, 0.113, 0.129, 1.0),
    "tab_dimmed": (0.085, 0.09, 0.105, 1.0),
    "tab_dimmed_selected": (0.105, 0.113, 0.129, 1.0),
    "tab_dimmed_selected_overline": (0.30, 0.33, 0.38, 1.0),
    "separator": (0.19, 0.20, 0.225, 1.0),
    "text": (0.88, 0.90, 0.93, 1.0),
    "text_disabled": (0.55, 0.58, 0.63, 1.0),
    "scrollbar_grab": (0.26, 0.28, 0.32, 1.0),
    "table_header_bg": (0.14, 0.15, 0.17, 1.0),
    "table_row_bg_alt": (1.0, 1.0, 1.0, 0.018),
}
_LIGHT: dict[str, _Color] = {
    "window_bg": (0.955, 0.960, 0.968, 1.0),
    "child_bg": (0.0, 0.0, 0.0, 0.0),
    "popup_bg": (0.98, 0.985, 0.99, 0.98),
    "border": (0.78, 0.80, 0.83, 1.0),
    "frame_bg": (0.885, 0.895, 0.91, 1.0),
    "frame_bg_hovered": (0.85, 0.865, 0.885, 1.0),
    "frame_bg_active": (0.82, 0.84, 0.865, 1.0),
    "title_bg": (0.87, 0.88, 0.895, 1.0),
    "title_bg_active": (0.87, 0.88, 0.895, 1.0),
    "menu_bar_bg": (0.87, 0.88, 0.895, 1.0),
    "header": (0.84, 0.87, 0.91, 1.0),
    "button": (0.86, 0.87, 0.89, 1.0),
    "button_hovered": (0.80, 0.82, 0.85, 1.0),
    "tab": (0.87, 0.88, 0.895, 1.0),
    "tab_selected": (0.955, 0.960, 0.968, 1.0),
    "tab_dimmed": (0.87, 0.88, 0.895, 1.0),
    "tab_dimmed_selected": (0.955, 0.960, 0.968, 1.0),
    "tab_dimmed_selected_overline": (0.65, 0.68, 0.72, 1.0),
    "separator": (0.80, 0.82, 0.845, 1.0),
    "text": (0.10, 0.11, 0.13, 1.0),
    "text_disabled": (0.38, 0.41, 0.45, 1.0),
    "scrollbar_grab": (0.70, 0.73, 0.77, 1.0),
    "table_header_bg": (0.89, 0.90, 0.915, 1.0),
    "table_row_bg_alt": (0.0, 0.0, 0.0, 0.03),
}
_THEMES: dict[Theme, dict[str, _Color]] = {"dark": _DARK, "light": _LIGHT}


def dress() -> SimpleNamespace:
    """Give widgets their fonts and shapes; return the fonts `bold` and `mono`."""
    io, style = imgui.get_io(), imgui.get_style()
    io.config_flags |= imgui.ConfigFlags_.nav_enable_keyboard | imgui.ConfigFlags_.docking_enable
    io.config_windows_move_from_title_bar_only = True
    io.set_ini_filename("")
    style.frame_rounding = style.grab_rounding = style.tab_rounding = 4.0
    style.popup_rounding = style.scrollbar_rounding = 6.0
    style.window_rounding, style.window_border_size, style.scrollbar_size = 0.0, 0.0, 11.0
    style.window_padding, style.frame_padding = imgui.ImVec2(10, 8), imgui.ImVec2(8, 4)
    style.item_spacing, style.docking_separator_size = imgui.ImVec2(7, 6), 2.0
    style.window_menu_button_position = imgui.Dir.none
    folder = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
    _font(folder / "Roboto" / "Roboto-Regular.ttf", folder)
    bold = _font(folder / "Roboto" / "Roboto-Bold.ttf", folder)
    return SimpleNamespace(bold=bold, mono=io.fonts.add_font_from_file_ttf(str(folder / "Inconsolata-Medium.ttf"), 14))


def paint(theme: Theme) -> None:
    """Give widgets their colours."""
    (imgui.style_colors_dark if theme == "dark" else imgui.style_colors_light)()
    style = imgui.get_style()
    for name, color in (_BOTH | _THEMES[theme]).items():
        style.set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*color))


def background(theme: Theme) -> tuple[float, float, float]:
    """Return the colour of panels, and of what is between them."""
    return _THEMES[theme]["window_bg"][:3]


def _font(file: Path, folder: Path) -> imgui.ImFont:
    """Return a font that has the icons, too."""
    fonts = imgui.get_io().fonts
    font = fonts.add_font_from_file_ttf(str(file), 15)
    merged = imgui.ImFontConfig()
    merged.merge_mode, merged.glyph_offset = True, imgui.ImVec2(0, 1)
    fonts.add_font_from_file_ttf(str(folder / "Font_Awesome_6_Free-Solid-900.otf"), 13, merged)
    return font


def written(color: tuple[float, float, float]) -> imgui.ImVec4:
    """Return a colour for words: darker on light panels, where it could not be read."""
    share = _DARKER if imgui.get_style().color_(imgui.Col_.text).x < 0.5 else 1.0
    red, green, blue = (share * channel for channel in color)
    return imgui.ImVec4(red, green, blue, 1.0)


@lru_cache(maxsize=256)
def shade(red: float, green: float, blue: float, opacity: float = 1.0) -> int:
    """Return a colour for draw lists."""
    return int(imgui.get_color_u32(imgui.ImVec4(red, green, blue, opacity)))


def tint(color: imgui.Col_, opacity: float = 1.0) -> int:
    """Return a colour of the theme for draw lists."""
    return int(imgui.get_color_u32(color, opacity))
