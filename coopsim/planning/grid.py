"""A map as cells that are free or not: shapes are drawn into it, larger by what has to keep clear of them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coopsim.errors import BadArgument
from coopsim.geometry import Bools, Floats, edge_distance, in_polygon

MOST_CELLS = 4_000_000
"""Largest number of cells: larger maps take larger ones."""
Cell: TypeAlias = tuple[int, int]
Weights: TypeAlias = NDArray[np.float32]
Parts: TypeAlias = NDArray[np.int32]


@dataclass
class PlanningGrid:
    """Cells of a rectangle of the floor.

    Attributes:
        low: Corner with the smallest x and y [m].
        cell: Side of a cell [m].
        blocked: Whether each cell is in the way of a robot's middle, shape (rows along y, columns along x).
    """

    low: tuple[float, float]
    cell: float
    blocked: Bools
    _weights: Weights | None = field(default=None, repr=False)
    _halved: "PlanningGrid | None" = field(default=None, repr=False)
    _parts: Parts | None = field(default=None, repr=False)

    @classmethod
    def covering(cls, low: tuple[float, float], high: tuple[float, float], cell: float) -> "PlanningGrid":
        """Return a free grid of a rectangle.

        Raises:
            BadArgument: It has no cells, or too many.
        """
        columns, rows = (
            math.ceil((end - begin) / cell) if cell > 0.0 else 0 for begin, end in zip(low, high, strict=True)
        )
        if min(rows, columns) < 1 or rows * columns > MOST_CELLS:
            raise BadArgument(f"a grid has 1 to {MOST_CELLS} cells; {columns} by {rows} of {cell:g} m are none or more")
        return cls(low, cell, np.zeros((rows, columns), np.bool_))

    @property
    def weights(self) -> Weights:
        """What a step into each cell costs, for A*."""
        if self._weights is None:
            self._weights = np.where(self.blocked, np.float32(np.inf), np.float32(1.0))
        return self._weights

    @property
    def halved(self) -> "PlanningGrid":
        """The same map with cells of twice the side, each blocked where any part of it is."""
        if self._halved is None:
            rows, columns = self.blocked.shape
            whole = np.ones((rows + rows % 2, columns + columns % 2), np.bool_)
            whole[:rows, :columns] = self.blocked
            parts = whole.reshape(whole.shape[0] // 2, 2, whole.shape[1] // 2, 2)
            blocked = np.logical_or.reduce(parts, axis=(1, 3))
            self._halved = PlanningGrid(self.low, 2.0 * self.cell, np.asarray(blocked, np.bool_))
        return self._halved

    @property
    def parts(self) -> Parts:
        """Number of the part of the map that each cell is in, 0 where it is blocked: paths stay within a part."""
        from scipy.ndimage import label

        if self._parts is None:
            self._parts = np.asarray(label(~self.blocked, np.ones((3, 3)))[0], np.int32)
        return self._parts

    def cell_of(self, x: float, y: float) -> Cell:
        """Return the cell of a point, the nearest one for a point outside."""
        rows, columns = self.blocked.shape
        row, column = int((y - self.low[1]) // self.cell), int((x - self.low[0]) // self.cell)
        return min(max(row, 0), rows - 1), min(max(column, 0), columns - 1)

    def middles(self, cells: ArrayLike) -> Floats:
        """Return the middles of cells, shape (n, 2) [m]."""
        places = np.asarray(cells, np.float64)[:, ::-1]
        middles: Floats = (places + 0.5) * self.cell + np.asarray(self.low)
        return middles

    def is_blocked(self, points: ArrayLike) -> Bools:
        """Return whether each point is in the way; what lies outside is."""
        places = np.floor((np.asarray(points, np.float64) - np.asarray(self.low)) / self.cell).astype(np.int64)
        rows, columns = self.blocked.shape
        x, y = places[..., 0], places[..., 1]
        is_inside = (x >= 0) & (y >= 0) & (x < columns) & (y < rows)
        found: Bools = ~is_inside | self.blocked[np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1)]
        return found

    def nearest_free(self, x: float, y: float) -> Cell | None:
        """Return the free cell nearest to a point, None where there is none at all."""
        row, column = self.cell_of(x, y)
        if not self.blocked[row, column]:
            return row, column
        radius, (rows, columns) = 1, self.blocked.shape
        while radius < 2 * max(rows, columns):
            top, left = max(0, row - radius), max(0, column - radius)
            window = self.blocked[top : row + radius + 1, left : column + radius + 1]
            free = np.argwhere(~window)
            if free.size:
                gaps = np.hypot(free[:, 0] + top - row, free[:, 1] + left - column)
                best = int(np.argmin(gaps))
                if gaps[best] <= radius:  # farther ones may have nearer neighbours outside the window
                    return int(free[best, 0]) + top, int(free[best, 1]) + left
            radius *= 2
        return None

    # drawing

    def block_disc(self, x: float, y: float, radius: float) -> None:
        """Block a disc [m]; what keeps clear of it is part of the radius."""
        window, points = self._around(x - radius, y - radius, x + radius, y + radius)
        if points.size:
            self._block(window, np.hypot(points[..., 0] - x, points[..., 1] - y) <= radius)

    def block_polygon(self, corners: ArrayLike, clearance: float = 0.0) -> None:
        """Block a polygon and what is nearer to it than a clearance [m].

        Args:
            corners: In order, shape (n, 2) [m].
            clearance: How far a robot's middle keeps from it [m].
        """
        shape = np.asarray(corners, np.float64)
        (left, bottom), (right, top) = shape.min(axis=0) - clearance, shape.max(axis=0) + clearance
        window, points = self._around(float(left), float(bottom), float(right), float(top))
        if points.size:
            self._block(window, in_polygon(points, shape) | (edge_distance(points, shape) <= clearance))

    def block_outside(self, corners: ArrayLike, clearance: float = 0.0) -> None:
        """Block everything but the inside of a polygon, and what is nearer to its edge than a clearance [m]."""
        shape = np.asarray(corners, np.float64)
        window, points = self._around(-math.inf, -math.inf, math.inf, math.inf)
        self._block(window, ~in_polygon(points, shape) | (edge_distance(points, shape) < clearance))

    def block_outside_all(self, polygons: Sequence[ArrayLike], clearance: float = 0.0) -> None:
        """Block what lies in none of several polygons, and what is nearer to that than a clearance [m].

        Where polygons touch or overlap, robots may go from one to the other. Nearness is to whole cells.
        """
        from scipy.ndimage import distance_transform_edt

        if len(polygons) == 1:
            self.block_outside(polygons[0], clearance)
            return
        window, points = self._around(-math.inf, -math.inf, math.inf, math.inf)
        is_inside = np.zeros(self.blocked.shape, np.bool_)
        for each in polygons:
            is_inside |= in_polygon(points, np.asarray(each, np.float64))
        gaps = distance_transform_edt(np.pad(is_inside, 1))[1:-1, 1:-1] - 0.5  # an edge is half a cell before a middle
        self._block(window, ~is_inside | (gaps * self.cell < clearance))

    def _around(self, left: float, bottom: float, right: float, top: float) -> tuple[tuple[slice, slice], Floats]:
        """Return the cells whose middles lie in a rectangle, and these middles."""
        rows, columns = self.blocked.shape
        spans = []
        for begin, end, low, most in ((bottom, top, self.low[1], rows), (left, right, self.low[0], columns)):
            first = max(0.0, np.floor((begin - low) / self.cell))
            last = min(float(most), np.ceil((end - low) / self.cell) + 1.0)
            spans.append(slice(int(first), max(int(first), int(last))))
        y, x = (
            (np.arange(span.start, span.stop) + 0.5) * self.cell + low
            for span, low in zip(spans, (self.low[1], self.low[0]), strict=True)
        )
        points = np.stack(np.meshgrid(x, y), axis=-1)
        return (spans[0], spans[1]), points

    def _block(self, window: tuple[slice, slice], is_covered: Bools) -> None:
        self.blocked[window] |= is_covered
        self._weights = self._halved = self._parts = None


def rectangle(x: float, y: float, heading: float, length: float, width: float) -> Floats:
    """Return the corners of a rectangle that points along `heading`, shape (4, 2) [m]."""
    cos, sin = math.cos(heading), math.sin(heading)
    halves = 0.5 * np.array([(length, width), (-length, width), (-length, -width), (length, -width)])
    turned: Floats = halves @ np.array([(cos, sin), (-sin, cos)]) + (x, y)
    return turned
