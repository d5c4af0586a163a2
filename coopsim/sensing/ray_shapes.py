"""Points where rays meet circles, spheres and boxes, seen from above."""

import math

from coopsim.geometry import Floats
from coopsim.kernels import compiled, inlined
from coopsim.kernels.lanes import Lanes, LoopRows, loop
from coopsim.kernels.native import address
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import (
    BEST,
    COUNT,
    DX,
    DY,
    EACH,
    FAN,
    PER_RADIAN,
    along_ray,
    bearing_of,
    between,
    nearest_in_sector,
    nearest_ray,
    sector_of,
)

_BYTES = 8  # of a number


@compiled
def exit_of(shape: Floats, dx: float, dy: float) -> float:
    """Return where a ray from the origin leaves a shape, 0 where it misses it."""
    x, y, half, half_width = shape[X], shape[Y], shape[HALF], shape[HALF_WIDTH]
    if half_width == 0.0:
        off = x * dy - y * dx
        free = half * half - off * off
        return max(x * dx + y * dy + math.sqrt(free), 0.0) if free >= 0.0 else 0.0
    c, s = shape[COS], shape[SIN]
    x, y, dx, dy = x * c + y * s, y * c - x * s, dx * c + dy * s, dy * c - dx * s
    # slabs in the frame of the box; what is divided by 0 is infinite, and sorted out below
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
def shorten(shape: Floats, px: float, py: float, z: float, far: float, rays: Floats) -> None:
    """Shorten the rays from (px, py) at the height z that meet a shape within `far` of there."""
    x, y = shape[X] - px, shape[Y] - py
    # both halves together bound the half diagonal: no root for each shape
    bound = far + shape[HALF] + shape[HALF_WIDTH]
    # negated, so that from a place that is no number nothing is met
    if not x * x + y * y <= bound * bound or not shape[head.LOW] <= z <= shape[head.HIGH]:
        return
    if shape[HALF_WIDTH] == 0.0:
        meet_circle(x, y, cut(shape, z), rays)
    else:
        meet_box(x, y, shape, rays)


@compiled
def is_behind(shape: Floats, px: float, py: float, rays: Floats) -> bool:
    """Return whether all sectors of a fan that a shape reaches into see something nearer than it."""
    x, y, bound, far = shape[X] - px, shape[Y] - py, shape[HALF] + shape[HALF_WIDTH], 0.0
    away = x * x + y * y
    if away <= bound * bound:
        return False
    sine = bound / math.sqrt(away)
    # a little more than the arc sine, as of circles
    bearing, half = bearing_of(x, y, rays), sine * (1.0 + 0.58 * sine * sine)
    for turn in range(-1, 2):
        first, last = between(bearing - half, bearing + half, turn, rays)
        if first < last:
            for sector in range(sector_of(first, rays), sector_of(last - 1, rays) + 1):
                far = max(far, rays[BEST, sector])
    is_hidden: bool = away > (far + bound) * (far + bound)
    return is_hidden


@compiled
def cut(shape: Floats, z: float) -> float:
    """Return the radius of a cylinder or sphere at a height [m]."""
    if shape[head.ROUND] == 0.0:
        return float(shape[HALF])
    # the circle that the plane of the rays cuts out of a sphere; beyond its poles a point that no ray meets
    off = z - 0.5 * (shape[head.LOW] + shape[head.HIGH])
    return math.sqrt(max(shape[HALF] * shape[HALF] - off * off, 0.0))


@inlined
def meet_circle(x: float, y: float, radius: float, rays: Floats) -> None:
    """Shorten the rays that meet a circle at (x, y) from here; from inside it all are 0."""
    square = radius * radius
    dx, dy, best = rays[DX], rays[DY], rays[BEST]
    if x * x + y * y <= square:
        best[:] = 0.0
        return
    if rays[FAN, PER_RADIAN] != 0.0:
        _meet_part_of_circle(x, y, radius, rays)
        return
    for k in range(best.size):
        off = x * dy[k] - y * dx[k]
        t = x * dx[k] + y * dy[k] - math.sqrt(square - off * off)
        # a ray that misses has no root: comparisons with nan are false
        best[k] = t if (t >= 0.0) & (t < best[k]) else best[k]


@compiled
def _meet_part_of_circle(x: float, y: float, radius: float, rays: Floats) -> None:
    """Do the same for the rays of a fan that point near it."""
    square, sine = radius * radius, radius / math.sqrt(x * x + y * y)
    # a little more than the arc sine
    bearing, half = bearing_of(x, y, rays), sine * (1.0 + 0.58 * sine * sine)
    dx, dy, best, is_divided = rays[DX], rays[DY], rays[BEST], rays[FAN, EACH] != 0.0
    per_reading = int(rays[FAN, EACH])
    for turn in range(-1, 2):
        first, last = between(bearing - half, bearing + half, turn, rays)
        if first >= last:
            continue
        if not is_divided:
            for k in range(first, last):
                off = x * dy[k] - y * dx[k]
                t = x * dx[k] + y * dy[k] - math.sqrt(square - off * off)
                best[k] = t if (t >= 0.0) & (t < best[k]) else best[k]
            continue
        middle, begin, end = nearest_ray(bearing, turn, rays), sector_of(first, rays), sector_of(last - 1, rays)
        # mostly one or two: to look twice at one costs less than to guess wrong
        _meet_in_sector(x, y, square, begin, nearest_in_sector(middle, begin, per_reading, first, last), rays)
        _meet_in_sector(x, y, square, end, nearest_in_sector(middle, end, per_reading, first, last), rays)
        meet_in_sectors((x, y, radius), (begin + 1, end), middle, (first, last), rays)


