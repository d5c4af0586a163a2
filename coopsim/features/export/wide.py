"""A recording as one wide table: a row per tick, a column per quantity, as PlotJuggler and spreadsheets draw it."""

from collections.abc import Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from coopsim.features.export.tables import WHEN, TableRows, Thinning, headings, when
from coopsim.geometry import Ints
from coopsim.recording import RecordBlock, Recording
from coopsim.replay.columns import POSE, TWIST, reading_names
from coopsim.state import Layout

TABLE = "wide"
_MOTION = (*POSE, "heading", *TWIST)
_CELLS = 1 << 20
"""Cells that are converted at a time: with thousands of robots a whole block as text would take too much memory."""


def schemas(recording: Recording) -> dict[str, dict[str, str]]:
    """Return the columns of the table and their kinds: those of every body and robot that is there at any time."""
    names = [name for generation in recording.generations for name in _names(recording.layout(generation))]
    return {TABLE: {**WHEN, **dict.fromkeys(names, "float32")}}


def parts(recording: Recording, rate: float | None = None) -> Iterator[TableRows]:
    """Yield the rows of the table: each tick as it ended, before anything was changed between it and the next.

    Args:
        recording: Complete or cut off.
        rate: Largest number of rows per simulated second; None = all.

    Raises:
        DamagedRecording: A chunk or a layout is damaged.
    """
    names = list(schemas(recording)[TABLE])[len(WHEN) :]
    places = {name: index for index, name in enumerate(names)}
    thinning, last = Thinning(rate), -1
    for _, block in recording.blocks():
        layout = recording.layout(block.generation)
        targets = [places[name] for name in _names(layout)]
        before = np.concatenate([[last], block.ticks[:-1].astype(np.int64)])
        first = np.flatnonzero(block.ticks.astype(np.int64) != before)
        last = int(block.ticks[-1]) if len(block) else last
        # edits make several records of a tick: the first is the state that its step led to
        rows = np.intersect1d(thinning.rows(block), first)
        for some in _portions(rows, len(names)):
            values = np.full((some.size, len(names)), np.nan, np.float32)
            values[:, targets] = _values(layout, block, some)
            yield TableRows(TABLE, {**when(block, some), **dict(zip(names, values.T, strict=True))})


def _portions(rows: Ints, width: int) -> Iterator[Ints]:
    """Yield rows in portions of about `_CELLS` cells."""
    # at least one row, however wide: a portion of none would never come to an end
    height = max(1, _CELLS // max(1, width))
    for begin, end in pairwise((*range(0, rows.size, height), rows.size)):
        yield rows[begin:end]


def _names(layout: Layout) -> list[str]:
    """Return the columns of a layout in the order of `_values`: `robot1.x`, `robot1.sonars.ranges[3]`."""
    motion = [f"{body}.{name}" for body in layout.bodies for name in _MOTION]
    return motion + [f"{place.name}.{name}" for place in layout.robots for name in reading_names(place.type)]


def _values(layout: Layout, block: RecordBlock, rows: Ints) -> NDArray[np.float32]:
    """Return what some records hold, shape (rows, columns of the layout)."""
    poses, twists, readings = block.poses[rows], block.twists[rows], block.readings[rows]
    motion = np.concatenate([poses, headings(poses)[..., np.newaxis], twists], axis=2).reshape(rows.size, -1)
    begins = [(place.reading_offset, place.reading_offset + place.type.reading_width) for place in layout.robots]
    values: NDArray[np.float32] = np.hstack([motion, *(readings[:, begin:end] for begin, end in begins)])
    return values
