"""Looks of the window and its rate: what a person chooses in the menu View."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from coopsim.features.desktop.quality import QualityChoice
from coopsim.features.desktop.rendering import BUILT_IN

Theme: TypeAlias = Literal["dark", "light"]
THEMES: tuple[Theme, ...] = get_args(Theme)
ARRANGEMENTS = ("default", "wide", "game-ready")
"""Panels around the picture, more of them side by side, the picture alone; layouts of packages come behind them."""
RATES = (10, 25, 30, 60, 90, 120, 144)
"""Pictures per second that can be chosen."""
SCALES = (1.0, 1.25, 1.5, 2.0, 3.0)
"""Pixels for each unit that the menu offers."""
LEAST_SCALE, LARGEST_SCALE = 0.5, 4.0
"""Smaller words cannot be read; with larger ones no panel fits a usual display."""


@dataclass
class ScreenSettings:
    """Settings of the window that a person chose.

    Attributes:
        arrangement: Where panels are docked: one of `ARRANGEMENTS`, or a layout of a package.
        rate: Pictures per second at most.
        quality: How much work goes into a picture.
        renderer: Name of what draws the picture.
        apart: Titles of panels that lie over the picture, and are opened by those who want them.
        entering: Title of the panel that is to have the keys, "" = they stay where they are.
        closed: Titles of panels that are not shown.
        pulls: Whether the left button pulls bodies by a force.
        scale: Pixels for each unit of the window, 0 = as many as the display says.
        placed: Grows when all panels are to go back to their places.
    """

    theme: Theme = "dark"
    arrangement: str = "default"
    rate: int = 60
    quality: QualityChoice = "auto"
    renderer: str = BUILT_IN
    scale: float = 0.0
    apart: frozenset[str] = frozenset()
    closed: set[str] = field(default_factory=set)
    entering: str = ""
    placed: int = 0
    pulls: bool = False

    def __post_init__(self) -> None:
        self.closed |= self.apart

    def arrange(self, arrangement: str) -> None:
        """Put all panels to their places."""
        self.arrangement, self.placed = arrangement, self.placed + 1
        self.closed = set(self.apart)

    def toggle(self, title: str) -> None:
        """Close a panel, or open it again."""
        self.closed ^= {title}
