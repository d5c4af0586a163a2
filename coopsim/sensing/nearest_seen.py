"""The nearest robots that each body sees: looks go outwards, only where nothing hides all, until the slots are full."""

import math

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads, inlined
from coopsim.kernels.shared_words import add
from coopsim.kernels.sharing import claim
from coopsim.sensing import around_eye as around
from coopsim.sensing import robot_cells as at
from coopsim.sensing.around_eye import Room, collect, column, entries_of, first_radius
from coopsim.sensing.before_robot import darken, is_behind
from coopsim.sensing.eye import BINS, FIELD, OCCLUSION, REACH, WHOLE, Eye, eye_of, field_bins, fractional_bin, is_within
from coopsim.sensing.line_of_sight import Table, is_hidden
from coopsim.sensing.robot_cells import Cells, fill
from coopsim.sensing.screens import EDGE, Screens, move_screens

_U = np.uint64  # places in arrays: what cannot be negative is found faster
_SLACK = 1e-9
"""Of a reach: what is looked at is a little more than what is asked for, and the plain formulas have the last word."""
_ROOMS = 8  # bytes from the number of claimed parts to that of claimed rooms
_SHARE, _WIDER = 24.0, 1.6
"""Angle times radius squared of the first look in cells, about eighteen robots; how many times as far others go."""


