"""The nearest robots that each body sees: the search walks outwards, and ends with the last free slot."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.shapes import X
from coopsim.sensing import robot_cells as at
from coopsim.sensing import screens as of
from coopsim.sensing.line_of_sight import Table, is_hidden, stands
from coopsim.sensing.ray_head import WIDTH
from coopsim.sensing.robot_cells import Cells, Square, column_of, fill, line_of, stretches
from coopsim.sensing.screens import Screens, move_screens
from coopsim.sensing.shadows import begin, bin_of, cast, end_of, is_dark, is_free

REACH, FIELD, OCCLUSION = range(3)
_WHOLE = 2.0 * math.pi
_SLACK = 1e-9
"""Of a reach: what is looked at is a little more than what is asked for, and the plain formulas have the last word."""
_FIRST, _WIDER = 1.6, 1.5
"""Radius of the first look in cells, and how many times as wide each further one is."""
Eye: TypeAlias = tuple[float, float, float, float, float, float, float, float, int, int]
"""x, y and heading, its cosine and sine, those of half the field, height, body that it is a part of, its own body."""


@compiled
def nearest_seen(
    planar: Floats,
    height: Floats,
    lookers: tuple[Ints, Ints, Floats],
    limits: Floats,
    cells: Cells,
    scene: tuple[Screens, Table],
    out: Ints,
) -> None:
    """Write the nearest robots that are seen, by distance and index, -1 where there are no more.

    Args:
        planar: Where the bodies are, shape (m, 6).
        height: Of their bases, shape (m,) [m].
        lookers: Bodies that look, and those that they are a part of, shape (n,); half the height of each body, (m,).
        limits: Reach [m], field of view [rad], whether things hide what is behind them; shape (3, n).
        cells: Of the robots.
        scene: What may stand in the way, moving and fixed.
        out: Indices of robots, nearest first, shape (n, slots).
    """
    (rows, owners, middles), screens = lookers, scene[0]
    fill(planar, cells)
    if limits[OCCLUSION].any():
        move_screens(planar, height, screens, cells)
    out[:] = -1
    heap = np.empty(cells[1][at.ROBOTS]), np.empty(cells[1][at.ROBOTS], np.int64)
    for i in range(rows.size if out.shape[1] else 0):
        x, y, heading = planar[rows[i], 0], planar[rows[i], 1], planar[rows[i], 2]
        half = 0.5 * min(limits[FIELD, i], _WHOLE)
        body = x, y, heading, math.cos(heading), math.sin(heading)
        eye = (*body, math.cos(half), math.sin(half), height[rows[i]] + middles[rows[i]], owners[i], rows[i])
        _fill_slots(eye, planar, limits[:, i], cells, scene, heap, out[i])


@compiled
def _fill_slots(
    eye: Eye,
    planar: Floats,
    limits: Floats,
    cells: Cells,
    scene: tuple[Screens, Table],
    heap: tuple[Floats, Ints],
    slots: Ints,
) -> None:
    """Fill the slots of one body, which are -1; the heap is room for the robots that are met on the way."""
    (shapes, counts), (numbers, whole), (squares, robots) = scene[0], cells, heap
    hides, far = limits[OCCLUSION] != 0.0, limits[REACH] * (1.0 + _SLACK) + of.EDGE
    margin, radius, seen = of.EDGE, min(_FIRST * numbers[at.SIDE], far), (0, -1, 0, -1)
    filled = waiting = standing = 0
    if hides:
        margin += shapes[of.LARGEST]
        begin(eye[5], eye[6], shapes, counts)
        # the large ones stand behind all lists
        standing = _note(eye, far, (counts[of.SMALL], counts[of.SHAPES]), 0, shapes, counts)
    while True:
        square = _square(eye, radius, margin, numbers, whole)
        for y in range(square[2], square[3] + 1):
            first, pause, again, last = stretches(y, square, seen, whole[at.COLUMNS], at.START, whole)
            waiting = _wait(eye, far, (first, pause), waiting, cells, heap)
            waiting = _wait(eye, far, (again, last), waiting, cells, heap)
            if hides:
                first, pause, again, last = stretches(y, square, seen, whole[at.COLUMNS], of.START, counts)
                standing = _note(eye, far, (first, pause), standing, shapes, counts)
                standing = _note(eye, far, (again, last), standing, shapes, counts)
        seen = square
        while waiting > 0 and squares[0] <= radius * radius:
            robot, waiting = robots[0], _pop(squares, robots, waiting)
            body = whole[whole[at.AT_ROBOT] + robot]
            x, y_of = planar[body, 0], planar[body, 1]
            if _is_within(eye, x, y_of, limits) and not (hides and _is_hidden(eye, x, y_of, body, standing, scene)):
                slots[filled], filled = robot, filled + 1
                if filled == slots.size:
                    return
        if radius >= far:
            return
        if hides:
            far = end_of(far, shapes, counts)
        # with all cells seen there is nobody else to wait for
        is_whole = (square[1] - square[0] == whole[at.COLUMNS] - 1) & (square[3] - square[2] == whole[at.LINES] - 1)
        radius = far if is_whole else min(_WIDER * radius, far)


@inlined
def _square(eye: Eye, radius: float, margin: float, numbers: Floats, whole: Ints) -> Square:
    """Return the cells in which lies what may touch the sector that is seen: first and last column, and line."""
    x, y, c, s = eye[0], eye[1], eye[3], eye[4]
    cosine, sine = eye[5], eye[6]
    return (
        column_of(x - margin - radius * _extent(-c, s, cosine, sine), numbers, whole),
        column_of(x + margin + radius * _extent(c, s, cosine, sine), numbers, whole),
        line_of(y - margin - radius * _extent(-s, c, cosine, sine), numbers, whole),
        line_of(y + margin + radius * _extent(s, c, cosine, sine), numbers, whole),
    )


@inlined
def _extent(c: float, s: float, cosine: float, sine: float) -> float:
    """Return how far a sector of radius 1 reaches into a direction at (c, s) from its middle."""
    return 1.0 if c >= cosine else max(c * cosine + abs(s) * sine, 0.0)


@inlined
def _wait(eye: Eye, far: float, stretch: tuple[int, int], waiting: int, cells: Cells, heap: tuple[Floats, Ints]) -> int:
    """Put the robots of a stretch that may be seen into the heap of those that wait; return how many do."""
    (numbers, whole), (px, py, _, c, s, cosine, sine, _, _, row) = cells, eye
    up, index, body, count = at.PLACES + whole[at.ROBOTS], whole[at.AT_INDEX], whole[at.AT_BODY], waiting
    for e in range(stretch[0], stretch[1]):
        x, y = numbers[at.PLACES + e] - px, numbers[up + e] - py
        square = x * x + y * y
        # distance from the nearer edge of the sector, by its normal
        is_ahead = abs(y * c - x * s) * cosine - (x * c + y * s) * sine <= of.EDGE
        if (square <= far * far) & is_ahead and whole[body + e] != row:
            _push(heap[0], heap[1], count, square, whole[index + e])
            count += 1
    return count


@inlined
def _note(eye: Eye, far: float, stretch: tuple[int, int], standing: int, shapes: Floats, counts: Ints) -> int:
    """Note the shapes of a stretch that may stand before what is seen, behind those noted; return how many there are.

    What stands in shadow hides nothing more.
    """
    px, py, _, c, s, cosine, sine, z, owner, _ = eye
    size, count = counts[of.SHAPES], standing
    for e in range(of.COLUMNS + stretch[0], of.COLUMNS + stretch[1]):
        x, y, bound = shapes[e] - px, shapes[e + of.UP * size] - py, shapes[e + of.BOUND * size]
        ahead, aside = x * c + y * s, y * c - x * s
        is_near = x * x + y * y <= (far + bound) * (far + bound)
        is_ahead = abs(aside) * cosine - ahead * sine <= bound
        is_level = (shapes[e + of.FOOT * size] <= z) & (z <= shapes[e + of.TOP * size])
        number = e - of.COLUMNS
        is_other = counts[counts[of.AT_OWNER] + number] != owner
        if is_near & is_ahead & is_level & is_other:
            radii = bound, shapes[e + of.INNER * size], shapes[e + of.DEPTH * size]
            # written in any case, kept by counting on
            counts[counts[of.AT_NOTED] + count] = number
            count += cast(ahead, aside, radii, counts[counts[of.AT_OWNER] + number], shapes, counts)
    return count


@inlined
def _is_within(eye: Eye, x: float, y: float, limits: Floats) -> bool:
    """Return whether a place is within reach and field of view."""
    dx, dy = x - eye[0], y - eye[1]
    distance = math.sqrt(dx * dx + dy * dy)
    bearing = (math.atan2(dy, dx) - eye[2] + math.pi) % (2.0 * math.pi) - math.pi
    is_ahead = abs(bearing) <= 0.5 * limits[FIELD] or limits[FIELD] >= _WHOLE or distance == 0.0
    return distance <= limits[REACH] and is_ahead


@inlined
def _is_hidden(eye: Eye, x: float, y: float, body: int, standing: int, scene: tuple[Screens, Table]) -> bool:
    """Return whether anything stands before a robot, moving or fixed."""
    (shapes, counts), fixed = scene
    if _is_behind(eye, x, y, body, standing, shapes, counts):
        return True
    return fixed[0].shape[0] > 0 and is_hidden((eye[0], eye[1], x, y), eye[8], body, eye[7], fixed)


@compiled
def _is_behind(eye: Eye, x: float, y: float, body: int, standing: int, shapes: Floats, counts: Ints) -> bool:
    """Return whether something stands before a robot: most shapes are far beside the line, or cut it in the middle."""
    dx, dy, size = x - eye[0], y - eye[1], counts[of.SHAPES]
    square = dx * dx + dy * dy
    distance = math.sqrt(square)
    if distance > 0.0:
        k = bin_of(dx * eye[3] + dy * eye[4], dy * eye[3] - dx * eye[4])
        if is_dark(k, distance, shapes):
            return True
        if is_free(k, distance, body, shapes, counts):
            return False
    for k in range(counts[of.AT_NOTED], counts[of.AT_NOTED] + standing):
        e = of.COLUMNS + counts[k]
        u, v, bound = shapes[e] - eye[0], shapes[e + of.UP * size] - eye[1], shapes[e + of.BOUND * size]
        aside, along, slack = abs(u * dy - v * dx), u * dx + v * dy, bound * distance
        if (aside > slack) | (along < -slack) | (along > square + slack):
            continue
        if counts[counts[of.AT_OWNER] + counts[k]] == body:
            continue
        is_between = (aside < shapes[e + of.INNER * size] * distance) & (along > 0.0) & (along < square)
        if is_between and (u - dx) * (u - dx) + (v - dy) * (v - dy) > bound * bound:
            return True
        placed = counts[of.AT_PLACED] + WIDTH * counts[counts[of.AT_SHAPE] + counts[k]] + X
        if stands(shapes[placed : placed + WIDTH], (eye[0], eye[1], x, y), eye[7]):
            return True
    return False


@inlined
def _push(squares: Floats, robots: Ints, count: int, square: float, robot: int) -> None:
    """Put a robot into a heap of `count`: the nearest, and of equally near ones the first, is on top."""
    place = count
    while place > 0:
        above = (place - 1) // 2
        if squares[above] < square or (squares[above] == square and robots[above] < robot):
            break
        squares[place], robots[place] = squares[above], robots[above]
        place = above
    squares[place], robots[place] = square, robot


@inlined
def _pop(squares: Floats, robots: Ints, count: int) -> int:
    """Take the top off a heap of `count`; return how many are left."""
    last, place = count - 1, 0
    square, robot = squares[last], robots[last]
    while 2 * place + 1 < last:
        below = 2 * place + 1
        if below + 1 < last and (
            squares[below + 1] < squares[below]
            or (squares[below + 1] == squares[below] and robots[below + 1] < robots[below])
        ):
            below += 1
        if square < squares[below] or (square == squares[below] and robot < robots[below]):
            break
        squares[place], robots[place] = squares[below], robots[below]
        place = below
    squares[place], robots[place] = square, robot
    return last
