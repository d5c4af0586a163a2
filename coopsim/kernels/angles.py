"""Angles within a turn."""

import math

from coopsim.kernels.compiled import inlined
from coopsim.kernels.lanes import Lanes

_TURN = 2.0 * math.pi


@inlined
def wrapped(angle: float) -> float:
    """Return an angle within -pi and pi, bit by bit what Python's remainder makes of it [rad]."""
    turned = angle + math.pi
    # headings and bearings are mostly within a turn or two, where nothing has to be divided
    if turned < 0.0 and turned > -_TURN:
        turned += _TURN
    elif turned >= _TURN and turned < 2.0 * _TURN:
        turned -= _TURN
    elif not 0.0 <= turned < _TURN:
        turned %= _TURN
    return turned - math.pi


def bearings_to(ahead: Lanes, aside: Lanes) -> Lanes:
    """Return the directions of places that are so far ahead, and so far to the left, as `ray_fan.bearing_to` [rad]."""
    wide, high = abs(ahead), abs(aside)
    angle = arcs(wide.least(high), wide.most(high))
    angle = (high > wide).where(0.5 * math.pi - angle, angle)
    return (ahead < 0.0).where(math.pi - angle, angle).signed_as(aside)


def arcs(up: Lanes, along: Lanes) -> Lanes:
    """Return the angles of slopes from 0 to 1, bit by bit what `ray_fan.arc` makes of each [rad].

    Source: S. L. Moshier, Cephes (atan.c).
    """
    is_steep = up > 0.66 * along
    x = is_steep.where(up - along, up) / is_steep.where(up + along, along)
    z = x * x
    above = (((-8.750608600031904e-1 * z - 16.15753718733365) * z - 75.00855792314705) * z - 122.8866684490136) * z
    below = ((((z + 24.858464901423063) * z + 165.02700983169885) * z + 432.8810604912903) * z + 485.3903996359137) * z
    angle = x + x * z * (above - 64.85021904942025) / (below + 194.5506571482614)
    return is_steep.where(angle + 0.25 * math.pi, angle)
