"""The bars above and below the picture: menus, tools, time, status."""

from collections.abc import Callable
from types import SimpleNamespace

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.viewer.layers import LAYER_KEYS
from coopsim.viewer.session import ViewerSession
from coopsim.viewer.ui.style import ACCENT, BAD, GOOD, WARN

_KEYS = (
    ("left button", "select, drag along the floor; beside things: rotate"),
    ("Shift + left button", "turn what is dragged; Ctrl: in steps of 0.5 m or 15 degrees"),
    ("Shift + left button beside things", "select what lies in the band"),
    ("Ctrl + click", "select more"),
    ("right button", "translate"),
    ("wheel", "zoom to the cursor"),
    ("Space", "play, pause"),
    (". and ,", "step forward; back in a recording"),
    ("F", "focus on what is selected"),
    ("1 2 3 4", "views: isometric, top, front, side"),
    ("L T R C V G", "labels, trails, rays, contacts, sightings, grid"),
    ("Ctrl+Z, Ctrl+Y", "undo, redo"),
    ("Ctrl+D, Del", "duplicate, delete what is selected"),
    ("P", "screenshot"),
    ("Esc", "select nothing"),
)


class Bars:
    """Menus and tools.

    Args:
        session: What is shown.
        fonts: As `style.dress` gives them.
        quit_window: Closes the window.
        save: Saves a screenshot.
        view_menu: Draws the entries of the menu View.
    """

    def __init__(
        self,
        session: ViewerSession,
        fonts: SimpleNamespace,
        quit_window: Callable[[], None],
        save: Callable[[], None],
        view_menu: Callable[[], None],
    ) -> None:
        self._session, self._fonts, self._quit, self._save = session, fonts, quit_window, save
        self._view = view_menu
        self._shows_keys = False

    def menus(self) -> None:
        """Draw the menus."""
        if imgui.begin_main_menu_bar():
            for title, draw in (
                ("File", self._file),
                ("Edit", self._edit),
                ("Simulation", self._simulation),
                ("View", self._view),
                ("Help", self._help),
            ):
                if imgui.begin_menu(title):
                    draw()
                    imgui.end_menu()
            imgui.end_main_menu_bar()
        if self._shows_keys:
            self._draw_keys()

    def _file(self) -> None:
        if imgui.menu_item_simple("Screenshot", "P"):
            self._save()
        if imgui.menu_item_simple("Quit", "Ctrl+Q"):
            self._quit()

    def _edit(self) -> None:
        session, history = self._session, self._session.editor.history
        if imgui.menu_item_simple(f"Undo {history.next_undo}###undo", "Ctrl+Z", enabled=history.can_undo):
            history.undo()
        if imgui.menu_item_simple(f"Redo {history.next_redo}###redo", "Ctrl+Y", enabled=history.can_redo):
            history.redo()
        imgui.separator()
        if imgui.menu_item_simple("Duplicate", "Ctrl+D", enabled=bool(session.editable)):
            session.duplicate()
        if imgui.menu_item_simple("Delete", "Del", enabled=bool(session.editable)):
            session.delete()

    def _simulation(self) -> None:
        session = self._session
        if imgui.menu_item_simple("Play / Pause", "Space"):
            session.toggle_play()
        if imgui.menu_item_simple("Step", "."):
            session.step()
        if session.link.facts.playback is None and imgui.menu_item_simple("Reset"):
            session.reset()
        if imgui.begin_menu("Speed"):
            for speed in (0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0):
                if imgui.menu_item_simple(f"{speed:g} x", selected=session.link.facts.speed == speed):
                    session.set_speed(speed)
            imgui.end_menu()

    def _help(self) -> None:
        if imgui.menu_item_simple("Keys and mouse"):
            self._shows_keys = True

    def _draw_keys(self) -> None:
        is_shown, is_wanted = imgui.begin("Keys and mouse", True, imgui.WindowFlags_.always_auto_resize)
        self._shows_keys = bool(is_wanted)
        if is_shown:
            for keys, meaning in _KEYS:
                imgui.text(keys)
                imgui.same_line(170)
                imgui.text_disabled(meaning)
        imgui.end()

    # bars

    def tools(self) -> None:
        """Draw the buttons and the time."""
        session, facts = self._session, self._session.link.facts
        is_playing = session.time_control.is_playing
        if facts.playback is not None and _button(icons.ICON_FA_BACKWARD_STEP, "one record back (,)"):
            session.step(-1)
        if _button(icons.ICON_FA_PAUSE if is_playing else icons.ICON_FA_PLAY, "play or pause (Space)", ACCENT):
            session.toggle_play()
        if _button(icons.ICON_FA_FORWARD_STEP, "one step (.)"):
            session.step()
        if facts.playback is None and _button(icons.ICON_FA_ROTATE_LEFT, "put everything back as the file says"):
            session.reset()
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
        clock = f"{int(session.time // 60):02d}:{session.time % 60:06.3f}"
        imgui.push_font(self._fonts.mono, 19)
        imgui.same_line(imgui.get_window_width() - imgui.calc_text_size(clock).x - 14)
        imgui.text(clock)
        imgui.pop_font()

    def status(self, frames: float, milliseconds: float, renderer: str) -> None:
        """Draw how everything goes."""
        facts = self._session.link.facts
        color = {"live": GOOD, "connecting": WARN, "lost": BAD}[facts.connection]
        imgui.text_colored(imgui.ImVec4(*color, 1.0), icons.ICON_FA_CIRCLE)
        imgui.same_line(0, 8)
        robots = sum(row.kind == "robot" for row in self._session.model.entities)
        kind = "recording" if facts.playback else facts.mode
        words = [facts.scenario, kind, facts.engine, f"{robots} robots", f"{facts.real_time_factor:.2f} x real time"]
        last = self._session.notes[-1] if self._session.notes else ""
        imgui.text_disabled("  \N{MIDDLE DOT}  ".join(word for word in (*words, last) if word))
        text = f"{frames:.0f} fps  \N{MIDDLE DOT}  {milliseconds:.1f} ms  \N{MIDDLE DOT}  {renderer}"
        imgui.same_line(imgui.get_window_width() - imgui.calc_text_size(text).x - 12)
        imgui.text_disabled(text)


def _button(icon: str, tip: str, color: tuple[float, float, float] | None = None) -> bool:
    if color is not None:
        imgui.push_style_color(imgui.Col_.button, imgui.ImVec4(*color, 1.0))
    is_hit = bool(imgui.button(f"{icon}##{tip}", imgui.ImVec2(36, 26)))
    if color is not None:
        imgui.pop_style_color()
    if imgui.is_item_hovered():
        imgui.set_tooltip(tip)
    imgui.same_line(0, 4)
    return is_hit
