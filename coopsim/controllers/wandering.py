"""The law of `wander`: drive about, turn away from what comes near, never touch it."""

from dataclasses import dataclass

import numpy as np

from coopsim.controllers import escaping, speeds
from coopsim.controllers.body import Body
from coopsim.controllers.escaping import Escapes
from coopsim.controllers.steering import avoid, drive
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting


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
