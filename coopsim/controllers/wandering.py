"""The law of `wander`: drive about, turn away from what comes near, never touch it."""

from dataclasses import dataclass

import numpy as np

from coopsim.controllers import attractors, escaping, speeds
from coopsim.controllers.body import Body
from coopsim.controllers.escaping import Escapes
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_BRAKING = 0.6


@dataclass(frozen=True, slots=True)
class Wandering:
    """How to wander."""

    speed: float = setting(0.35, "m/s", 0.05, 5.0, "speed where nothing is near")
    drift: float = setting(0.25, "rad/s", 0.0, 3.0, "largest turn for no reason, so that it gets about")
    period: float = setting(17.0, "s", 1.0, 1000.0, "time from one turn to the left to the next")
    avoidance: float = setting(5.0, "1/s", 0.1, 100.0, "strength of the repellers")
    range: float = setting(0.45, "m", 0.05, 10.0, "gap at which a repeller has fallen to a third")
    margin: float = setting(0.08, "m", 0.0, 2.0, "distance kept from whatever is ahead")


PARAMETERS = parameters_of(Wandering)


def wander(
    ranges: Floats, measured: Floats, *, time: float, dt: float, body: Body, law: Wandering, escapes: Escapes
) -> tuple[Floats, Escapes]:
    """Return the commands (v, w) of n robots, shape (n, 2), and how their escapes go on.

    Args:
        ranges: What the sonars read, shape (n, m) [m].
        measured: Speeds of the robots, shape (n,) [m/s].
        time: Simulated time [s].
        dt: Simulated time since the last call [s].
        body: The robots.
        law: The parameters.
        escapes: As returned the last time.
    """
    gaps = body.gaps(ranges)
    way = speeds.free_way(gaps, body.bearings, radius=body.radius, margin=law.margin)
    wants = np.ones(len(ranges), np.bool_)
    escapes = escaping.advance(escapes, speeds=measured, wants=wants, gaps=gaps, bearings=body.bearings, way=way, dt=dt)
    # robots that start together must not turn together
    phase = 2.0 * np.pi * (time / law.period + np.arange(len(ranges)) * 0.381966)
    drift = np.where(escapes.active, 0.0, law.drift * np.sin(phase))
    away = avoid(gaps, body, law.avoidance, law.range, drift)
    return drive(np.full(len(ranges), law.speed), drift + away, way, escapes, body), escapes


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


def drive(wanted: Floats, turn: Floats, way: Floats, escapes: Escapes, body: Body) -> Floats:
    """Return the commands (v, w), shape (n, 2): brake before obstacles, slow in turns, turn on the spot to escape.

    Args:
        wanted: Speeds where nothing is in the way, shape (n,) [m/s].
        turn: Rates of turn, shape (n,) [rad/s].
        way: Free way straight ahead, shape (n,) [m].
        escapes: Robots that turn to find room do only that.
        body: The robots.
    """
    v = speeds.brake(wanted, way, time=_BRAKING)
    w = np.where(escapes.turning > 0.0, escapes.side, turn)
    v = np.where(escapes.turning > 0.0, 0.0, v)
    return speeds.within_wheels(v, w, half_track=body.half_track, fastest=body.fastest)
