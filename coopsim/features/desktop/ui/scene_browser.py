"""Window that lists all scenes with pictures, and the page that greets a first user with three of them."""

from pathlib import Path

from imgui_bundle import icons_fontawesome_6 as icons
from imgui_bundle import imgui

from coopsim.features.desktop.documents import EMPTY, Documents
from coopsim.features.desktop.scenes.pictures import ScenePictures
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.ui.overlay import Rectangle
from coopsim.features.desktop.ui.scene_tiles import WIDTH, draw_tile
from coopsim.features.desktop.ui.widgets import button, focus_item, remember
from coopsim.features.presentation.scene_listing import SceneEntry, SceneGroup, scene_entry, scene_groups

_TITLE = "Scenes"
_SIZE = (928.0, 640.0)
"""Of the window: four tiles side by side [units of the window]."""
_MARGIN, _GAP = 32.0, 10.0
_FIRST = ("formation.scenario", "transport.scenario", "death_match.scenario")
"""On the first page: a formation, carrying together, and a match to play."""
_SETTLED = 3
"""Frames until panels are docked, which takes the keys from whatever has them."""
_PAGE = (
    imgui.WindowFlags_.no_decoration
    | imgui.WindowFlags_.no_move
    | imgui.WindowFlags_.no_docking
    | imgui.WindowFlags_.no_saved_settings
    | imgui.WindowFlags_.always_auto_resize
)


