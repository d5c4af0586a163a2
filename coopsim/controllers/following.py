"""Teammates among the readings of the sonars."""

import numpy as np

from coopsim.controllers.body import Body
from coopsim.geometry import Floats


def hide_mates(gaps: Floats, mates: Floats, *, body: Body, slack: float) -> Floats:
    """Return `gaps` with infinity where a sonar sees a teammate: formations keep that distance themselves.

    Args:
        gaps: From the hull to what is seen, shape (n, m) [m].
        mates: Where each sees the others, shape (n, n, 2), NaN = not seen [m].
        body: The robots.
        slack: How far a reading may lie before the teammate's hull [m].
    """
    distance = np.hypot(mates[..., 0], mates[..., 1])[:, :, np.newaxis]
    angle = np.arctan2(mates[..., 1], mates[..., 0])[:, :, np.newaxis]
    off = (body.bearings - angle + np.pi) % (2.0 * np.pi) - np.pi
    # a sector sees a teammate that only its edge meets
    half = np.arcsin(np.minimum(body.radius * 1.1 / np.maximum(distance, body.radius), 1.0)) + body.spread / 2.0
    centre = gaps[:, np.newaxis, :] + body.radius
    is_mate = (centre > distance - body.radius - slack) & (centre < distance + slack) & (np.abs(off) < half)
    return np.where(is_mate.any(axis=1), np.inf, gaps)
