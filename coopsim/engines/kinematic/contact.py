"""Compiled parts of the kinematic engine that know shapes: who stops before whom, and what touches.

A shape is a row x, y, half length, half width (0 = a circle), cosine and sine of its heading, reach around the middle:
in the frame of its body, whose middle is the centre of mass, or in that of the world where it is fixed.
"""

import math

import numpy as np

from coopsim.engines.compiled import compiled
from coopsim.geometry import Floats, Ints

X, Y, HALF, HALF_WIDTH, COS, SIN, REACH = range(7)
WIDTH = REACH + 1
TOUCH = 1e-4  # m; what is not farther apart touches
_SKIN = 1e-6  # m; bodies that stop leave this gap
_ROUNDING = 1e-12
_ROUNDS = 8
_SEARCHES = 12
_CLOSE = 1e-5  # m; near enough
_SHORT = 0.999  # of the way that a straight line promises


@compiled
def move(
    planar: Floats,
    moves: Floats,
    part: float,
    middles: Floats,
    centres: Floats,
    mass: Floats,
    lost: Floats,
    shapes: Floats,
    owners: Ints,
    pairs: Ints,
    count: int,
) -> None:
    """Move bodies by a part of their way; who would run into another stops before it.

    Each pair is looked at where all bodies are, not in the order of rows, so that the order does not matter.

    Args:
        planar: x y yaw vx vy w, shape (n, 6).
        moves: Way of the centre of mass and turn in the whole step, shape (n, 3); 0 from now on for what stopped.
        part: Which part of it.
        middles: Where the centres of mass are, shape (n, 2).
        centres: Centres of mass in the frames of their bodies, shape (n, 2).
        mass: Shape (n,).
        lost: Momentum that stopping took away, added to, shape (n, 2).
        shapes: Shape (s, 7).
        owners: Body of each shape, -1 = fixed, shape (s,).
        pairs: Shapes that may meet, shape (at least count, 2).
        count: How many pairs there are.
    """
    shares = np.ones((planar.shape[0], 2))
    near = _near(middles, moves, part, shapes, owners, pairs, count)
    if near.size:
        _settle(planar, moves, part, middles, shapes, owners, pairs, near, shares)
    for row in range(planar.shape[0]):
        share, turned = shares[row, 0], shares[row, 1]
        _put(planar, row, moves, part * share, part * turned, middles, centres)
        if share < 1.0:
            lost[row, 0] += mass[row] * planar[row, 3]
            lost[row, 1] += mass[row] * planar[row, 4]
            planar[row, 3] = planar[row, 4] = moves[row, 0] = moves[row, 1] = 0.0
        if turned < 1.0:
            planar[row, 5] = moves[row, 2] = 0.0


@compiled
def touching(
    planar: Floats,
    middles: Floats,
    lost: Floats,
    shapes: Floats,
    owners: Ints,
    pairs: Ints,
    count: int,
    rows: Ints,
    points: Floats,
) -> int:
    """Write the pairs that touch, a fixed body or else the higher row second; return their number.

    Args:
        planar: Shape (n, 6).
        middles: Where the centres of mass are, shape (n, 2).
        lost: Momentum that stopping took away in the last step, shape (n, 2).
        shapes: Shape (s, 7).
        owners: Shape (s,).
        pairs: Shapes that may meet.
        count: How many pairs there are.
        rows: Shape (at least count, 2).
        points: Point, normal, impulse, shape (at least count, 5).
    """
    still, normal = np.zeros_like(planar), np.empty(4)
    a, b = np.empty(6), np.empty(6)
    found = 0
    for k in range(count):
        first, second = pairs[k, 0], pairs[k, 1]
        if owners[first] < 0 or 0 <= owners[second] < owners[first]:
            first, second = second, first
        _place(planar, still, middles, shapes, owners[first], first, 0.0, 0.0, a)
        _place(planar, still, middles, shapes, owners[second], second, 0.0, 0.0, b)
        if _apart(a, b, normal) <= TOUCH:
            i, j = owners[first], owners[second]
            rows[found, 0], rows[found, 1] = i, j
            points[found, 0], points[found, 1], points[found, 2], points[found, 3] = (
                normal[2],
                normal[3],
                normal[0],
                normal[1],
            )
            impulse = lost[i, 0] * normal[0] + lost[i, 1] * normal[1]
            if j >= 0:
                impulse = max(impulse, -lost[j, 0] * normal[0] - lost[j, 1] * normal[1])
            points[found, 4] = max(impulse, 0.0)
            found += 1
    return found


