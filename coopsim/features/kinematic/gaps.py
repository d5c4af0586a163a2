"""Gaps between two shapes, and their places."""

import math

import numpy as np

from coopsim.geometry import Floats
from coopsim.kernels import compiled
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y

_NEAREST = 1e-300  # m; what is nearer has no direction: its reciprocal is no number any more


@compiled
def gap_between(a: Floats, b: Floats, normal: Floats) -> float:
    """Return the gap between two shapes, below 0 how far they overlap.

    Args:
        a: A row, shape (6,).
        b: A row, shape (6,).
        normal: Written: unit vector from a to b and the middle of the gap, shape (4,).
    """
    if b[HALF_WIDTH] == 0.0:
        distance = _from_circle(b, a, normal)
        normal[0], normal[1] = -normal[0], -normal[1]
        return distance
    if a[HALF_WIDTH] == 0.0:
        return _from_circle(a, b, normal)
    return _boxes(a, b, normal)


@compiled
def _from_circle(circle: Floats, other: Floats, normal: Floats) -> float:
    """Return how far a circle is from any other shape."""
    distance = _from_point(circle[X], circle[Y], other, normal) - circle[HALF]
    # the middle of the gap: where both would touch
    reach = circle[HALF] + 0.5 * distance
    normal[2], normal[3] = circle[X] + reach * normal[0], circle[Y] + reach * normal[1]
    return float(distance)


@compiled
def _from_point(x: float, y: float, shape: Floats, normal: Floats) -> float:
    """Return the distance of a point from a shape, below 0 inside, and the unit vector from the point to the shape."""
    dx, dy = x - shape[X], y - shape[Y]
    if shape[HALF_WIDTH] == 0.0:
        distance = math.hypot(dx, dy)
        scale = -1.0 / distance if distance > _NEAREST else 0.0
        normal[0], normal[1] = dx * scale, dy * scale
        # on the very middle: any direction is right, but it must be the same in each run
        if scale == 0.0:
            normal[0] = 1.0
        return float(distance - shape[HALF])
    u, v = shape[COS] * dx + shape[SIN] * dy, shape[COS] * dy - shape[SIN] * dx
    over_u, over_v = abs(u) - shape[HALF], abs(v) - shape[HALF_WIDTH]
    if over_u > 0.0 and over_v > 0.0:
        distance = math.hypot(over_u, over_v)
        towards_u, towards_v = over_u / distance, over_v / distance
    # inside, or beside one face: the nearest face counts
    elif over_u > over_v:
        distance, towards_u, towards_v = over_u, 1.0, 0.0
    else:
        distance, towards_u, towards_v = over_v, 0.0, 1.0
    towards_u, towards_v = -math.copysign(towards_u, u), -math.copysign(towards_v, v)
    normal[0] = shape[COS] * towards_u - shape[SIN] * towards_v
    normal[1] = shape[SIN] * towards_u + shape[COS] * towards_v
    return float(distance)


@compiled
def _boxes(a: Floats, b: Floats, normal: Floats) -> float:
    overlap = _overlap(a, b, normal)
    if overlap > 0.0:
        normal[2], normal[3] = 0.5 * (a[X] + b[X]), 0.5 * (a[Y] + b[Y])
        return -overlap
    # the nearest points of two convex shapes that do not meet include a corner
    nearest, point = np.inf, np.empty(4)
    for side in range(2):
        box, partner = (a, b) if side == 0 else (b, a)
        for k in range(4):
            u = box[HALF] if k & 1 else -box[HALF]
            v = box[HALF_WIDTH] if k & 2 else -box[HALF_WIDTH]
            x = box[X] + box[COS] * u - box[SIN] * v
            y = box[Y] + box[SIN] * u + box[COS] * v
            distance = _from_point(x, y, partner, point)
            if distance < nearest:
                nearest, sign = distance, 1.0 if side == 0 else -1.0
                normal[0], normal[1] = sign * point[0], sign * point[1]
                normal[2], normal[3] = x + 0.5 * distance * point[0], y + 0.5 * distance * point[1]
    return max(nearest, 0.0)


@compiled
def _overlap(a: Floats, b: Floats, normal: Floats) -> float:
    """Return how far two boxes overlap along the side on which they do so least, not above 0 where they do not."""
    dx, dy = b[X] - a[X], b[Y] - a[Y]
    # separating axes: of two rectangles only the four normals of their sides can part them
    turned = abs(a[COS] * b[COS] + a[SIN] * b[SIN])
    across = abs(a[COS] * b[SIN] - a[SIN] * b[COS])
    least = np.inf
    for k in range(4):
        box, partner = (a, b) if k < 2 else (b, a)
        if k & 1:
            x, y, own = -box[SIN], box[COS], box[HALF_WIDTH]
            reach = across * partner[HALF] + turned * partner[HALF_WIDTH]
        else:
            x, y, own = box[COS], box[SIN], box[HALF]
            reach = turned * partner[HALF] + across * partner[HALF_WIDTH]
        along = dx * x + dy * y
        depth = own + reach - abs(along)
        if depth < least:
            least = depth
            normal[0], normal[1] = (x, y) if along >= 0.0 else (-x, -y)
    return least
