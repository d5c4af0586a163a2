"""Labels of shapes as plain colours: rows to draw, what pixels of them say, and their names."""

import json
from typing import Final

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.drawlist import DrawList
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.surfaces import Skin
from coopsim.geometry import Ints
from coopsim.state import Layout

MOST: Final = 0xFFFF
"""Greatest label, which all entities beyond it share; two bytes of a pixel hold it."""
_OPAQUE: Final = 255


class LabelRows(DrawList):
    """Rows of all shapes of a model whose colours are labels: 1 + the number of the entity, low byte in red.

    Entities of one cloth or soft body have one label: that of the first of its nodes.

    Args:
        model: What there is; `update` follows it.
    """

    def __init__(self, model: SceneModel) -> None:
        super().__init__(model)
        self.rows["i_color"] = _color(np.minimum(model.entity + 1, MOST))

    def _paint(self) -> None:
        """Keep the labels, whatever shines."""

    def hide_as(self, rows: DrawList) -> None:
        """Leave out what other rows of the model leave out."""
        if self.hidden != rows.hidden:
            self.mark(frozenset(), rows.hidden)

    def color_of(self, skin: Skin) -> tuple[int, int, int, int]:
        """Return the label of a skin as a colour."""
        red, green, blue, opacity = _color(np.minimum(skin.entities[:1] + 1, MOST))[0].tolist()
        return red, green, blue, opacity


def _color(labels: Ints) -> NDArray[np.uint8]:
    """Return labels as colours, shape (n, 4)."""
    colors = np.zeros((labels.size, 4), np.uint8)
    colors[:, 0], colors[:, 1], colors[:, 3] = labels & 0xFF, labels >> 8, _OPAQUE
    return colors


def labels_of(words: NDArray[np.uint32]) -> NDArray[np.uint16]:
    """Return the labels of pixels whose red is in their lowest byte, shape (height, width)."""
    return words.astype(np.uint16)


def names_of(labels: NDArray[np.uint16], layout: Layout) -> bytes:
    """Return a JSON object that names the labels of an image; a cloth has its own name, not that of a node."""
    named = {}
    for label in np.unique(labels[labels > 0]).tolist():
        entity = layout.entities[label - 1]
        named[str(label)] = entity.whole or entity.name
    return json.dumps(named, ensure_ascii=False, separators=(",", ":")).encode()