@compiled
def meet_in_sectors(
    circle: tuple[float, float, float], sectors: tuple[int, int], middle: int, met: tuple[int, int], rays: Floats
) -> None:
    """Shorten what some sectors of a fan see by where they meet a circle.

    Args:
        circle: Middle and radius [m].
        sectors: The first one, and the one behind the last.
        middle: Ray that is nearest to the middle of the circle.
        met: First ray that may meet it, and the one behind the last.
        rays: Of the fan.
    """
    (x, y, radius), each = circle, int(rays[FAN, EACH])
    for sector in range(sectors[0], sectors[1]):
        ray = nearest_in_sector(middle, sector, each, met[0], met[1])
        _meet_in_sector(x, y, radius * radius, sector, ray, rays)


@inlined
def _meet_in_sector(x: float, y: float, square: float, sector: int, ray: int, rays: Floats) -> None:
    """Shorten what a sector sees by where one of its rays meets a circle."""
    ahead, aside = along_ray(x, y, ray, rays)
    t, best = ahead - math.sqrt(square - aside * aside), rays[BEST, sector]
    rays[BEST, sector] = t if (t >= 0.0) & (t < best) else best


@compiled
def meet_box(x: float, y: float, shape: Floats, rays: Floats) -> None:
    """Shorten the rays that meet a box at (x, y) from here; at most two of its faces can be seen."""
    c, s, half, half_width = shape[COS], shape[SIN], shape[HALF], shape[HALF_WIDTH]
    u, v = x * c + y * s, y * c - x * s
    if (abs(u) <= half) & (abs(v) <= half_width):
        rays[BEST, :] = 0.0
        return
    if abs(u) > half:
        _meet_face(u - math.copysign(half, u), v, half_width, c, s, rays)
    if abs(v) > half_width:
        _meet_face(v - math.copysign(half_width, v), -u, half, -s, c, rays)


@compiled
def _meet_face(ahead: float, aside: float, half: float, c: float, s: float, rays: Floats) -> None:
    """Shorten the rays that meet a face: `ahead` along its normal (c, s), its middle `aside` to the left."""
    if rays[FAN, PER_RADIAN] != 0.0:
        _meet_part_of_face(ahead, aside, half, c, s, rays)
        return
    table, line = address(rays), _BYTES * rays.shape[1]
    columns = table + DX * line, table + DY * line, table + BEST * line
    _meet_plane(0, int(rays[FAN, COUNT]), columns, (ahead, aside, half, c, s), 0)


@loop
def _meet_plane(rows: LoopRows, common: tuple[Lanes, ...]) -> None:
    """Shorten rays, of which no range is known that meets the face, so that each is compared with both ends of it."""
    (ahead, aside, half, c, s), dx, dy, best = common, rows[0], rows[1], rows[2]
    t = ahead / (dx * c + dy * s)
    # along the face
    hit = t * (dy * c - dx * s) - aside
    rows[2] = ((t >= 0.0) & (t < best) & (abs(hit) <= half)).where(t, best)


@compiled
def _meet_part_of_face(ahead: float, aside: float, half: float, c: float, s: float, rays: Floats) -> None:
    """Do the same for the rays of a fan that point to it."""
    # from behind the plane its normal points away: both signs turn, and the bearing is that of the foot
    side = math.copysign(1.0, ahead)
    foot = bearing_of(side * c, side * s, rays)
    low, high = (
        foot + math.atan2(side * aside - half, side * ahead),
        foot + math.atan2(side * aside + half, side * ahead),
    )
    dx, dy, best, per_reading = rays[DX], rays[DY], rays[BEST], int(rays[FAN, EACH])
    for turn in range(-1, 2):
        first, last = between(low, high, turn, rays)
        if per_reading == 0:
            for k in range(first, last):
                t = ahead / (dx[k] * c + dy[k] * s)
                best[k] = t if (t >= 0.0) & (t < best[k]) else best[k]
        elif first < last:
            middle = nearest_ray(foot, turn, rays)
            for sector in range(sector_of(first, rays), sector_of(last - 1, rays) + 1):
                # of a sector the ray nearest to the foot meets the face first: distances grow to both sides of it
                cosine, _ = along_ray(c, s, nearest_in_sector(middle, sector, per_reading, first, last), rays)
                t = ahead / cosine
                best[sector] = t if (t >= 0.0) & (t < best[sector]) else best[sector]