@compiled
def _near(middles: Floats, moves: Floats, part: float, shapes: Floats, owners: Ints, pairs: Ints, count: int) -> Ints:
    """Return which pairs may come together on their way."""
    near, found = np.empty(count, np.int64), 0
    for k in range(count):
        i, j = owners[pairs[k, 0]], owners[pairs[k, 1]]
        way = part * (math.hypot(moves[i, 0], moves[i, 1]) + abs(moves[i, 2]) * shapes[pairs[k, 0], REACH])
        if j >= 0:
            way += part * (math.hypot(moves[j, 0], moves[j, 1]) + abs(moves[j, 2]) * shapes[pairs[k, 1], REACH])
            room = shapes[pairs[k, 0], REACH] + shapes[pairs[k, 1], REACH] + way + _SKIN
            dx, dy = middles[i, 0] - middles[j, 0], middles[i, 1] - middles[j, 1]
            if dx * dx + dy * dy > room * room:
                continue
        if way > 0.0:
            near[found] = k
            found += 1
    return near[:found]


@compiled
def _settle(
    planar: Floats,
    moves: Floats,
    part: float,
    middles: Floats,
    shapes: Floats,
    owners: Ints,
    pairs: Ints,
    near: Ints,
    shares: Floats,
) -> None:
    """Lower the shares of way and turn, shape (n, 2), until nobody runs into another."""
    began, work = np.full((near.size, 3), np.nan), np.empty((3, 6))
    lowered = np.ones(shares.shape[0], np.bool_)
    for turn in range(_ROUNDS + 2 * shares.shape[0] + 1):
        fresh = shares.copy()
        for n in range(near.size):
            first, second = pairs[near[n], 0], pairs[near[n], 1]
            i, j = owners[first], owners[second]
            if not (lowered[i] or (j >= 0 and lowered[j])):
                continue
            after = _after(planar, moves, part, middles, shapes, owners, first, second, shares, 1.0, 1.0, work)
            if after >= _SKIN:
                continue
            if math.isnan(began[n, 0]):
                _begin(planar, moves, middles, shapes, owners, first, second, work, began[n])
            if after >= began[n, 0] - _ROUNDING:
                continue
            if turn < _ROUNDS:
                _restrict(
                    planar, moves, part, middles, shapes, owners, first, second, shares, fresh, began[n], after, work
                )
            else:
                _freeze(fresh, i, j)
        calm = True
        for row in range(shares.shape[0]):
            lowered[row] = fresh[row, 0] != shares[row, 0] or fresh[row, 1] != shares[row, 1]
            calm = calm and not lowered[row]
        shares[:] = fresh
        if calm:
            return


@compiled
def _begin(
    planar: Floats,
    moves: Floats,
    middles: Floats,
    shapes: Floats,
    owners: Ints,
    first: int,
    second: int,
    work: Floats,
    out: Floats,
) -> None:
    """Write how far apart two shapes are before they move and the normal there."""
    a, b, normal = work[0], work[1], work[2]
    _place(planar, moves, middles, shapes, owners[first], first, 0.0, 0.0, a)
    _place(planar, moves, middles, shapes, owners[second], second, 0.0, 0.0, b)
    out[0] = _apart(a, b, normal)
    out[1], out[2] = normal[0], normal[1]


