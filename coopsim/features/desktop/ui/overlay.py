"""Overlay of the picture: names, axes, banners."""

from functools import lru_cache, partial

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.labels import Box, NameChoice
from coopsim.features.desktop.matrices import look_at
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.style import ACCENT, BAD, WARN, shade

# red, green, blue for x, y, z, as everywhere in robotics
_AXES = (("x", (0.90, 0.30, 0.28)), ("y", (0.30, 0.70, 0.40)), ("z", (0.25, 0.50, 0.95)))
Rectangle = tuple[float, float, float, float]
"""Left, top, width, height, in units of the window."""
_AXES_MIDDLE, _AXES_RADIUS = 46.0, 36.0
"""Of the axes: their middle from the upper and the right edge, and the disc around them [units of the window]."""
_CORNER = 106.0
"""Room for the axes in the corner, with that between [units of the window]."""
EDGE = 24.0
"""Between the edges of the picture and the text of a banner [units of the window]."""


def draw_overlay(
    session: ViewerSession,
    names: NameChoice,
    view: Rectangle,
    scale: float,
    *,
    is_dead: bool = False,
    is_opening: bool = False,
) -> None:
    """Draw names, axes and banners over the picture.

    Args:
        session: What is shown.
        names: Chooses those that are written.
        view: Where the picture is.
        scale: Pixels for each unit of the window.
        is_dead: Whether something else says why the run is lost.
        is_opening: Whether another run is being started in its place.
    """
    left, top, width, height = view
    draw = imgui.get_background_draw_list()
    draw.push_clip_rect(imgui.ImVec2(left, top), imgui.ImVec2(left + width, top + height))
    if session.layers.labels:
        unseen = session.layers.unseen(session.model, session.hidden)
        sized = partial(_label_size, scale)
        chosen, axes = session.chosen, _axes_box(session.camera.size, scale)
        for name, (low_x, _, _, high_y) in names.label_boxes(session.model, session.camera, chosen, sized, (axes,)):
            if name not in unseen and name not in session.named_elsewhere:
                corner = left + low_x / scale, top + height - high_y / scale
                _label(draw, name, *corner, is_selected=name in chosen)
    _axes(draw, session, left + width - _AXES_MIDDLE, top + _AXES_MIDDLE)
    facts = session.link.facts
    if facts.connection == "lost" and is_opening:
        banner(draw, "The run is being started", "", left + width / 2, top + 34, WARN)
    elif facts.connection == "lost" and not is_dead:
        where = session.link.endpoint or "the usual place"
        text = f"{icons.ICON_FA_PLUG_CIRCLE_XMARK}  The simulation is gone; waiting for it at {where}"
        banner(draw, text, facts.problem, left + width / 2, top + 34, BAD)
    elif facts.connection == "connecting":
        banner(draw, "Connecting", session.link.endpoint or "", left + width / 2, top + 34, WARN)
    elif session.is_past:
        more = f"{session.time:.2f} s is shown. Edits are for the present: End, or the end of the time line, shows it"
        banner(draw, f"{icons.ICON_FA_CLOCK_ROTATE_LEFT}  The past", more, left + width / 2, top + 34, WARN)
    draw.pop_clip_rect()


def _label(draw: imgui.ImDrawList, name: str, left: float, top: float, *, is_selected: bool) -> None:
    across, up = _text_size(name)
    paper = shade(*ACCENT, 0.95) if is_selected else shade(0.09, 0.10, 0.12, 0.72)
    draw.add_rect_filled(imgui.ImVec2(left, top), imgui.ImVec2(left + across + 12, top + up + 4), paper, 4)
    draw.add_text(imgui.ImVec2(left + 6, top + 2), shade(1, 1, 1, 0.95), name)


def _label_size(scale: float, name: str) -> tuple[float, float]:
    """Return width and height of a name with its paper [pixels]; `scale` = pixels for each unit of the window."""
    across, up = _text_size(name)
    return (across + 12.0) * scale, (up + 4.0) * scale


@lru_cache(maxsize=4096)
def _text_size(name: str) -> tuple[float, float]:
    """Return width and height of a name; the font of the picture never changes."""
    size = imgui.calc_text_size(name)
    return size.x, size.y


def _axes_box(picture: tuple[float, float], scale: float) -> Box:
    """Return the part of a picture that its axes take: left, low, right, high [pixels].

    Args:
        picture: Its width and height [pixels].
        scale: Pixels for each unit of the window.
    """
    (width, height), near, far = picture, _AXES_MIDDLE - _AXES_RADIUS, _AXES_MIDDLE + _AXES_RADIUS
    return width - far * scale, height - far * scale, width - near * scale, height - near * scale


def _axes(draw: imgui.ImDrawList, session: ViewerSession, x: float, y: float) -> None:
    turn = look_at(session.camera.eye, session.camera.centre)[:3, :3]
    draw.add_circle_filled(imgui.ImVec2(x, y), _AXES_RADIUS, shade(0.07, 0.08, 0.1, 0.35))
    seen = sorted(zip(turn.T, _AXES, strict=True), key=lambda pair: float(pair[0][2]))
    for direction, (name, color) in seen:
        tip = imgui.ImVec2(x + 26 * float(direction[0]), y - 26 * float(direction[1]))
        draw.add_line(imgui.ImVec2(x, y), tip, shade(*color), 2.5)
        draw.add_circle_filled(tip, 7.5, shade(*color))
        draw.add_text(imgui.ImVec2(tip.x - 3, tip.y - 8), shade(1, 1, 1), name)


def banner(draw: imgui.ImDrawList, text: str, more: str, x: float, y: float, color: tuple[float, float, float]) -> None:
    """Draw two lines in a box; the second one is broken where it is wider than the picture.

    Args:
        draw: Where.
        text: The first line.
        more: The second one, smaller.
        x: Of the middle.
        y: Of the first line.
        color: Of the first line and the edge.
    """
    width = draw.get_clip_rect_max().x - draw.get_clip_rect_min().x
    room = width - 2.0 * max(EDGE, min(_CORNER, 0.12 * width))  # beside the axes, where there is room
    sizes = [imgui.calc_text_size(line, False, room) for line in (text, more)]
    half, high = max(size.x for size in sizes) / 2 + 14, imgui.get_text_line_height()
    low = y + 1.4 * high + (sizes[1].y + 0.2 * high if more else 0.0)
    draw.add_rect_filled(
        imgui.ImVec2(x - half, y - 8), imgui.ImVec2(x + half, low + 4), shade(0.09, 0.10, 0.12, 0.9), 6
    )
    draw.add_rect(imgui.ImVec2(x - half, y - 8), imgui.ImVec2(x + half, low + 4), shade(*color), 6, 1.5)
    draw.add_text(imgui.ImVec2(x - sizes[0].x / 2, y), shade(*color), text)
    place = imgui.ImVec2(x - sizes[1].x / 2, y + 1.4 * high)
    font, size = imgui.get_font(), imgui.get_font_size()
    draw.add_text(font, size, place, shade(0.75, 0.78, 0.82), more, wrap_width=sizes[1].x + 1.0)
