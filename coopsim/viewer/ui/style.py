"""Fonts and colours of the widgets."""

from pathlib import Path
from types import SimpleNamespace

import imgui_bundle
from imgui_bundle import imgui

ACCENT = (0.16, 0.55, 0.95)
GOOD, WARN, BAD = (0.35, 0.80, 0.45), (0.95, 0.75, 0.25), (0.95, 0.33, 0.30)
_COLORS = {
    "window_bg": (0.105, 0.113, 0.129, 1.0),
    "popup_bg": (0.13, 0.14, 0.16, 0.98),
    "border": (0.22, 0.235, 0.26, 1.0),
    "frame_bg": (0.165, 0.176, 0.20, 1.0),
    "frame_bg_hovered": (0.20, 0.215, 0.245, 1.0),
    "frame_bg_active": (0.22, 0.24, 0.28, 1.0),
    "title_bg": (0.085, 0.09, 0.105, 1.0),
    "title_bg_active": (0.085, 0.09, 0.105, 1.0),
    "menu_bar_bg": (0.085, 0.09, 0.105, 1.0),
    "header": (0.19, 0.215, 0.255, 1.0),
    "header_hovered": (*ACCENT, 0.40),
    "header_active": (*ACCENT, 0.55),
    "button": (0.185, 0.198, 0.225, 1.0),
    "button_hovered": (0.235, 0.25, 0.285, 1.0),
    "button_active": (*ACCENT, 0.8),
    "check_mark": (*ACCENT, 1.0),
    "slider_grab": (*ACCENT, 0.9),
    "slider_grab_active": (*ACCENT, 1.0),
    "separator": (0.19, 0.20, 0.225, 1.0),
    "text": (0.88, 0.90, 0.93, 1.0),
    "text_disabled": (0.55, 0.58, 0.63, 1.0),
    "scrollbar_bg": (0.0, 0.0, 0.0, 0.0),
    "scrollbar_grab": (0.26, 0.28, 0.32, 1.0),
    "nav_cursor": (*ACCENT, 1.0),
}


def dress() -> SimpleNamespace:
    """Give widgets their fonts and colours; return the fonts `bold` and `mono`."""
    io, style = imgui.get_io(), imgui.get_style()
    io.config_flags |= imgui.ConfigFlags_.nav_enable_keyboard
    io.set_ini_filename("")
    imgui.style_colors_dark()
    style.frame_rounding = style.grab_rounding = 4.0
    style.popup_rounding = style.scrollbar_rounding = 6.0
    style.window_rounding, style.window_border_size, style.scrollbar_size = 0.0, 0.0, 11.0
    style.window_padding, style.frame_padding = imgui.ImVec2(10, 8), imgui.ImVec2(8, 4)
    style.item_spacing = imgui.ImVec2(7, 6)
    for name, color in _COLORS.items():
        style.set_color_(getattr(imgui.Col_, name), imgui.ImVec4(*color))
    folder = Path(imgui_bundle.__file__).parent / "assets" / "fonts"
    _font(folder / "Roboto" / "Roboto-Regular.ttf", folder)
    bold = _font(folder / "Roboto" / "Roboto-Bold.ttf", folder)
    return SimpleNamespace(bold=bold, mono=io.fonts.add_font_from_file_ttf(str(folder / "Inconsolata-Medium.ttf"), 14))


def _font(file: Path, folder: Path) -> imgui.ImFont:
    """Return a font that has the icons, too."""
    fonts = imgui.get_io().fonts
    found = fonts.add_font_from_file_ttf(str(file), 15)
    merged = imgui.ImFontConfig()
    merged.merge_mode, merged.glyph_offset = True, imgui.ImVec2(0, 1)
    fonts.add_font_from_file_ttf(str(folder / "Font_Awesome_6_Free-Solid-900.otf"), 13, merged)
    return found


def shade(red: float, green: float, blue: float, opacity: float = 1.0) -> int:
    """Return a colour for draw lists."""
    return int(imgui.get_color_u32(imgui.ImVec4(red, green, blue, opacity)))
