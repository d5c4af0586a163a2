"""Compiled ray casting in space: from and against tilted bodies; boxes, cylinders, spheres, polygons as wedges.

Bodies that stand upright are left to `ray_kernels`, which is ten times faster.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.contract import Scanners
from coopsim.engines import BodySpec, ShapeSpec
from coopsim.engines.plane.footprints import LINE, corners_of
from coopsim.engines.rotations import plus, turned
from coopsim.geometry import Floats, Ints, Quaternion, quaternion
from coopsim.kernels import compiled
from coopsim.scene.measures import POLYGON
from coopsim.scene.polygons import Point, triangles
from coopsim.sensing import ray_head as head
from coopsim.sensing.ray_fan import HULL, rays_of
from coopsim.sensing.ray_kernels import Scene, hull_of
from coopsim.sensing.ray_scan import displaced
from coopsim.sensing.ray_tables import owners

TILT = 0.005
"""From this angle on a body counts as tilted [rad]."""

# a solid: kind, half sizes, middle in the frame of its body, bounding radius, its body (a row, or that of a fixed one),
# the body that this is a part of, its rotation in the frame of its body
_KIND, _HALF, _MIDDLE, BOUND, _BODY, OWNER, _TURN, _WIDTH = 0, 1, 4, 7, 8, 9, 10, 14
# a wedge is half a box: that of the corner at its least x and y
_KINDS: Mapping[str, float] = {"box": 0.0, "cylinder": 1.0, "sphere": 2.0, "wedge": 3.0}
# a placed solid: middle, rotation by rows
_PLACED = 12  # 3 numbers, then 9
_SPARE = 1.0 + 1e-9  # for rounding: a ray is tested in vain rather than left out
_WIDE = 2.0  # times the middle one of the bounding radii; a floor or a wall would make every strip as wide

Rays: TypeAlias = tuple[Floats, Floats, Floats, Floats, Ints]
"""`bearings`, `reach` and `ring` of `Solids.cast`; where the rays leave the bodies that look, shape (n, k) [m]; and
what these bodies are a part of, shape (n,)."""

_Strips: TypeAlias = tuple[Ints, Ints, Floats, float]
"""Rows of the wide solids, those of the others by their x, this x [m], and the largest radius around these [m]."""
Placed: TypeAlias = tuple[Floats, Floats, _Strips]
"""The solids, where they are, and which of them are near an x."""


class Solids:
    """The shapes of a scene in space.

    Attributes:
        tilted: Whether each moving body is tilted, or a shape of it, shape (n,).
    """

    def __init__(self, bodies: Sequence[BodySpec], names: Sequence[str]) -> None:
        """Read the scene.

        Args:
            bodies: All bodies, moving and fixed.
            names: The moving ones, by row.
        """
        by_name = {body.name: body for body in bodies}
        fixed = [body for body in bodies if body.mass == 0.0]
        self._owners = np.array(owners(bodies, names), np.int64)
        rows = [row for at, name in enumerate(names) for row in _rows(by_name[name], at, self._owners[at])]
        rows += [row for at, body in enumerate(fixed, len(names)) for row in _rows(body, at, at)]
        self._table = np.array(rows, np.float64).reshape(-1, _WIDTH)
        self._poses = np.array([(0.0,) * 7] * len(names) + [body.pose for body in fixed], np.float64).reshape(-1, 7)
        self._moving = len(names)
        self._placed = np.empty((len(rows), _PLACED))
        bounds = self._table[:, BOUND]
        is_wide = bounds > _WIDE * (np.median(bounds) if rows else 0.0)
        self._wide, self._slim = np.flatnonzero(is_wide), np.flatnonzero(~is_wide)
        self._most = float(bounds[self._slim].max(initial=0.0))
        self._leans = np.zeros(len(self._poses), np.bool_)
        whole = [*(by_name[name] for name in names), *fixed]
        # a shape that leans within its body leans however that one stands
        self._always = np.array([any(_tilts(shape.turn) for shape in body.shapes) for body in whole], np.bool_)
        self.tilted: NDArray[np.bool_] = self._leans[: self._moving]

    def set_poses(self, poses: Floats) -> bool:
        """Copy the poses of the bodies, shape (n, 7); return whether any body is tilted."""
        self._poses[: self._moving] = poses
        lean(self._poses, self._leans)
        self._leans |= self._always
        is_any = bool(self._leans.any())
        if is_any:
            write_frames(self._poses, self._table, self._placed)
        return is_any

    def _where(self) -> Placed:
        """Return the solids where they are now."""
        order = self._slim[np.argsort(self._placed[self._slim, 0])]
        return self._table, self._placed, (self._wide, order, self._placed[order, 0], self._most)

    def cast(self, rows: Ints, bearings: Floats, reach: Floats, ring: Floats, scene: Scene, out: Floats) -> None:
        """Shorten the distances of `out` [m] by what is tilted; write them anew for who is tilted.

        Args:
            rows: Bodies that look, shape (n,).
            bearings: Directions in the frame of each body, shape (k,) [rad].
            reach: Largest distance, measured from the hull, shape (n,) [m].
            ring: Where the rays begin above the base of each body that looks, shape (n,) [m].
            scene: That of the upright world.
            out: Distances that the upright world gives, of each m neighbouring rays the least, shape (n, k / m).
        """
        rays = bearings, reach, ring, hulls(rows, bearings, *scene), self._owners[rows]
        cast(self._poses, self._leans, rows, rays, out, self._where())

    def scan(self, rows: Ints, bearings: Floats, scanners: Scanners, out: Floats) -> None:
        """Do what `cast` does for rays that begin at scanners, shape of `out` (n, k) [m]."""
        reach, ring, mount = scanners
        rays = bearings, reach, ring, np.zeros(out.shape), self._owners[rows]
        ranges = np.ascontiguousarray(out)
        cast(displaced(self._poses, rows, mount), self._leans, rows, rays, ranges, self._where())
        out[:] = ranges


def is_tilted(body: BodySpec) -> bool:
    """Return whether a body, or a shape of it, begins tilted."""
    return _tilts(body.pose[3:]) or any(_tilts(shape.turn) for shape in body.shapes)


def _tilts(rotation: Quaternion) -> bool:
    _, x, y, _ = rotation
    return x * x + y * y > 0.5 * (1.0 - math.cos(TILT))


def _rows(body: BodySpec, at: int, owner: int) -> list[list[float]]:
    spans = []
    for solid in (part for shape in body.shapes for part in _convex(shape)):
        half = [0.5 * side for side in solid.size]
        # the position is that of the base of a shape, rays want its middle
        x, y, z = plus(solid.position, turned(solid.turn, (0.0, 0.0, half[2])))
        # of a sphere the diagonal of its box would be 1.7 times as far as it is
        bound = max(half) if solid.kind == "sphere" else math.hypot(*half)
        spans.append([_KINDS[solid.kind], *half, x, y, z, bound, float(at), float(owner), *solid.turn])
    return spans


def _convex(shape: ShapeSpec) -> Iterator[ShapeSpec]:
    """Yield a shape, or the wedges that a polygon consists of, two for each of its triangles."""
    if shape.kind != POLYGON:
        yield shape
        return
    points = corners_of(shape)
    for triangle in triangles(points):
        corners = [points[corner] for corner in triangle]
        # the longest side is the one that the foot of the height lies on
        longest = max(range(3), key=lambda k: math.dist(corners[k], corners[k - 2]))
        begin, end, top = (corners[longest - k] for k in (0, 2, 1))
        length, along = math.dist(begin, end), math.atan2(end[1] - begin[1], end[0] - begin[0])
        to = top[0] - begin[0], top[1] - begin[1]
        before = to[0] * math.cos(along) + to[1] * math.sin(along)
        height = to[1] * math.cos(along) - to[0] * math.sin(along)
        foot = begin[0] + before * math.cos(along), begin[1] + before * math.sin(along)
        yield _wedge(shape, foot, along, (length - before, height))
        yield _wedge(shape, foot, along + 0.5 * math.pi, (height, before))


def _wedge(shape: ShapeSpec, corner: Point, along: float, legs: Point) -> ShapeSpec:
    """Return the part of a polygon over a right triangle, by its right corner and its two legs [m]."""
    # as much larger as an edge is wide for rays in the plane: none passes between two wedges
    length, width = (max(leg, 0.0) + 2.0 * LINE for leg in legs)
    x, y, _ = turned(quaternion(0.0, 0.0, along), (0.5 * legs[0], 0.5 * legs[1], 0.0))
    place = corner[0] + x, corner[1] + y, shape.position[2]
    size, turn = (length, width, shape.size[2]), quaternion(0.0, 0.0, along)
    return replace(shape, kind="wedge", size=size, position=place, turn=turn, points=None, share=0.0)


@compiled
def hulls(rows: Ints, bearings: Floats, numbers: Floats, whole: Ints) -> Floats:
    """Return where the rays leave the bodies that look, shape (n, k) [m]."""
    rays, ranges, last = rays_of(bearings), np.empty((rows.size, bearings.size)), -1
    for i in range(rows.size):
        first = whole[whole[head.AT_BODY] + head.BODY_WIDTH * rows[i] + head.BODY_FIRST]
        if first != last:
            hull_of(numbers, whole, rows[i], rays, bearings.size)
            last = first
        ranges[i, :] = rays[HULL, : bearings.size]
    return ranges


@compiled
def lean(poses: Floats, leans: NDArray[np.bool_]) -> None:
    """Write which bodies are tilted."""
    # x^2 + y^2 of a quaternion is the squared sine of half its lean: no angle for each body
    limit = 0.5 * (1.0 - math.cos(TILT))
    for k in range(poses.shape[0]):
        leans[k] = poses[k, 4] * poses[k, 4] + poses[k, 5] * poses[k, 5] > limit


@compiled
def write_frames(poses: Floats, table: Floats, placed: Floats) -> None:
    """Write middle and rotation of each solid, shape (m, 12)."""
    for j in range(table.shape[0]):
        pose, to = poses[int(table[j, _BODY])], placed[j]
        w, x, y, z = pose[3], pose[4], pose[5], pose[6]
        _write_axes(w, x, y, z, to)
        u, v, up = table[j, _MIDDLE], table[j, _MIDDLE + 1], table[j, _MIDDLE + 2]
        for axis in range(3):
            to[axis] = pose[axis] + to[3 + 3 * axis] * u + to[4 + 3 * axis] * v + to[5 + 3 * axis] * up
        a, b, c, d = table[j, _TURN], table[j, _TURN + 1], table[j, _TURN + 2], table[j, _TURN + 3]
        # most shapes stand as their bodies do
        if a != 1.0:
            first, second = w * a - x * b - y * c - z * d, w * b + x * a + y * d - z * c
            _write_axes(first, second, w * c + y * a + z * b - x * d, w * d + z * a + x * c - y * b, to)


@compiled
def _write_axes(w: float, x: float, y: float, z: float, to: Floats) -> None:
    """Write a rotation by rows behind the middle of a placed solid."""
    to[3], to[4], to[5] = 1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)
    to[6], to[7], to[8] = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)
    to[9], to[10], to[11] = 2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)


@compiled
def cast(poses: Floats, leans: NDArray[np.bool_], rows: Ints, rays: Rays, out: Floats, solids: Placed) -> None:
    """See `Solids.cast`."""
    (bearings, reach, ring, hulls, own), (table, placed, strips) = rays, solids
    near = np.empty(table.shape[0], np.int64)
    origin, ray, ahead = np.empty(3), np.empty(3), np.empty((bearings.size, 3))
    cosines, sines, per_robot = np.cos(bearings), np.sin(bearings), bearings.size // out.shape[1]
    for i in range(rows.size):
        row, is_aimed = rows[i], False
        begin(poses[row], ring[i], origin)
        # the rays of who is tilted are not those that the upright world has cast
        if leans[row]:
            out[i, :] = reach[i]
        far = 0.0
        for k in range(bearings.size):
            far = max(far, hulls[i, k] + out[i, k // per_robot])
        for j in near[: write_near(strips, origin[0], far, near)]:
            body = int(table[j, _BODY])
            # two upright ones have met in the upright world already
            is_own = int(table[j, OWNER]) == own[i]
            if is_own or not (leans[body] or leans[row]) or is_far(origin, placed[j], far + table[j, BOUND]):
                continue
            # most bodies have nothing tilted in reach, and need no directions
            if not is_aimed:
                aim(poses[row], cosines, sines, ahead)
                is_aimed = True
            for k in range(bearings.size):
                ray[:] = ahead[k]
                if is_aside(origin, ray, placed[j], table[j, BOUND]):
                    continue
                length = hit(origin, ray, table[j], placed[j])
                out[i, k // per_robot] = min(out[i, k // per_robot], max(length - hulls[i, k], 0.0))


@compiled
def write_near(strips: _Strips, x: float, reach: float, near: Ints) -> int:
    """Write the rows of all solids that may be within reach [m] of what is at `x`; return how many."""
    wide, order, places, most = strips
    first, last = np.searchsorted(places, x - reach - most), np.searchsorted(places, x + reach + most, side="right")
    count = wide.size + last - first
    near[: wide.size], near[wide.size : count] = wide, order[first:last]
    return int(count)


@compiled
def begin(pose: Floats, ring: float, origin: Floats) -> None:
    """Write where the rays of a body begin, shape (3,)."""
    w, x, y, z = pose[3], pose[4], pose[5], pose[6]
    origin[0] = pose[0] + ring * 2.0 * (x * z + w * y)
    origin[1] = pose[1] + ring * 2.0 * (y * z - w * x)
    origin[2] = pose[2] + ring * (1.0 - 2.0 * (x * x + y * y))


@compiled
def is_aside(origin: Floats, ray: Floats, middle: Floats, bound: float) -> bool:
    """Return whether a ray passes a solid by: its line leaves out the ball around it."""
    x, y, z = middle[0] - origin[0], middle[1] - origin[1], middle[2] - origin[2]
    along = x * ray[0] + y * ray[1] + z * ray[2]
    return bool(x * x + y * y + z * z - along * along > bound * bound * _SPARE)


@compiled
def aim(pose: Floats, cosines: Floats, sines: Floats, ahead: Floats) -> None:
    """Write the directions of the rays of a body, shape (k, 3)."""
    w, x, y, z = pose[3], pose[4], pose[5], pose[6]
    for k in range(cosines.size):
        c, s = cosines[k], sines[k]
        ahead[k, 0] = c * (1.0 - 2.0 * (y * y + z * z)) + s * 2.0 * (x * y - w * z)
        ahead[k, 1] = c * 2.0 * (x * y + w * z) + s * (1.0 - 2.0 * (x * x + z * z))
        ahead[k, 2] = c * 2.0 * (x * z - w * y) + s * 2.0 * (y * z + w * x)


@compiled
def is_far(origin: Floats, middle: Floats, bound: float) -> bool:
    """Return whether a place is farther than `bound` away."""
    x, y, z = middle[0] - origin[0], middle[1] - origin[1], middle[2] - origin[2]
    return bool(x * x + y * y + z * z > bound * bound)


@compiled
def hit(origin: Floats, ray: Floats, solid: Floats, placed: Floats) -> float:
    """Return where a ray meets a solid: 0 from inside, infinity where it misses."""
    x, y, z = origin[0] - placed[0], origin[1] - placed[1], origin[2] - placed[2]
    # origin and direction in the frame of the solid: the transposed rotation, whose rows are columns here
    o = (
        placed[3] * x + placed[6] * y + placed[9] * z,
        placed[4] * x + placed[7] * y + placed[10] * z,
        placed[5] * x + placed[8] * y + placed[11] * z,
    )
    d = (
        placed[3] * ray[0] + placed[6] * ray[1] + placed[9] * ray[2],
        placed[4] * ray[0] + placed[7] * ray[1] + placed[10] * ray[2],
        placed[5] * ray[0] + placed[8] * ray[1] + placed[11] * ray[2],
    )
    if solid[_KIND] == 2.0:
        enter, leave = _round(o[0] * d[0] + o[1] * d[1] + o[2] * d[2], 1.0, _square(o) - solid[_HALF] ** 2)
    elif solid[_KIND] == 1.0:
        across, off = d[0] * d[0] + d[1] * d[1], o[0] * o[0] + o[1] * o[1] - solid[_HALF] ** 2
        first, last = _round(o[0] * d[0] + o[1] * d[1], across, off)
        low, high = _slab(o[2], d[2], solid[_HALF + 2])
        enter, leave = max(first, low), min(last, high)
    else:
        enter, leave = -math.inf, math.inf
        for axis in range(3):
            low, high = _slab(o[axis], d[axis], solid[_HALF + axis])
            enter, leave = max(enter, low), min(leave, high)
        if solid[_KIND] == 3.0:
            low, high = _below(o, d, solid[_HALF], solid[_HALF + 1])
            enter, leave = max(enter, low), min(leave, high)
    if not enter <= leave or leave < 0.0:
        return math.inf
    return max(enter, 0.0)


@compiled
def _below(
    o: tuple[float, float, float], d: tuple[float, float, float], length: float, width: float
) -> tuple[float, float]:
    """Return between which places a ray is on the side of a wedge, of the plane that halves its box."""
    off, slope = (o[0] - LINE) / length + (o[1] - LINE) / width, d[0] / length + d[1] / width
    if slope == 0.0:
        return (-math.inf, math.inf) if off <= 0.0 else (math.inf, -math.inf)
    return (-math.inf, -off / slope) if slope > 0.0 else (-off / slope, math.inf)


@compiled
def _square(v: tuple[float, float, float]) -> float:
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]


@compiled
def _round(b: float, a: float, c: float) -> tuple[float, float]:
    """Return between which places a t^2 + 2 b t + c is below 0; the first lies behind the last where it never is."""
    # parallel to the axis of a cylinder: it is inside all along, or never
    if a < 1e-18:
        return (-math.inf, math.inf) if c <= 0.0 else (math.inf, -math.inf)
    free = b * b - a * c
    if free < 0.0:
        return math.inf, -math.inf
    # `b` is half of the usual one, so neither 4 nor 2 is needed
    root = math.sqrt(free)
    return (-b - root) / a, (-b + root) / a


@compiled
def _slab(offset: float, slope: float, half: float) -> tuple[float, float]:
    """Return between which places a ray is within a slab; the first lies behind the last where it never is."""
    if slope == 0.0:
        return (-math.inf, math.inf) if abs(offset) <= half else (math.inf, -math.inf)
    first, last = (-half - offset) / slope, (half - offset) / slope
    return min(first, last), max(first, last)
