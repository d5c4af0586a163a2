"""All panels of the window."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Literal, TypeAlias

from coopsim.viewer.session import ViewerSession
from coopsim.viewer.teleoperation import Teleoperation
from coopsim.viewer.ui.component_panel import ComponentPanel
from coopsim.viewer.ui.console_panel import ConsolePanel
from coopsim.viewer.ui.object_manager import ObjectManager
from coopsim.viewer.ui.palette import Palette
from coopsim.viewer.ui.panels import Inspector, ScenePanel
from coopsim.viewer.ui.plots import PlotsPanel
from coopsim.viewer.ui.real_time import RealTimePanel
from coopsim.viewer.ui.robot_manager import RobotManager
from coopsim.viewer.ui.target_manager import TargetManager
from coopsim.viewer.ui.timeline import Timeline

Place: TypeAlias = Literal["left", "left below", "right", "right below", "below", "below right", "apart"]


@dataclass(frozen=True, slots=True)
class Panel:
    """A panel beside the picture.

    Attributes:
        title: On its tab; panels are known by it.
        place: Where it is docked at first. The first one of a place lies on top; those apart are large windows of
            their own.
        draw: Draws it into the window that is begun.
        layout: Whether it belongs to the layout of a match, to all others, or to both.
    """

    title: str
    place: Place
    draw: Callable[[], None]
    layout: Literal["desktop", "game", "both"] = "desktop"


def panels(session: ViewerSession, fonts: SimpleNamespace, teleoperation: Teleoperation) -> tuple[Panel, ...]:
    """Return all panels, a line each.

    Args:
        session: What is shown.
        fonts: As `style.dress` gives them.
        teleoperation: Drives a robot by keys.
    """
    return (
        Panel("Scene", "left", ScenePanel(session).draw),
        Panel("Palette", "left below", Palette(session).draw),
        Panel("Inspector", "right", Inspector(session, fonts).draw),
        Panel("Objects", "right below", ObjectManager(session).draw),
        Panel("Robots", "right below", RobotManager(session, fonts, teleoperation).draw),
        Panel("Targets", "right below", TargetManager(session).draw),
        Panel("Timeline", "below", Timeline(session, fonts).draw),
        Panel("Components", "apart", ComponentPanel(session, fonts).draw),
        Panel("Plots", "below right", PlotsPanel(session).draw),
        Panel("Console", "below right", ConsolePanel(session, fonts).draw),
        Panel("Real time", "below right", RealTimePanel(session).draw),
    )
