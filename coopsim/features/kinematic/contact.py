"""Compiled contacts of the kinematic engine: bodies stop before others, and what touches.

The columns of bodies, motions and shapes are those of `motion`.
"""

import math
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.features.kinematic.gaps import gap_between
from coopsim.features.kinematic.motion import (
    CENTRE_X,
    CENTRE_Y,
    LOST_X,
    LOST_Y,
    MIDDLE_X,
    MIDDLE_Y,
    MOTION_WIDTH,
    OWNER,
    PATH_X,
    PATH_Y,
    REACH,
    ROTATION,
    WHOLE_MASS,
)
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.kernels.shapes import COS, HALF, HALF_WIDTH, SIN, X, Y

TOUCH = 1e-4  # m; what is not farther apart touches
_SKIN = 1e-6  # m; bodies that stop leave this gap
_ROUNDING = 1e-12  # m; a gap that shrinks by less stays what it is
_ROUNDS = 8  # of going as far as the others let one; who is not settled then stands still for this step
_SEARCHES = 12  # regula falsi gains a digit or so each time: `_CLOSE` is reached long before
_CLOSE = 1e-5  # m; near enough
_SHORT = 0.999  # of the path that a straight line promises

Motion: TypeAlias = tuple[Floats, Floats, float]
"""x y yaw vx vy w, shape (n, 6); motions, shape (n, 7); which part of the step it is about."""
Pair: TypeAlias = tuple[int, int]


@compiled
def move(planar: Floats, motion: Floats, part: float, bodies: Floats, shapes: Floats, pairs: Ints) -> None:
    """Move bodies by a part of their paths; a body that would run into another stops before it.

    Each pair is looked at where all bodies are, not in the order of rows, so that the order does not matter.

    Args:
        planar: x y yaw vx vy w, shape (n, 6).
        motion: Paths and rotations become 0 for what stopped, its momentum is added to what was lost; shape (n, 7).
        part: Which part of the step this is.
        bodies: Shape (n, 7).
        shapes: Shape (s, 8).
        pairs: Shapes that may meet, shape (p, 2).
    """
    whole = planar, motion, part
    shares = np.ones((planar.shape[0], 2))
    near = _near(motion, part, shapes, pairs)
    if near.size:
        _settle(whole, shapes, pairs, near, shares)
    for row in range(planar.shape[0]):
        share, turned = shares[row, 0], shares[row, 1]
        _put(planar[row], motion[row], part * share, part * turned, bodies[row])
        # what stopped has given its momentum to nobody: it is noted as the impulse of the contact
        if share < 1.0:
            motion[row, LOST_X] += bodies[row, WHOLE_MASS] * planar[row, 3]
            motion[row, LOST_Y] += bodies[row, WHOLE_MASS] * planar[row, 4]
            planar[row, 3] = planar[row, 4] = motion[row, PATH_X] = motion[row, PATH_Y] = 0.0
        if turned < 1.0:
            planar[row, 5] = motion[row, ROTATION] = 0.0


@compiled
def touching(
    planar: Floats, middles: Floats, motion: Floats, shapes: Floats, pairs: Ints, rows: Ints, points: Floats
) -> int:
    """Write the pairs that touch, a fixed body or else the higher row second; return their number.

    Args:
        planar: Shape (n, 6).
        middles: Where the centres of mass are, shape (n, 2).
        motion: Of the last step, shape (n, 7).
        shapes: Shape (s, 8).
        pairs: Shapes that may meet, shape (p, 2).
        rows: Written, shape (p, 2).
        points: Written: point, normal, impulse, shape (p, 5).
    """
    standing = np.zeros((planar.shape[0], MOTION_WIDTH))
    standing[:, MIDDLE_X : MIDDLE_Y + 1] = middles
    still = planar, standing, 1.0
    a, b, normal = np.empty(6), np.empty(6), np.empty(4)
    count = 0
    for k in range(pairs.shape[0]):
        first, second = pairs[k, 0], pairs[k, 1]
        i, j = int(shapes[first, OWNER]), int(shapes[second, OWNER])
        # a fixed body second, else the higher row: as every engine lists pairs
        if i < 0 or 0 <= j < i:
            first, second, i, j = second, first, j, i
        _write_shape_pose(still, shapes, first, 0.0, 0.0, a)
        _write_shape_pose(still, shapes, second, 0.0, 0.0, b)
        if gap_between(a, b, normal) <= TOUCH:
            rows[count, 0], rows[count, 1] = i, j
            points[count, 0], points[count, 1] = normal[2], normal[3]
            points[count, 2], points[count, 3] = normal[0], normal[1]
            points[count, 4] = _impulse(motion, i, j, normal)
            count += 1
    return count


