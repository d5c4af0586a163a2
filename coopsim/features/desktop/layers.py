"""Layers of the picture besides bodies, each switched by itself."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from coopsim.errors import BadArgument
from coopsim.suggest import did_you_mean, listed

if TYPE_CHECKING:
    from coopsim.features.desktop.model import SceneModel

LAYER_KEYS = {
    "labels": "L",
    "trails": "T",
    "rays": "R",
    "contacts": "C",
    "sightings": "V",
    "grid": "G",
    "targets": "",
    "shadows": "",
}
"""Names of the layers, and their keys."""
DRAWN_OFFLINE = ("labels", "rays", "contacts", "sightings", "grid")
"""Layers that pictures of files have by name."""


@dataclass
class Layers:
    """Layers that are drawn, each on or off.

    Attributes:
        labels: Names of robots and targets.
        trails: Where robots were.
        rays: What ranging sensors measure.
        contacts: Where bumpers are touched.
        sightings: Lines from robots to the targets and robots that they see.
        targets: Targets themselves.
    """

    labels: bool = True
    trails: bool = True
    rays: bool = True
    contacts: bool = True
    sightings: bool = False
    grid: bool = True
    targets: bool = True
    shadows: bool = True

    def toggle(self, name: str) -> None:
        """Switch a layer."""
        setattr(self, name, not getattr(self, name))

    def unseen(self, model: "SceneModel", hidden: Iterable[str]) -> frozenset[str]:
        """Return the names of what is not drawn.

        Args:
            model: What there is.
            hidden: Names of what a person hides.
        """
        targets = () if self.targets else (row.name for row in model.of_kind["target"])
        return frozenset(hidden).union(targets)

    @classmethod
    def only(cls, names: Iterable[str]) -> Self:
        """Return layers of which these alone are on.

        Raises:
            BadArgument: There is no layer of a name.
        """
        wanted = tuple(names)
        for name in wanted:
            if name not in LAYER_KEYS:
                hint = did_you_mean(name, LAYER_KEYS)
                raise BadArgument(f"no layer {name!r}{hint}; there are {listed(tuple(LAYER_KEYS))}")
        return cls(**{name: name in wanted for name in LAYER_KEYS})
