"""Ways are shortest: compared with a plain search of all cells, and with lines of sight between all corners."""

import itertools
import math
from collections.abc import Iterator
from heapq import heappop, heappush

import numpy as np
import pytest

from coopsim.features.laws.planning import PlanningGrid, find_path, is_clear, turn_points
from coopsim.features.laws.planning.shortest import jump_signs, shortest_cells
from coopsim.geometry import Bools, Floats

Cell = tuple[int, int]
STEPS = [(v, h) for v, h in itertools.product((-1, 0, 1), repeat=2) if v or h]


def beside(blocked: Bools, cell: Cell) -> Iterator[Cell]:
    """Yield the free cells to which a single step leads that cuts no corner."""
    row, column = cell
    for v, h in STEPS:
        to = row + v, column + h
        is_inside = 0 <= to[0] < blocked.shape[0] and 0 <= to[1] < blocked.shape[1]
        if is_inside and not (blocked[to] or blocked[row, to[1]] or blocked[to[0], column]):
            yield to


def dijkstra(blocked: Bools, begin: Cell, end: Cell) -> tuple[int, int] | None:
    """Return how many straight and diagonal steps a shortest way has: the pair is unique, as the root of 2 is."""
    queue, done = [(0.0, begin, (0, 0))], set()
    while queue:
        _, cell, (straight, diagonal) = heappop(queue)
        if cell == end:
            return straight, diagonal
        if cell in done:
            continue
        done.add(cell)
        for to in beside(blocked, cell):
            is_diagonal = to[0] != cell[0] and to[1] != cell[1]
            count = straight + (not is_diagonal), diagonal + is_diagonal
            heappush(queue, (count[0] + count[1] * math.sqrt(2.0), to, count))
    return None


def maps(count: int, side: int, seed: int) -> Iterator[tuple[Bools, Cell, Cell]]:
    """Yield maps of scattered cells and of blocks, with two free cells each."""
    noise = np.random.default_rng(seed)
    for number in range(count):
        blocked = noise.random(noise.integers(1, side, 2)) < (0.1, 0.25, 0.4, 0.0)[number % 4]
        for _ in range(6 if number % 4 == 3 else 0):
            row, column, height, width = noise.integers(0, side, 4)
            blocked[row : row + height // 2, column : column + width // 2] = True
        free = np.argwhere(~blocked)
        if len(free):
            (row, column), (to_row, to_column) = free[noise.integers(len(free), size=2)].tolist()
            yield blocked, (row, column), (to_row, to_column)


def test_a_way_has_exactly_as_many_straight_and_diagonal_steps_as_the_shortest_one_and_cuts_no_corner_g34_g48() -> None:
    lengths = []
    for blocked, begin, end in maps(1200, 22, seed=1):
        cells = shortest_cells(jump_signs(blocked), begin, end)
        expected = dijkstra(blocked, begin, end)
        if expected is None:
            assert len(cells) == 0
            continue
        ways = [(int(row), int(column)) for row, column in cells]
        assert (ways[0], ways[-1]) == (begin, end)
        assert all(to in beside(blocked, cell) for cell, to in itertools.pairwise(ways))
        steps = np.abs(np.diff(cells, axis=0)).sum(axis=1)
        assert (int((steps == 1).sum()), int((steps == 2).sum())) == expected
        lengths.append(len(ways))
    assert len(lengths) > 800
    assert max(lengths) > 25


def corners(blocked: Bools) -> Floats:
    """Return points just beside the corners of blocked cells, where shortest ways turn, shape (n, 2) in cells."""
    points = np.argwhere(blocked)[:, ::-1, np.newaxis, np.newaxis]
    around = np.stack(np.meshgrid((-1e-6, 1.0 + 1e-6), (-1e-6, 1.0 + 1e-6)), axis=-1).reshape(1, 4, 2)
    points_around: Floats = (points[:, :, 0, 0][:, np.newaxis] + around).reshape(-1, 2)
    rows, columns = blocked.shape
    inside = points_around[((points_around > 0.0) & (points_around < (columns, rows))).all(axis=1)]
    return inside[~blocked[inside[:, 1].astype(int), inside[:, 0].astype(int)]]


def true_length(grid: PlanningGrid, begin: Floats, end: Floats) -> float:
    """Return the length of the shortest way of straight lines that cross no blocked cell [m]."""
    from scipy.sparse.csgraph import dijkstra as shortest

    points = np.vstack((begin, corners(grid.blocked) * grid.cell + np.asarray(grid.low), end))
    lines = np.zeros((len(points), len(points)))
    for i, j in itertools.combinations(range(len(points)), 2):
        if is_clear(grid, points[i], points[j]):
            lines[i, j] = lines[j, i] = math.dist(points[i], points[j])
    return float(shortest(lines, indices=0)[-1])


def length(path: Floats) -> float:
    return float(np.hypot(*np.diff(path, axis=0).T).sum())


def test_turn_points_make_no_way_longer_and_leave_it_within_the_stated_bound_of_the_shortest_of_all() -> None:
    count = 0
    for blocked, begin, end in maps(160, 20, seed=2):
        grid = PlanningGrid((0.0, 0.0), 0.1, blocked)
        start, goal = grid.middles([begin, end])
        path = find_path(grid, (start[0], start[1]), (goal[0], goal[1]))
        if path is None or begin == end:
            continue
        way = np.vstack((path[:1], turn_points(grid, path)))
        straight, diagonal = dijkstra(blocked, begin, end) or (0, 0)
        assert length(way) <= grid.cell * (straight + diagonal * math.sqrt(2.0)) + 1e-9
        assert all(is_clear(grid, *leg) for leg in itertools.pairwise(way))
        turns = len(way) - 2
        assert length(way) <= 1.083 * true_length(grid, start, goal) + turns * grid.cell
        count += turns > 0
    assert count > 40


@pytest.mark.parametrize("x", [0.6, 0.9])
def test_the_way_around_a_wall_leads_past_its_nearer_end(x: float) -> None:
    grid = PlanningGrid.covering((-10.0, -10.0), (10.0, 10.0), 0.1)
    grid.block_polygon([(-2.5, -0.5), (4.0, -0.5), (4.0, 0.5), (-2.5, 0.5)], 0.25)
    path = find_path(grid, (x, -5.0), (x, 5.0))
    assert path is not None
    way = np.vstack((path[:1], turn_points(grid, path)))
    left, right = (2.0 * math.hypot(abs(x - end), 5.0 - 0.75) + 1.5 for end in (-2.75, 4.25))
    assert length(way) == pytest.approx(min(left, right), rel=0.01)
