"""The nearest robots that each body sees: looks go outwards, only where nothing hides all, until the slots are full."""

import math
from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads, inlined
from coopsim.kernels.lanes import LANES, Lanes, LoopRows, loop
from coopsim.kernels.native import address, borrowed
from coopsim.kernels.shared_words import add
from coopsim.kernels.sharing import claim
from coopsim.sensing import around_eye as around
from coopsim.sensing import robot_cells as at
from coopsim.sensing.around_eye import Room, address_of, collect, column, entries_of, first_radius, list_of
from coopsim.sensing.before_robot import clearance, darken, write_shapes
from coopsim.sensing.eye import (
    BINS,
    FIELD,
    OCCLUSION,
    PER_RADIAN,
    REACH,
    SKIN,
    TURN,
    WHOLE,
    Eye,
    bins_of,
    eye_of,
    is_within,
)
from coopsim.sensing.kept_looks import MOVED, SKIN_NOW, Kept, keep_expiry, keep_look, note_motion, range_of, recall
from coopsim.sensing.line_of_sight import Table, is_hidden
from coopsim.sensing.robot_cells import Cells, fill
from coopsim.sensing.screens import EDGE, Screens, move_screens

_U = np.uint64  # places in arrays: what cannot be negative is found faster
_SLACK = 1e-9
"""Of a reach: what is looked at is a little more than what is asked for, and the plain formulas have the last word."""
_ROOMS = 8  # bytes from the number of claimed parts to that of claimed rooms
_BYTES = 8  # of a number
_HALF_BIN = 0.5 / PER_RADIAN  # rad
_SHARE, _WIDER = 32.0, 1.8
"""Angle times radius squared of the first look in cells, about twenty-five robots; how many times as far others go."""
_Look: TypeAlias = tuple[Eye, tuple[float, float]]
_Scene: TypeAlias = tuple[Screens, Table, Room, Kept]
"""An eye, with cosine and sine of half of what its list holds; what is in its way, its room, and what it saw last."""


@compiled
def begin_seen(
    planar: Floats, height: Floats, limits: Floats, tables: tuple[Cells, Screens, Kept], claims: Ints
) -> None:
    """Sort robots and what may hide them into cells, unless that is done for this tick, before `nearest_seen`."""
    note_motion(planar, height, tables[2])
    fill(planar, tables[0])
    if limits[OCCLUSION].any():
        move_screens(planar, height, tables[1], tables[0])
    claims[:] = 0


@compiled_for_threads
def nearest_seen(
    planar: Floats,
    height: Floats,
    lookers: tuple[Ints, Ints, Floats],
    limits: Floats,
    scene: tuple[Cells, Screens, Table, Room, Kept],
    shares: tuple[int, Ints],
    out: Ints,
) -> None:
    """Write the nearest robots that are seen, by distance and index, -1 where there are no more.

    Threads may share it: each has a room of its own and does parts until none is left.

    Args:
        planar: Where the bodies are, shape (m, 6).
        height: Of their bases, shape (m,) [m].
        lookers: Bodies that look, and those that they are a part of, shape (n,); half the height of each body, (m,).
        limits: Reach [m], field of view [rad], whether things hide what is behind them; shape (3, n).
        scene: Cells of the robots, what may stand in the way, moving and fixed, rooms, one in a row, and kept looks.
        shares: Into how many parts the bodies are divided; how many of these and of the rooms are taken, shape (2,).
        out: Indices of robots, nearest first, shape (n, slots).
    """
    (rows, owners, middles), (cells, screens, fixed, rooms, kept), (parts, claims) = lookers, scene, shares
    number = add(address(claims) + _ROOMS, 1)
    # more threads than there are rooms: those that came first do it all
    if number >= rooms[0].shape[0]:
        return
    planar, cells, screens = borrowed(planar), _borrowed_pair(cells), _borrowed_pair(screens)
    fixed = borrowed(fixed[0]), borrowed(fixed[1]), borrowed(fixed[2]), borrowed(fixed[3])
    kept = borrowed(kept[0]), kept[1], borrowed(kept[2]), borrowed(kept[3])
    room = borrowed(rooms[0][number]), borrowed(rooms[1][number])
    limits, out, field, half, wide = borrowed(limits), borrowed(out), math.nan, (0.0, 0.0), (0.0, 0.0)
    while True:
        part, first, last = claim(claims, rows.size, parts)
        if part == parts:
            return
        for i in range(first, last if out.shape[1] else first):
            if limits[FIELD, i] != field:  # mostly all see as much
                field = limits[FIELD, i]
                half = math.cos(0.5 * min(field, WHOLE)), math.sin(0.5 * min(field, WHOLE))
                wide = math.cos(min(0.5 * field + TURN, math.pi)), math.sin(min(0.5 * field + TURN, math.pi))
            eye = eye_of(planar, rows[i], half, height[rows[i]] + middles[rows[i]], owners[i])
            # eyes are numbered from tick to tick: nothing need be forgotten
            room[1][around.STAMP] += 1
            _fill_slots((eye, wide), planar, limits[:, i], cells, (screens, fixed, room, kept), out[i])