@compiled
def _impulse(motion: Floats, i: int, j: int, normal: Floats) -> float:
    """Return the larger momentum that one of two bodies lost along the normal between them, at least 0 [N s]."""
    impulse = motion[i, LOST_X] * normal[0] + motion[i, LOST_Y] * normal[1]
    if j >= 0:
        impulse = max(impulse, -motion[j, LOST_X] * normal[0] - motion[j, LOST_Y] * normal[1])
    return float(max(impulse, 0.0))


@compiled
def _near(motion: Floats, part: float, shapes: Floats, pairs: Ints) -> Ints:
    """Return which pairs may come together on their paths."""
    near, count = np.empty(pairs.shape[0], np.int64), 0
    for k in range(pairs.shape[0]):
        first, second = shapes[pairs[k, 0]], shapes[pairs[k, 1]]
        i, j = int(first[OWNER]), int(second[OWNER])
        path = part * _reached(motion, i, first[REACH])
        if j >= 0:
            path += part * _reached(motion, j, second[REACH])
            room = first[REACH] + second[REACH] + path + _SKIN
            dx, dy = motion[i, MIDDLE_X] - motion[j, MIDDLE_X], motion[i, MIDDLE_Y] - motion[j, MIDDLE_Y]
            if dx * dx + dy * dy > room * room:
                continue
        if path > 0.0:
            near[count] = k
            count += 1
    return near[:count]


@inlined
def _reached(motion: Floats, row: int, reach: float) -> float:
    """Return |dx| + |dyaw| r: the longest path of any point of a shape in a step [m]."""
    return float(math.hypot(motion[row, PATH_X], motion[row, PATH_Y]) + abs(motion[row, ROTATION]) * reach)


@compiled
def _settle(motion: Motion, shapes: Floats, pairs: Ints, near: Ints, shares: Floats) -> None:
    """Lower the shares of path and rotation, shape (n, 2), until no body runs into another."""
    # gap and normal before any motion, and the gap after it
    began, work = np.full((near.size, 4), np.nan), np.empty((3, 6))
    lowered = np.ones(shares.shape[0], np.bool_)
    # frozen bodies never move again: each round after `_ROUNDS` freezes one at least, so the loop ends by itself
    for attempt in range(_ROUNDS + 2 * shares.shape[0] + 1):
        # written beside the shares that this round reads: the order of pairs does not matter
        fresh = shares.copy()
        for n in range(near.size):
            pair = pairs[near[n], 0], pairs[near[n], 1]
            i, j = int(shapes[pair[0], OWNER]), int(shapes[pair[1], OWNER])
            # nothing changed for this pair since it was looked at
            if not (lowered[i] or (j >= 0 and lowered[j])):
                continue
            after = _after(motion, shapes, pair, shares, (1.0, 1.0), work)
            if after >= _SKIN:
                continue
            # most pairs never come so near: the gap before the motion is found when it is needed
            if math.isnan(began[n, 0]):
                _begin(motion, shapes, pair, work, began[n])
            # they part, or slide along each other: what overlaps already may leave
            if after >= began[n, 0] - _ROUNDING:
                continue
            began[n, 3] = after
            if attempt < _ROUNDS:
                _restrict(motion, shapes, pair, shares, fresh, began[n], work)
            else:
                _freeze(fresh, i, j)
        if not _apply_shares(shares, fresh, lowered):
            return


@compiled
def _apply_shares(shares: Floats, fresh: Floats, lowered: NDArray[np.bool_]) -> bool:
    """Write the fresh shares and which were lowered; return whether any was."""
    is_any = False
    for row in range(shares.shape[0]):
        lowered[row] = fresh[row, 0] != shares[row, 0] or fresh[row, 1] != shares[row, 1]
        is_any = is_any or lowered[row]
    shares[:] = fresh
    return is_any


@compiled
def _begin(motion: Motion, shapes: Floats, pair: Pair, work: Floats, out: Floats) -> None:
    """Write how far apart two shapes are before they move and the normal there."""
    a, b, normal = work[0], work[1], work[2]
    _write_shape_pose(motion, shapes, pair[0], 0.0, 0.0, a)
    _write_shape_pose(motion, shapes, pair[1], 0.0, 0.0, b)
    out[0] = gap_between(a, b, normal)
    out[1], out[2] = normal[0], normal[1]