@compiled
def begin_seen(planar: Floats, height: Floats, limits: Floats, tables: tuple[Cells, Screens], claims: Ints) -> None:
    """Sort robots and what may hide them into cells, unless that is done for this tick, before `nearest_seen`."""
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
    scene: tuple[Cells, Screens, Table, Room],
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
        scene: Cells of the robots, what may stand in the way, moving and fixed, and rooms to work in, one in a row.
        shares: Into how many parts the bodies are divided; how many of these and of the rooms are taken, shape (2,).
        out: Indices of robots, nearest first, shape (n, slots).
    """
    (rows, owners, middles), (cells, screens, fixed, rooms), (parts, claims) = lookers, scene, shares
    number = add(int(claims.ctypes.data) + _ROOMS, 1)
    # more threads than there are rooms: those that came first do it all
    if number >= rooms[0].shape[0]:
        return
    numbers, listed = rooms[0][number], rooms[1][number]
    while True:
        part, first, last = claim(claims, rows.size, parts)
        if part == parts:
            return
        out[first:last] = -1
        for i in range(first, last if out.shape[1] else first):
            eye = eye_of(planar, rows[i], limits[FIELD, i], height[rows[i]] + middles[rows[i]], owners[i])
            # eyes are numbered from tick to tick: nothing need be forgotten
            listed[around.STAMP] += 1
            _fill_slots(eye, planar, limits[:, i], cells, (screens, fixed, (numbers, listed)), out[i])


@inlined
def _fill_slots(
    eye: Eye, planar: Floats, limits: Floats, cells: Cells, scene: tuple[Screens, Table, Room], slots: Ints
) -> None:
    """Fill the slots of one body, which are -1."""
    (screens, fixed, room), bins, hides = scene, field_bins(eye[5], eye[6]), limits[OCCLUSION] != 0.0
    far, within = limits[REACH] * (1.0 + _SLACK) + EDGE, 0.0
    radius = min(math.sqrt(_SHARE / min(limits[FIELD], WHOLE)) * cells[0][at.SIDE], far)
    radius, standing, seen = first_radius(eye, radius, cells), 0, 0
    room[0][: BINS + around.BLOCK] = math.inf
    while True:
        count = _search(eye, bins, (within, radius), (standing, hides), (cells, screens), room)
        darken(eye, (standing, count[0]), screens, room)
        standing = count[0]
        seen = _see(eye, planar, limits, (standing, count[1], seen), (cells, screens, fixed), room)
        if seen < slots.size:
            far = min(far, _end(bins, room[0]))
        if seen >= slots.size or radius >= far:
            break
        within, radius = radius, min(_WIDER * radius, far)
    _write_nearest(seen, room, slots)


@inlined
def _search(
    eye: Eye,
    bins: tuple[int, int],
    distances: tuple[float, float],
    shapes: tuple[int, bool],
    tables: tuple[Cells, Screens],
    room: Room,
) -> tuple[int, int]:
    """Collect what lies between two distances and not in shadow; return how many shapes and robots that makes.

    `bins` are the first and last one of the field; `shapes` how many were collected, and whether they hide anything.
    """
    within, count = distances[0], (shapes[0], 0)
    if within == 0.0:
        return collect(eye, distances, count, shapes[1], tables, room[1])
    begin = bins[0]
    while begin <= bins[1]:
        if room[0][begin] <= within:
            begin += 1
            continue
        last = begin
        while last < bins[1] and room[0][last + 1] > within:
            last += 1
        count = collect(_part_of(eye, begin, last, room[0]), distances, count, shapes[1], tables, room[1])
        begin = last + 1
    return count


@inlined
def _part_of(eye: Eye, first: int, last: int, numbers: Floats) -> Eye:
    """Return an eye that sees the bins from `first` to `last` alone, and a little more."""
    turn, half = _U(around.TURNS + first + last + 1), _U(around.HALVES + last + 1 - first)
    c, s = numbers[turn], numbers[turn + _U(2 * BINS)]
    ahead = eye[3] * c - eye[4] * s, eye[4] * c + eye[3] * s
    return (eye[0], eye[1], eye[2], *ahead, numbers[half], numbers[half + _U(BINS + 1)], eye[7], eye[8], eye[9])


@inlined
def _end(bins: tuple[int, int], numbers: Floats) -> float:
    """Return the distance beyond which nothing is seen in the whole field."""
    end = 0.0
    for k in range(bins[0], bins[1] + 1):
        end = max(end, numbers[k])
    return end


@inlined
def _see(
    eye: Eye,
    planar: Floats,
    limits: Floats,
    count: tuple[int, int, int],
    tables: tuple[Cells, Screens, Table],
    room: Room,
) -> int:
    """Write which of the robots that were collected are seen, behind those noted; return how many that makes."""
    (cells, screens, fixed), (numbers, listed), (standing, robots, seen) = tables, room, count
    whole, squares, indices = cells[1], column(around.SQUARE, listed), column(around.ROBOT, listed)
    entries, ahead = entries_of(around.ROBOTS, listed), column(around.AHEAD, listed)
    is_walled = limits[OCCLUSION] != 0.0 and fixed[0].shape[0] > 0
    _flag_dark(eye, robots, cells, room)
    for k in range(_U(robots)):
        if numbers[ahead + k] != 0.0:
            continue
        e = _U(listed[entries + k])
        body, robot = whole[_U(whole[at.AT_BODY]) + e], whole[_U(whole[at.AT_INDEX]) + e]
        x, y = planar[body, 0], planar[body, 1]
        if not is_within(eye, x, y, limits) or is_behind(eye, (x, y), body, standing, screens, room):
            continue
        if is_walled and is_hidden((eye[0], eye[1], x, y), eye[8], body, eye[7], fixed):
            continue
        dx, dy = x - eye[0], y - eye[1]
        numbers[squares + _U(seen)], numbers[indices + _U(seen)] = dx * dx + dy * dy, robot
        seen += 1
    return seen


@inlined
def _flag_dark(eye: Eye, count: int, cells: Cells, room: Room) -> None:
    """Write which of the robots that were collected are hidden for certain, in place of how far ahead they are."""
    (places, whole), (numbers, listed), c, s = cells, room, eye[3], eye[4]
    entries, away = entries_of(around.ROBOTS, listed), column(around.DISTANCE, listed)
    ahead, aside = column(around.AHEAD, listed), column(around.ASIDE, listed)
    for k in range(_U(count)):
        e = _U(listed[entries + k])
        x, y = places[_U(at.PLACES) + e] - eye[0], places[_U(at.PLACES + whole[at.ROBOTS]) + e] - eye[1]
        numbers[ahead + k], numbers[aside + k] = x * c + y * s, y * c - x * s
        numbers[away + k] = math.sqrt(x * x + y * y)
    for k in range(_U(count)):
        numbers[aside + k] = fractional_bin(numbers[ahead + k], numbers[aside + k])
    for k in range(_U(count)):
        distance = numbers[away + k]
        # in the origin a bin is no number
        place = min(max(int(numbers[aside + k] if distance > 0.0 else 0.0), 0), BINS - 1)
        numbers[ahead + k] = (numbers[_U(place)] < distance) & (distance > 0.0)


@inlined
def _write_nearest(count: int, room: Room, slots: Ints) -> None:
    """Fill the slots with the robots that are seen, the nearest and of equally near ones the first in front.

    Each is compared with each: that needs no branches, of which a sort guesses every second one wrong.
    """
    numbers, squares, robots = room[0], column(around.SQUARE, room[1]), column(around.ROBOT, room[1])
    for k in range(_U(count)):
        square, robot, before = numbers[squares + k], numbers[robots + k], 0
        for j in range(_U(count)):
            is_nearer = numbers[squares + j] < square
            before += is_nearer | ((numbers[squares + j] == square) & (numbers[robots + j] < robot))
        if before < slots.size:
            slots[before] = int(robot)
