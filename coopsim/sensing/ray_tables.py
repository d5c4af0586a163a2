"""The scene as tables for ray casting: shapes of moving and fixed bodies, the grid, the lists of fixed shapes."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from coopsim.engines import BodySpec
from coopsim.engines.plane.footprints import Footprint, footprints, planar_pose, with_edges
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.grid import clamped
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y, distance
from coopsim.sensing import ray_head as at

# Compiled lists of the fixed shapes near each cell of a grid.
Cells: TypeAlias = tuple[float, float, float, int, int]
"""Lower left corner and side of the cells [m], numbers of columns and lines."""


@compiled
def list_cells(fixed: Floats, grid: Cells, reach: float, cells: Ints, shapes: Ints, near: Floats) -> int:
    """List the cells within `reach` of each fixed shape, as many as there is room for.

    Args:
        fixed: Table of shapes, shape (f, 11).
        grid: Square cells.
        reach: How far to look [m].
        cells: Number of the cell of each entry.
        shapes: Row of the fixed shape of each entry.
        near: A distance that the shape keeps from every point of the cell, perhaps a little less [m].

    Returns:
        How many entries there are.
    """
    left, low, side, columns, lines = grid
    # half the diagonal of a cell; the nanometre keeps shapes that rounding puts out of `reach`
    count, half = 0, side * math.sqrt(0.5) + 1e-9
    for j in range(fixed.shape[0]):
        shape = fixed[j]
        x, y = shape[X] - left, shape[Y] - low
        far = math.hypot(shape[HALF], shape[HALF_WIDTH]) + reach
        for line in range(clamped((y - far) / side, lines), clamped((y + far) / side, lines) + 1):
            for column in range(clamped((x - far) / side, columns), clamped((x + far) / side, columns) + 1):
                gap = distance((column + 0.5) * side - x, (line + 0.5) * side - y, shape) - half
                # the corners of the square around a shape are farther away than the shape
                if gap > reach:
                    continue
                # counted on without room: the caller makes as much as is needed and calls again
                if count < cells.size:
                    cells[count], shapes[count], near[count] = line * columns + column, j, max(gap, 0.0)
                count += 1
    return count


_MOST_CELLS = 65_536  # half a megabyte of starts
_MOST_ENTRIES = 4_000_000  # 96 MB while they are sorted; beyond that larger cells are better
_STRETCH = 2.5  # of a cell, in height as well as in narrowness
_FIRST_LOOK = 3.0  # cells


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells over a part of the floor; what is outside counts to the nearest cell.

    Attributes:
        corner: Its lower left corner, shape (2,) [m].
        wide: Width of a column [m].
        tall: Height of a line [m].
    """

    corner: Floats
    wide: float
    tall: float
    columns: int
    lines: int


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shapes of a scene.

    Attributes:
        moving: In the frames of their bodies, shape (m, 11).
        fixed: In the frame of the world, shape (f, 11).
        outline: Shapes of each kind of body once, shape (o, 11).
        bodies: First shape and number of shapes in `outline` of each moving body, and its owner, shape (n, 3).
        middles: Half the height of each moving body, above its base, shape (n,) [m].
    """

    moving: Floats
    fixed: Floats
    outline: Floats
    bodies: Ints
    middles: Floats


def gather(bodies: Sequence[BodySpec], names: Sequence[str]) -> Shapes:
    """Return the shapes of a scene.

    Args:
        bodies: All bodies, in any order.
        names: The moving ones, by row.
    """
    bodies = [with_edges(body) for body in bodies]
    by_name = {body.name: body for body in bodies}
    owner = owners(bodies, names)
    moving: list[list[float]] = []
    outline: list[list[float]] = []
    table: list[tuple[int, int, int]] = []
    middles: list[float] = []
    # robots of one type have equal shapes: their footprints are computed once
    footprints_known: dict[object, tuple[int, tuple[Footprint, ...]]] = {}
    for row, name in enumerate(names):
        body = by_name[name]
        if body.shapes not in footprints_known:
            footprints_known[body.shapes] = len(outline), footprints(body)
            outline += _rows(body, footprints_known[body.shapes][1], row, owner[row])
        first, prints = footprints_known[body.shapes]
        table.append((first, len(prints), owner[row]))
        middles.append(0.5 * (min(seen.low for seen in prints) + max(seen.high for seen in prints)))
        moving += _rows(body, prints, row, owner[row])
    fixed = [row for body in bodies if body.mass == 0.0 for row in _fixed(body)]
    whole = np.array(table, np.int64).reshape(-1, at.BODY_WIDTH)
    return Shapes(_table(moving), _table(fixed), _table(outline), whole, np.array(middles, np.float64))


def owners(bodies: Iterable[BodySpec], names: Sequence[str]) -> list[int]:
    """Return, of each moving body, the row of the one that it is a part of: its own, unless it is a link."""
    rows = {name: row for row, name in enumerate(names)}
    part_of = {body.name: body.part_of for body in bodies}
    return [rows.get(part_of[name], row) for row, name in enumerate(names)]


def bounds(shape: Floats) -> Floats:
    """Return the bounding radius of each row of a table of shapes, shape (n,) [m]."""
    return np.hypot(shape[:, HALF], shape[:, HALF_WIDTH])


def moving_grid(shapes: Shapes, planar: Floats) -> Grid:
    """Return a grid with about two cells for each moving shape, over the fixed shapes and most of the moving ones.

    Shapes of a line follow each other in memory, so few high lines are searched faster than square cells.
    """
    places = planar[shapes.moving[:, at.BODY].astype(np.int64), :2]
    places = places[np.isfinite(places).all(axis=1)]
    corners = [*_corners(shapes.fixed), *_most(places)]
    # walls are among the corners, so that robots that spread out later are still within the grid
    low, high = _box(corners)
    size = np.maximum(high - low, 1e-3)
    count = max(len(places), 1)
    usual = float(np.median(bounds(shapes.moving))) if len(places) else 1.0
    side = math.sqrt(float(size[0] * size[1]) / (2 * count))
    # no cell narrower than a usual shape; 8 cells each at most, if some stand far away, and 64 for the few
    return _grid(low, size, max(side / _STRETCH, usual), max(side * _STRETCH, 2.0 * usual), 64 + 8 * count)


def fixed_grid(shapes: Shapes, reach: float) -> Grid:
    """Return a grid over the fixed shapes with cells of a third of the reach."""
    low, high = _box(_corners(shapes.fixed))
    # a third of the reach: smaller cells list each wall more often, larger ones list what is out of reach
    cell = max(reach / 3.0, 0.25)
    return _grid(low, np.maximum(high - low, 1e-3), cell, cell, _MOST_CELLS)


def pack(shapes: Shapes, grid: Grid, reach: float) -> tuple[Floats, Ints]:
    """Return the two arrays that `ray_kernels.cast` works on; see `ray_head` for their layout."""
    side = math.sqrt(grid.wide * grid.tall)
    # rays search as far around as the largest shape of the grid extends: few large ones are better kept apart
    large = bounds(shapes.moving) > 2.0 * side
    moving = np.concatenate([shapes.moving[~large], shapes.moving[large]])
    fixed, start, entries, near = _lists(shapes, reach)
    numbers, whole = np.zeros(at.HEAD), np.zeros(at.HEAD, np.int64)
    numbers[[at.X0, at.Y0, at.COLUMNS_PER_METRE, at.LINES_PER_METRE]] = *grid.corner, 1.0 / grid.wide, 1.0 / grid.tall
    numbers[[at.FIXED_X0, at.FIXED_Y0, at.FIXED_PER_METRE]] = *fixed.corner, 1.0 / fixed.wide
    numbers[at.LARGEST] = bounds(shapes.moving[~large]).max(initial=0.0)
    numbers[at.PREPARED] = reach
    numbers[at.FIRST_LOOK] = _FIRST_LOOK * side
    whole[[at.STALE, at.COLUMNS, at.LINES]] = 1, grid.columns, grid.lines
    whole[[at.FIXED_COLUMNS, at.FIXED_LINES]] = fixed.columns, fixed.lines
    whole[[at.SMALL, at.MOVING]] = np.count_nonzero(~large), len(moving)
    whole[[at.FIXED, at.OUTLINE]] = len(shapes.fixed), len(shapes.outline)
    whole[at.PLAIN] = _is_plain(shapes.moving[~large])
    search = np.zeros(at.SEARCH_WIDTH * np.count_nonzero(~large))
    tables = [moving, np.zeros_like(moving), shapes.fixed, shapes.outline, near, search, shapes.middles]
    integers = [shapes.bodies, np.zeros(grid.columns * grid.lines + 1, np.int64), start, entries]
    integers.append(np.zeros(2 * np.count_nonzero(~large), np.int64))
    # last: a world of a batch has the first room alone
    integers.append(np.zeros(at.NOTES * at.NOTE_WIDTH, np.int64))
    whole[[*range(at.AT_MOVING, at.AT_NEAR + 1), at.AT_SEARCH, at.AT_MIDDLE]] = _begins(tables)
    whole[[*range(at.AT_BODY, at.AT_LIST + 1), at.AT_PLACE, at.AT_FOUND]] = _begins(integers)
    return (
        np.concatenate([numbers, *(table.ravel() for table in tables)]),
        np.concatenate([whole, *(table.ravel() for table in integers)]),
    )


def _is_plain(shapes: Floats) -> bool:
    """Return whether all of `shapes` are upright cylinders."""
    return bool(((shapes[:, HALF_WIDTH] == 0.0) & (shapes[:, at.ROUND] == 0.0)).all())


def _lists(shapes: Shapes, reach: float) -> tuple[Grid, Ints, Ints, Floats]:
    """Return, for each cell, the fixed shapes within `reach`, nearest first: starts, shapes and distances."""
    grid, room = fixed_grid(shapes, reach), 4096
    while True:
        cells, listed, near = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room)
        cells_of = (*grid.corner.tolist(), grid.wide, grid.columns, grid.lines)
        count = list_cells(shapes.fixed, cells_of, reach, cells, listed, near)
        if count <= room:
            break
        if count > _MOST_ENTRIES and grid.columns * grid.lines > 1:
            size = np.array([grid.columns * grid.wide, grid.lines * grid.tall])
            grid = _grid(grid.corner, size, 2.0 * grid.wide, 2.0 * grid.tall, _MOST_CELLS)
        else:
            room = count
    cells, listed, near = cells[:count], listed[:count], near[:count]
    # by cell, then distance, so that a ray stops at the first that is too far; equal ones always in the same order
    order = np.lexsort((listed, near, cells))
    start = np.searchsorted(cells[order], np.arange(grid.columns * grid.lines + 1))
    return grid, start.astype(np.int64), listed[order], near[order]


def _grid(low: Floats, size: Floats, wide: float, tall: float, most: int) -> Grid:
    width, height = size.tolist()
    while True:
        columns, lines = max(math.ceil(width / wide), 1), max(math.ceil(height / tall), 1)
        if columns * lines <= most:
            return Grid(low, wide, tall, columns, lines)
        # both sides grow: cells keep their form
        wide, tall = 1.5 * wide, 1.5 * tall


def _rows(body: BodySpec, prints: Sequence[Footprint], row: int, owner: int) -> list[list[float]]:
    """Return the shapes of a body in its own frame."""
    rows = []
    for shape, seen in zip(body.shapes, prints, strict=True):
        place = [seen.x, seen.y, seen.half_length, seen.half_width, seen.cos, seen.sin]
        is_round = float(shape.kind == "sphere")
        rows.append([*place, float(row), seen.low, seen.high, is_round, float(owner)])
    return rows


def _fixed(body: BodySpec) -> list[list[float]]:
    x, y, yaw = planar_pose(body)
    c, s = math.cos(yaw), math.sin(yaw)
    rows = _rows(body, footprints(body), -1, -1)
    for row in rows:
        u, v, own, aside = row[X], row[Y], row[COS], row[SIN]
        row[at.LOW], row[at.HIGH] = row[at.LOW] + body.pose[2], row[at.HIGH] + body.pose[2]
        row[X], row[Y] = x + c * u - s * v, y + s * u + c * v
        row[COS], row[SIN] = c * own - s * aside, s * own + c * aside
    return rows


def _table(rows: list[list[float]]) -> Floats:
    return np.array(rows, np.float64).reshape(-1, at.WIDTH)


def _corners(shapes: Floats) -> list[Floats]:
    """Return the corners of the upright rectangles around fixed shapes, low ones and high ones."""
    if not len(shapes):
        return []
    c, s = np.abs(shapes[:, COS]), np.abs(shapes[:, SIN])
    half, half_width = shapes[:, HALF], shapes[:, HALF_WIDTH]
    wide = np.where(half_width == 0.0, half, c * half + s * half_width)
    tall = np.where(half_width == 0.0, half, s * half + c * half_width)
    size, middle = np.column_stack([wide, tall]), shapes[:, [X, Y]]
    return [middle - size, middle + size]


def _most(places: Floats) -> list[Floats]:
    """Return the corners of a box around all places but a few far ones."""
    # two of a hundred to either side may be astray; the grid clamps them to its border
    return [np.quantile(places, [0.02, 0.98], axis=0)] if len(places) else []


def _box(corners: list[Floats]) -> tuple[Floats, Floats]:
    if not corners:
        return np.zeros(2), np.ones(2)
    points = np.concatenate(corners)
    return points.min(axis=0), points.max(axis=0)


def _begins(tables: Sequence[Floats] | Sequence[Ints]) -> list[int]:
    sizes = [table.size for table in tables]
    return [at.HEAD + sum(sizes[:k]) for k in range(len(sizes))]