@compiled
def _after(
    motion: Motion, shapes: Floats, pair: Pair, shares: Floats, factors: tuple[float, float], work: Floats
) -> float:
    """Return how far apart two shapes are after their shares of path, lowered by two factors, and of rotation."""
    a, b, normal = work[0], work[1], work[2]
    part, i, j = motion[2], int(shapes[pair[0], OWNER]), int(shapes[pair[1], OWNER])
    _write_shape_pose(motion, shapes, pair[0], part * factors[0] * shares[i, 0], part * shares[i, 1], a)
    path, turned = (part * factors[1] * shares[j, 0], part * shares[j, 1]) if j >= 0 else (0.0, 0.0)
    _write_shape_pose(motion, shapes, pair[1], path, turned, b)
    return float(gap_between(a, b, normal))


@compiled
def _restrict(
    motion: Motion, shapes: Floats, pair: Pair, shares: Floats, fresh: Floats, began: Floats, work: Floats
) -> None:
    """Let those who approach the other go as far as they can; where turning alone is too much, forbid turning.

    The share that is left is found by lines through what is known of the gap at both of its ends (regula falsi).
    """
    moves, i, j = motion[1], int(shapes[pair[0], OWNER]), int(shapes[pair[1], OWNER])
    i_closes = moves[i, PATH_X] * began[1] + moves[i, PATH_Y] * began[2] > 0.0
    j_closes = j >= 0 and moves[j, PATH_X] * began[1] + moves[j, PATH_Y] * began[2] < 0.0
    low, high, above, below = 0.0, 1.0, 0.0, began[3] - _SKIN
    for k in range(_SEARCHES):
        # a little short of the line's promise: the gap of round shapes bends the wrong way
        share = 0.0 if k == 0 else low + _SHORT * (high - low) * above / (above - below)
        factors = share if i_closes else 1.0, share if j_closes else 1.0
        gap = _after(motion, shapes, pair, shares, factors, work) - _SKIN
        # without any path it still collides: the turn is to blame
        if k == 0 and gap < 0.0 and gap + _SKIN < began[0] - _ROUNDING:
            _turn_no_more(moves, shares, fresh, i, j)
            return
        if gap >= 0.0 or k == 0:
            low, above = share, gap
        else:
            high, below = share, gap
        # ends 10 um before the other at most, which no sensor sees
        if above < _CLOSE:
            break
    if i_closes:
        fresh[i, 0] = min(fresh[i, 0], low * shares[i, 0])
    if j_closes:
        fresh[j, 0] = min(fresh[j, 0], low * shares[j, 0])


@compiled
def _turn_no_more(moves: Floats, shares: Floats, fresh: Floats, i: int, j: int) -> None:
    """Forbid turning; who collides without turning and without approaching stands still."""
    turns = shares[i, 1] * moves[i, ROTATION] != 0.0 or (j >= 0 and shares[j, 1] * moves[j, ROTATION] != 0.0)
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
def _write_shape_pose(motion: Motion, shapes: Floats, k: int, share: float, turned: float, out: Floats) -> None:
    """Write where a shape is after a share of the path of its body and of its rotation."""
    planar, moves, _ = motion
    body = int(shapes[k, OWNER])
    if body < 0:
        out[:] = shapes[k, :REACH]
        return
    x = moves[body, MIDDLE_X] + share * moves[body, PATH_X]
    y = moves[body, MIDDLE_Y] + share * moves[body, PATH_Y]
    u, v = shapes[k, X], shapes[k, Y]
    out[X], out[Y], out[HALF], out[HALF_WIDTH] = x, y, shapes[k, HALF], shapes[k, HALF_WIDTH]
    if u == 0.0 and v == 0.0 and shapes[k, HALF_WIDTH] == 0.0:
        return  # a circle around the centre of mass looks the same however it is turned
    yaw = planar[body, 2] + turned * moves[body, ROTATION]
    cos, sin = math.cos(yaw), math.sin(yaw)
    c, s = shapes[k, COS], shapes[k, SIN]
    out[X], out[Y] = x + cos * u - sin * v, y + sin * u + cos * v
    out[COS], out[SIN] = cos * c - sin * s, sin * c + cos * s


@compiled
def _put(state: Floats, motion: Floats, share: float, turned: float, body: Floats) -> None:
    """Move a body by a share of its path and turn it about its centre of mass by a share of its rotation."""
    u, v = body[CENTRE_X], body[CENTRE_Y]
    state[2] += turned * motion[ROTATION]
    motion[MIDDLE_X] += share * motion[PATH_X]
    motion[MIDDLE_Y] += share * motion[PATH_Y]
    if u == 0.0 and v == 0.0:
        state[0] += share * motion[PATH_X]
        state[1] += share * motion[PATH_Y]
    else:
        cos, sin = math.cos(state[2]), math.sin(state[2])
        state[0] = motion[MIDDLE_X] - cos * u + sin * v
        state[1] = motion[MIDDLE_Y] - sin * u - cos * v
