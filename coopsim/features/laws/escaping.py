"""Escape of a robot that is stuck: turn to where there is room, drive there for a while, then want something again."""

from dataclasses import dataclass

import numpy as np

from coopsim.geometry import Bools, Floats

STILL = 0.04
"""Slower than this is standing [m/s]."""
PATIENCE = 2.5
"""Time after which a robot that wants to move but stands counts as stuck [s]."""
DRIVE = 2.0
"""Duration of the drive to free space [s]."""
ROOM = 0.5
"""Free way that is enough to drive off [m]."""
LONGEST_TURN = 6.0
"""Time limit for turning; then it drives off anyway [s]."""


@dataclass(frozen=True, slots=True)
class Escapes:
    """Progress of each robot that escapes; all arrays have shape (n,).

    Attributes:
        still: For how long it has stood although it wanted to move [s].
        turning: For how long it may still turn, 0 = it does not [s].
        driving: For how long it still drives off [s].
        side: To which side it turns: 1 left, -1 right.
    """

    still: Floats
    turning: Floats
    driving: Floats
    side: Floats

    @property
    def active(self) -> Bools:
        """Robots that are escaping."""
        return (self.turning > 0.0) | (self.driving > 0.0)


def calm(n: int) -> Escapes:
    """Return the state of `n` robots none of which is stuck."""
    return Escapes(np.zeros(n), np.zeros(n), np.zeros(n), np.ones(n))


def advance(
    now: Escapes,
    *,
    speeds: Floats,
    wants: Bools,
    gaps: Floats,
    bearings: Floats,
    way: Floats,
    dt: float,
) -> Escapes:
    """Return the state after `dt` seconds.

    Args:
        now: The state before.
        speeds: As measured, shape (n,) [m/s].
        wants: Whether each wants to move, shape (n,).
        gaps: Free way in each bearing, shape (n, m) [m].
        bearings: Shape (m,) [rad].
        way: Free way straight ahead, shape (n,) [m].
        dt: Simulated time since the last call [s].
    """
    stands = wants & (np.abs(speeds) < STILL) & ~now.active
    still = np.where(stands, now.still + dt, 0.0)
    stuck = still > PATIENCE
    side = np.where(stuck, _roomier_side(gaps, bearings), now.side)
    turning = np.where(stuck, LONGEST_TURN, np.maximum(now.turning - dt, 0.0))
    freed = (now.turning > 0.0) & ((way > ROOM) | (turning <= 0.0))
    driving = np.where(freed, DRIVE, np.maximum(now.driving - dt, 0.0))
    return Escapes(np.where(stuck, 0.0, still), np.where(freed, 0.0, turning), driving, side)


def _roomier_side(gaps: Floats, bearings: Floats) -> Floats:
    near = np.exp(-gaps)
    left, right = near[:, bearings > 0.0].sum(axis=1), near[:, bearings < 0.0].sum(axis=1)
    return np.where(left > right, -1.0, 1.0)
