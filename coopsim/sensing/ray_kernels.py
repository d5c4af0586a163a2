"""Compiled ray casting: what each looking body sees of circles and upright boxes, seen from above.

Everything lies in two arrays, because each array handed to compiled code costs 0.1 to 0.2 µs: `numbers` and `whole`
(integers). Both begin with a head whose places are named below, then come tables that start where the head says.
"""

import math
from typing import TypeAlias

import numpy as np

from coopsim.engines.compiled import compiled, inlined, sincos
from coopsim.geometry import Floats, Ints

HEAD = 24
WIDTH = 10  # columns of every table of shapes

# head of `numbers`: lower left corner, columns and lines per metre
X0, Y0, COLUMNS_PER_METRE, LINES_PER_METRE = 0, 1, 2, 3
FIXED_X0, FIXED_Y0, FIXED_PER_METRE = 4, 5, 6
LARGEST = 7  # bounding radius of the largest shape in the grid
PREPARED = 8  # the lists of fixed shapes hold all within this distance of their cell [m]
FIRST_LOOK = 9  # farther shapes are visited only by rays that are still free [m]
PLAIN_LOW, PLAIN_HIGH = 10, 11  # heights that all shapes of the grid take up, where they are plain [m]

# head of `whole`: sizes, then where the tables start
STALE = 0
COLUMNS, LINES = 1, 2
FIXED_COLUMNS, FIXED_LINES = 3, 4
SMALL, MOVING, FIXED, OUTLINE = 5, 6, 7, 8  # numbers of shapes; the first SMALL moving ones are in the grid
AT_MOVING, AT_PLACED, AT_FIXED, AT_OUTLINE, AT_NEAR = 9, 10, 11, 12, 13  # in `numbers`
AT_BODY, AT_START, AT_LIST_START, AT_LIST = 14, 15, 16, 17  # in `whole`
AT_FOUND = 18  # in `whole`: room for the shapes that are looked at together
OUTSIDE = 19  # how many shapes of the grid were outside of it
PLAIN = 20  # 1 where all shapes of the grid are upright cylinders
AT_SEARCH, AT_MIDDLE = 21, 22  # in `numbers`; half the height of each body

# a shape: middle (in the frame of its body, or of the world once placed), half sizes (second 0 = circle of the
# first), cosine and sine of its heading, its body (-1 = fixed), its lower and upper end (above its body, or the floor
# once placed), 1 = a sphere
MX, MY, HALF, HALF_WIDTH, COS, SIN, BODY, LOW, HIGH, ROUND = range(10)
FOUND = 64  # shapes that are looked at together at most
# the shapes of the grid once more, each column by itself in memory: middle, bounding radius, body, lower and upper end
SEARCH_WIDTH = 6
# a body in `whole`: the first of its shapes in the outline table, their number
BODY_FIRST, BODY_COUNT, BODY_WIDTH = 0, 1, 2

_FEW, _ASTRAY = 16, 0.25  # number and part of the shapes outside the grid from which on a new grid pays
_U = np.uint64  # places in arrays: what cannot be negative is found faster


@compiled
def cast(
    planar: Floats,
    height: Floats,
    rows: Ints,
    bearings: Floats,
    reach: Floats,
    ring: Floats,
    out: Floats,
    numbers: Floats,
    whole: Ints,
) -> float:
    """Write the distances from the hull [m]; rays begin at `ring` above the body's base, 0 = half way up.

    Of k m rays `out` of shape (n, k) gets the nearest hit of each m neighbouring ones. Shapes of bodies whose `height`
    is no number are not seen.

    Returns:
        0; or how far the lists of fixed shapes must reach before this can be answered [m], nothing is written then;
        or -1 where many shapes have left the grid: all is written, but a new grid would be faster.
    """
    count, rays = bearings.size, _rays(bearings)
    side, ahead = _sector(bearings)
    needed = _longest(rows, reach, numbers, whole, rays, count)
    if needed > numbers[PREPARED]:
        return needed
    if whole[STALE] != 0:
        _place(planar, height, numbers, whole)
        whole[STALE] = 0
    angles, sines, cosines = np.empty(rows.size), np.empty(rows.size), np.empty(rows.size)
    for i in range(rows.size):
        angles[i] = planar[rows[i], 2]
    sincos(angles, sines, cosines)
    last = -1
    for i in range(rows.size):
        row, c, s = rows[i], cosines[i], sines[i]
        first = whole[whole[AT_BODY] + BODY_WIDTH * row + BODY_FIRST]
        if first != last:
            _hull(numbers, whole, row, rays, count)
            _divide(rays, count, out.shape[1])
            last = first
        z = height[row] + (ring[i] if ring[i] != 0.0 else numbers[whole[AT_MIDDLE] + row])
        look = (planar[row, 0], planar[row, 1], c, s, side, ahead, z)
        _aim(c, s, reach[i], rays, count)
        _see_fixed(look, rays, numbers, whole)
        _see_moving(look, row, rays, numbers, whole)
        _report(reach[i], rays, count, out[i])
    return -1.0 if whole[OUTSIDE] > _FEW + _ASTRAY * whole[SMALL] else 0.0


