"""Line of sight between a body and a place, seen from above: the same for every physics engine.

Source: CoopDynSim, section III-A (what a camera would tell of markers and robots), with what a camera hides.
"""

import math
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.engines import BodySpec
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.grid import clamped, to_ends, usual_range
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y, half_extents
from coopsim.sensing.ray_head import BODY, BODY_OWNER, HIGH, LOW, OWNER, ROUND
from coopsim.sensing.ray_tables import gather

_EDGE = 1e-9  # m; what touches the border of two cells but for rounding belongs to both
_SHORT = 4  # lines of cells

Eyes: TypeAlias = tuple[Floats, Ints]
"""Heights that are looked from [m], and what the bodies that look are a part of, shape (n,) each."""
Table: TypeAlias = tuple[Floats, Floats, Ints, Ints]
"""Shapes; left, low, cells per metre, columns and lines of their grid; where the list of each cell starts; lists."""


class SightLines:
    """Looks along straight lines past circles and upright boxes, moving and fixed.

    A robot hides nothing from itself, nor itself from others; and what a place stands on, or in, does not hide that
    place. As with rays, only what is as high as the middle of the looking body is in its way; what is tilted counts as
    if it stood upright.

    Attributes:
        moving: Shapes of moving bodies in their frames, shape (m, 11).
        fixed: Fixed ones, by the cells of a grid.
        middles: Half the height of each moving body [m].
    """

    def __init__(self, bodies: Sequence[BodySpec], names: Sequence[str]) -> None:
        """Read the scene.

        Args:
            bodies: All bodies, moving and fixed.
            names: The moving ones, by row.
        """
        shapes = gather(bodies, names)
        self.moving, self.middles = shapes.moving, shapes.middles
        self._owners = np.ascontiguousarray(shapes.bodies[:, BODY_OWNER])
        self.fixed: Table = (shapes.fixed, *arrange(shapes.fixed))
        self._placed = self.fixed
        self._is_stale = True

    def begin(self) -> None:
        """Forget where the bodies were."""
        self._is_stale = True

    def clear_blocked(
        self, planar: Floats, height: Floats, rows: Ints, places: Floats, others: Ints, seen: NDArray[np.bool_]
    ) -> None:
        """Clear `seen` where a body blocks the line of sight.

        Args:
            planar: Where the bodies are, shape (m, 6).
            height: Of their bases, shape (m,) [m].
            rows: Bodies that look, from their middles, shape (n,).
            places: Where they look, shape (n, k, 2) [m].
            others: Body that is looked at, -1 = none, shape (n, k).
            seen: What may be seen; becomes False where something stands between, shape (n, k).
        """
        if self._is_stale:
            self._is_stale = False
            placed = np.empty_like(self.moving)
            write_world_shapes(planar, height, self.moving, placed)
            self._placed = (placed, *arrange(placed))
        eyes = height[rows] + self.middles[rows], self._owners[rows]
        for table in (self.fixed, self._placed):
            if len(table[0]):
                hide(planar, rows, eyes, places, others, table, seen)


@compiled
def write_world_shapes(planar: Floats, height: Floats, moving: Floats, placed: Floats) -> None:
    """Write the shapes of bodies where the bodies are, shape (m, 11)."""
    for j in range(moving.shape[0]):
        row = int(moving[j, BODY])
        pose = planar[row]
        c, s = math.cos(pose[2]), math.sin(pose[2])
        for column in range(moving.shape[1]):  # a loop: copying a row takes four seconds more to compile
            placed[j, column] = moving[j, column]
        placed[j, X] = pose[0] + c * moving[j, X] - s * moving[j, Y]
        placed[j, Y] = pose[1] + s * moving[j, X] + c * moving[j, Y]
        placed[j, COS] = c * moving[j, COS] - s * moving[j, SIN]
        placed[j, SIN] = s * moving[j, COS] + c * moving[j, SIN]
        placed[j, LOW], placed[j, HIGH] = moving[j, LOW] + height[row], moving[j, HIGH] + height[row]


