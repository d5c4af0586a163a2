"""Compiled parts of a step of a script: what robots are asked for, where they are, and what was unsafe."""

import math

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

OUTSIDE, CLOSE, FAST = range(3)
"""Columns of counters."""


@compiled
def write_limited(asked: Floats, track: float, fastest: float, out: Floats) -> None:
    """Write velocities that both wheels can turn, each limited by itself, shape (2, n).

    Args:
        asked: Ahead [m/s] and around [rad/s], shape (2, n).
        track: Distance of the wheels [m].
        fastest: Largest speed of a wheel [m/s].
        out: Written, shape (2, n).
    """
    for k in range(asked.shape[1]):
        ahead, around = asked[0, k], 0.5 * track * asked[1, k]
        left, right = ahead - around, ahead + around
        left, right = min(max(left, -fastest), fastest), min(max(right, -fastest), fastest)
        out[0, k], out[1, k] = 0.5 * (left + right), (right - left) / track


@compiled
def count_unsafe(poses: Floats, velocities: Floats, limits: Floats, counts: Ints) -> None:
    """Judge a step.

    Args:
        poses: x, y [m] and heading [rad], shape (3, n).
        velocities: As they were asked for: ahead and around, shape (2, n).
        limits: x from, to, y from, to; distance of the wheels, speed of a wheel, diameter, offset of the middle.
        counts: Added to, shape (3,).
    """
    left, right, bottom, top = limits[0], limits[1], limits[2], limits[3]
    track, fastest, diameter, offset = limits[4], limits[5], limits[6], limits[7]
    n = poses.shape[1]
    is_outside = is_fast = False
    for i in range(n):
        x, y = poses[0, i], poses[1, i]
        is_outside = is_outside or x < left or x > right or y < bottom or y > top
        is_fast = is_fast or abs(velocities[0, i]) + 0.5 * track * abs(velocities[1, i]) > fastest
        middle_x, middle_y = x + offset * math.cos(poses[2, i]), y + offset * math.sin(poses[2, i])
        for j in range(i):
            dx = poses[0, j] + offset * math.cos(poses[2, j]) - middle_x
            # most pairs are far apart: one distance alone says so
            if abs(dx) <= diameter:
                dy = poses[1, j] + offset * math.sin(poses[2, j]) - middle_y
                counts[CLOSE] += math.sqrt(dx * dx + dy * dy) <= diameter
    counts[OUTSIDE] += is_outside
    counts[FAST] += is_fast


@compiled
def write_commands(velocities: Floats, slots: Ints, number: float, rows: Floats) -> None:
    """Write a command of two values for each robot.

    Args:
        velocities: Shape (2, n).
        slots: Where the slot of each begins, shape (n,).
        number: Of the command.
        rows: All commands, flat.
    """
    for k in range(slots.size):
        at = slots[k]
        rows[at] += 1.0
        rows[at + 1], rows[at + 2], rows[at + 3] = number, velocities[0, k], velocities[1, k]


@compiled
def write_poses(readings: Floats, columns: Ints, out: Floats) -> None:
    """Write x, y and heading, within -pi and pi, of each robot.

    Args:
        readings: Of all robots, flat.
        columns: Where the position begins that its tracker tells, a quaternion follows it; shape (n,).
        out: Written, shape (3, n).
    """
    for k in range(columns.size):
        at = columns[k]
        w, x, y, z = readings[at + 3], readings[at + 4], readings[at + 5], readings[at + 6]
        out[0, k], out[1, k] = readings[at], readings[at + 1]
        out[2, k] = math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
