"""The law of `seek`: wander until the target is seen, drive to it, and wait there for the others."""

from dataclasses import dataclass

import numpy as np

from coopsim.controllers import escaping, speeds
from coopsim.controllers.body import Body
from coopsim.controllers.escaping import Escapes
from coopsim.controllers.steering import avoid, drive, head_for
from coopsim.controllers.wandering import Wandering
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_APPROACH = 0.5


@dataclass(frozen=True, slots=True)
class Seeking(Wandering):
    """How to look for a target, and to wander until it is seen."""

    target: str = setting("red", "1", summary="name of the coloured target to look for")
    tolerance: float = setting(1.0, "m", 0.05, 50.0, "a robot is there when it is so near to the target")
    attraction: float = setting(1.6, "rad/s", 0.1, 20.0, "strength of the attractor of the heading")
    finders: int = setting(0, "1", 0, 10_000, "robots that must be there, 0 = all")


PARAMETERS = parameters_of(Seeking)


@dataclass(frozen=True)
class Search:
    """What the law decides.

    Attributes:
        commands: Speed [m/s] and rate of turn [rad/s], shape (n, 2).
        is_there: Which robots are at the target, shape (n,).
    """

    commands: Floats
    is_there: "np.ndarray[tuple[int], np.dtype[np.bool_]]"


def seek(
    ranges: Floats,
    measured: Floats,
    goals: Floats,
    *,
    time: float,
    dt: float,
    body: Body,
    law: Seeking,
    escapes: Escapes,
) -> tuple[Search, Escapes]:
    """Return what n robots do next and how their escapes go on.

    Args:
        ranges: What the sonars read, shape (n, m) [m].
        measured: Speeds of the robots, shape (n,) [m/s].
        goals: Distance [m], angle [rad] and whether the target is seen, shape (n, 3).
        time: Simulated time [s].
        dt: Simulated time since the last call [s].
        body: The robots.
        law: The parameters.
        escapes: As returned the last time.
    """
    distance, angle, is_seen = goals[:, 0], goals[:, 1], goals[:, 2] > 0.5
    is_there = is_seen & (distance <= law.tolerance)
    gaps = body.gaps(ranges)
    way = speeds.free_way(gaps, body.bearings, radius=body.radius, margin=law.margin)
    escapes = escaping.advance(
        escapes, speeds=measured, wants=~is_there, gaps=gaps, bearings=body.bearings, way=way, dt=dt
    )
    # robots that start together must not turn together
    phase = 2.0 * np.pi * (time / law.period + np.arange(len(ranges)) * 0.381966)
    goal = head_for(angle, gaps, escapes, body=body, strength=law.attraction, enough=2.0 * law.range)
    wanted = np.where(escapes.active, 0.0, np.where(is_seen, goal, law.drift * np.sin(phase)))
    away = avoid(gaps, body, law.avoidance, law.range, np.where(is_seen, angle, wanted))
    approach = np.minimum(law.speed, (distance - 0.8 * law.tolerance + 0.1) * _APPROACH)
    pace = np.where(is_seen & ~escapes.active, np.maximum(approach, 0.0), law.speed)
    commands = drive(pace, wanted + away, way, escapes, body)
    commands[is_there] = 0.0
    return Search(commands, is_there), escapes