# x, y, cosine and sine of the heading of who looks; cosine and sine of its widest bearing; how high its rays lie
Look: TypeAlias = tuple[float, float, float, float, float, float, float]

# rows of the table of rays; the last one holds what follows
_C, _S, _HULL, _DX, _DY, _BEST, _FAN = range(7)
# of evenly spaced rays: first bearing, rays per radian (0 = spaced otherwise, or few), number, cosine and sine of the
# heading; how many of _BEST count, and for how many rays each counts (0 = one, and hulls differ from ray to ray),
# sectors per ray
_FIRST, _PER_RADIAN, _COUNT, _COS, _SIN, _SIZE, _EACH, _PER_RAY = range(8)
_FAN_FROM = 24  # so many rays are a fan: each shape is then compared with the rays that may meet it, not with all
_WIDEST = 6.28  # rad; to either side
_ALMOST_ONE = 1.0 - 1e-12


@compiled
def _rays(bearings: Floats) -> Floats:
    """Return the table of rays, filled up to a multiple of 8 by rays of length 0: compiled loops take 8 at once."""
    rays = np.zeros((7, (bearings.size + 7) // 8 * 8))
    for k in range(bearings.size):
        rays[_C, k], rays[_S, k] = math.cos(bearings[k]), math.sin(bearings[k])
    rays[_FAN, _FIRST], rays[_FAN, _PER_RADIAN] = bearings[0] if bearings.size else 0.0, _density(bearings)
    rays[_FAN, _COUNT] = bearings.size
    return rays


@compiled
def _density(bearings: Floats) -> float:
    """Return how many rays of a fan there are per radian, 0 where the rays are few or unevenly spaced."""
    last = bearings.size - 1
    if last + 1 < _FAN_FROM or not -_WIDEST < bearings[0] < bearings[last] < _WIDEST:
        return 0.0
    step = (bearings[last] - bearings[0]) / last
    for k in range(bearings.size):
        if abs(bearings[k] - bearings[0] - k * step) > 1e-9:
            return 0.0
    return float(1.0 / step)


@compiled
def _sector(bearings: Floats) -> tuple[float, float]:
    """Return cosine and sine of the widest bearing: what lies behind all rays needs no look."""
    widest = 0.0
    for k in range(bearings.size):
        turns = math.floor(bearings[k] / (2.0 * math.pi) + 0.5)
        widest = max(widest, abs(bearings[k] - 2.0 * math.pi * turns))
    return math.cos(widest), math.sin(widest)


@compiled
def _longest(rows: Ints, reach: Floats, numbers: Floats, whole: Ints, rays: Floats, count: int) -> float:
    longest, last, hull = 0.0, -1, 0.0
    for i in range(rows.size):
        first = whole[whole[AT_BODY] + BODY_WIDTH * rows[i] + BODY_FIRST]
        if first != last:
            _hull(numbers, whole, rows[i], rays, count)
            hull, last = _farthest(rays[_HULL]), first
        longest = max(longest, reach[i] + hull)
    return longest


@compiled
def _hull(numbers: Floats, whole: Ints, row: int, rays: Floats, count: int) -> None:
    """Write how far the body's own shapes extend along each ray."""
    at = whole[AT_BODY] + BODY_WIDTH * row
    rays[_HULL, :] = 0.0
    for j in range(whole[at + BODY_FIRST], whole[at + BODY_FIRST] + whole[at + BODY_COUNT]):
        shape = numbers[whole[AT_OUTLINE] + WIDTH * j : whole[AT_OUTLINE] + WIDTH * (j + 1)]
        for k in range(count):
            rays[_HULL, k] = max(rays[_HULL, k], _exit(shape, rays[_C, k], rays[_S, k]))


@compiled
def _exit(shape: Floats, dx: float, dy: float) -> float:
    """Return where a ray from the origin leaves a shape, 0 where it misses it."""
    x, y, half, half_width = shape[MX], shape[MY], shape[HALF], shape[HALF_WIDTH]
    if half_width == 0.0:
        off = x * dy - y * dx
        free = half * half - off * off
        return max(x * dx + y * dy + math.sqrt(free), 0.0) if free >= 0.0 else 0.0
    along = (x - half) / dx, (x + half) / dx
    across = (y - half_width) / dy, (y + half_width) / dy
    enter, leave = -math.inf, math.inf
    if dx != 0.0:
        enter, leave = min(along), max(along)
    elif abs(x) > half:
        return 0.0
    if dy != 0.0:
        enter, leave = max(enter, min(across)), min(leave, max(across))
    elif abs(y) > half_width:
        return 0.0
    return max(leave, 0.0) if leave >= enter else 0.0


@compiled
def hulls(rows: Ints, bearings: Floats, numbers: Floats, whole: Ints) -> Floats:
    """Return where the rays leave the bodies that look, shape (n, k) [m]."""
    rays, found, last = _rays(bearings), np.empty((rows.size, bearings.size)), -1
    for i in range(rows.size):
        first = whole[whole[AT_BODY] + BODY_WIDTH * rows[i] + BODY_FIRST]
        if first != last:
            _hull(numbers, whole, rows[i], rays, bearings.size)
            last = first
        found[i, :] = rays[_HULL, : bearings.size]
    return found


@compiled
def _divide(rays: Floats, count: int, sectors: int) -> None:
    """Note how many distances are kept: one for each sector of a fan around a round body, else one for each ray."""
    is_round = rays[_FAN, _PER_RADIAN] != 0.0
    for k in range(1, count):
        is_round &= rays[_HULL, k] == rays[_HULL, 0]
    rays[_FAN, _EACH] = count // sectors if is_round else 0.0
    rays[_FAN, _PER_RAY] = sectors / count
    rays[_FAN, _SIZE] = (sectors + 7) // 8 * 8 if is_round else rays.shape[1]


@inlined
def _aim(c: float, s: float, reach: float, rays: Floats, count: int) -> None:
    """Turn the rays with the body and free them."""
    rays[_FAN, _COS], rays[_FAN, _SIN] = c, s
    each = int(rays[_FAN, _EACH])
    if each > 0:
        rays[_BEST, : count // each] = rays[_HULL, 0] + reach
        return
    for k in range(count):
        rays[_DX, k] = c * rays[_C, k] - s * rays[_S, k]
        rays[_DY, k] = s * rays[_C, k] + c * rays[_S, k]
        rays[_BEST, k] = rays[_HULL, k] + reach


@inlined
def _report(reach: float, rays: Floats, count: int, out: Floats) -> None:
    kept = out.size if rays[_FAN, _EACH] != 0.0 else count
    for k in range(kept):
        length, hull = rays[_BEST, k], rays[_HULL, k]
        # a free ray is exactly `reach`, whatever adding and subtracting the hull has rounded
        rays[_BEST, k] = reach if length >= hull + reach else max(length - hull, 0.0)
    each = kept // out.size
    for k in range(out.size):
        nearest = rays[_BEST, k * each]
        for j in range(k * each + 1, (k + 1) * each):
            nearest = min(nearest, rays[_BEST, j])
        out[k] = nearest


@inlined
def _far(rays: Floats) -> float:
    """Return how far the rays see that are freest [m]."""
    return _farthest(rays[_BEST, : int(rays[_FAN, _SIZE])])


@inlined
def _farthest(lengths: Floats) -> float:
    """Return the largest of 8 n numbers, none below 0."""
    a = b = c = d = 0.0
    for k in range(0, lengths.size, 4):
        a, b = max(a, lengths[k]), max(b, lengths[k + 1])
        c, d = max(c, lengths[k + 2]), max(d, lengths[k + 3])
    return max(a, b, c, d)


@inlined
def _see_circle(x: float, y: float, radius: float, rays: Floats) -> None:
    """Shorten the rays that meet a circle at (x, y) from here; from inside it all are 0."""
    square = radius * radius
    dx, dy, best = rays[_DX], rays[_DY], rays[_BEST]
    if x * x + y * y <= square:
        best[:] = 0.0
        return
    if rays[_FAN, _PER_RADIAN] != 0.0:
        _see_part_of_circle(x, y, radius, rays)
        return
    for k in range(best.size):
        off = x * dy[k] - y * dx[k]
        t = x * dx[k] + y * dy[k] - math.sqrt(square - off * off)
        # a ray that misses has no root: comparisons with nan are false
        best[k] = t if (t >= 0.0) & (t < best[k]) else best[k]


@compiled
def _see_part_of_circle(x: float, y: float, radius: float, rays: Floats) -> None:
    """Do the same for the rays of a fan that point near it."""
    square, sine = radius * radius, radius / math.sqrt(x * x + y * y)
    # a little more than the arc sine
    bearing, half = _bearing(x, y, rays), sine * (1.0 + 0.58 * sine * sine)
    dx, dy, best, is_divided = rays[_DX], rays[_DY], rays[_BEST], rays[_FAN, _EACH] != 0.0
    each = int(rays[_FAN, _EACH])
    for turn in range(-1, 2):
        first, last = _between(bearing - half, bearing + half, turn, rays)
        if first >= last:
            continue
        if not is_divided:
            for k in range(first, last):
                off = x * dy[k] - y * dx[k]
                t = x * dx[k] + y * dy[k] - math.sqrt(square - off * off)
                best[k] = t if (t >= 0.0) & (t < best[k]) else best[k]
            continue
        middle, begin, end = _nearest_ray(bearing, turn, rays), _sector_of(first, rays), _sector_of(last - 1, rays)
        # mostly one or two: to look twice at one costs less than to guess wrong
        _see_in_sector(x, y, square, begin, _held(middle, begin, each, first, last), rays)
        _see_in_sector(x, y, square, end, _held(middle, end, each, first, last), rays)
        for sector in range(begin + 1, end):
            _see_in_sector(x, y, square, sector, _held(middle, sector, each, first, last), rays)


@inlined
def _see_in_sector(x: float, y: float, square: float, sector: int, ray: int, rays: Floats) -> None:
    """Shorten what a sector sees by where one of its rays meets a circle."""
    ahead, aside = _along(x, y, ray, rays)
    t, best = ahead - math.sqrt(square - aside * aside), rays[_BEST, sector]
    rays[_BEST, sector] = t if (t >= 0.0) & (t < best) else best


@inlined
def _bearing(x: float, y: float, rays: Floats) -> float:
    """Return the direction of a place from here in the frame of the body that looks [rad]."""
    c, s = rays[_FAN, _COS], rays[_FAN, _SIN]
    ahead, aside = x * c + y * s, y * c - x * s
    wide, high = abs(ahead), abs(aside)
    angle = _arc(min(wide, high), max(wide, high))
    angle = 0.5 * math.pi - angle if high > wide else angle
    return math.copysign(math.pi - angle if ahead < 0.0 else angle, aside)


@inlined
def _arc(up: float, along: float) -> float:
    """Return the angle of a slope from 0 to 1, to the last digits: several times as fast as the library's [rad].

    Source: S. L. Moshier, Cephes (atan.c).
    """
    is_steep = up > 0.66 * along
    x = (up - along if is_steep else up) / (up + along if is_steep else along)
    z = x * x
    above = (((-8.750608600031904e-1 * z - 16.15753718733365) * z - 75.00855792314705) * z - 122.8866684490136) * z
    below = ((((z + 24.858464901423063) * z + 165.02700983169885) * z + 432.8810604912903) * z + 485.3903996359137) * z
    angle = x + x * z * (above - 64.85021904942025) / (below + 194.5506571482614)
    return angle + 0.25 * math.pi if is_steep else angle


@inlined
def _sector_of(ray: int, rays: Floats) -> int:
    return int((ray + 0.5) * rays[_FAN, _PER_RAY])


@inlined
def _between(low: float, high: float, turn: int, rays: Floats) -> tuple[int, int]:
    """Return the first and the last ray but one of a fan between two bearings, after so many whole turns."""
    offset, density, count = 2.0 * math.pi * turn - rays[_FAN, _FIRST], rays[_FAN, _PER_RADIAN], rays[_FAN, _COUNT]
    first, last = (low + offset) * density, (high + offset) * density
    if first > count - 1.0 or last < 0.0:
        return 0, 0
    return int(max(first, 0.0) + _ALMOST_ONE), int(min(last, count - 1.0)) + 1


@inlined
def _nearest_ray(bearing: float, turn: int, rays: Floats) -> int:
    """Return the ray of a fan, perhaps beyond its ends, that is nearest to a bearing after so many whole turns."""
    ray: int = math.floor((bearing + 2.0 * math.pi * turn - rays[_FAN, _FIRST]) * rays[_FAN, _PER_RADIAN] + 0.5)
    return ray


@inlined
def _held(ray: int, sector: int, each: int, first: int, last: int) -> int:
    """Return the ray of a sector from `first` to before `last` that is nearest to another one."""
    return min(max(ray, sector * each, first), sector * each + each - 1, last - 1)


@inlined
def _along(x: float, y: float, ray: int, rays: Floats) -> tuple[float, float]:
    """Return where a place lies along a ray, and how far to its left."""
    c, s = rays[_FAN, _COS], rays[_FAN, _SIN]
    dx, dy = c * rays[_C, ray] - s * rays[_S, ray], s * rays[_C, ray] + c * rays[_S, ray]
    return x * dx + y * dy, y * dx - x * dy


@compiled
def _see_box(x: float, y: float, shape: Floats, rays: Floats) -> None:
    """Shorten the rays that meet a box at (x, y) from here; at most two of its faces can be seen."""
    c, s, half, half_width = shape[COS], shape[SIN], shape[HALF], shape[HALF_WIDTH]
    u, v = x * c + y * s, y * c - x * s
    if (abs(u) <= half) & (abs(v) <= half_width):
        rays[_BEST, :] = 0.0
        return
    if abs(u) > half:
        _see_face(u - math.copysign(half, u), v, half_width, c, s, rays)
    if abs(v) > half_width:
        _see_face(v - math.copysign(half_width, v), -u, half, -s, c, rays)


@compiled
def _see_face(ahead: float, aside: float, half: float, c: float, s: float, rays: Floats) -> None:
    """Shorten the rays that meet a face: `ahead` along its normal (c, s), its middle `aside` to the left."""
    if rays[_FAN, _PER_RADIAN] != 0.0:
        _see_part_of_face(ahead, aside, half, c, s, rays)
        return
    dx, dy, best = rays[_DX], rays[_DY], rays[_BEST]
    for k in range(best.size):
        t = ahead / (dx[k] * c + dy[k] * s)
        hit = t * (dy[k] * c - dx[k] * s) - aside
        best[k] = t if (t >= 0.0) & (t < best[k]) & (abs(hit) <= half) else best[k]


@compiled
def _see_part_of_face(ahead: float, aside: float, half: float, c: float, s: float, rays: Floats) -> None:
    """Do the same for the rays of a fan that point to it."""
    side = math.copysign(1.0, ahead)
    foot = _bearing(side * c, side * s, rays)
    low, high = (
        foot + math.atan2(side * aside - half, side * ahead),
        foot + math.atan2(side * aside + half, side * ahead),
    )
    dx, dy, best, each = rays[_DX], rays[_DY], rays[_BEST], int(rays[_FAN, _EACH])
    for turn in range(-1, 2):
        first, last = _between(low, high, turn, rays)
        if each == 0:
            for k in range(first, last):
                t = ahead / (dx[k] * c + dy[k] * s)
                best[k] = t if (t >= 0.0) & (t < best[k]) else best[k]
        elif first < last:
            middle = _nearest_ray(foot, turn, rays)
            for sector in range(_sector_of(first, rays), _sector_of(last - 1, rays) + 1):
                cosine, _ = _along(c, s, _held(middle, sector, each, first, last), rays)
                t = ahead / cosine
                best[sector] = t if (t >= 0.0) & (t < best[sector]) else best[sector]


@inlined
def _cell(offset: float, per_metre: float, count: int) -> int:
    """Return the column or line of a place; outside the grid, and for what is no number, one at its border."""
    cell = offset * per_metre
    if not cell >= 0.0:
        return 0
    return int(cell) if cell < count else count - 1


@inlined
def _see_fixed(look: Look, rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Look at the fixed shapes listed in the cell, nearest first."""
    if whole[FIXED] == 0:
        return
    px, py = look[0], look[1]
    column = _cell(px - numbers[FIXED_X0], numbers[FIXED_PER_METRE], whole[FIXED_COLUMNS])
    line = _cell(py - numbers[FIXED_Y0], numbers[FIXED_PER_METRE], whole[FIXED_LINES])
    at = whole[AT_LIST_START] + line * whole[FIXED_COLUMNS] + column
    if whole[at] == whole[at + 1]:
        return
    far = _far(rays)
    for e in range(whole[at], whole[at + 1]):
        if numbers[whole[AT_NEAR] + e] > far:
            break
        start = whole[AT_FIXED] + WIDTH * whole[whole[AT_LIST] + e]
        _see(numbers[start : start + WIDTH], px, py, look[6], far, rays)
        far = _far(rays)


@compiled
def _see(shape: Floats, px: float, py: float, z: float, far: float, rays: Floats) -> None:
    x, y = shape[MX] - px, shape[MY] - py
    bound = far + shape[HALF] + shape[HALF_WIDTH]
    if x * x + y * y > bound * bound or not shape[LOW] <= z <= shape[HIGH]:
        return
    if shape[HALF_WIDTH] == 0.0:
        _see_circle(x, y, _cut(shape, z), rays)
    else:
        _see_box(x, y, shape, rays)


@compiled
def _cut(shape: Floats, z: float) -> float:
    """Return the radius of a cylinder or sphere at a height [m]."""
    if shape[ROUND] == 0.0:
        return float(shape[HALF])
    off = z - 0.5 * (shape[LOW] + shape[HIGH])
    return math.sqrt(max(shape[HALF] * shape[HALF] - off * off, 0.0))


@inlined
def _see_moving(look: Look, row: int, rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Look at the large moving shapes, then around in the grid: near first, farther while a ray is free."""
    if whole[SMALL] < whole[MOVING]:
        _see_large(look, row, rays, numbers, whole)
    far = _far(rays)
    half, seen = min(far, numbers[FIRST_LOOK]), (0, -1, 0, -1)
    while whole[SMALL] > 0:
        seen = _see_square(half, seen, row, far, look, rays, numbers, whole)
        if not half < far:
            break
        far = _far(rays)
        if not half < far:
            break
        half = min(2.0 * half, far)


@compiled
def _see_large(look: Look, row: int, rays: Floats, numbers: Floats, whole: Ints) -> None:
    for e in range(whole[SMALL], whole[MOVING]):
        start = whole[AT_PLACED] + WIDTH * e
        shape = numbers[start : start + WIDTH]
        if int(shape[BODY]) != row:
            _see(shape, look[0], look[1], look[6], _far(rays), rays)


@inlined
def _extent(c: float, s: float, side: float, ahead: float) -> float:
    """Return how far a sector of radius 1 reaches into a direction at (c, s) from its middle."""
    return 1.0 if c >= side else max(c * side + abs(s) * ahead, 0.0)


@inlined
def _square(half: float, look: Look, numbers: Floats, whole: Ints) -> tuple[int, int, int, int]:
    """Return the columns and lines in which shapes may touch the sector of radius `half`: first, last, first, last."""
    px, py, c, s, side, ahead, _ = look
    x, y, margin = px - numbers[X0], py - numbers[Y0], numbers[LARGEST]
    across, up = numbers[COLUMNS_PER_METRE], numbers[LINES_PER_METRE]
    return (
        _cell(x - margin - half * _extent(-c, s, side, ahead), across, whole[COLUMNS]),
        _cell(x + margin + half * _extent(c, s, side, ahead), across, whole[COLUMNS]),
        _cell(y - margin - half * _extent(-s, c, side, ahead), up, whole[LINES]),
        _cell(y + margin + half * _extent(s, c, side, ahead), up, whole[LINES]),
    )


@inlined
def _see_square(
    half: float,
    seen: tuple[int, int, int, int],
    row: int,
    far: float,
    look: Look,
    rays: Floats,
    numbers: Floats,
    whole: Ints,
) -> tuple[int, int, int, int]:
    """Look at the shapes within `half` of here, but not again into the cells already seen; return the cells."""
    square = _square(half, look, numbers, whole)
    left, right, low, high = square
    count = 0
    for line in range(low, high + 1):
        at = whole[AT_START] + line * whole[COLUMNS]
        begin, end = whole[at + left], whole[at + right + 1]
        pause, again = end, end
        if seen[2] <= line <= seen[3]:
            pause, again = whole[at + seen[0]], whole[at + seen[1] + 1]
        while begin < end:
            if pause <= begin < again:
                begin = again
                continue
            stop = min(pause if begin < pause else end, begin + FOUND - count)
            count = _search(begin, stop, count, row, far, look, numbers, whole)
            begin = stop
            if count >= FOUND:
                _see_found(count, look, rays, numbers, whole)
                count = 0
    _see_found(count, look, rays, numbers, whole)
    return square


@inlined
def _search(begin: int, end: int, count: int, row: int, far: float, look: Look, numbers: Floats, whole: Ints) -> int:
    """Note those of the shapes from `begin` to `end` that rays may meet behind the `count` noted ones; count all.

    The own shapes, the far ones and those behind all rays are sorted out without branches: which shapes are left is
    as good as random, and a wrong guess of the processor costs more than looking at a shape.
    """
    px, py, c, s, side, ahead, _ = look
    small, one, first = whole[SMALL], _U(1), whole[AT_FOUND]
    at_x = _U(whole[AT_SEARCH] + begin)
    at_y, at_bound, at_body = at_x + _U(small), at_x + _U(2 * small), at_x + _U(3 * small)
    to = _U(first + count)
    for each in range(begin, end):
        x, y, bound = numbers[at_x] - px, numbers[at_y] - py, numbers[at_bound]
        is_near = x * x + y * y <= (far + bound) * (far + bound)
        is_ahead = abs(y * c - x * s) * side - (x * c + y * s) * ahead <= bound
        whole[to] = each
        to += _U(is_near & is_ahead & (numbers[at_body] != row))
        at_x, at_y, at_bound, at_body = at_x + one, at_y + one, at_bound + one, at_body + one
    noted: int = int(to) - first
    return noted


@inlined
def _see_found(count: int, look: Look, rays: Floats, numbers: Floats, whole: Ints) -> None:
    """Look at the shapes that were noted and lie at the height of the rays."""
    px, py, z, search, small, first = look[0], look[1], look[6], whole[AT_SEARCH], whole[SMALL], whole[AT_FOUND]
    is_plain = whole[PLAIN] != 0
    is_level = is_plain & (numbers[PLAIN_LOW] <= z) & (z <= numbers[PLAIN_HIGH])
    for each in range(first, first + count):
        e = whole[_U(each)]
        x, y, radius = (
            numbers[_U(search + e)] - px,
            numbers[_U(search + small + e)] - py,
            numbers[_U(search + 2 * small + e)],
        )
        if not is_level:
            if not numbers[search + 4 * small + e] <= z <= numbers[search + 5 * small + e]:
                continue
            if not is_plain:
                at = whole[AT_PLACED] + WIDTH * e
                shape = numbers[at : at + WIDTH]
                if shape[HALF_WIDTH] != 0.0:
                    _see_box(x, y, shape, rays)
                    continue
                radius = _cut(shape, z)
        _see_circle(x, y, radius, rays)


@compiled
def _place(planar: Floats, height: Floats, numbers: Floats, whole: Ints) -> None:
    """Put the moving shapes where their bodies are, in the order of the cells of the grid, the large ones last."""
    cells, small = whole[COLUMNS] * whole[LINES], whole[SMALL]
    start = whole[whole[AT_START] : whole[AT_START] + cells + 1]
    at, xs, ys = np.empty(small, np.int64), np.empty(small), np.empty(small)
    start[:] = 0
    whole[OUTSIDE] = 0
    across, up = numbers[COLUMNS_PER_METRE], numbers[LINES_PER_METRE]
    width, depth = whole[COLUMNS] / across, whole[LINES] / up
    for j in range(small):
        xs[j], ys[j] = _middle(planar, numbers, whole[AT_MOVING] + WIDTH * j)
        x, y = xs[j] - numbers[X0], ys[j] - numbers[Y0]
        whole[OUTSIDE] += not ((0.0 <= x <= width) & (0.0 <= y <= depth))
        at[j] = _cell(y, up, whole[LINES]) * whole[COLUMNS] + _cell(x, across, whole[COLUMNS])
        start[at[j]] += 1
    total = 0
    for cell in range(cells):
        total += start[cell]
        start[cell] = total
    start[cells] = total
    lowest, highest = -math.inf, math.inf
    # filling from behind leaves each start where its cell begins
    for j in range(small - 1, -1, -1):
        start[at[j]] -= 1
        place = start[at[j]]
        shape, search = whole[AT_MOVING] + WIDTH * j, whole[AT_SEARCH] + place
        numbers[search], numbers[search + small] = xs[j], ys[j]
        numbers[search + 2 * small] = numbers[shape + HALF] + numbers[shape + HALF_WIDTH]
        numbers[search + 3 * small] = numbers[shape + BODY]
        base = height[int(numbers[shape + BODY])]
        low, high = base + numbers[shape + LOW], base + numbers[shape + HIGH]
        numbers[search + 4 * small], numbers[search + 5 * small] = low, high
        # what is no number stays so, and nothing compares with it
        if not low <= lowest:
            lowest = low
        if not high >= highest:
            highest = high
        if whole[PLAIN] == 0:
            _write(planar, height, numbers, whole, j, place)
    numbers[PLAIN_LOW], numbers[PLAIN_HIGH] = lowest, highest
    for j in range(small, whole[MOVING]):
        _write(planar, height, numbers, whole, j, j)


@compiled
def _middle(planar: Floats, numbers: Floats, shape: int) -> tuple[float, float]:
    row = int(numbers[shape + BODY])
    x, y, u, v = planar[row, 0], planar[row, 1], numbers[shape + MX], numbers[shape + MY]
    if u == 0.0 and v == 0.0:
        return x, y
    c, s = math.cos(planar[row, 2]), math.sin(planar[row, 2])
    return x + c * u - s * v, y + s * u + c * v


@compiled
def _write(planar: Floats, height: Floats, numbers: Floats, whole: Ints, j: int, place: int) -> None:
    shape, to = whole[AT_MOVING] + WIDTH * j, whole[AT_PLACED] + WIDTH * place
    numbers[to + MX], numbers[to + MY] = _middle(planar, numbers, shape)
    for column in (HALF, HALF_WIDTH, BODY, ROUND):
        numbers[to + column] = numbers[shape + column]
    row = int(numbers[shape + BODY])
    numbers[to + LOW], numbers[to + HIGH] = height[row] + numbers[shape + LOW], height[row] + numbers[shape + HIGH]
    if numbers[shape + HALF_WIDTH] != 0.0:
        yaw = planar[row, 2]
        numbers[to + COS], numbers[to + SIN] = math.cos(yaw), math.sin(yaw)
