"""The bars above and below the picture: menus, tools, time, status."""

from types import SimpleNamespace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.documents import Documents
from coopsim.features.desktop.layers import LAYER_KEYS
from coopsim.features.desktop.screen import ScreenSettings
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.style import ACCENT, BAD, GOOD, WARN
from coopsim.features.desktop.ui.widgets import remember

_NOT_LIVE = {"lost": "gone", "connecting": "not there yet"}


class Bars:
    """Tools and status.

    Args:
        session: What is shown.
        fonts: As `style.dress` gives them.
        documents: What is opened and saved.
        settings: What a person chose for the window.
    """

    def __init__(
        self, session: ViewerSession, fonts: SimpleNamespace, documents: Documents, settings: ScreenSettings
    ) -> None:
        self._session, self._fonts, self._documents, self._settings = session, fonts, documents, settings

    def tools(self) -> None:
        """Draw the buttons and the time."""
        session = self._session
        imgui.begin_disabled(not (session.is_connected or session.is_past))
        self._time_buttons()
        imgui.end_disabled()
        imgui.same_line(0, 18)
        for name, icon in (
            ("labels", icons.ICON_FA_TAG),
            ("trails", icons.ICON_FA_ROUTE),
            ("rays", icons.ICON_FA_WIFI),
            ("contacts", icons.ICON_FA_BURST),
            ("sightings", icons.ICON_FA_EYE),
            ("grid", icons.ICON_FA_BORDER_ALL),
        ):
            is_shown = getattr(session.layers, name)
            if _button(icon, f"{name} ({LAYER_KEYS[name]})", ACCENT if is_shown else None):
                session.layers.toggle(name)
        if session.link.facts.playback is None:
            imgui.same_line(0, 18)
            if _button(icons.ICON_FA_HAND, "pull by a force (X)", ACCENT if self._settings.pulls else None):
                self._settings.pulls = not self._settings.pulls
        clock = f"{int(session.time // 60):02d}:{session.time % 60:06.3f}"
        imgui.push_font(self._fonts.mono, 19)
        imgui.same_line(imgui.get_window_width() - imgui.calc_text_size(clock).x - 14)
        imgui.text(clock)
        imgui.pop_font()

    def _time_buttons(self) -> None:
        session, facts = self._session, self._session.link.facts
        is_playing = session.time_control.is_playing
        if facts.playback is None and _button(icons.ICON_FA_FLOPPY_DISK, "save (Ctrl+S)"):
            self._documents.save()
        if facts.playback is not None and _button(icons.ICON_FA_BACKWARD_STEP, "one record back (,)"):
            session.step(-1)
        if _button(icons.ICON_FA_PAUSE if is_playing else icons.ICON_FA_PLAY, "play or pause (Space)", ACCENT):
            session.toggle_play()
        if _button(icons.ICON_FA_FORWARD_STEP, "one step (.)"):
            session.step()
        if facts.playback is None and _button(icons.ICON_FA_ROTATE_LEFT, "put everything back as the file says"):
            session.reset()
        if facts.playback is None:
            tip = "end the recording (Ctrl+R)" if facts.recording else "record (Ctrl+R)"
            if _button(icons.ICON_FA_CIRCLE_DOT, tip, BAD if facts.recording else None):
                self._documents.toggle_recording()

    def status(self, frames: float, milliseconds: float, renderer: str) -> None:
        """Draw how everything goes."""
        facts = self._session.link.facts
        color = {"live": GOOD, "connecting": WARN, "lost": BAD}[facts.connection]
        imgui.text_colored(imgui.ImVec4(*color, 1.0), icons.ICON_FA_CIRCLE)
        imgui.same_line(0, 8)
        robots = len(self._session.model.robot_colors)
        kind = "recording" if facts.playback else facts.mode
        words = [
            facts.scenario,
            kind,
            facts.engine,
            f"{robots} robot{'s' * (robots != 1)}",
            f"{facts.real_time_factor:.2f} x real time" if self._session.is_connected else _NOT_LIVE[facts.connection],
            *(gateway.words for gateway in facts.gateways),
        ]
        last = self._session.notes[-1].partition("\n")[0] if self._session.notes else ""
        text = f"{frames:.0f} fps  \N{MIDDLE DOT}  {milliseconds:.1f} ms  \N{MIDDLE DOT}  {renderer}"
        right = imgui.get_window_width() - imgui.calc_text_size(text).x - 12
        low, high = imgui.get_window_pos(), imgui.get_window_size()
        imgui.push_clip_rect(low, imgui.ImVec2(low.x + right - 12, low.y + high.y), True)
        imgui.text_disabled("  \N{MIDDLE DOT}  ".join(word for word in (*words, last) if word))
        imgui.pop_clip_rect()
        imgui.same_line(right)
        imgui.text_disabled(text)


def _button(icon: str, tip: str, color: tuple[float, float, float] | None = None) -> bool:
    if color is not None:
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*color, 1.0))
    is_hit = bool(imgui.button(f"{icon}##{tip}", imgui.ImVec2(36, 26)))
    remember(f"toolbar.{tip}")
    if color is not None:
        imgui.pop_style_color()
    if imgui.is_item_hovered():
        imgui.set_tooltip(tip)
    imgui.same_line(0, 4)
    return is_hit
