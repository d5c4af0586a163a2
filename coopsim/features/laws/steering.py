"""Shared steering of the laws of attractor dynamics: a goal attracts, obstacles repel, robots that are stuck turn."""

import numpy as np

from coopsim.features.laws import attractors, speeds
from coopsim.features.laws.body import Body
from coopsim.features.laws.escaping import Escapes
from coopsim.geometry import Floats

OPEN = 0.8
"""Gap at which the way to a goal counts as open [m]."""
LEAST = 0.15  # of the attraction stays, or a robot between walls would stand for ever
BRAKING = 0.6  # s; at every speed there is that much time to stop


def head_for(
    bearing: Floats, gaps: Floats, escapes: Escapes, *, body: Body, strength: float, enough: float = OPEN
) -> Floats:
    """Return the turn towards a goal, shape (n,) [rad/s]: weaker where the way is not open, none while escaping.

    Args:
        bearing: Of the goal, shape (n,) [rad].
        gaps: From the hull, shape (n, m) [m].
        escapes: Robots that escape do only that.
        body: The robots.
        strength: Of the attractor [rad/s].
        enough: Gap at which the way counts as open [m].
    """
    fade = attractors.openness(gaps, body.bearings, bearing, spread=body.spread, enough=enough)
    return np.where(escapes.active, 0.0, attractors.attract(bearing, strength) * np.maximum(fade, LEAST))


def avoid(gaps: Floats, body: Body, strength: float, decay: float, wanted: Floats) -> Floats:
    """Return the turn away from everything the sonars see, shape (n,) [rad/s].

    Args:
        gaps: From the hull, shape (n, m) [m].
        body: The robots.
        strength: Of the repellers [1/s].
        decay: Gap at which they have fallen to 1/e [m].
        wanted: To which side to turn when both are as good, shape (n,) [rad].
    """
    away = attractors.repel(gaps, body.bearings, spread=body.spread, radius=body.radius, strength=strength, decay=decay)
    return away + attractors.decide(gaps, body.bearings, strength=strength, decay=decay, wanted=wanted)


def steer(wanted: Floats, turn: Floats, way: Floats, escapes: Escapes, body: Body) -> Floats:
    """Return the commands (v, w), shape (n, 2): brake before obstacles, slow in turns, turn on the spot to escape.

    Args:
        wanted: Speeds where nothing is in the way, shape (n,) [m/s].
        turn: Rates of turn, shape (n,) [rad/s].
        way: Free way straight ahead, shape (n,) [m].
        escapes: Robots that turn to find room do only that.
        body: The robots.
    """
    v = speeds.brake(wanted, way, time=BRAKING)
    w = np.where(escapes.turning > 0.0, escapes.side, turn)
    v = np.where(escapes.turning > 0.0, 0.0, v)
    return speeds.within_wheels(v, w, half_track=body.half_track, fastest=body.fastest)
