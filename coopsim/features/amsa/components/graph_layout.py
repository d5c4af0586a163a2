"""Graph layout of a system: the colour of each kind, and the column of each leaf."""

from collections.abc import Iterator, Mapping
from typing import Final

from coopsim.features.amsa.components.kinds import LeafKind
from coopsim.features.amsa.components.model import Composite, Leaf, SystemModel
from coopsim.features.amsa.components.order import dataflow, delayed, execution_order

KIND_COLORS: Final[Mapping[LeafKind, str]] = {
    LeafKind.CONTROLLED: "#3b7dd8",
    LeafKind.ENVIRONMENT: "#31a354",
    LeafKind.SENSOR: "#17a2a2",
    LeafKind.CONTROL: "#8c5fd0",
    LeafKind.ACTUATOR: "#e4652a",
    LeafKind.OBSERVER: "#7a7f8a",
}
"""As `#rrggbb`."""


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
