"""The time line: where a run or a recording stands, and what happened when."""

import math
from types import SimpleNamespace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.marks import KINDS, Mark
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.time_control import SPEEDS, TimeSpan
from coopsim.features.desktop.ui.style import ACCENT, BAD, WARN, shade, tint, written
from coopsim.features.desktop.ui.widgets import remember
from coopsim.features.pictures.palette import SERIES

# s; steps that people count in, the last one for runs of years
_STEPS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 1e9)
_APART = 46.0
"""Least distance of times on the ruler [units of the window]."""
_RULER, _HANDLE, _GAP = 18.0, 6.0, 10.0  # points; handles that a mouse hits without aiming
_KEY_SHARE = 0.01
"""Of the line that an arrow key goes."""
_MOST_LANES = 8  # as many as a panel shows without scrolling
_HIGHEST = 24.0
"""Of a lane [units of the window]."""
_COLORS = dict(zip(KINDS, (SERIES[0], SERIES[3], SERIES[5]), strict=True))


class Timeline:
    """Buttons, and a line to scrub on. Shift and a drag choose a part to repeat.

    Args:
        session: What is shown.
        fonts: As `style.dress` gives them.
    """

    def __init__(self, session: ViewerSession, fonts: SimpleNamespace) -> None:
        self._session, self._fonts = session, fonts
        self._part: TimeSpan | None = None

    def draw(self) -> None:
        """Draw it into the window that is begun."""
        self._buttons()
        room = imgui.get_content_region_avail()
        width, height = max(50.0, room.x), max(30.0, room.y)
        corner = imgui.get_cursor_screen_pos()
        imgui.invisible_button("##scrub", imgui.ImVec2(width, height), imgui.ButtonFlags_.enable_nav)
        remember("timeline.scrub")
        scale = _Scale(self._session.time_control.span, corner.x, width)
        is_entered = imgui.is_item_focused() and imgui.get_io().nav_visible
        self._scrub(scale, is_entered=is_entered)
        draw = imgui.get_window_draw_list()
        end = imgui.ImVec2(corner.x + width, corner.y + height)
        draw.push_clip_rect(corner, end, True)
        draw.add_rect_filled(corner, end, tint(imgui.Col_.menu_bar_bg), 4)
        self._ruler(draw, scale, corner.y, end.y)
        self._lanes(draw, scale, corner.y + _RULER, end.y)
        self._marks(draw, scale, corner.y + _RULER, end.y)
        self._loop(draw, scale, corner.y, end.y)
        self._cursor(draw, scale, corner.y, end.y)
        if is_entered:
            draw.add_rect(corner, end, tint(imgui.Col_.nav_cursor), 4, 2.0)
        draw.pop_clip_rect()

    def _buttons(self) -> None:
        session, control = self._session, self._session.time_control
        if _button(icons.ICON_FA_BACKWARD_FAST, "to the beginning"):
            control.seek(control.span.begin)
        if _button(icons.ICON_FA_BACKWARD_STEP, "a step back (,)"):
            control.step(-1)
        imgui.begin_disabled(not (session.is_connected or session.is_past))
        if _button(icons.ICON_FA_PAUSE if control.is_playing else icons.ICON_FA_PLAY, "play or pause (Space)"):
            control.toggle_play()
        if _button(icons.ICON_FA_FORWARD_STEP, "a step on (.)"):
            control.step()
        imgui.end_disabled()
        if _button(icons.ICON_FA_FORWARD_FAST, "to the end; follow what is live"):
            control.follow()
        if control.loop is not None and _button(icons.ICON_FA_REPEAT, "repeat nothing more"):
            control.repeat(None)
        if _button(icons.ICON_FA_CODE_BRANCH, "continue from here: a new run, beside this one"):
            session.continue_from_here()
        self._speed()
        self._state()

    def _state(self) -> None:
        """Say what is shown, in as many words as there is room for."""
        control = self._session.time_control
        now = control.on_line(self._session.time)
        icon, word, color = icons.ICON_FA_CIRCLE, "LIVE", BAD
        if control.is_replay:
            icon, word, color = icons.ICON_FA_FILM, "REPLAY", ACCENT
        elif control.is_past:
            icon, word, color = icons.ICON_FA_CLOCK_ROTATE_LEFT, "SEEN", WARN
        elif not self._session.is_connected:
            is_lost = self._session.link.facts.connection == "lost"
            icon, word, color = icons.ICON_FA_PLUG_CIRCLE_XMARK, "GONE" if is_lost else "WAITS", WARN
        short, long = f"{now:.2f} s", f"{now:.2f} / {max(now, control.span.end):.2f} s"
        room = imgui.get_content_region_avail().x
        imgui.push_font(self._fonts.mono, 14)
        wide, narrow = (imgui.calc_text_size(label).x for label in (long, short))
        imgui.pop_font()
        named = imgui.calc_text_size(f"{icon} {word}").x + _GAP
        is_named = named + narrow < room
        imgui.text_colored(written(color), f"{icon} {word}" if is_named else icon)
        imgui.same_line(0, _GAP)
        imgui.push_font(self._fonts.mono, 14)
        imgui.text(long if is_named and named + wide < room else short)
        imgui.pop_font()

    def _speed(self) -> None:
        control = self._session.time_control
        imgui.set_next_item_width(76)
        if imgui.begin_combo("##speed", f"{control.speed:g} x"):
            for speed in SPEEDS:
                if imgui.selectable(f"{speed:g} x", speed == control.speed)[0]:
                    control.set_speed(speed)
            imgui.end_combo()
        if imgui.is_item_hovered():
            imgui.set_tooltip("simulated seconds per second; below 0 backward")
        imgui.same_line(0, 8)

    def _scrub(self, scale: "_Scale", *, is_entered: bool) -> None:
        control, mouse = self._session.time_control, imgui.get_mouse_pos().x
        if is_entered:
            self._scrub_by_keys(scale)
        if imgui.is_item_active() and imgui.is_mouse_down(0) and scale.length > 0.0:
            time = scale.time(mouse)
            if imgui.get_io().key_shift or self._part is not None:
                begin = self._part.begin if self._part is not None else time
                self._part = TimeSpan(begin, time)
            else:
                control.seek(time)
        elif self._part is not None:
            begin, end = sorted((self._part.begin, self._part.end))
            self._part = None
            control.repeat(TimeSpan(begin, end) if end - begin > 1e-3 else None)

    def _scrub_by_keys(self, scale: "_Scale") -> None:
        """Go along the line with the arrow keys; with Shift ten times as far."""
        steps = imgui.is_key_pressed(imgui.Key.right_arrow) - imgui.is_key_pressed(imgui.Key.left_arrow)
        if steps and scale.length > 0.0:
            control = self._session.time_control
            share = _KEY_SHARE * (10.0 if imgui.get_io().key_shift else 1.0)
            span, now = control.span, control.on_line(self._session.time)
            control.seek(min(span.end, max(span.begin, now + share * steps * scale.length)))

    def _ruler(self, draw: imgui.ImDrawList, scale: "_Scale", top: float, low: float) -> None:
        step = next(candidate for candidate in _STEPS if scale.length / candidate < max(1.0, scale.width / _APART))
        first = math.ceil(scale.begin / step)
        for number in range(first, int((scale.begin + scale.length) // step) + 1):
            x = scale.x_at(number * step)
            draw.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, low), tint(imgui.Col_.text, 0.07))
            draw.add_text(imgui.ImVec2(x + 4, top + 1), tint(imgui.Col_.text_disabled), f"{number * step:g} s")

    def _lanes(self, draw: imgui.ImDrawList, scale: "_Scale", top: float, low: float) -> None:
        """Draw when each robot was commanded."""
        robots = self._session.model.of_kind["robot"][:_MOST_LANES]
        high = min(_HIGHEST, (low - top - _RULER) / max(1, len(robots)))
        if high < 3.0:
            return
        for number, row in enumerate(robots):
            y = top + _RULER + number * high
            left, right = scale.x_at(scale.begin), scale.x_at(scale.begin + scale.length)
            draw.add_rect_filled(imgui.ImVec2(left, y), imgui.ImVec2(right, y + high - 2), shade(*row.color, 0.28), 2)
            for begin, end in self._session.marks.commands.get(row.name, ()):
                a, b = scale.x_at(begin), max(scale.x_at(end), scale.x_at(begin) + 1.5)
                draw.add_rect_filled(imgui.ImVec2(a, y), imgui.ImVec2(b, y + high - 2), shade(*row.color, 0.8), 2)
            if high > 13.0:
                draw.add_text(imgui.ImVec2(left + 6, y + (high - 17) / 2), tint(imgui.Col_.text, 0.95), row.name)

    def _marks(self, draw: imgui.ImDrawList, scale: "_Scale", top: float, low: float) -> None:
        y, mouse = top + _RULER / 2, imgui.get_mouse_pos()
        near: Mark | None = None
        for mark in self._session.marks.marks:
            x = scale.x_at(mark.time)
            _symbol(draw, mark, x, y)
            draw.add_line(imgui.ImVec2(x, y + 6), imgui.ImVec2(x, low), shade(*_COLORS[mark.kind], 0.35))
            if abs(mouse.x - x) < 5.0 and abs(mouse.y - y) < 9.0:
                near = mark
        if near is not None and imgui.is_item_hovered():
            imgui.set_tooltip(f"{near.time:.2f} s  {near.kind}: {near.text}")

    def _loop(self, draw: imgui.ImDrawList, scale: "_Scale", top: float, low: float) -> None:
        part = self._part or self._session.time_control.loop
        if part is not None:
            a, b = sorted((scale.x_at(part.begin), scale.x_at(part.end)))
            draw.add_rect_filled(imgui.ImVec2(a, top), imgui.ImVec2(b, low), shade(*ACCENT, 0.16))
            for x in (a, b):
                draw.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, low), shade(*ACCENT, 0.8), 1.5)

    def _cursor(self, draw: imgui.ImDrawList, scale: "_Scale", top: float, low: float) -> None:
        x = scale.x_at(self._session.time_control.on_line(self._session.time))
        draw.add_line(imgui.ImVec2(x, top), imgui.ImVec2(x, low), shade(*ACCENT), 2)
        draw.add_triangle_filled(
            imgui.ImVec2(x - _HANDLE, top), imgui.ImVec2(x + _HANDLE, top), imgui.ImVec2(x, top + 9), shade(*ACCENT)
        )


