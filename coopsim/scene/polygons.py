"""Polygons: read and checked; whether two have room in common; their moments, and the convex parts they consist of."""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

from coopsim.geometry import Vector3
from coopsim.scene import values
from coopsim.scene.values import SMALLEST, Flaw

Point: TypeAlias = tuple[float, float]
Triangle: TypeAlias = tuple[int, int, int]
MOST_CORNERS = 200
"""Of an area, and of an object."""
_NEAR = 1e-9
"""Nearer than this two points are in the same place [m]."""
_LEAST_AREA = 1e-6  # m2; a square millimetre: what is smaller is a line, and has neither mass nor inside


class PolygonMoments(NamedTuple):
    """PolygonMoments of a polygon of even density.

    Attributes:
        area: [m2].
        centre: Of mass [m].
        xx: Mean square of x from the centre [m2]; so are `yy` and `xy`.
        arm: Mean distance from the centre [m].
    """

    area: float
    centre: Point
    xx: float
    yy: float
    xy: float
    arm: float


def polygon(words: Sequence[str]) -> tuple[Point, ...] | Flaw:
    """Read the corners of a simple polygon."""
    if len(words) < 6:
        return Flaw(f"takes x and y of at least 3 points, got {len(words)} numbers")
    if len(words) > 2 * MOST_CORNERS:
        return Flaw(f"takes at most {MOST_CORNERS} points, got {len(words) // 2}")
    points = values.points(words)
    if isinstance(points, Flaw):
        return points
    if abs(points[0][0] - points[-1][0]) + abs(points[0][1] - points[-1][1]) < SMALLEST:
        return Flaw("ends where it begins; the last point is joined with the first one anyway", len(words) - 2)
    met = crossing(points)
    if met is not None:
        text = f"is no simple polygon: the edges from point {met[0] + 1} and from point {met[1] + 1} on meet"
        return Flaw(text, 2 * met[1])
    area = abs(signed_area(points))
    return tuple(points) if area >= _LEAST_AREA else Flaw(f"has no area: expected {_LEAST_AREA:g} m2, got {area:.3g}")


def polygon_fields(points: Sequence[Point], height: float, is_placed: bool) -> tuple[Vector3, dict[str, Any]]:
    """Return the middle of the box around a polygon, and its points around that with its size.

    Args:
        points: Corners [m].
        height: [m].
        is_placed: Whether points that are around their middle already, but for rounding, stay as they are.
    """
    (left, right), (low, high) = ((min(along), max(along)) for along in zip(*points, strict=True))
    x, y = (left + right) / 2.0, (low + high) / 2.0
    if is_placed and max(abs(x), abs(y)) < SMALLEST:
        x, y = 0.0, 0.0
    around = tuple((u - x, v - y) for u, v in points)
    return (x, y, 0.0), {"points": around, "size": (right - left, high - low, height)}


def moments(points: Sequence[Point]) -> PolygonMoments:
    """Return the moments of a simple polygon."""
    area = signed_area(points)
    x, y = (sum(_cross((0.0, 0.0), a, b) * (a[k] + b[k]) for a, b in edges(points)) / (6.0 * area) for k in (0, 1))
    around = edges([(u - x, v - y) for u, v in points])
    xx, yy, xy = (
        sum(_cross((0.0, 0.0), a, b) * (a[i] * (2.0 * a[j] + b[j]) + b[i] * (a[j] + 2.0 * b[j])) for a, b in around)
        / (24.0 * area)
        for i, j in ((0, 0), (1, 1), (0, 1))
    )
    return PolygonMoments(abs(area), (x, y), xx, yy, xy, sum(_distances(a, b) for a, b in around) / area)


def _distances(a: Point, b: Point) -> float:
    """Return the sum of the distances from the origin over the triangle that it spans with an edge [m3]."""
    length, high = math.dist(a, b), _cross((0.0, 0.0), a, b)
    height = abs(high) / length
    if height < _NEAR:
        return 0.0
    # in polar coordinates r dA is r^2 dr dphi; along the edge that is a third of the root of h^2 + s^2
    ends = (((p[0] * (b[0] - a[0]) + p[1] * (b[1] - a[1])) / length) for p in (a, b))
    low, top = (s * math.hypot(height, s) + height * height * math.asinh(s / height) for s in ends)
    return math.copysign(height / 6.0 * (top - low), high)


def convex_parts(points: Sequence[Point]) -> list[tuple[Point, ...]]:
    """Return the convex polygons, counter-clockwise, that a simple one consists of.

    Its triangles grow together where that leaves them convex; those as thin as a line are left out.
    Source: S. Hertel and K. Mehlhorn, Fast triangulation of simple polygons, 1983.
    """
    parts: list[tuple[int, ...]] = []
    for triangle in triangles(points):
        part: tuple[int, ...] = triangle
        joined = _with_neighbour(points, part, parts)
        while joined is not None:
            part = joined
            joined = _with_neighbour(points, part, parts)
        parts.append(part)
    corners = [tuple(points[corner] for corner in part) for part in parts]
    return [part for part in corners if signed_area(part) > _NEAR]


def _with_neighbour(
    points: Sequence[Point], part: tuple[int, ...], parts: list[tuple[int, ...]]
) -> tuple[int, ...] | None:
    """Return a part joined with one of the others, which is removed; None where no two are convex together."""
    for place, neighbour in enumerate(parts):
        for k, begin in enumerate(part):
            end = part[(k + 1) % len(part)]
            if not (begin in neighbour and neighbour[neighbour.index(begin) - 1] == end):
                continue
            start = neighbour.index(begin)
            # the edge in common goes: each of its two ends is kept once
            around = (*part[k + 1 :], *part[: k + 1], *neighbour[start:], *neighbour[:start])
            joined = tuple(dict.fromkeys(around))
            turns = zip(joined, joined[1:] + joined[:1], joined[2:] + joined[:2], strict=True)
            if all(_cross(points[a], points[b], points[c]) >= 0.0 for a, b, c in turns):
                del parts[place]
                return joined
    return None


