"""How the window looks, and how often it is drawn: what a person chooses in the menu View."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

from coopsim.viewer.quality import QualityChoice

Theme: TypeAlias = Literal["dark", "light"]
Arrangement: TypeAlias = Literal["default", "wide", "game-ready", "game"]
THEMES: tuple[Theme, ...] = get_args(Theme)
ARRANGEMENTS: tuple[Arrangement, ...] = get_args(Arrangement)
"""Panels around the picture, more of them side by side, the picture alone, a match."""
RATES = (10, 25, 30, 60, 90, 120, 144)
"""Pictures per second that can be chosen."""
APART = frozenset({"Components"})
"""Titles of panels that lie over the picture, and are opened by those who want them."""


@dataclass
class ScreenSettings:
    """What a person chose for the window.

    Attributes:
        arrangement: Where panels are docked.
        rate: Pictures per second at most.
        quality: How much work goes into a picture.
        closed: Titles of panels that are not shown.
        placed: Grows when all panels are to go back to their places.
    """

    theme: Theme = "dark"
    arrangement: Arrangement = "default"
    rate: int = 60
    quality: QualityChoice = "auto"
    closed: set[str] = field(default_factory=lambda: set(APART))
    placed: int = 0

    def arrange(self, arrangement: Arrangement) -> None:
        """Put all panels to their places."""
        self.arrangement, self.placed = arrangement, self.placed + 1
        self.closed = set(APART)

    def toggle(self, title: str) -> None:
        """Close a panel, or open it again."""
        self.closed ^= {title}
