"""Sector that one body sees of the plane: which cells it touches, and which places lie in it."""

import math
from typing import TypeAlias

from coopsim.geometry import Floats, Ints
from coopsim.kernels import inlined
from coopsim.kernels.angles import wrapped
from coopsim.kernels.lanes import Lanes
from coopsim.sensing import screens as of
from coopsim.sensing.robot_cells import Square, column_of, line_of

REACH, FIELD, OCCLUSION = range(3)
WHOLE = 2.0 * math.pi
BINS = 256
"""Directions of the whole turn in which shadows are noted, a little too narrow: what lies in one is surely hidden."""
PER_RADIAN = BINS / WHOLE
UNSURE = 1e-3
"""Of a bin: so much narrower are shadows, as places in bins are computed in haste."""
SKIN, TURN = 0.03, 0.04
"""How far all may move, and an eye turn, until its look is made anew: so much more than its field is in it [m, rad].

Wider ones hold longer, but shadows are narrower by it, and more is seen behind them.
"""
Eye: TypeAlias = tuple[float, float, float, float, float, float, float, float, int, int]
"""x, y and heading, its cosine and sine, those of half the field, height, body that it is a part of, its own body."""


@inlined
def eye_of(planar: Floats, row: int, half: tuple[float, float], height: float, owner: int) -> Eye:
    """Return the eye of a body at a height [m]; `half` are cosine and sine of half its field of view."""
    heading = planar[row, 2]
    body = planar[row, 0], planar[row, 1], heading, math.cos(heading), math.sin(heading)
    return (*body, *half, height, owner, row)


@inlined
def square_of(eye: Eye, distances: tuple[float, float], margin: float, numbers: Floats, whole: Ints) -> Square:
    """Return the cells in which lies what may touch the sector that is seen: first and last column, and line.

    Args:
        eye: That looks.
        distances: From where on, and how far [m].
        margin: Of what may touch the sector beside it [m].
        numbers: Of cells.
        whole: Of cells.
    """
    x, y, c, s = eye[0], eye[1], eye[3], eye[4]
    field = eye[5], eye[6]
    return (
        column_of(x - margin - _extent(-c, s, field, distances), numbers, whole),
        column_of(x + margin + _extent(c, s, field, distances), numbers, whole),
        line_of(y - margin - _extent(-s, c, field, distances), numbers, whole),
        line_of(y + margin + _extent(s, c, field, distances), numbers, whole),
    )


@inlined
def _extent(c: float, s: float, field: tuple[float, float], distances: tuple[float, float]) -> float:
    """Return how far a sector reaches into a direction at (c, s) from its middle; below 0 where it lies opposite."""
    cosine, sine = field
    extent = 1.0 if c >= cosine else c * cosine + abs(s) * sine
    return (distances[1] if extent > 0.0 else distances[0]) * extent


@inlined
def is_within(eye: Eye, x: float, y: float, limits: Floats) -> bool:
    """Return whether a place is within reach and field of view."""
    dx, dy = x - eye[0], y - eye[1]
    distance = math.sqrt(dx * dx + dy * dy)
    if not distance <= limits[REACH]:
        return False
    if limits[FIELD] >= WHOLE or distance == 0.0:
        return True
    # distance from the nearer edge of the sector, by its normal; on the edge itself the angle has the last word
    outside = abs(dy * eye[3] - dx * eye[4]) * eye[5] - (dx * eye[3] + dy * eye[4]) * eye[6]
    if abs(outside) > of.EDGE:
        return bool(outside < 0.0)
    return bool(abs(wrapped(math.atan2(dy, dx) - eye[2])) <= 0.5 * limits[FIELD])


def bins_of(ahead: Lanes, aside: Lanes) -> Lanes:
    """Return the bins of places other than here, and which parts of them, to a tenth of `UNSURE`."""
    wide, high = abs(ahead), abs(aside)
    angle = rough_arcs(wide.least(high) / wide.most(high))
    angle = (high > wide).where(0.5 * math.pi - angle, angle)
    angle = (ahead < 0.0).where(math.pi - angle, angle).signed_as(aside)
    return (angle + math.pi) * PER_RADIAN


def rough_arcs(slope: Lanes) -> Lanes:
    """Return the angles of slopes from 0 to 1, within 3e-6 rad, without a division [rad]."""
    z = slope * slope
    higher = ((z * -0.01313038 + 0.05658999) * z - 0.1204486) * z + 0.1953466
    return ((higher * z - 0.3329571) * z + 0.9999948) * slope