@compiled
def _after(
    planar: Floats,
    moves: Floats,
    part: float,
    middles: Floats,
    shapes: Floats,
    owners: Ints,
    first: int,
    second: int,
    shares: Floats,
    of_first: float,
    of_second: float,
    work: Floats,
) -> float:
    """Return how far apart two shapes are after their shares of way, lowered by two factors, and of turn."""
    a, b, normal = work[0], work[1], work[2]
    i, j = owners[first], owners[second]
    _place(planar, moves, middles, shapes, i, first, part * of_first * shares[i, 0], part * shares[i, 1], a)
    way, turn = (part * of_second * shares[j, 0], part * shares[j, 1]) if j >= 0 else (0.0, 0.0)
    _place(planar, moves, middles, shapes, j, second, way, turn, b)
    return float(_apart(a, b, normal))


@compiled
def _restrict(
    planar: Floats,
    moves: Floats,
    part: float,
    middles: Floats,
    shapes: Floats,
    owners: Ints,
    first: int,
    second: int,
    shares: Floats,
    fresh: Floats,
    began: Floats,
    after: float,
    work: Floats,
) -> None:
    """Let those who approach the other go as far as they can; where turning alone is too much, forbid turning.

    The way that is left is found by lines through what is known of the gap at both of its ends (regula falsi).
    """
    i, j = owners[first], owners[second]
    i_closes = moves[i, 0] * began[1] + moves[i, 1] * began[2] > 0.0
    j_closes = j >= 0 and moves[j, 0] * began[1] + moves[j, 1] * began[2] < 0.0
    low, high, above, below = 0.0, 1.0, 0.0, after - _SKIN
    for k in range(_SEARCHES):
        share = 0.0 if k == 0 else low + _SHORT * (high - low) * above / (above - below)
        of_first, of_second = share if i_closes else 1.0, share if j_closes else 1.0
        gap = (
            _after(planar, moves, part, middles, shapes, owners, first, second, shares, of_first, of_second, work)
            - _SKIN
        )
        if k == 0 and gap < 0.0 and gap + _SKIN < began[0] - _ROUNDING:
            _turn_no_more(moves, shares, fresh, i, j)
            return
        if gap >= 0.0 or k == 0:
            low, above = share, gap
        else:
            high, below = share, gap
        if above < _CLOSE:
            break
    if i_closes:
        fresh[i, 0] = min(fresh[i, 0], low * shares[i, 0])
    if j_closes:
        fresh[j, 0] = min(fresh[j, 0], low * shares[j, 0])


@compiled
def _turn_no_more(moves: Floats, shares: Floats, fresh: Floats, i: int, j: int) -> None:
    """Forbid turning; who collides without turning and without approaching stands still."""
    turns = shares[i, 1] * moves[i, 2] != 0.0 or (j >= 0 and shares[j, 1] * moves[j, 2] != 0.0)
    if not turns:
        _freeze(fresh, i, j)
    fresh[i, 1] = 0.0
    if j >= 0:
        fresh[j, 1] = 0.0


@compiled
def _freeze(fresh: Floats, i: int, j: int) -> None:
    fresh[i, 0] = fresh[i, 1] = 0.0
    if j >= 0:
        fresh[j, 0] = fresh[j, 1] = 0.0


@compiled
def _place(
    planar: Floats,
    moves: Floats,
    middles: Floats,
    shapes: Floats,
    body: int,
    k: int,
    share: float,
    turned: float,
    out: Floats,
) -> None:
    """Write where a shape is after a share of the way of its body and of its turn."""
    if body < 0:
        out[:] = shapes[k, :REACH]
        return
    x, y = middles[body, 0] + share * moves[body, 0], middles[body, 1] + share * moves[body, 1]
    u, v = shapes[k, X], shapes[k, Y]
    out[X], out[Y], out[HALF], out[HALF_WIDTH] = x, y, shapes[k, HALF], shapes[k, HALF_WIDTH]
    if u == 0.0 and v == 0.0 and shapes[k, HALF_WIDTH] == 0.0:
        return  # a circle around the centre of mass may turn as it likes
    yaw = planar[body, 2] + turned * moves[body, 2]
    cos, sin = math.cos(yaw), math.sin(yaw)
    out[X], out[Y], out[COS], out[SIN] = x + cos * u - sin * v, y + sin * u + cos * v, cos, sin


