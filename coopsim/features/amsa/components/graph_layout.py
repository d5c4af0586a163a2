"""Graph layout of a system: the colour of each kind, and the column of each leaf."""

from collections.abc import Iterator, Mapping
from typing import Final

from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.components.model import Composite, Leaf, SystemModel
from coopsim.features.amsa.components.order import dataflow, delayed, execution_order
from coopsim.features.pictures.palette import SERIES_ON_PAPER
from coopsim.geometry import Vector3

KIND_COLORS: Final[Mapping[LeafKind, Vector3]] = {
    LeafKind.CONTROLLED: SERIES_ON_PAPER[6],
    LeafKind.ENVIRONMENT: SERIES_ON_PAPER[2],
    LeafKind.SENSOR: SERIES_ON_PAPER[0],
    LeafKind.CONTROL: SERIES_ON_PAPER[4],
    LeafKind.ACTUATOR: SERIES_ON_PAPER[5],
    LeafKind.OBSERVER: SERIES_ON_PAPER[3],
}
"""Of the palette, in the picture and in the window."""


def columns(model: SystemModel) -> dict[str, int]:
    """Return the column of each leaf, in the order of execution: behind all whose data it gets at the same instant.

    Raises:
        BadFile: A loop of data has no order.
    """
    order = execution_order(model)
    before: dict[str, list[str]] = {leaf.name: [] for leaf in order}
    for producer, consumer in dataflow(model) - delayed(model):
        before[consumer].append(producer)
    layers: dict[str, int] = {}
    for leaf in order:
        layers[leaf.name] = max((layers[name] + 1 for name in before[leaf.name]), default=0)
    return layers


def composite_paths(composite: Composite, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Leaf]]:
    """Yield each leaf with the composites that it is in, from the outermost to its own; the root is left out."""
    for part in composite.parts:
        if isinstance(part, Leaf):
            yield path, part
        else:
            yield from composite_paths(part, (*path, part.name))
