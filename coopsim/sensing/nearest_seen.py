"""The nearest robots that each body sees: the search walks outwards, and ends with the last free slot."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.angles import wrapped
from coopsim.kernels.shapes import X
from coopsim.sensing import robot_cells as at
from coopsim.sensing import screens as of
from coopsim.sensing.line_of_sight import Table, is_hidden, stands
from coopsim.sensing.ray_head import WIDTH
from coopsim.sensing.robot_cells import Cells, Square, column_of, fill, line_of, stretches
from coopsim.sensing.screens import Screens, move_screens
from coopsim.sensing.shadows import (
    ANYWHERE,
    BINS,
    LISTED,
    LISTS,
    ROOM,
    begin,
    bin_of,
    cast,
    end_of,
    in_bins,
    is_dark,
    is_free,
)

REACH, FIELD, OCCLUSION = range(3)
_WHOLE = 2.0 * math.pi
_U = np.uint64  # places in arrays: what cannot be negative is found faster
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
    heap = cells[0][at.PLACES + 2 * cells[1][at.ROBOTS] :], cells[1][cells[1][at.AT_ROBOT] + cells[1][at.ROBOTS] :]
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
        count = _collect_shapes(eye, far, (counts[of.SMALL], counts[of.SHAPES]), 0, shapes, counts)
        standing = _note(count, 0, shapes, counts)
    while True:
        square = _square(eye, radius, margin, numbers, whole)
        if hides:
            count = _collect_new_shapes(eye, far, (square, seen), whole[at.COLUMNS], shapes, counts)
            standing = _note(count, standing, shapes, counts)
        count = _collect_new_robots(eye, far, (square, seen), cells, scene[0])
        waiting = _wait(eye, count, hides, waiting, cells, scene[0], heap)
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
def _collect_new_shapes(
    eye: Eye, far: float, squares: tuple[Square, Square], columns: int, shapes: Floats, counts: Ints
) -> int:
    """Collect what hides robots in the cells of the first square that are not in the second; return how many."""
    square, seen = squares
    count = 0
    for y in range(square[2], square[3] + 1):
        first, pause, again, last = stretches(y, square, seen, columns, of.START, counts)
        count = _collect_shapes(eye, far, (first, pause), count, shapes, counts)
        count = _collect_shapes(eye, far, (again, last), count, shapes, counts)
    return count


@inlined
def _collect_new_robots(eye: Eye, far: float, squares: tuple[Square, Square], cells: Cells, screens: Screens) -> int:
    """Collect the robots in the cells of the first square that are not in the second; return how many."""
    (square, seen), whole = squares, cells[1]
    count = 0
    for y in range(square[2], square[3] + 1):
        first, pause, again, last = stretches(y, square, seen, whole[at.COLUMNS], at.START, whole)
        count = _collect_robots(eye, far, (first, pause), count, cells, screens)
        count = _collect_robots(eye, far, (again, last), count, cells, screens)
    return count


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
def _room(column: int, count: int, shapes: Floats, counts: Ints) -> Floats:
    """Return a column of the room for what is looked at together."""
    begin = counts[of.AT_ROOM] + column * (counts.size - counts[of.AT_LOOKED])
    return shapes[begin : begin + count]


@inlined
def _collect_robots(eye: Eye, far: float, stretch: tuple[int, int], count: int, cells: Cells, screens: Screens) -> int:
    """Collect the robots of a stretch that may be seen behind `count` of them; return how many there are."""
    (numbers, whole), (shapes, counts), (px, py, _, c, s, cosine, sine, _, _, row) = cells, screens, eye
    size = counts.size - counts[of.AT_LOOKED]
    at_x, at_y, body = _U(at.PLACES), _U(at.PLACES + whole[at.ROBOTS]), _U(whole[at.AT_BODY])
    to, first, noted = _U(counts[of.AT_ROOM]), _U(counts[of.AT_LOOKED]), _U(count)
    for e in range(_U(stretch[0]), _U(stretch[1])):
        x, y = numbers[at_x + e] - px, numbers[at_y + e] - py
        ahead, aside = x * c + y * s, y * c - x * s
        # distance from the nearer edge of the sector, by its normal
        is_ahead = abs(aside) * cosine - ahead * sine <= of.EDGE
        # written in any case, kept by counting on: who is in the sector is as good as random
        shapes[to + noted], shapes[to + _U(size) + noted], counts[first + noted] = ahead, aside, e
        noted += _U((x * x + y * y <= far * far) & is_ahead & (whole[body + e] != row))
    return int(noted)


@inlined
def _wait(
    eye: Eye, count: int, hides: bool, waiting: int, cells: Cells, screens: Screens, heap: tuple[Floats, Ints]
) -> int:
    """Put the robots that were collected into the heap of those that wait; return how many do."""
    (numbers, whole), (shapes, counts), queued = cells, screens, waiting
    ahead, aside = _room(of.ROOM_AHEAD, count, shapes, counts), _room(of.ROOM_ASIDE, count, shapes, counts)
    distances, bins = _room(of.ROOM_DISTANCE, count, shapes, counts), _room(of.ROOM_BIN, count, shapes, counts)
    if hides:
        in_bins(ahead, aside, distances, bins)
    for k in range(count):
        e = counts[counts[of.AT_LOOKED] + k]
        # shadows only grow: who stands in one need not wait
        if hides and distances[k] > 0.0 and is_dark(min(max(int(bins[k]), 0), BINS - 1), distances[k], shapes):
            continue
        robot = whole[whole[at.AT_INDEX] + e]
        x, y = numbers[at.PLACES + e], numbers[at.PLACES + whole[at.ROBOTS] + e]
        x, y = x - eye[0], y - eye[1]
        _push(heap[0], heap[1], queued, x * x + y * y, robot)
        queued += 1
    return queued


@inlined
def _collect_shapes(eye: Eye, far: float, stretch: tuple[int, int], count: int, shapes: Floats, counts: Ints) -> int:
    """Collect the shapes of a stretch that may stand before what is seen, behind `count` of them; count all."""
    px, py, _, c, s, cosine, sine, z, owner, _ = eye
    size, across, owners = _U(counts[of.SHAPES]), _U(of.COLUMNS), _U(counts[of.AT_OWNER])
    up, bounds, feet, tops = across + size, across + _U(2) * size, across + _U(4) * size, across + _U(5) * size
    to, first, noted = _U(counts[of.AT_ROOM]), _U(counts[of.AT_LOOKED]), _U(count)
    beside = to + _U(counts.size - counts[of.AT_LOOKED])
    for e in range(_U(stretch[0]), _U(stretch[1])):
        x, y, bound = shapes[across + e] - px, shapes[up + e] - py, shapes[bounds + e]
        ahead, aside = x * c + y * s, y * c - x * s
        is_near = x * x + y * y <= (far + bound) * (far + bound)
        is_ahead = abs(aside) * cosine - ahead * sine <= bound
        is_level = (shapes[feet + e] <= z) & (z <= shapes[tops + e])
        # written in any case, kept by counting on, as for robots
        shapes[to + noted], shapes[beside + noted], counts[first + noted] = ahead, aside, e
        noted += _U(is_near & is_ahead & is_level & (counts[owners + e] != owner))
    return int(noted)


@inlined
def _note(count: int, standing: int, shapes: Floats, counts: Ints) -> int:
    """Let the shapes that were collected throw their shadows; return how many of all are in no bins.

    What stands in shadow hides nothing more.
    """
    size, noted = counts[of.SHAPES], standing
    ahead, aside = _room(of.ROOM_AHEAD, count, shapes, counts), _room(of.ROOM_ASIDE, count, shapes, counts)
    distances, bins = _room(of.ROOM_DISTANCE, count, shapes, counts), _room(of.ROOM_BIN, count, shapes, counts)
    in_bins(ahead, aside, distances, bins)
    for k in range(count):
        number = counts[counts[of.AT_LOOKED] + k]
        e = of.COLUMNS + number
        radii = shapes[e + of.BOUND * size], shapes[e + of.INNER * size], shapes[e + of.DEPTH * size]
        shape = number, counts[counts[of.AT_OWNER] + number]
        if cast(distances[k], bins[k], radii, shape, shapes, counts) == ANYWHERE:
            counts[counts[of.AT_NOTED] + noted] = number
            noted += 1
    return noted


@inlined
def _is_within(eye: Eye, x: float, y: float, limits: Floats) -> bool:
    """Return whether a place is within reach and field of view."""
    dx, dy = x - eye[0], y - eye[1]
    distance = math.sqrt(dx * dx + dy * dy)
    if not distance <= limits[REACH]:
        return False
    if limits[FIELD] >= _WHOLE or distance == 0.0:
        return True
    # distance from the nearer edge of the sector, by its normal; on the edge itself the angle has the last word
    outside = abs(dy * eye[3] - dx * eye[4]) * eye[5] - (dx * eye[3] + dy * eye[4]) * eye[6]
    if abs(outside) > of.EDGE:
        return bool(outside < 0.0)
    return bool(abs(wrapped(math.atan2(dy, dx) - eye[2])) <= 0.5 * limits[FIELD])


@inlined
def _is_hidden(eye: Eye, x: float, y: float, body: int, standing: int, scene: tuple[Screens, Table]) -> bool:
    """Return whether anything stands before a robot, moving or fixed."""
    (shapes, counts), fixed = scene
    if _is_behind(eye, x, y, body, standing, shapes, counts):
        return True
    return fixed[0].shape[0] > 0 and is_hidden((eye[0], eye[1], x, y), eye[8], body, eye[7], fixed)


@compiled
def _is_behind(eye: Eye, x: float, y: float, body: int, standing: int, shapes: Floats, counts: Ints) -> bool:
    """Return whether something stands before a robot, of the shapes of its bin or of those in no bins."""
    dx, dy = x - eye[0], y - eye[1]
    distance = math.sqrt(dx * dx + dy * dy)
    if distance > 0.0:
        k = bin_of(dx * eye[3] + dy * eye[4], dy * eye[3] - dx * eye[4])
        if is_dark(k, distance, shapes):
            return True
        if is_free(k, distance, body, shapes, counts):
            return False
        listed = counts[LISTS + ROOM * k : LISTS + ROOM * k + counts[LISTED + k]]
        if _is_any_between(eye, (x, y, distance), body, listed, shapes, counts):
            return True
    listed = counts[counts[of.AT_NOTED] : counts[of.AT_NOTED] + standing]
    return _is_any_between(eye, (x, y, distance), body, listed, shapes, counts)


@inlined
def _is_any_between(
    eye: Eye, place: tuple[float, float, float], body: int, listed: Ints, shapes: Floats, counts: Ints
) -> bool:
    """Return whether one of the listed shapes stands before a robot: most are beside the line, or cut by it."""
    x, y, distance = place
    dx, dy, size = x - eye[0], y - eye[1], counts[of.SHAPES]
    square, is_any = dx * dx + dy * dy, False
    for number in listed:
        e = of.COLUMNS + number
        u, v, bound = shapes[e] - eye[0], shapes[e + of.UP * size] - eye[1], shapes[e + of.BOUND * size]
        aside, along, slack = abs(u * dy - v * dx), u * dx + v * dy, bound * distance
        if (aside > slack) | (along < -slack) | (along > square + slack):
            continue
        if counts[counts[of.AT_OWNER] + number] == body:
            continue
        is_between = (aside < shapes[e + of.INNER * size] * distance) & (along > 0.0) & (along < square)
        is_any = is_between and (u - dx) * (u - dx) + (v - dy) * (v - dy) > bound * bound
        if not is_any:
            placed = counts[of.AT_PLACED] + WIDTH * counts[counts[of.AT_SHAPE] + number] + X
            is_any = stands(shapes[placed : placed + WIDTH], (eye[0], eye[1], x, y), eye[7])
        if is_any:
            break
    return is_any


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