@inlined
def _borrowed_pair(table: tuple[Floats, Ints]) -> tuple[Floats, Ints]:
    return borrowed(table[0]), borrowed(table[1])


@inlined
def _fill_slots(look: _Look, planar: Floats, limits: Floats, cells: Cells, scene: _Scene, slots: Ints) -> None:
    """Fill the slots of one body, from what was seen last where that holds."""
    eye, (screens, fixed, room, kept) = look[0], scene
    far, within, radius = limits[REACH] * (1.0 + _SLACK) + EDGE + SKIN, 0.0, 0.0
    skin, hides, moved = kept[0][SKIN_NOW], limits[OCCLUSION] != 0.0, kept[0][MOVED]
    end, count, placed, robots, seen, lit_bins = range_of(eye, limits, kept), (0, 0), 0, 0, 0, 0
    # one bin more to each side than the field has
    first = max(int((math.pi - 0.5 * limits[FIELD] - TURN) * PER_RADIAN) - 1, 0)
    while True:
        if end >= 0.0:
            count = recall(eye, kept, room)
            lit = _list_lit(eye, count, (limits[REACH], moved), True, cells, room)
        else:
            if radius == 0.0:
                room[0][: BINS + LANES] = math.inf
                usual = math.sqrt(_SHARE / min(limits[FIELD], WHOLE)) * cells[0][at.SIDE]
                radius = first_radius(eye, min(usual, far), cells)
            count = _search(look, lit_bins, (within, radius), (placed, robots, hides), (cells, screens), room)
            darken(eye, (placed, count[0]), skin, screens, room)
            lit = _list_lit(eye, (robots, count[1]), (limits[REACH], -moved - skin), False, cells, room)
            placed, robots = count
        seen, now_placed = _see(
            eye, planar, limits, (placed, count[0], lit, seen), (cells, screens, fixed), room, moved
        )
        if end >= 0.0:
            if now_placed > 0:
                keep_expiry(eye, count[1], kept, room)
            farthest = _write_nearest(seen, room, slots)
            if (farthest if seen >= slots.size else limits[REACH]) <= end:
                return
            end, count, seen = -1.0, (0, 0), 0
            continue
        if seen >= slots.size:
            break
        lit_bins = _are_open(first, BINS - first, (address(room[0]), list_of(around.OPEN, room)), (radius,), 0)
        if lit_bins == 0 or radius >= far:
            # nothing beyond is seen
            radius = math.inf
            break
        within, radius = radius, min(_WIDER * radius, far)
    keep_look(eye, limits, radius, count, kept, room)
    _write_nearest(seen, room, slots)


@inlined
def _search(
    look: _Look,
    lit_bins: int,
    distances: tuple[float, float],
    collected: tuple[int, int, bool],
    tables: tuple[Cells, Screens],
    room: Room,
) -> tuple[int, int]:
    """Collect what lies between two distances and not in shadow; return how many shapes and robots that makes.

    `lit_bins` are listed as open; `collected` says how many shapes and robots were, and whether they hide anything. All
    looks go farther to the sides than their eye sees.
    """
    (eye, wide), within, count = look, distances[0], (collected[0], collected[1])
    if within == 0.0:
        wide_eye = (eye[0], eye[1], eye[2], eye[3], eye[4], wide[0], wide[1], eye[7], eye[8], eye[9])
        return collect(wide_eye, distances, count, collected[2], tables, room)
    k, entries = 0, entries_of(around.OPEN, room[1])
    while k < lit_bins:
        first = last = room[1][entries + _U(k)]
        k += 1
        # neighbours are looked into together
        while k < lit_bins and room[1][entries + _U(k)] == last + 1:
            last, k = last + 1, k + 1
        count = collect(_part_of(eye, first, last), distances, count, collected[2], tables, room)
    return count


@inlined
def _part_of(eye: Eye, first: int, last: int) -> Eye:
    """Return an eye that sees the bins from `first` to `last` alone, and a little more."""
    turn, half = eye[2] + (first + last + 1) * _HALF_BIN - math.pi, min((last + 1 - first) * _HALF_BIN + EDGE, math.pi)
    ahead = math.cos(turn), math.sin(turn), math.cos(half), math.sin(half)
    return (eye[0], eye[1], turn, *ahead, eye[7], eye[8], eye[9])