class SceneBrowser:
    """Lists scenes, finds them by words, and opens one by a click or a key.

    Args:
        documents: Opens them, and knows what was open before.
        pictures: Of scenes.

    Attributes:
        is_open: Whether it is shown.
        search: What is looked for.
    """

    def __init__(self, documents: Documents, pictures: ScenePictures) -> None:
        self._documents, self._pictures = documents, pictures
        self.is_open, self.search = False, ""
        self._begins = False
        self._groups: tuple[SceneGroup, ...] = ()

    def ask(self) -> None:
        """Open it, with the files that there are now."""
        self._groups = scene_groups(self._documents.recent.files, Path.cwd())
        self.is_open, self.search, self._begins = True, "", True

    def draw(self) -> None:
        """Draw it where it is open."""
        if not self.is_open:
            return
        if self._begins:
            imgui.open_popup(_TITLE)
            self._begins = False
        viewport = imgui.get_main_viewport()
        room = viewport.work_size
        size = imgui.ImVec2(min(_SIZE[0], room.x - _MARGIN), min(_SIZE[1], room.y - _MARGIN))
        imgui.set_next_window_size(size, imgui.Cond_.appearing)
        imgui.set_next_window_pos(viewport.get_center(), imgui.Cond_.appearing, imgui.ImVec2(0.5, 0.5))
        if not imgui.begin_popup_modal(_TITLE, None)[0]:
            return
        is_entered = self._search_field()
        chosen = self._tiles(is_entered=is_entered)
        if button("scenes.close", "Close") or imgui.is_key_pressed(imgui.Key.escape):
            self.is_open = False
        if chosen is not None:
            self.is_open = False
            self._documents.open(chosen.file)
        if not self.is_open:
            imgui.close_current_popup()
        imgui.end_popup()

    def _search_field(self) -> bool:
        """Draw the field for words; return whether Return was pressed in it."""
        if imgui.is_window_appearing():
            imgui.set_keyboard_focus_here()
        imgui.set_next_item_width(-1.0)
        hint = f"{icons.ICON_FA_MAGNIFYING_GLASS}  a name, a robot, a control law, an engine"
        _, self.search = imgui.input_text_with_hint("##scenes.search", hint, self.search)
        is_entered = imgui.is_item_deactivated() and imgui.is_key_pressed(imgui.Key.enter)
        remember("scenes.search")
        return bool(is_entered)

    def _tiles(self, *, is_entered: bool) -> SceneEntry | None:
        """Draw what the search finds; return what was chosen: Return chooses the first."""
        chosen, count = None, 0
        imgui.begin_child(
            "scenes.tiles",
            imgui.ImVec2(0.0, -38.0),
            imgui.ChildFlags_.nav_flattened,
            imgui.WindowFlags_.always_vertical_scrollbar,
        )
        columns = max(1, int((imgui.get_content_region_avail().x + _GAP) // (WIDTH + _GAP)))
        for group in self._groups:
            entries = group.matching(self.search)
            if not entries:
                continue
            imgui.separator_text(group.title)
            for number, entry in enumerate(entries):
                if number % columns:
                    imgui.same_line(0.0, _GAP)
                is_first = is_entered and bool(self.search) and not count
                if draw_tile(self._pictures, entry, f"scene.{group.title}.{entry.title}") or is_first:
                    chosen = entry
                count += 1
        if not count:
            imgui.text_disabled("No scene has these words.")
        imgui.end_child()
        return chosen


class StartPage:
    """Greets who opened a window without a file: three scenes, one click each.

    Args:
        session: What is shown.
        documents: Opens scenes.
        browser: Lists all of them.
        pictures: Of scenes.

    Attributes:
        is_closed: Whether nobody wants it.
    """

    def __init__(
        self, session: ViewerSession, documents: Documents, browser: SceneBrowser, pictures: ScenePictures
    ) -> None:
        self._session, self._documents, self._browser, self._pictures = session, documents, browser, pictures
        self.is_closed, self._has_keys = False, False
        self._entries: tuple[SceneEntry, ...] | None = None

    @property
    def is_shown(self) -> bool:
        """Whether it is seen: of a window of ours that shows the empty floor, on which nothing stands yet."""
        is_bare = all(row.kind == "floor" for row in self._session.model.entities)
        mine = self._documents.opener is not None and self._documents.file == EMPTY
        return mine and is_bare and not self.is_closed and not self._browser.is_open

    def draw(self, view: Rectangle) -> None:
        """Draw it where it is to be seen.

        Args:
            view: Where the picture is.
        """
        if not self.is_shown:
            self._has_keys = False
            return
        left, top, width, height = view
        middle = imgui.ImVec2(left + width / 2.0, top + height / 2.0)
        imgui.set_next_window_pos(middle, imgui.Cond_.always, imgui.ImVec2(0.5, 0.5))
        imgui.begin("##start page", None, _PAGE)
        if self._entries is None:
            self._entries = tuple(entry for file in _FIRST if (entry := scene_entry(file)) is not None)
        imgui.text("Begin with a scene: one click, and it runs.")
        imgui.spacing()
        self._draw_tiles(width)
        imgui.spacing()
        self._buttons()
        imgui.end()

    def _draw_tiles(self, width: float) -> None:
        entries = self._entries or ()
        share = (width - _MARGIN - 2.0 * _GAP * len(entries)) / max(1, len(entries))
        imgui.begin_disabled(self._documents.is_opening)
        for number, entry in enumerate(entries):
            if number:
                imgui.same_line(0.0, _GAP)
            if draw_tile(self._pictures, entry, f"start.{entry.title}", min(WIDTH, max(80.0, share))):
                self._documents.open(entry.file)
            if not number:
                self._give_keys()
        imgui.end_disabled()

    def _give_keys(self) -> None:
        """Give the keys to the last tile once, so that Return opens it; a question that is open keeps them."""
        is_asked = imgui.is_popup_open("", imgui.PopupFlags_.any_popup)
        if not self._has_keys and imgui.get_frame_count() > _SETTLED and not is_asked:
            self._has_keys = True
            focus_item()

    def _buttons(self) -> None:
        if button("start.scenes", f"{icons.ICON_FA_TABLE_CELLS_LARGE}  All scenes", strong=True):
            self._browser.ask()
        imgui.same_line()
        if button("start.empty", "Stay on the empty floor"):
            self.is_closed = True
        if self._documents.is_opening:
            imgui.same_line()
            imgui.text_disabled("starts ...")
