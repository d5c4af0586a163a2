"""Compiled forces of drives that bring robots to velocities of their own frames, and what became of them."""

import math
from typing import TypeAlias

from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

# columns of memory["motion"]: stamp of the last command, how long ago that was, speeds at the end of the last step,
# length of the step that is not counted yet, angle of the front wheels
LAST_STAMP, SILENCE, FORWARD, LEFT, TURN, ELAPSED, STEERING = range(7)
WIDTH = STEERING + 1
Motion: TypeAlias = tuple[float, float, float]
"""Speeds forward and to the left, and rate of turn."""


@compiled
def is_abandoned(stamp: float, motion: Floats, i: int, watchdog: float, dt: float) -> bool:
    """Return whether no command came for `watchdog` seconds, and keep count of the silence."""
    if stamp == motion[i, LAST_STAMP]:
        motion[i, SILENCE] += dt
    else:
        motion[i, LAST_STAMP] = stamp
        motion[i, SILENCE] = 0.0
    return watchdog > 0.0 and motion[i, SILENCE] > watchdog - 1e-9


@compiled
def motion_of(planar: Floats, row: int, dt: float, lag: int) -> Motion:
    """Return the motion of a body in its own frame; its velocity belongs to the middle of a step of `dt`."""
    turn = planar[row, 5]
    angle = planar[row, 2] + (lag - 0.5) * dt * turn
    c, s = math.cos(angle), math.sin(angle)
    return planar[row, 3] * c + planar[row, 4] * s, planar[row, 4] * c - planar[row, 3] * s, turn


@compiled
def course(planar: Floats, row: int, turn: float, dt: float, lag: int) -> tuple[float, float]:
    """Return cosine and sine of the heading in the middle of the step that the forces of this one make.

    Where positions lag, a step moves the robot at the speeds of the step before.
    """
    angle = planar[row, 2] + lag * planar[row, 5] * dt + 0.5 * turn * dt
    return math.cos(angle), math.sin(angle)


@compiled
def roll(planar: Floats, rows: Ints, motion: Floats, moved: Floats, out: Floats, lag: int) -> None:
    """Count ways and turns of the middles, and write forward speed, rate of turn and speed to the left.

    Args:
        planar: Where bodies are.
        rows: Bodies of the robots.
        motion: Memory of the drives.
        moved: Ways and turns, shape (n, 3).
        out: Shape (n, 3).
        lag: See `Bodies.position_lag`.
    """
    for i in range(rows.size):
        dt = motion[i, ELAPSED]
        forward, left, turn = motion_of(planar, rows[i], dt, lag)
        moved[i, 0] += dt * (motion[i, FORWARD] if lag else forward)
        moved[i, 1] += dt * (motion[i, LEFT] if lag else left)
        moved[i, 2] += dt * (motion[i, TURN] if lag else turn)
        motion[i, FORWARD], motion[i, LEFT], motion[i, TURN], motion[i, ELAPSED] = forward, left, turn, 0.0
        out[i, 0], out[i, 1], out[i, 2] = forward, turn, left
