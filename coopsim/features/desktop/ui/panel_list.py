"""All panels of the window."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Literal, TypeAlias

from imgui_bundle import imgui

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.features.desktop.documents import Documents
from coopsim.features.desktop.session import ViewerSession
from coopsim.features.desktop.teleoperation import Teleoperation
from coopsim.features.desktop.ui.console_panel import ConsolePanel
from coopsim.features.desktop.ui.object_manager import ObjectManager, TargetManager
from coopsim.features.desktop.ui.palette import Palette
from coopsim.features.desktop.ui.panels import Inspector, ScenePanel
from coopsim.features.desktop.ui.plots import PlotsPanel
from coopsim.features.desktop.ui.real_time import RealTimePanel
from coopsim.features.desktop.ui.robot_manager import RobotManager
from coopsim.features.desktop.ui.timeline import Timeline

Place: TypeAlias = Literal["left", "left below", "right", "right below", "below", "below right", "apart"]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel beside the picture.

    Attributes:
        title: On its tab; panels are known by it.
        place: Where it is docked at first. The first one of a place lies on top; those apart are large windows of
            their own.
        draw: Draws it into the window that is begun.
        layout: Name of the layout that it belongs to, "desktop" = the usual ones, "both" = all.
    """

    title: str
    place: Place
    draw: Callable[[], None]
    layout: str = "desktop"


@dataclass(frozen=True, slots=True)
class WindowContext:
    """The parts of the window that panels and layouts work with.

    Attributes:
        session: What is shown: entities, time, selection, and the link to the run.
        fonts: As `style.dress` gives them.
        teleoperation: Drives a robot by keys.
        documents: Opens and saves files.
    """

    session: ViewerSession
    fonts: SimpleNamespace
    teleoperation: Teleoperation
    documents: Documents


def panels(context: WindowContext) -> tuple[Panel, ...]:
    """Return the window's own panels, a line each, and behind them those that packages bring."""
    session, fonts = context.session, context.fonts
    return (
        Panel("Scene", "left", ScenePanel(session).draw),
        Panel("Palette", "left below", Palette(session).draw),
        Panel("Inspector", "right", Inspector(session, fonts).draw),
        Panel("Objects", "right below", ObjectManager(session).draw),
        Panel("Robots", "right below", RobotManager(session, fonts, context.teleoperation).draw),
        Panel("Targets", "right below", TargetManager(session).draw),
        Panel("Timeline", "below", Timeline(session, fonts).draw),
        Panel("Plots", "below right", PlotsPanel(session).draw),
        Panel("Console", "below right", ConsolePanel(session, fonts).draw),
        Panel("Real time", "below right", RealTimePanel(session).draw),
        *(panel for name in plugins.registered("panels") for panel in _registered(name, context)),
    )


def _registered(name: str, context: WindowContext) -> tuple[Panel, ...]:
    """Return the panels that a package brings under a name, or none, with a note why, where it fails.

    It registers a function that takes a `WindowContext` and returns panels.
    """
    place = plugins.registered("panels")[name].places[0]
    try:
        with plugins.blamed(f"panels {name}"):
            brought = tuple(plugins.load("panels", name)(context))
            if not all(isinstance(panel, Panel) for panel in brought):
                raise PluginFailed(f"{place}: expected a sequence of Panel, got {brought!r:.80}")
    except PluginFailed as problem:
        context.session.note(str(problem))
        return ()
    if not plugins.is_foreign("panels", name):
        return brought
    return tuple(replace(panel, draw=_Guarded(panel, context.session)) for panel in brought)


class _Guarded:
    """The drawing of a foreign panel: one that raises says so in its place, and is not drawn again.

    Args:
        panel: As the package made it.
        session: Takes the note.
    """

    def __init__(self, panel: Panel, session: ViewerSession) -> None:
        self._panel, self._session = panel, session
        self._failure = ""

    def __call__(self) -> None:
        if self._failure:
            imgui.text_wrapped(self._failure)
            return
        try:
            with plugins.blamed(f"panel {self._panel.title}"):
                self._panel.draw()
        except PluginFailed as problem:
            self._failure = str(problem)
            self._session.note(self._failure)