@loop
def _are_open(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which bins are lit beyond a distance."""
    return rows[0] > common[0]


@inlined
def _see(
    eye: Eye,
    planar: Floats,
    limits: Floats,
    count: tuple[int, int, int, int],
    tables: tuple[Cells, Screens, Table],
    room: Room,
    moved: float,
) -> tuple[int, int]:
    """Write which of the robots that are listed as lit are seen, behind those noted; return how many that makes.

    Of so many shapes some were placed; also how many are now. Who was seen, and did not move too far, is seen.
    """
    (cells, screens, fixed), (numbers, listed), (placed, standing, lit_robots, seen) = tables, room, count
    whole, squares, indices = cells[1], column(around.SQUARE, listed), column(around.ROBOT, listed)
    entries, lit = entries_of(around.ROBOTS, listed), entries_of(around.LIT, listed)
    is_walled = limits[OCCLUSION] != 0.0 and fixed[0].shape[0] > 0
    distances, edgeways = column(around.DISTANCE, listed), column(around.EDGEWAYS, listed)
    expiry = column(around.EXPIRY, listed)
    for k in range(_U(lit_robots)):
        place = _U(listed[lit + k])
        robot = listed[entries + place]
        body = whole[_U(whole[at.AT_ROBOT] + robot)]
        x, y = planar[body, 0], planar[body, 1]
        # who is to be looked at again
        if numbers[expiry + place] <= moved and standing > 0:
            if placed == 0:
                write_shapes(eye, (0, standing), screens, room)
                placed = standing
            hides, margin = clearance(eye, (x, y, numbers[distances + place]), body, standing, screens, room)
            numbers[expiry + place] = -moved - margin if hides else moved + margin
            if hides:
                continue
        if numbers[edgeways + place] != 0.0 and not is_within(eye, x, y, limits):
            continue
        if is_walled and is_hidden((eye[0], eye[1], x, y), eye[8], body, eye[7], fixed):
            continue
        dx, dy = x - eye[0], y - eye[1]
        numbers[squares + _U(seen)], numbers[indices + _U(seen)] = dx * dx + dy * dy, robot
        seen += 1
    return seen, placed


@inlined
def _list_lit(
    eye: Eye, new: tuple[int, int], bounds: tuple[float, float], is_again: bool, cells: Cells, room: Room
) -> int:
    """List which robots are to be looked at: those in no shadow, or again, in sight; return how many these are.

    It writes how far all are, and which are so near to an edge of the field that `is_within` has the last word. Bounds
    are the reach, and how far all have moved, or, below 0, until when those in shadows are hidden [m].
    """
    across, wide = address(cells[0]) + _BYTES * (at.PLACES + 3 * cells[1][at.ROBOTS]), _BYTES * cells[1][at.ROBOTS]
    written = address_of(around.DISTANCE, room), address_of(around.EDGEWAYS, room), address_of(around.EXPIRY, room)
    columns = list_of(around.ROBOTS, room), across, across + wide, *written, address(room[0]), list_of(around.LIT, room)
    common = (eye[0], eye[1], *eye[3:7], *bounds)
    if is_again:
        return _are_in_sight(0, new[1], columns, common, 0)
    return _are_lit(new[0], new[1], columns, common, 0)


@loop
def _are_in_sight(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which robots are in sight, and were not hidden, or moved since."""
    _, _, outside = _write_places(rows, common)
    return (-rows[5] <= common[7]) & (rows[3] <= common[6]) & (outside <= EDGE)


@loop
def _are_lit(rows: LoopRows, common: tuple[Lanes, ...]) -> Lanes:
    """Return which robots are in no shadow, in sight or soon to be."""
    ahead, aside, _ = _write_places(rows, common)
    # in the origin a bin is no number
    place = (rows[3] > 0.0).where(bins_of(ahead, aside), 0.0).most(0.0).least(BINS - 1.0)
    is_dark = (rows.gathered(6, place) < rows[3]) & (rows[3] > 0.0)
    rows[5] = is_dark.where(common[7], 0.0)
    return ~is_dark


def _write_places(rows: LoopRows, common: tuple[Lanes, ...]) -> tuple[Lanes, Lanes, Lanes]:
    """Write how far robots are, and whether on an edge; return where they are, and how far beside the field."""
    (px, py, c, s, cosine, sine, reach, _), listed = common, rows.words(0)
    x, y = rows.gathered(1, listed) - px, rows.gathered(2, listed) - py
    ahead, aside = x * c + y * s, y * c - x * s
    distance, outside = (x * x + y * y).root(), abs(aside) * cosine - ahead * sine
    rows[3], rows[4] = distance, (outside >= -EDGE) | (distance >= reach)
    return ahead, aside, outside


@inlined
def _write_nearest(count: int, room: Room, slots: Ints) -> float:
    """Fill the slots with the robots that are seen, the nearest and of equally near ones the first in front.

    Return how far the last one is. Each is compared with each: that needs no branches, of which a sort guesses every
    second one wrong.
    """
    numbers, squares, robots, last = room[0], column(around.SQUARE, room[1]), column(around.ROBOT, room[1]), 0.0
    for k in range(_U(count), _U(slots.size)):
        slots[k] = -1
    for k in range(_U(count)):
        square, robot, before = numbers[squares + k], numbers[robots + k], 0
        for j in range(_U(count)):
            is_nearer = numbers[squares + j] < square
            before += is_nearer | ((numbers[squares + j] == square) & (numbers[robots + j] < robot))
        if before < slots.size:
            slots[before], last = int(robot), max(last, square)
    return math.sqrt(last)
