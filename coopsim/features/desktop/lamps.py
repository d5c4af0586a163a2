"""Lamps as they shine: their shapes have the colour of their light."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from coopsim.errors import CoopsimError
from coopsim.features.desktop.model import SceneModel
from coopsim.features.pictures.lights import FIELDS, lit_color
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import State


def live_lights(state: "State | None") -> Iterator[tuple[str, Floats]]:
    """Yield the lamps of a state of a run, name, and brightness, red, green, blue: modules with such readings."""
    try:
        readings = state.readings if state is not None else None
    except CoopsimError:
        return  # robots came or went in this instant
    for kind in readings.types if readings is not None else ():
        rows = readings.of(kind) if readings is not None else None
        for name in dir(rows):
            module = getattr(rows, name) if name not in {"robots", "table"} else None
            if rows is not None and module is not None and tuple(sorted(FIELDS)) == tuple(dir(module)):
                lights = np.column_stack([getattr(module, field) for field in FIELDS])
                yield from zip(rows.robots, lights, strict=True)


def shine(model: SceneModel, lights: Iterator[tuple[str, Floats]]) -> None:
    """Give lamps the colours of their light."""
    colors: Mapping[str, Floats] = {name: np.array(lit_color(light)) for name, light in lights}
    if colors:
        model.paint(colors)