class _Scale:
    """Times as places across the panel.

    Args:
        span: That is shown.
        left: Where it begins, in units of the window.
        width: Of all of it.
    """

    def __init__(self, span: TimeSpan, left: float, width: float) -> None:
        self.begin, self.length = span.begin, max(0.0, span.end - span.begin)
        self._left, self.width = left, width

    def x_at(self, seconds: float) -> float:
        share = (seconds - self.begin) / self.length if self.length > 0.0 else 0.0
        return self._left + self.width * min(1.0, max(0.0, share))

    def time(self, x: float) -> float:
        return self.begin + self.length * min(1.0, max(0.0, (x - self._left) / self.width))


def _symbol(draw: imgui.ImDrawList, mark: Mark, x: float, y: float) -> None:
    """Draw a mark; each kind has a shape of its own, besides its colour."""
    color = shade(*_COLORS[mark.kind])
    if mark.kind == "event":
        draw.add_triangle_filled(imgui.ImVec2(x - 5, y + 4), imgui.ImVec2(x + 5, y + 4), imgui.ImVec2(x, y - 5), color)
    elif mark.kind == "edit":
        corners = (imgui.ImVec2(x, y - 5), imgui.ImVec2(x + 5, y), imgui.ImVec2(x, y + 5), imgui.ImVec2(x - 5, y))
        draw.add_quad_filled(*corners, color)
    else:
        for side in (-1.0, 1.0):
            draw.add_line(imgui.ImVec2(x - 4, y - 4 * side), imgui.ImVec2(x + 4, y + 4 * side), color, 2.5)


def _button(icon: str, tip: str) -> bool:
    is_hit = bool(imgui.button(f"{icon}##{tip}"))
    remember(f"timeline.{tip}")
    if imgui.is_item_hovered():
        imgui.set_tooltip(tip)
    imgui.same_line(0, 4)
    return is_hit
