"""Docking of panels around the picture."""

from collections.abc import Sequence
from dataclasses import dataclass

from imgui_bundle import imgui

from coopsim.features.desktop.screen import ARRANGEMENTS, ScreenSettings
from coopsim.features.desktop.ui.overlay import Rectangle
from coopsim.features.desktop.ui.panel_list import Panel, Place

_FLAGS = imgui.DockNodeFlags_.passthru_central_node | imgui.DockNodeFlags_.no_docking_over_central_node
_MIDDLE = "middle"
_NARROW = 1100.0
"""In windows below this width, panels below the picture share one place."""


@dataclass(frozen=True, slots=True)
class _Split:
    """A place that is cut off another one.

    Attributes:
        of: The place that is cut.
        size: How wide, or high, it is; up to 1 a share of what is cut, above it units of the window.
    """

    place: Place
    of: str
    side: imgui.Dir
    size: float


_COMMON = (
    _Split("left below", "left", imgui.Dir.down, 0.40),
    _Split("right below", "right", imgui.Dir.down, 0.60),
    _Split("below right", "below", imgui.Dir.right, 0.42),
)
_SPLITS: dict[str, tuple[_Split, ...]] = {
    "default": (
        _Split("left", _MIDDLE, imgui.Dir.left, 230.0),
        _Split("right", _MIDDLE, imgui.Dir.right, 290.0),
        _Split("below", _MIDDLE, imgui.Dir.down, 0.30),
        *_COMMON,
    ),
    "wide": (
        _Split("below", _MIDDLE, imgui.Dir.down, 0.32),
        _Split("left", _MIDDLE, imgui.Dir.left, 260.0),
        _Split("right", _MIDDLE, imgui.Dir.right, 320.0),
        *_COMMON,
    ),
    "game-ready": (),
}
_OF_PACKAGE = (
    _Split("left", _MIDDLE, imgui.Dir.left, 220.0),
    _Split("right", _MIDDLE, imgui.Dir.right, 300.0),
    _Split("below", _MIDDLE, imgui.Dir.down, 0.22),
    _Split("below right", "below", imgui.Dir.right, 0.42),
)
"""Of a layout that a package brings."""


class DockArea:
    """The picture in the middle and the places around it.

    Attributes:
        view: Where the picture is, in units of the window.
    """

    def __init__(self) -> None:
        self.view: Rectangle = (0.0, 0.0, 32.0, 32.0)
        self._built: tuple[str, int] | None = None
        self._first: list[str] = []
        self._docked: set[str] = set()
        self._focused = ""

    def begin(self, panels: Sequence[Panel], settings: ScreenSettings) -> None:
        """Make places for panels, and find out where the picture is."""
        viewport = imgui.get_main_viewport()
        imgui.push_style_color(imgui.Col_.window_bg, 0)  # the window is cleared with this colour, which costs nothing
        dock = imgui.dock_space_over_viewport(0, viewport, _FLAGS)
        imgui.pop_style_color()
        wanted = settings.arrangement, settings.placed
        if self._built != wanted:
            self._built = wanted
            self._first = _build(dock, _shown(panels, settings), settings.arrangement)
        node = imgui.internal.dock_builder_get_central_node(dock)
        self.view = node.pos.x, node.pos.y, max(32.0, node.size.x), max(32.0, node.size.y)

    def draw(self, panels: Sequence[Panel], settings: ScreenSettings) -> None:
        """Draw the panels that are open."""
        if settings.arrangement == "game-ready":
            return
        for panel in _shown(panels, settings):
            if panel.title not in settings.closed:
                self._draw(panel, settings)
        if self._first and imgui.get_frame_count() > 2:
            for title in self._first:
                imgui.set_window_focus(title)
            imgui.set_window_focus(None)
            self._first = []

    def enter_next(self, panels: Sequence[Panel], settings: ScreenSettings, step: int = 1) -> None:
        """Give the keys to the next panel that is open; with a step of -1 to the one before."""
        titles = [panel.title for panel in _shown(panels, settings) if panel.title not in settings.closed]
        if titles:
            begin = titles.index(self._focused) if self._focused in titles else min(0, -step)
            settings.entering = titles[(begin + step) % len(titles)]

    def _draw(self, panel: Panel, settings: ScreenSettings) -> None:
        if panel.place == "apart":
            _set_apart()
        flags = imgui.WindowFlags_.no_focus_on_appearing | imgui.WindowFlags_.no_collapse
        if panel.title in self._docked:
            imgui.set_next_window_bg_alpha(0.0)
        is_shown, is_wanted = imgui.begin(panel.title, True, flags)
        (self._docked.add if imgui.is_window_docked() else self._docked.discard)(panel.title)
        if settings.entering == panel.title:
            imgui.set_window_focus()
        if is_shown:
            if settings.entering == panel.title:
                settings.entering = ""
                _begin_keys()
            if imgui.is_window_focused(imgui.FocusedFlags_.child_windows):
                self._focused = panel.title
            panel.draw()
        imgui.end()
        if not is_wanted:
            settings.closed.add(panel.title)


def _begin_keys() -> None:
    """Have the first widget of the window that is begun take the keys."""
    imgui.internal.nav_init_window(imgui.internal.get_current_window(), True)
    imgui.set_nav_cursor_visible(True)


def _shown(panels: Sequence[Panel], settings: ScreenSettings) -> list[Panel]:
    """Return the panels that belong to a layout."""
    wanted = "desktop" if settings.arrangement in ARRANGEMENTS else settings.arrangement
    return [panel for panel in panels if panel.layout in {wanted, "both"}]


def _set_apart() -> None:
    """Give the next window, where it was never open before, most of the room."""
    size, low = imgui.get_main_viewport().work_size, imgui.get_main_viewport().work_pos
    imgui.set_next_window_size(imgui.ImVec2(0.8 * size.x, 0.75 * size.y), imgui.Cond_.first_use_ever)
    imgui.set_next_window_pos(imgui.ImVec2(low.x + 0.1 * size.x, low.y + 0.1 * size.y), imgui.Cond_.first_use_ever)


def _build(dock: int, panels: Sequence[Panel], arrangement: str) -> list[str]:
    """Dock all panels; return those that lie on top of others."""
    builder, viewport = imgui.internal, imgui.get_main_viewport()
    builder.dock_builder_remove_node_child_nodes(dock)
    builder.dock_builder_set_node_size(dock, viewport.work_size)
    nodes: dict[str, int] = {_MIDDLE: dock}
    wanted = {panel.place for panel in panels}
    for split in _SPLITS.get(arrangement, _OF_PACKAGE):
        if split.place not in wanted or split.of not in nodes:
            continue
        if split.place == "below right" and viewport.work_size.x < _NARROW:
            continue
        share = split.size if split.size <= 1.0 else split.size / _extent(nodes[split.of], split.side)
        _, nodes[split.place], nodes[split.of] = builder.dock_builder_split_node_py(
            nodes[split.of], split.side, min(0.65, share)
        )
    tops: dict[int, str] = {}
    for panel in panels:
        node = nodes.get(panel.place) or nodes.get(panel.place.partition(" ")[0])
        if node is not None:
            builder.dock_builder_dock_window(panel.title, node)
            tops.setdefault(node, panel.title)
    builder.dock_builder_finish(dock)
    return list(tops.values())


def _extent(node: int, side: imgui.Dir) -> float:
    size = imgui.internal.dock_builder_get_node(node).size
    return max(1.0, float(size.x if side in {imgui.Dir.left, imgui.Dir.right} else size.y))