def edges(points: Sequence[Point]) -> list[tuple[Point, Point]]:
    """Return the edges of a polygon, the last of which leads back to its first corner."""
    return list(zip(points, [*points[1:], points[0]], strict=True))


def signed_area(points: Sequence[Point]) -> float:
    """Return the area of a polygon [m²]; it is negative where the corners run clockwise."""
    return sum(_cross((0.0, 0.0), a, b) for a, b in edges(points)) / 2.0


def crossing(points: Sequence[Point]) -> tuple[int, int] | None:
    """Return the numbers of two edges that cross or touch, None where a polygon is simple.

    Neighbours touch in their corner; they are no simple polygon when one runs back along the other.
    """
    all_edges, count = edges(points), len(points)
    for i in range(count):
        if _turns_back(*all_edges[i], all_edges[(i + 1) % count][1]):
            return i, (i + 1) % count
        for j in range(i + 2, count):
            if (j + 1) % count != i and _meets(*all_edges[i], *all_edges[j]):
                return i, j
    return None


def is_inside(point: Point, points: Sequence[Point]) -> bool:
    """Return whether a point is in a polygon, and not on its edge."""
    x, y = point
    found = False
    for (x0, y0), (x1, y1) in edges(points):
        if _gap(point, (x0, y0), (x1, y1)) <= _NEAR:
            return False
        if (y0 > y) != (y1 > y) and x < (x1 - x0) * (y - y0) / (y1 - y0) + x0:
            found = not found
    return found


def overlap(first: Sequence[Point], second: Sequence[Point]) -> bool:
    """Return whether two simple polygons have room in common; where they touch they have none."""
    if any(is_inside(point, second) for point in _between(first, second)):
        return True
    if any(is_inside(point, first) for point in _between(second, first)):
        return True
    # no edge of one runs through the other: they are the same, or apart
    a, b, c = (first[i] for i in triangles(first)[0])
    return is_inside(((a[0] + b[0] + c[0]) / 3.0, (a[1] + b[1] + c[1]) / 3.0), second)


def triangles(points: Sequence[Point]) -> list[Triangle]:
    """Return a simple polygon as triangles, counter-clockwise, each three numbers of corners."""
    left = list(range(len(points)))
    if signed_area(points) < 0.0:
        left.reverse()
    found: list[Triangle] = []
    while len(left) > 3:
        place = next((k for k in range(len(left)) if _is_ear(points, left, k)), 0)
        found.append((left[place - 1], left[place], left[(place + 1) % len(left)]))
        del left[place]
    return [*found, (left[0], left[1], left[2])]


def _is_ear(points: Sequence[Point], left: Sequence[int], place: int) -> bool:
    """Return whether a corner can be cut off: it points outwards, and no other corner lies in its triangle."""
    around = left[place - 1], left[place], left[(place + 1) % len(left)]
    a, b, c = (points[i] for i in around)
    if _cross(a, b, c) <= 0.0:
        return False
    other_corners = (points[i] for i in left if i not in around)
    return not any(min(_cross(a, b, p), _cross(b, c, p), _cross(c, a, p)) >= 0.0 for p in other_corners)


def _between(first: Sequence[Point], second: Sequence[Point]) -> Iterator[Point]:
    """Yield the middles of the pieces that the edges of one polygon are cut into by another one."""
    for begin, end in edges(first):
        shares = sorted({0.0, 1.0, *(t for a, b in edges(second) for t in _shares(begin, end, a, b))})
        for low, high in pairwise(shares):
            share = (low + high) / 2.0
            yield begin[0] + share * (end[0] - begin[0]), begin[1] + share * (end[1] - begin[1])


def _shares(begin: Point, end: Point, a: Point, b: Point) -> Iterator[float]:
    """Yield where along a line another one begins, ends or crosses it, 0 to 1."""
    dx, dy, ex, ey = end[0] - begin[0], end[1] - begin[1], b[0] - a[0], b[1] - a[1]
    across = dx * ey - dy * ex
    if across != 0.0:
        share = ((a[0] - begin[0]) * ey - (a[1] - begin[1]) * ex) / across
        yield from (t for t in (share,) if 0.0 < t < 1.0)
    else:
        length = dx * dx + dy * dy
        yield from (t for p in (a, b) if 0.0 < (t := ((p[0] - begin[0]) * dx + (p[1] - begin[1]) * dy) / length) < 1.0)


def _meets(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether two lines cross or touch."""
    if min(_gap(a, c, d), _gap(b, c, d), _gap(c, a, b), _gap(d, a, b)) <= _NEAR:
        return True
    return _cross(a, b, c) * _cross(a, b, d) < 0.0 and _cross(c, d, a) * _cross(c, d, b) < 0.0


def _turns_back(a: Point, b: Point, c: Point) -> bool:
    """Return whether the way from b to c leads back along that from a to b."""
    along = (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1])
    return math.dist(a, b) <= _NEAR or (along < 0.0 and min(_gap(c, a, b), _gap(a, b, c)) <= _NEAR)


def _cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _gap(point: Point, begin: Point, end: Point) -> float:
    """Return the distance of a point from a line between two others [m]."""
    dx, dy = end[0] - begin[0], end[1] - begin[1]
    length = dx * dx + dy * dy
    share = ((point[0] - begin[0]) * dx + (point[1] - begin[1]) * dy) / length if length else 0.0
    share = min(max(share, 0.0), 1.0)
    return math.hypot(point[0] - begin[0] - share * dx, point[1] - begin[1] - share * dy)
