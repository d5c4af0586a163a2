"""A map as cells that are free or not: shapes are drawn into it, larger by what has to keep clear of them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from coopsim.errors import BadArgument
from coopsim.features.laws.planning.shortest import Bytes, jump_signs
from coopsim.features.laws.planning.spacing import Parts
from coopsim.geometry import Bools, Floats, edge_distance, in_polygon

MOST_CELLS = 4_000_000
"""Largest number of cells: larger maps take larger ones."""
Cell: TypeAlias = tuple[int, int]
Disc: TypeAlias = tuple[float, float, float]
Window: TypeAlias = tuple[slice, slice]


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
    _signs: Bytes | None = field(default=None, repr=False)
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
    def signs(self) -> Bytes:
        """Marks of each cell for searches of shortest ways, see `shortest.jump_signs`."""
        if self._signs is None:
            self._signs = jump_signs(self.blocked)
        return self._signs

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
        mask: Bools = ~is_inside | self.blocked[np.clip(y, 0, rows - 1), np.clip(x, 0, columns - 1)]
        return mask

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
        self._block(*self.disc(x, y, radius))

    def block_polygon(self, corners: ArrayLike, clearance: float = 0.0) -> None:
        """Block a polygon and what is nearer to it than a clearance [m].

        Args:
            corners: In order, shape (n, 2) [m].
            clearance: How far a robot's middle keeps from it [m].
        """
        shape = np.asarray(corners, np.float64)
        (left, bottom), (right, top) = shape.min(axis=0) - clearance, shape.max(axis=0) + clearance
        window = self._window(float(left), float(bottom), float(right), float(top))
        points = self._points(window)
        if points.size:
            self._block(window, in_polygon(points, shape) | (edge_distance(points, shape) <= clearance))

    def block_outside(self, corners: ArrayLike, clearance: float = 0.0) -> None:
        """Block everything but the inside of a polygon, and what is nearer to its edge than a clearance [m]."""
        shape = np.asarray(corners, np.float64)
        points = self._points(self._whole)
        self._block(self._whole, ~in_polygon(points, shape) | (edge_distance(points, shape) < clearance))

    def block_outside_all(self, polygons: Sequence[ArrayLike], clearance: float = 0.0) -> None:
        """Block what lies in none of several polygons, and what is nearer to that than a clearance [m].

        Where polygons touch or overlap, robots may go from one to the other. Nearness is to whole cells.
        """
        from scipy.ndimage import distance_transform_edt

        if len(polygons) == 1:
            self.block_outside(polygons[0], clearance)
            return
        points = self._points(self._whole)
        is_inside = np.zeros(self.blocked.shape, np.bool_)
        for polygon in polygons:
            is_inside |= in_polygon(points, np.asarray(polygon, np.float64))
        gaps = distance_transform_edt(np.pad(is_inside, 1))[1:-1, 1:-1] - 0.5  # an edge is half a cell before a middle
        self._block(self._whole, ~is_inside | (gaps * self.cell < clearance))

    def disc(self, x: float, y: float, radius: float) -> tuple[Window, Bools]:
        """Return the cells around a disc [m], and which of them have their middle in it."""
        window = self._window(x - radius, y - radius, x + radius, y + radius)
        along_y, along_x = self._lines(window)
        is_inside: Bools = np.hypot(along_x - x, along_y[:, np.newaxis] - y) <= radius
        return window, is_inside

    @property
    def _whole(self) -> Window:
        rows, columns = self.blocked.shape
        return slice(0, rows), slice(0, columns)

    def _points(self, window: Window) -> Floats:
        """Return the middles of cells, shape (rows, columns, 2) [m]."""
        y, x = self._lines(window)
        return np.stack(np.meshgrid(x, y), axis=-1)

    def _window(self, left: float, bottom: float, right: float, top: float) -> Window:
        """Return the rows and columns of the cells in a rectangle [m]."""
        rows, columns = self.blocked.shape
        spans = []
        for begin, end, low, most in ((bottom, top, self.low[1], rows), (left, right, self.low[0], columns)):
            first = max(0, math.floor((begin - low) / self.cell))
            spans.append(slice(first, max(first, min(most, math.ceil((end - low) / self.cell) + 1))))
        return spans[0], spans[1]

    def _lines(self, window: Window) -> tuple[Floats, Floats]:
        """Return y of the middles of rows, and x of those of columns [m]."""
        rows, columns = window
        y: Floats = (np.arange(rows.start, rows.stop, dtype=np.float64) + 0.5) * self.cell + self.low[1]
        x: Floats = (np.arange(columns.start, columns.stop, dtype=np.float64) + 0.5) * self.cell + self.low[0]
        return y, x

    def _block(self, window: Window, is_covered: Bools) -> None:
        self.blocked[window] |= is_covered
        self._signs = self._parts = None


class DiscLayer:
    """Discs on a map that come and go: what is under them is counted, cell by cell, and the map itself stays.

    Args:
        grid: The map.
    """

    def __init__(self, grid: PlanningGrid) -> None:
        self._grid, self._discs = grid, dict[Disc, tuple[Window, Bools]]()
        self._counts = np.zeros(grid.blocked.shape, np.uint16)

    def map_with(self, discs: Iterable[Disc]) -> PlanningGrid:
        """Return a new map with these discs in the way: x, y and radius of each [m]."""
        wanted = set(discs)
        if len(wanted.symmetric_difference(self._discs)) > len(wanted):
            self._discs.clear()
            self._counts.fill(0)
        for removed in self._discs.keys() - wanted:
            window, is_covered = self._discs.pop(removed)
            self._counts[window] -= is_covered
        for new in wanted - self._discs.keys():
            window, is_covered = self._discs[new] = self._grid.disc(*new)
            self._counts[window] += is_covered
        return PlanningGrid(self._grid.low, self._grid.cell, self._grid.blocked | (self._counts > 0))


def rectangle(x: float, y: float, heading: float, length: float, width: float) -> Floats:
    """Return the corners of a rectangle that points along `heading`, shape (4, 2) [m]."""
    cos, sin = math.cos(heading), math.sin(heading)
    halves = 0.5 * np.array([(length, width), (-length, width), (-length, -width), (length, -width)])
    turned: Floats = halves @ np.array([(cos, sin), (-sin, cos)]) + (x, y)
    return turned
