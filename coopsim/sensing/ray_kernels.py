"""Compiled ray casting: what each looking body sees of circles and upright boxes, seen from above."""

from typing import TypeAlias

import numpy as np

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, compiled_for_threads, floats_at, inlined, sincos
from coopsim.kernels.grid import clamped
from coopsim.kernels.lanes import LANES
from coopsim.kernels.native import address, borrowed, keep
from coopsim.kernels.shared_words import add
from coopsim.kernels.sharing import claim
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_circles import ROOM
from coopsim.sensing.ray_fan import (
    AHEAD,
    COUNT,
    EACH,
    FAN,
    FARTHEST,
    FORM,
    HULL,
    RAY_COS,
    RAY_SIN,
    SIDE,
    far_of,
    farthest,
    freest_of,
    keep_per_sector,
    kept_rays,
    report,
    table_size,
    turn,
)
from coopsim.sensing.ray_grid import move_shapes
from coopsim.sensing.ray_lists import FAR, PAUSE, SERVED, SKIN, WHOLE_WITHIN, moved_since, note_listed, write_list
from coopsim.sensing.ray_looks import Look, is_in_sight, note_shapes, see_found, square_of
from coopsim.sensing.ray_shapes import exit_of, is_behind, shorten

_FEW, _ASTRAY = 16, 0.25  # number and part of the shapes outside the grid from which on a new grid pays
_FARTHER = 0.03  # m; how much farther than last the first look goes: bodies move
_WORD = 8  # bytes
_U = np.uint64  # places in arrays: what cannot be negative is found faster

Limits: TypeAlias = tuple[Floats, Floats, int, Floats, Floats]
"""Largest distance from the hull, and where the rays begin above the base, 0 = half way up; shape (n,) each [m].

Then which of the `head.NOTES` rooms for notes is used, and which line of the desks that follow (`empty_desks`): threads
that cast at the same time have one each. Then a list for each body, or none (`ray_lists`)."""
Scene: TypeAlias = tuple[Floats, Ints]
"""`numbers` and `whole` of `ray_head`."""