@compiled
def arrange(shapes: Floats) -> tuple[Floats, Ints, Ints]:
    """List the shapes in each cell of a grid.

    Returns:
        Left, low, cells per metre, columns and lines of the grid; where the list of each cell starts; all lists. What
        is outside the grid counts to the cells at its border.
    """
    grid = _grid(shapes)
    columns, lines = int(grid[3]), int(grid[4])
    start = np.zeros(columns * lines + 1, np.int64)
    for j in range(shapes.shape[0]):
        left, right, low, high = _cells(shapes[j], grid)
        for line in range(low, high + 1):
            for column in range(left, right + 1):
                start[line * columns + column] += 1
    to_ends(start)
    listed = np.empty(start[-1], np.int64)
    # from behind: the ends become the starts, and each list is in the order of the table
    for j in range(shapes.shape[0] - 1, -1, -1):
        left, right, low, high = _cells(shapes[j], grid)
        for line in range(low, high + 1):
            for column in range(left, right + 1):
                start[line * columns + column] -= 1
                listed[start[line * columns + column]] = j
    return grid, start, listed


@compiled
def _grid(shapes: Floats) -> Floats:
    """Return a grid over most shapes, about two cells for each, but none smaller than they usually are."""
    if shapes.shape[0] == 0:
        return np.array([0.0, 0.0, 1.0, 1.0, 1.0])
    count, size = shapes.shape[0], 0.0
    corner, extent = np.zeros(2), np.zeros(2)
    for j in range(shapes.shape[0]):
        # both halves together bound the half diagonal of a box without a root
        size += 2.0 * (shapes[j, HALF] + shapes[j, HALF_WIDTH]) / count
    for axis in range(2):
        # those that are far astray would make the cells of all others too large
        low, high = usual_range(shapes[:, axis])
        is_known = math.isfinite(low) and math.isfinite(high)
        corner[axis], extent[axis] = (low, high - low) if is_known else (0.0, 0.0)
    # cells far below the usual size would list each shape many times; the third term bounds the number of cells where
    # shapes stand in a line, and 1 mm where all stand on one spot
    side = max(math.sqrt(extent[0] * extent[1] / (2.0 * count)), 0.5 * size, max(extent) / (4.0 * count + 8.0), 1e-3)
    columns, lines = math.floor(extent[0] / side) + 1.0, math.floor(extent[1] / side) + 1.0
    return np.array([corner[0], corner[1], 1.0 / side, columns, lines])


@compiled
def _cells(shape: Floats, grid: Floats) -> tuple[int, int, int, int]:
    """Return first and last column, first and last line of the cells that a shape may lie in."""
    wide, tall = half_extents(shape)
    return (
        _cell(shape[X] - wide - _EDGE, grid, 0),
        _cell(shape[X] + wide + _EDGE, grid, 0),
        _cell(shape[Y] - tall - _EDGE, grid, 1),
        _cell(shape[Y] + tall + _EDGE, grid, 1),
    )


@inlined
def _cell(place: float, grid: Floats, axis: int) -> int:
    """Return the column (axis 0) or line (axis 1) of a place."""
    return clamped((place - grid[axis]) * grid[2], int(grid[3 + axis]))


@compiled
def hide(
    planar: Floats, rows: Ints, eyes: Eyes, places: Floats, others: Ints, table: Table, seen: NDArray[np.bool_]
) -> None:
    """Clear `seen` where a shape of a table blocks the line of sight.

    See `SightLines.clear_blocked` for the other arguments.
    """
    heights, owners = eyes
    for i in range(rows.size):
        x, y = planar[rows[i], 0], planar[rows[i], 1]
        for k in range(places.shape[1]):
            # range and field of view have cleared most pairs already, at less cost
            if seen[i, k]:
                line = (x, y, places[i, k, 0], places[i, k, 1])
                seen[i, k] = not is_hidden(line, owners[i], others[i, k], heights[i], table)


