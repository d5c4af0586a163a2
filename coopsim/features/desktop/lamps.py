"""Lamps as they shine: their shapes have the colour of their light."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.desktop.model import SceneModel
from coopsim.geometry import Floats
from coopsim.state import Layout

if TYPE_CHECKING:
    from coopsim.client import State

_KIND = "lamp"
_FIELDS = ("brightness", "red", "green", "blue")
_DARK = 0.15
"""Share of its colour with which a lamp is seen that is off."""


def recorded_lights(layout: Layout, readings: Floats) -> Iterator[tuple[str, Floats]]:
    """Yield the lamps of a record: name, and brightness, red, green, blue.

    Args:
        layout: Of the record.
        readings: Of all robots, flat.
    """
    for place in layout.robots:
        for module in place.type.modules:
            if module.interface.kind == _KIND:
                begin = place.reading_offset + module.reading_offset
                yield place.name, readings[begin : begin + len(_FIELDS)]


def live_lights(state: "State | None") -> Iterator[tuple[str, Floats]]:
    """Yield the same of a state of a run: modules with the readings of a lamp."""
    try:
        readings = state.readings if state is not None else None
    except CoopsimError:
        return  # robots came or went in this instant
    for kind in readings.types if readings is not None else ():
        rows = readings.of(kind) if readings is not None else None
        for name in dir(rows):
            module = getattr(rows, name) if name not in {"robots", "table"} else None
            if rows is not None and module is not None and tuple(sorted(_FIELDS)) == tuple(dir(module)):
                lights = np.column_stack([getattr(module, field) for field in _FIELDS])
                yield from zip(rows.robots, lights, strict=True)


def shine(model: SceneModel, lights: Iterator[tuple[str, Floats]]) -> None:
    """Give lamps the colours of their light."""
    colors: Mapping[str, Floats] = {name: light[1:] * (_DARK + (1.0 - _DARK) * light[0]) for name, light in lights}
    if colors:
        model.paint(colors)
