"""Bodies as the arrays of the kinematic engine, and the grid of bodies that may touch."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.engines.contract import BodySpec
from coopsim.engines.plane.footprints import (
    LINE,
    Footprint,
    centre,
    footprints,
    grip,
    inertia,
    layers,
    moved_mass,
    planar_pose,
    turning_grip,
    with_edges,
)
from coopsim.features.kinematic.motion import BODY_WIDTH, CENTRE_X, CENTRE_Y, REACH, SHAPE_WIDTH, list_fixed
from coopsim.geometry import Floats, Ints

MARGIN = 0.2  # m; pairs are listed again when a body has moved half of it
_MOST_CELLS = 65_536  # half a megabyte of starts


@dataclass(frozen=True, slots=True)
class WorldArrays:
    """A world in arrays.

    Attributes:
        bodies: Columns of `motion`, shape (n, 7).
        shapes: Moving ones first, columns of `motion`, shape (s, 8).
        layers: Heights each takes up, one bit for each layer, shape (s,).
        thinnest: Smallest half width or radius of all shapes but edges of polygons [m]; what would jump over an edge
            has a half width of its own.
        grid: Lower left corner, cells per metre, columns and lines, shape (5,).
        fixed_start: Where the fixed shapes of a cell begin, shape (cells + 1,).
        fixed_listed: Fixed shapes by cell.
    """

    bodies: Floats
    shapes: Floats
    layers: Ints
    thinnest: float
    grid: Floats
    fixed_start: Ints
    fixed_listed: Ints

    @property
    def centres(self) -> Floats:
        """Centres of mass in the frames of their bodies, shape (n, 2)."""
        return self.bodies[:, CENTRE_X : CENTRE_Y + 1]


def tables(moving: Sequence[BodySpec], fixed: Sequence[BodySpec], places: Floats) -> WorldArrays:
    """Return a world in arrays.

    Args:
        moving: Bodies with mass, by row.
        fixed: The others.
        places: Where the moving ones are, shape (n, 2).
    """
    masses = {body.shapes: footprints(body) for body in moving}
    whole, moving, fixed = moving, [with_edges(body) for body in moving], [with_edges(body) for body in fixed]
    footprints_by_shape: dict[object, tuple[Footprint, ...]] = {}
    for body in (*moving, *fixed):
        if body.shapes not in footprints_by_shape:
            footprints_by_shape[body.shapes] = footprints(body)
    shapes = [
        [*moving_shape, float(row)]
        for row, body in enumerate(moving)
        for moving_shape in _moving_shapes(footprints_by_shape[body.shapes], centre(masses[whole[row].shapes]))
    ]
    first = len(shapes)
    shapes += [[*row, -1.0] for body in fixed for row in _fixed_shapes(body, footprints_by_shape[body.shapes])]
    table = np.array(shapes, np.float64).reshape(-1, SHAPE_WIDTH)
    # of a circle the second half is 0: its radius counts
    half = np.where(table[:, 3] > 0.0, np.minimum(table[:, 2], table[:, 3]), table[:, 2])
    half = half[table[:, 3] != LINE]
    largest = float(table[:first, REACH].max(initial=0.0))
    grid = _grid(table[first:], places, 2.0 * largest + MARGIN)
    return WorldArrays(
        np.array([_numbers(body, masses[body.shapes]) for body in whole], np.float64).reshape(-1, BODY_WIDTH),
        table,
        np.array(
            [heights for body in (*moving, *fixed) for heights in _heights(body, footprints_by_shape[body.shapes])],
            np.int64,
        ),
        float(half.min(initial=math.inf)),
        grid,
        *_fixed_lists(table, first, grid, largest + MARGIN),
    )


def _numbers(body: BodySpec, prints: tuple[Footprint, ...]) -> list[float]:
    moment, mass = inertia(body.mass, prints), moved_mass(body)
    braked = turning_grip(body, prints) / moment if body.rolling > 0.0 else 0.0
    return [mass, moment, grip(body) / mass, braked, *centre(prints), body.mass]


def _moving_shapes(prints: tuple[Footprint, ...], middle: tuple[float, float]) -> list[list[float]]:
    x, y = middle
    return [
        [
            footprint.x - x,
            footprint.y - y,
            footprint.half_length,
            footprint.half_width,
            footprint.cos,
            footprint.sin,
            math.hypot(footprint.x - x, footprint.y - y) + footprint.bound,
        ]
        for footprint in prints
    ]


def _fixed_shapes(body: BodySpec, prints: tuple[Footprint, ...]) -> list[list[float]]:
    x, y, yaw = planar_pose(body)
    c, s = math.cos(yaw), math.sin(yaw)
    return [
        [
            *(
                x + c * footprint.x - s * footprint.y,
                y + s * footprint.x + c * footprint.y,
                footprint.half_length,
                footprint.half_width,
            ),
            *(c * footprint.cos - s * footprint.sin, s * footprint.cos + c * footprint.sin, footprint.bound),
        ]
        for footprint in prints
    ]


def _heights(body: BodySpec, prints: tuple[Footprint, ...]) -> list[int]:
    return [layers(body.pose[2] + seen.low, body.pose[2] + seen.high) for seen in prints]


def _grid(fixed: Floats, places: Floats, cell: float) -> Floats:
    """Return square cells over all that is fixed and where the moving bodies are now."""
    corners = [
        places,
        fixed[:, :2] - fixed[:, REACH : REACH + 1],
        fixed[:, :2] + fixed[:, REACH : REACH + 1],
        # a world without bodies still has a corner
        np.zeros((1, 2)),
    ]
    points = np.concatenate(corners)
    low, size = points.min(axis=0), np.ptp(points, axis=0)
    cell = max(cell, math.sqrt(float(size[0] * size[1]) / _MOST_CELLS), float(size.max()) / _MOST_CELLS)
    return np.array([*low, 1.0 / cell, *(np.floor(size / cell) + 1.0)])


def _fixed_lists(shapes: Floats, first: int, grid: Floats, around: float) -> tuple[Ints, Ints]:
    room = 1024
    while True:
        cells, listed = np.zeros(room, np.int64), np.zeros(room, np.int64)
        count = list_fixed(shapes, first, grid, around, cells, listed)
        if count <= room:
            break
        room = count
    # stable: within a cell by shape, so that contacts come in one order on every machine
    order = np.argsort(cells[:count], kind="stable")
    start = np.searchsorted(cells[:count][order], np.arange(int(grid[3] * grid[4]) + 1))
    return start.astype(np.int64), listed[:count][order]