@compiled_for_threads
def cast(
    planar: Floats, height: Floats, rows: Ints, bearings: Floats, limits: Limits, out: Floats, scene: Scene
) -> float:
    """Write the distances from the hull [m].

    Of k m rays `out` of shape (n, k) gets the nearest hit of each m neighbouring ones. Shapes of bodies whose `height`
    is no number are not seen. Several threads may cast for some rows each, once the moving shapes are placed.

    Returns:
        0; or how far the lists of fixed shapes must reach before this can be answered [m], nothing is written then;
        or -1 where many shapes have left the grid: all is written, but a new grid would be faster.
    """
    (reach, ring, number, desks, lists), numbers, whole = limits, borrowed(scene[0]), borrowed(scene[1])
    planar, height, rows = borrowed(planar), borrowed(height), borrowed(rows)
    out, lists = borrowed(out), borrowed(lists)
    notes, count = whole[head.AT_FOUND] + number * head.NOTE_WIDTH, bearings.size
    desk = address(desks) + _WORD * number * desks.shape[1]
    rays, room = kept_rays(bearings, desk), floats_at(desk + _WORD * table_size(count), ROOM)
    needed = _longest(rows, reach, numbers, whole, rays)
    # asked before anything is written: with lists that are too short, walls at the end of the rays would be missing
    if needed > numbers[head.PREPARED]:
        return needed
    _place_shapes(planar, height, numbers, whole)
    # of all at once: eight angles fit into vectors
    headings = np.empty((3, (rows.size + LANES - 1) // LANES * LANES))
    angles = borrowed(headings)
    _headings(planar, rows, angles)
    side, ahead = rays[FAN, SIDE], rays[FAN, AHEAD]
    last = -1
    for i in range(rows.size):
        row, s, c = rows[i], angles[1, i], angles[2, i]
        body = whole[head.AT_BODY] + head.BODY_WIDTH * row
        first = whole[body + head.BODY_FIRST]
        if first != last:
            _fit(first, row, rays, numbers, whole)
            keep_per_sector(rays, count, out.shape[1])
            last = first
        z = height[row] + (ring[i] if ring[i] != 0.0 else numbers[whole[head.AT_MIDDLE] + row])
        look = (planar[row, 0], planar[row, 1], c, s, side, ahead, z, whole[body + head.BODY_OWNER], notes)
        turn(c, s, reach[i], rays, count)
        _see_all((lists[i : i + 1], reach[i]), look, rays, (numbers, whole), room)
        report(reach[i], rays, count, out[i])
    keep(headings)
    return -1.0 if whole[head.OUTSIDE] > _FEW + _ASTRAY * whole[head.SMALL] else 0.0


@inlined
def _see_all(own: tuple[Floats, float], look: Look, rays: Floats, scene: Scene, room: Floats) -> None:
    """Note what the rays of a body meet: first of the more numerous shapes, fixed or moving, which hide the others."""
    numbers, whole = scene
    is_fixed_first = whole[head.FIXED] >= whole[head.SMALL]
    for kind in range(2):  # a loop: both are compiled into it once
        if is_fixed_first == (kind == 0):
            see_fixed(look, rays, numbers, whole)
        else:
            _see_moving(own, look, rays, scene, room)


@inlined
def _see_moving(own: tuple[Floats, float], look: Look, rays: Floats, scene: Scene, room: Floats) -> None:
    """Look at the moving shapes that are listed near a body, and around in the grid where that is not enough.

    `own` are its list, or none, and its reach.
    """
    (lists, reach), (numbers, whole) = own, scene
    see_large(look, rays, numbers, whole)
    if lists.shape[0] != 0 and _see_listed(look, rays, scene, room, lists[0]):
        return
    search_grid(look, rays, scene, room)
    if lists.shape[0] != 0:
        write_list(look, freest_of(rays), reach + rays[FAN, FARTHEST], numbers, whole, lists[0])


@inlined
def _see_listed(look: Look, rays: Floats, scene: Scene, room: Floats, kept: Floats) -> bool:
    """Look at the shapes that are listed near a body; return whether rays meet no others."""
    numbers, whole = scene
    moved, begin, far = moved_since(look, numbers, kept), 0, kept[FAR] + _FARTHER
    if not moved <= SKIN:
        return False
    # mostly no farther than last; else once more, now as far as is needed
    for _ in range(2):
        end = note_listed(begin, far + moved, look[8], whole, kept)
        see_found(end - begin, look, rays, scene, room)
        begin, last, far = end, far, freest_of(rays)
        if far <= last:
            break
    kept[FAR] = far
    kept[PAUSE] -= SERVED
    return bool(far + moved <= kept[WHOLE_WITHIN])


@compiled
def begin_parts(planar: Floats, height: Floats, claims: Ints, scene: Scene) -> None:
    """Place the moving shapes, before `cast_parts` is shared."""
    _place_shapes(planar, height, scene[0], scene[1])
    claims[:] = 0


@compiled_for_threads
def cast_parts(
    planar: Floats,
    height: Floats,
    rows: Ints,
    bearings: Floats,
    shares: tuple[Floats, Floats, int, Ints, Floats, Floats],
    out: Floats,
    scene: Scene,
) -> float:
    """Do what `cast` does, for the parts of the bodies that this thread claims.

    `shares` are the first two limits of `cast`, into how many parts the bodies are divided, how many of these and of
    the desks are claimed, a desk for each thread, and a list for each body.

    Returns:
        What casting a part returned that was not 0, else 0.
    """
    reach, ring, parts, claims, desks, lists = shares
    number, outcome = add(address(claims) + _WORD, 1), 0.0
    # more threads than there are desks: those that came first do it all
    if number >= desks.shape[0]:
        return outcome
    while True:
        part, first, last = claim(claims, rows.size, parts)
        if part == parts:
            return outcome
        few = reach[first:last], ring[first:last], number, desks, lists[first:last]
        ranges = cast(planar, height, rows[first:last], bearings, few, out[first:last], scene)
        outcome = ranges if ranges != 0.0 else outcome


@inlined
def _place_shapes(planar: Floats, height: Floats, numbers: Floats, whole: Ints) -> None:
    """Place the moving shapes, once in a tick."""
    if whole[head.STALE] != 0:
        move_shapes(planar, height, numbers, whole)
        whole[head.STALE] = 0


@inlined
def _headings(planar: Floats, rows: Ints, angles: Floats) -> None:
    """Write the heading of each body that looks, its sine and its cosine, shape (3, n or more)."""
    for i in range(rows.size):
        angles[0, i] = planar[rows[i], 2]
    sincos(angles[0], angles[1], angles[2])


@inlined
def _longest(rows: Ints, reach: Floats, numbers: Floats, whole: Ints, rays: Floats) -> float:
    longest, last, hull = 0.0, -1, 0.0
    for i in range(rows.size):
        first = whole[whole[head.AT_BODY] + head.BODY_WIDTH * rows[i] + head.BODY_FIRST]
        # robots of one type follow each other
        if first != last:
            _fit(first, rows[i], rays, numbers, whole)
            hull, last = rays[FAN, FARTHEST], first
        longest = max(longest, reach[i] + hull)
    return longest


@compiled
def _fit(form: int, row: int, rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Fit a table of rays to a body, whose form its first shape tells."""
    if rays[FAN, FORM] != form + 1.0:
        hull_of(numbers, whole, row, rays, int(rays[FAN, COUNT]))
        rays[FAN, FORM], rays[FAN, FARTHEST] = form + 1.0, farthest(rays[HULL])


def empty_desks(bearings: Floats, parts: int) -> Floats:
    """Return memory in which as many threads cast such rays, shape (parts, k).

    It must not be used for the bodies of another caster.
    """
    return np.zeros((parts, table_size(bearings.size) + ROOM))


@compiled
def hull_of(numbers: Floats, whole: Ints, row: int, rays: Floats, count: int) -> None:
    """Write how far the body's own shapes extend along each ray."""
    at = whole[head.AT_BODY] + head.BODY_WIDTH * row
    rays[HULL, :] = 0.0
    for j in range(whole[at + head.BODY_FIRST], whole[at + head.BODY_FIRST] + whole[at + head.BODY_COUNT]):
        shape = numbers[whole[head.AT_OUTLINE] + head.WIDTH * j : whole[head.AT_OUTLINE] + head.WIDTH * (j + 1)]
        for k in range(count):
            rays[HULL, k] = max(rays[HULL, k], exit_of(shape, rays[RAY_COS, k], rays[RAY_SIN, k]))


@compiled
def see_around(look: Look, rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Shorten rays by all that they meet; for kernels that begin their rays elsewhere than `cast`."""
    work = np.empty(ROOM)
    see_fixed(look, rays, numbers, whole)
    see_large(look, rays, numbers, whole)
    search_grid(look, rays, (numbers, whole), borrowed(work))
    keep(work)


@inlined
def see_fixed(look: Look, rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Look at the fixed shapes listed in the cell, nearest first."""
    if whole[head.FIXED] == 0:
        return
    px, py = look[0], look[1]
    column = clamped((px - numbers[head.FIXED_X0]) * numbers[head.FIXED_PER_METRE], whole[head.FIXED_COLUMNS])
    line = clamped((py - numbers[head.FIXED_Y0]) * numbers[head.FIXED_PER_METRE], whole[head.FIXED_LINES])
    at = whole[head.AT_LIST_START] + line * whole[head.FIXED_COLUMNS] + column
    if whole[at] == whole[at + 1]:
        return
    far, is_divided = far_of(rays), rays[FAN, EACH] != 0.0
    for e in range(whole[at], whole[at + 1]):
        # the list is in the order of distances: nothing behind this one is nearer
        if numbers[whole[head.AT_NEAR] + e] > far:
            break
        start = whole[head.AT_FIXED] + head.WIDTH * whole[whole[head.AT_LIST] + e]
        shape = numbers[start : start + head.WIDTH]
        # distances are of the cell: half of the shapes are out of reach of the place, or behind all rays
        if is_in_sight(shape, far, look) and not (is_divided and is_behind(shape, px, py, rays)):
            shorten(shape, px, py, look[6], far, rays)
            far = far_of(rays)


@inlined
def search_grid(look: Look, rays: Floats, scene: Scene, room: Floats) -> None:
    """Look at the shapes around in the grid: near first, farther while a ray is free."""
    (numbers, whole), far, half = scene, far_of(rays), 0.0
    while whole[head.SMALL] > 0 and half < far:
        # doubled: what is looked at again is no more than a quarter
        half = min(2.0 * half if half > 0.0 else numbers[head.FIRST_LOOK], far)
        _see_square(half, far, look, rays, scene, room)
        far = freest_of(rays) if half < far else half


@inlined
def see_large(look: Look, rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Look at the moving shapes that are too large for the grid."""
    for e in range(whole[head.SMALL], whole[head.MOVING]):
        start = whole[head.AT_PLACED] + head.WIDTH * e
        shape = numbers[start : start + head.WIDTH]
        if int(shape[head.OWNER]) != look[7]:
            shorten(shape, look[0], look[1], look[6], far_of(rays), rays)


@inlined
def _see_square(half: float, far: float, look: Look, rays: Floats, scene: Scene, room: Floats) -> None:
    """Look at the shapes within the first distance of here; beyond the second one no ray sees anything."""
    (numbers, whole), count = scene, 0
    left, right, low, high = square_of(half, look, numbers, whole)
    for line in range(low, high + 1):
        # the shapes of a line lie side by side
        at = whole[head.AT_START] + line * whole[head.COLUMNS]
        begin, end = whole[at + left], whole[at + right + 1]
        while begin < end:
            # no more than the room for notes has
            stop = min(end, begin + head.FOUND - count)
            count = note_shapes(begin, stop, count, far, look, numbers, whole)
            begin = stop
            if count >= head.FOUND:
                see_found(count, look, rays, scene, room)
                count = 0
    see_found(count, look, rays, scene, room)