@inlined
def is_hidden(line: tuple[float, float, float, float], owner: int, other: int, eye: float, table: Table) -> bool:
    """Go along a line, column by column of the grid, until something is in its way."""
    shapes, grid, start, listed = table
    x, y, dx, dy = line[0], line[1], line[2] - line[0], line[3] - line[1]
    first, last = _cell(x, grid, 0), _cell(line[2], grid, 0)
    low, high = _cell(min(y, line[3]) - _EDGE, grid, 1), _cell(max(y, line[3]) + _EDGE, grid, 1)
    if high - low < _SHORT:
        count = 0
        for row in range(low, high + 1):
            cells = row * int(grid[3])
            count += start[cells + max(first, last) + 1] - start[cells + min(first, last)]
        # mostly nothing is around a short line
        if count == 0:
            return False
    step = 1 if first <= last else -1
    # from the eye on: the first shape in the way ends the walk
    for column in range(first, last + step, step):
        enter, leave = 0.0, 1.0
        if dx != 0.0:
            # columns at the border reach on without end
            left = column / grid[2] + grid[0] if column > 0 else -math.inf
            right = (column + 1) / grid[2] + grid[0] if column < grid[3] - 1.0 else math.inf
            near, far = (left - x) / dx, (right - x) / dx
            enter, leave = max(min(near, far), 0.0), min(max(near, far), 1.0)
        # where the line crosses this column: a slanted line visits few cells of each
        a, b = y + enter * dy, y + leave * dy
        low, high = _cell(min(a, b) - _EDGE, grid, 1), _cell(max(a, b) + _EDGE, grid, 1)
        for row in range(low, high + 1):
            at = row * int(grid[3]) + column
            for e in range(start[at], start[at + 1]):
                shape = shapes[listed[e]]
                body = int(shape[OWNER])
                # fixed shapes, and other = nobody, have no body
                is_own = body >= 0 and body in (owner, other)
                if not is_own and shape[LOW] <= eye <= shape[HIGH] and stands(shape, line, eye):
                    return True
    return False


@compiled
def stands(shape: Floats, line: tuple[float, float, float, float], eye: float) -> bool:
    """Return whether a shape stands in the way of a line at the height `eye` that does not end in it."""
    x, y, u, v = line[0] - shape[X], line[1] - shape[Y], line[2] - shape[X], line[3] - shape[Y]
    half, half_width = shape[HALF], shape[HALF_WIDTH]
    if half_width == 0.0:
        if shape[ROUND] != 0.0:
            off = eye - 0.5 * (shape[LOW] + shape[HIGH])
            half = math.sqrt(max(half * half - off * off, 0.0))
        # the place lies in the circle: what it stands on does not hide it
        if u * u + v * v <= half * half:
            return False
        dx, dy = u - x, v - y
        length = dx * dx + dy * dy
        # nearest point of the line to the centre; a line without length is a point itself
        share = min(max(-(x * dx + y * dy) / length, 0.0), 1.0) if length > 0.0 else 0.0
        x, y = x + share * dx, y + share * dy
        # less, not equal: a line that only touches the rim is free
        return bool(x * x + y * y < half * half)
    c, s = shape[COS], shape[SIN]
    x, y, u, v = x * c + y * s, y * c - x * s, u * c + v * s, v * c - u * s
    if abs(u) <= half and abs(v) <= half_width:
        return False
    # slabs: what lies between both pairs of sides is hidden by the box
    enter, leave = _between(x, u - x, half, 0.0, 1.0)
    enter, leave = _between(y, v - y, half_width, enter, leave)
    return enter < leave


@compiled
def _between(begin: float, way: float, half: float, enter: float, leave: float) -> tuple[float, float]:
    """Return the part of a line that lies between -half and half."""
    if way == 0.0:
        return (enter, leave) if abs(begin) < half else (1.0, 0.0)
    near, far = (-half - begin) / way, (half - begin) / way
    return max(enter, min(near, far)), min(leave, max(near, far))
