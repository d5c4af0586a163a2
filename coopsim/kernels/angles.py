"""Angles within a turn."""

import math

from coopsim.kernels.compiled import inlined

_TURN = 2.0 * math.pi


@inlined
def wrapped(angle: float) -> float:
    """Return an angle within -pi and pi, bit by bit what Python's remainder makes of it [rad]."""
    turned = angle + math.pi
    # headings and bearings are mostly within a turn or two, where nothing has to be divided
    if turned < 0.0 and turned > -_TURN:
        turned += _TURN
    elif not 0.0 <= turned < _TURN:
        turned %= _TURN
    return turned - math.pi
