"""The menu View: where to look from, layers, panels, and how the window looks."""

from collections.abc import Sequence

from imgui_bundle import imgui

from coopsim.features.desktop.camera import VIEWS
from coopsim.features.desktop.layers import LAYER_KEYS
from coopsim.features.desktop.quality import QUALITIES
from coopsim.features.desktop.rendering import renderer_names
from coopsim.features.desktop.screen import ARRANGEMENTS, RATES, SCALES, THEMES, ScreenSettings
from coopsim.features.desktop.session import ViewerSession


class ViewMenu:
    """The menu View.

    Args:
        session: What is shown.
        settings: What is chosen.
        titles: Of all panels.
        layouts: Names of those that packages bring.
    """

    def __init__(
        self, session: ViewerSession, settings: ScreenSettings, titles: Sequence[str], layouts: Sequence[str]
    ) -> None:
        self._session, self._settings, self._titles = session, settings, tuple(titles)
        self._layouts = (*ARRANGEMENTS, *layouts)

    def draw(self) -> None:
        """Draw its entries into the menu that is begun."""
        for number, view in enumerate(VIEWS, 1):
            if imgui.menu_item_simple(view.capitalize(), str(number)):
                self._session.turn_camera_to(view)
        if imgui.menu_item_simple("Focus", "F"):
            self._session.focus()
        imgui.separator()
        self._layers()
        imgui.separator()
        self._panels()
        self._appearance_items()

    def _layers(self) -> None:
        layers = self._session.layers
        for name, key in LAYER_KEYS.items():
            if imgui.menu_item_simple(name.capitalize(), key, getattr(layers, name)):
                layers.toggle(name)

    def _panels(self) -> None:
        settings = self._settings
        if imgui.begin_menu("Panels"):
            for title in self._titles:
                if imgui.menu_item_simple(title, selected=title not in settings.closed):
                    settings.toggle(title)
            imgui.end_menu()
        if imgui.begin_menu("Layout"):
            for name in self._layouts:
                if imgui.menu_item_simple(name.capitalize(), selected=name == settings.arrangement):
                    settings.arrange(name)
            imgui.end_menu()

    def _appearance_items(self) -> None:
        settings = self._settings
        if imgui.begin_menu("Theme"):
            for theme in THEMES:
                if imgui.menu_item_simple(theme.capitalize(), selected=theme == settings.theme):
                    settings.theme = theme
            imgui.end_menu()
        if imgui.begin_menu("Scale"):
            for scale in (0.0, *SCALES):
                title = f"{scale:.0%}" if scale else "As the display says"
                if imgui.menu_item_simple(title, selected=scale == settings.scale):
                    settings.scale, settings.placed = scale, settings.placed + 1
            imgui.end_menu()
        if imgui.begin_menu("Quality"):
            for quality in QUALITIES:
                if imgui.menu_item_simple(quality.capitalize(), selected=quality == settings.quality):
                    settings.quality = quality
            imgui.end_menu()
        if imgui.begin_menu("Renderer"):
            for name in renderer_names():
                if imgui.menu_item_simple(name, selected=name == settings.renderer):
                    settings.renderer = name
            imgui.end_menu()
        if imgui.begin_menu("Frame rate"):
            for rate in RATES:
                if imgui.menu_item_simple(f"{rate} per second", selected=rate == settings.rate):
                    settings.rate = rate
            imgui.end_menu()