@compiled
def _put(
    planar: Floats, row: int, moves: Floats, share: float, turned: float, middles: Floats, centres: Floats
) -> None:
    """Move a body by a share of its way and turn it about its centre of mass by a share of its turn."""
    planar[row, 2] += turned * moves[row, 2]
    middles[row, 0] += share * moves[row, 0]
    middles[row, 1] += share * moves[row, 1]
    if centres[row, 0] == 0.0 and centres[row, 1] == 0.0:
        planar[row, 0] += share * moves[row, 0]
        planar[row, 1] += share * moves[row, 1]
    else:
        cos, sin = math.cos(planar[row, 2]), math.sin(planar[row, 2])
        planar[row, 0] = middles[row, 0] - cos * centres[row, 0] + sin * centres[row, 1]
        planar[row, 1] = middles[row, 1] - sin * centres[row, 0] - cos * centres[row, 1]


@compiled
def _apart(a: Floats, b: Floats, normal: Floats) -> float:
    """Return the distance of two shapes, below 0 how far they overlap.

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
    reach = circle[HALF] + 0.5 * distance
    normal[2], normal[3] = circle[X] + reach * normal[0], circle[Y] + reach * normal[1]
    return float(distance)


@compiled
def _from_point(x: float, y: float, shape: Floats, normal: Floats) -> float:
    """Return the distance of a point from a shape, below 0 inside, and the unit vector from the point to the shape."""
    dx, dy = x - shape[X], y - shape[Y]
    if shape[HALF_WIDTH] == 0.0:
        distance = math.hypot(dx, dy)
        scale = -1.0 / distance if distance > 0.0 else 0.0
        normal[0], normal[1] = dx * scale, dy * scale
        if scale == 0.0:
            normal[0] = 1.0
        return float(distance - shape[HALF])
    u, v = shape[COS] * dx + shape[SIN] * dy, shape[COS] * dy - shape[SIN] * dx
    over_u, over_v = abs(u) - shape[HALF], abs(v) - shape[HALF_WIDTH]
    if over_u > 0.0 and over_v > 0.0:
        distance = math.hypot(over_u, over_v)
        towards_u, towards_v = over_u / distance, over_v / distance
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
    nearest, found = np.inf, np.empty(4)
    for side in range(2):
        box, other = (a, b) if side == 0 else (b, a)
        for k in range(4):
            u = box[HALF] if k & 1 else -box[HALF]
            v = box[HALF_WIDTH] if k & 2 else -box[HALF_WIDTH]
            x = box[X] + box[COS] * u - box[SIN] * v
            y = box[Y] + box[SIN] * u + box[COS] * v
            distance = _from_point(x, y, other, found)
            if distance < nearest:
                nearest, sign = distance, 1.0 if side == 0 else -1.0
                normal[0], normal[1] = sign * found[0], sign * found[1]
                normal[2], normal[3] = x + 0.5 * distance * found[0], y + 0.5 * distance * found[1]
    return max(nearest, 0.0)


@compiled
def _overlap(a: Floats, b: Floats, normal: Floats) -> float:
    """Return how far two boxes overlap along the side on which they do so least, not above 0 where they do not."""
    dx, dy = b[X] - a[X], b[Y] - a[Y]
    turned = abs(a[COS] * b[COS] + a[SIN] * b[SIN])
    across = abs(a[COS] * b[SIN] - a[SIN] * b[COS])
    least = np.inf
    for k in range(4):
        box, other = (a, b) if k < 2 else (b, a)
        if k & 1:
            x, y, own = -box[SIN], box[COS], box[HALF_WIDTH]
            reach = across * other[HALF] + turned * other[HALF_WIDTH]
        else:
            x, y, own = box[COS], box[SIN], box[HALF]
            reach = turned * other[HALF] + across * other[HALF_WIDTH]
        along = dx * x + dy * y
        depth = own + reach - abs(along)
        if depth < least:
            least = depth
            normal[0], normal[1] = (x, y) if along >= 0.0 else (-x, -y)
    return least
