"""Tiles with the picture, the name and the caption of a scene."""

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.scenes.pictures import SIZE, ScenePictures
from coopsim.features.desktop.ui.style import ACCENT, shade, tint
from coopsim.features.desktop.ui.widgets import remember
from coopsim.features.presentation.scene_listing import SceneEntry

WIDTH = 208.0
"""Of a tile [units of the window]; its picture fills it."""
_EDGE, _LINES = 8.0, 2
"""Room around the words of a tile, and lines of its caption."""


def tile_height(width: float = WIDTH) -> float:
    """Return the height of a tile [units of the window]."""
    return width * SIZE[1] / SIZE[0] + (1 + _LINES) * imgui.get_text_line_height() + 3.0 * _EDGE


def draw_tile(pictures: ScenePictures, entry: SceneEntry, name: str, width: float = WIDTH) -> bool:
    """Draw a tile; return whether it was pressed, by the mouse or by a key.

    Args:
        pictures: Of scenes.
        entry: The scene.
        name: The widget is known by it.
        width: Of the tile [units of the window].
    """
    size = imgui.ImVec2(width, tile_height(width))
    is_pressed = bool(imgui.invisible_button(name, size, imgui.ButtonFlags_.enable_nav))
    remember(name)
    low, high = imgui.get_item_rect_min(), imgui.get_item_rect_max()
    if not imgui.is_item_visible():
        return is_pressed
    is_lit = imgui.is_item_hovered() or imgui.is_item_focused()
    draw = imgui.get_window_draw_list()
    draw.add_rect_filled(low, high, tint(imgui.Col_.header if is_lit else imgui.Col_.frame_bg), 6.0)
    bottom = imgui.ImVec2(high.x, low.y + width * SIZE[1] / SIZE[0])
    _picture(pictures, entry, low, bottom)
    draw.add_rect(low, high, shade(*ACCENT) if is_lit else tint(imgui.Col_.border), 6.0, 2.0 if is_lit else 1.0)
    _words(entry, low, high, bottom.y)
    if imgui.is_item_hovered(imgui.HoveredFlags_.delay_normal):
        _tooltip(entry, pictures.problem(entry))
    return is_pressed


def _picture(pictures: ScenePictures, entry: SceneEntry, low: imgui.ImVec2, high: imgui.ImVec2) -> None:
    """Draw the picture; until there is one, what kind of file it is."""
    draw, texture = imgui.get_window_draw_list(), pictures.texture(entry)
    if texture is not None:
        upside, down = imgui.ImVec2(0.0, 1.0), imgui.ImVec2(1.0, 0.0)
        draw.add_image(imgui.ImTextureRef(texture.name), low, high, upside, down)
        return
    icon, words = icons.ICON_FA_HOURGLASS_HALF, "is being drawn"
    if entry.is_recording:
        icon, words = icons.ICON_FA_FILM, "recording"
    elif pictures.problem(entry):
        icon, words = icons.ICON_FA_TRIANGLE_EXCLAMATION, "cannot be drawn"
    text = f"{icon}  {words}"
    extent = imgui.calc_text_size(text)
    place = imgui.ImVec2((low.x + high.x - extent.x) / 2.0, (low.y + high.y - extent.y) / 2.0)
    draw.add_text(place, tint(imgui.Col_.text_disabled), text)


def _words(entry: SceneEntry, low: imgui.ImVec2, high: imgui.ImVec2, top: float) -> None:
    """Write the name and, smaller, as much of the caption as there is room for."""
    draw, line = imgui.get_window_draw_list(), imgui.get_text_line_height()
    left, room = low.x + _EDGE, high.x - low.x - 2.0 * _EDGE
    draw.push_clip_rect(imgui.ImVec2(left, top), imgui.ImVec2(high.x - _EDGE, high.y - _EDGE / 2.0), True)
    draw.add_text(imgui.ImVec2(left, top + _EDGE), tint(imgui.Col_.text), entry.title.replace("_", " "))
    place = imgui.ImVec2(left, top + _EDGE + 1.25 * line)
    caption = entry.caption or str(entry.path)
    font, size = imgui.get_font(), 0.87 * imgui.get_font_size()
    draw.add_text(font, size, place, tint(imgui.Col_.text_disabled), caption, wrap_width=room)
    draw.pop_clip_rect()


def _tooltip(entry: SceneEntry, problem: str) -> None:
    """Say all that is known of a scene."""
    lines = [entry.caption, ", ".join(entry.tags), problem, str(entry.path)]
    if imgui.begin_tooltip():
        imgui.push_text_wrap_pos(420.0)
        for line in filter(None, lines):
            imgui.text_wrapped(line)
        imgui.pop_text_wrap_pos()
        imgui.end_tooltip()
