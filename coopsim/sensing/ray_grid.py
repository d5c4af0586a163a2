"""Moving shapes put where their bodies are, sorted by the cells of the grid."""

import math

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.grid import clamped, sort_by_cell
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import ray_head as head

_JUMP = 1000.0  # m; who moves farther in a tick was put there, and nothing that was near is near any more


@compiled
def move_shapes(planar: Floats, height: Floats, numbers: Floats, whole: Ints) -> None:
    """Put the moving shapes where their bodies are, in the order of the cells of the grid, the large ones last."""
    small, begin = whole[head.SMALL], whole[head.AT_START]
    start = whole[begin : begin + whole[head.COLUMNS] * whole[head.LINES] + 1]
    own, at = whole[head.AT_SEARCH] + head.OWN_X * small, whole[head.AT_PLACE]
    xs, ys = numbers[own : own + small], numbers[own + small : own + 2 * small]
    place_of, order = whole[at : at + small], whole[at + small : at + 2 * small]
    # cells are forgotten as soon as places are known
    _write_cells(planar, numbers, whole, xs, ys, place_of)
    sort_by_cell(place_of, start, order)
    # heights that all small shapes have in common: rays at such a height need no test of each
    lowest, highest = -math.inf, math.inf
    for place in range(small):
        j = order[place]
        place_of[j] = place
        shape, search = whole[head.AT_MOVING] + head.WIDTH * j, whole[head.AT_SEARCH] + place
        numbers[search], numbers[search + small] = xs[j], ys[j]
        numbers[search + 2 * small] = bound_of(numbers[shape + HALF], numbers[shape + HALF_WIDTH])
        numbers[search + 3 * small] = numbers[shape + head.OWNER]
        base = height[int(numbers[shape + head.BODY])]
        low, high = base + numbers[shape + head.LOW], base + numbers[shape + head.HIGH]
        numbers[search + 4 * small], numbers[search + 5 * small] = low, high
        # a shape that is not to be seen has no heights: then no height is common to all
        lowest = low if low > lowest or math.isnan(low) else lowest
        highest = high if high < highest or math.isnan(high) else highest
        # of cylinders the search columns hold all that rays need: the wide rows are not written
        if whole[head.PLAIN] == 0:
            write_shape(planar, height, numbers, whole, j, place)
    numbers[head.PLAIN_LOW], numbers[head.PLAIN_HIGH] = lowest, highest
    for j in range(small, whole[head.MOVING]):
        write_shape(planar, height, numbers, whole, j, j)


@inlined
def bound_of(half: float, half_width: float) -> float:
    """Return the radius of a circle, or of one around a box and a little larger: rays to its corners meet that, too."""
    return half if half_width == 0.0 else math.sqrt(half * half + half_width * half_width) * (1.0 + 1e-9)


@inlined
def _write_cells(planar: Floats, numbers: Floats, whole: Ints, xs: Floats, ys: Floats, cells: Ints) -> None:
    """Write where the small moving shapes are, and the cell of each; count those outside the grid, and the way."""
    columns, lines = whole[head.COLUMNS], whole[head.LINES]
    across, up = numbers[head.COLUMNS_PER_METRE], numbers[head.LINES_PER_METRE]
    width, depth, outside = columns / across, lines / up, 0
    farthest, is_lost = 0.0, False
    for j in range(xs.size):
        x, y = middle_of(planar, numbers, whole[head.AT_MOVING] + head.WIDTH * j)
        square = (x - xs[j]) * (x - xs[j]) + (y - ys[j]) * (y - ys[j])
        # a place that is no number is lost as one that is far away
        farthest, is_lost = max(farthest, square), is_lost | (not square <= _JUMP * _JUMP)
        xs[j], ys[j] = x, y
        x, y = x - numbers[head.X0], y - numbers[head.Y0]
        # negated, so that a place that is no number is outside, too
        outside += not ((0.0 <= x <= width) & (0.0 <= y <= depth))
        cells[j] = clamped(y * up, lines) * columns + clamped(x * across, columns)
    whole[head.OUTSIDE] = outside
    numbers[head.TRAVELLED] += _JUMP if is_lost else math.sqrt(farthest)


@compiled
def middle_of(planar: Floats, numbers: Floats, shape: int) -> tuple[float, float]:
    """Return x and y of a moving shape."""
    row = int(numbers[shape + head.BODY])
    x, y, u, v = planar[row, 0], planar[row, 1], numbers[shape + X], numbers[shape + Y]
    # most shapes stand in the middle of their bodies: no sine and cosine for them
    if u == 0.0 and v == 0.0:
        return x, y
    c, s = math.cos(planar[row, 2]), math.sin(planar[row, 2])
    return x + c * u - s * v, y + s * u + c * v


@compiled
def write_shape(planar: Floats, height: Floats, numbers: Floats, whole: Ints, j: int, place: int) -> None:
    """Put moving shape `j` where its body is, in a row of the placed ones."""
    shape, to = whole[head.AT_MOVING] + head.WIDTH * j, whole[head.AT_PLACED] + head.WIDTH * place
    numbers[to + X], numbers[to + Y] = middle_of(planar, numbers, shape)
    for column in (HALF, HALF_WIDTH, head.BODY, head.ROUND, head.OWNER):
        numbers[to + column] = numbers[shape + column]
    row = int(numbers[shape + head.BODY])
    numbers[to + head.LOW], numbers[to + head.HIGH] = (
        height[row] + numbers[shape + head.LOW],
        height[row] + numbers[shape + head.HIGH],
    )
    # circles look the same from all sides
    if numbers[shape + HALF_WIDTH] != 0.0:
        cos, sin = math.cos(planar[row, 2]), math.sin(planar[row, 2])
        c, s = numbers[shape + COS], numbers[shape + SIN]
        numbers[to + COS], numbers[to + SIN] = cos * c - sin * s, sin * c + cos * s
