"""The law of `formation`: the first robot heads for the target, the others for their places behind it.

Every robot turns by attractor dynamics: its goal attracts, what its sonars see repels, and repels stronger. So the
formation breaks at obstacles and, nothing repelling any longer, comes back. Of two followers that block each other, as
at a gap too narrow for both, the later one backs off.

Source: CoopDynSim, section IV and Fig. 10.
"""

from dataclasses import dataclass

import numpy as np

from coopsim.controllers import attractors, escaping, following, speeds
from coopsim.controllers.body import Body
from coopsim.controllers.escaping import Escapes
from coopsim.controllers.shapes import Shape
from coopsim.controllers.steering import OPEN, avoid, drive, head_for
from coopsim.geometry import Floats, pairs, without_nan
from coopsim.interfaces import parameters_of, setting

_MATE_DECAY = 0.12
_MATE_BRAKING = 0.5
_NEAR_ENOUGH = 0.06
_APPROACH = 0.5
_SLACK = 0.12
_BLOCKED = 0.5
_BLOCKED_WAY = 0.5
_CLEARLY = 0.3
_ROOM = 0.4
_RETREAT = (-0.15, 0.0)


@dataclass(frozen=True, slots=True)
class Marching:
    """How to march."""

    shape: str = setting("triangle", "1", summary="triangle, line, column, vee, open_vee, circle or custom")
    spacing: float = setting(0.8, "m", 0.1, 20.0, "distance between neighbours, centre to centre")
    offsets: str = setting(
        "", "1", summary="of the shape custom: x ahead and y left of each follower, seen from the leader, in spacings"
    )
    target: str = setting("red", "1", summary="name of the coloured target to drive to, or of a robot")
    speed: float = setting(0.35, "m/s", 0.05, 5.0, "speed of the leader")
    tolerance: float = setting(0.3, "m", 0.01, 10.0, "the leader is there when it is so near to the target")
    order: float = setting(0.25, "m", 0.01, 10.0, "the formation stands when everybody is so near to its place")
    attraction: float = setting(1.6, "rad/s", 0.1, 20.0, "strength of the attractor of the heading")
    avoidance: float = setting(5.0, "1/s", 0.1, 100.0, "strength of the repellers")
    range: float = setting(0.4, "m", 0.05, 10.0, "gap at which a repeller has fallen to a third")
    margin: float = setting(0.1, "m", 0.0, 2.0, "distance kept from whatever is ahead")
    gain: float = setting(0.9, "1/s", 0.05, 10.0, "speed per way to a follower's place")


PARAMETERS = parameters_of(Marching)


@dataclass(frozen=True)
class Perception:
    """What n robots perceive; the first is the leader.

    Attributes:
        ranges: What their sonars read, shape (n, m) [m].
        goal: Distance [m] and angle [rad] at which the leader sees the target, NaN = it does not, shape (2,).
        mates: Where each sees the others, in its own frame, shape (n, n, 2), NaN = it does not [m].
        motion: Measured speed [m/s] and rate of turn [rad/s], shape (n, 2).
    """

    ranges: Floats
    goal: Floats
    mates: Floats
    motion: Floats


@dataclass(frozen=True)
class March:
    """What the law decides.

    Attributes:
        commands: Speed [m/s] and rate of turn [rad/s], shape (n, 2).
        disorder: How far each is from its place, shape (n,), infinity = not known [m].
        distance: Of the leader to the target, infinity = not seen [m].
        is_done: Whether the leader is at the target and the formation stands.
    """

    commands: Floats
    disorder: Floats
    distance: float
    is_done: bool


def march(
    view: Perception, *, body: Body, law: Marching, shape: Shape, escapes: Escapes, dt: float
) -> tuple[March, Escapes]:
    """Return what n robots do next and how their escapes go on.

    Args:
        view: What they perceive.
        body: The robots.
        law: The parameters.
        shape: The formation.
        escapes: As returned the last time.
        dt: Simulated time since the last call [s].
    """
    seen = body.gaps(view.ranges)
    gaps = following.hide_mates(seen, view.mates, body=body, slack=_SLACK)
    # without the heading of the leader a robot takes it for its own
    leader = without_nan(following.headings_of_leader(view.mates, shape.parents))
    ways = following.ways_to_places(view.mates, shape, leader + without_nan(view.goal[1]))
    disorder = without_nan(np.hypot(ways[:, 0], ways[:, 1]), np.inf)
    distance = float(without_nan(view.goal[0], np.inf))
    to_follow = view.mates[np.arange(len(ways)), shape.parents]
    wanted = _wanted(view, _unblocked(ways, to_follow, gaps, body), leader, law, body.fastest)
    pace, bearing = np.hypot(wanted[:, 0], wanted[:, 1]), np.arctan2(wanted[:, 1], wanted[:, 0])
    way = _free_way(gaps, view.mates, body, law.margin)
    escapes = escaping.advance(
        escapes,
        speeds=view.motion[:, 0],
        wants=following.is_free_to_go(view.mates, pace > escaping.STILL, radius=body.radius, room=_ROOM),
        gaps=seen,
        bearings=body.bearings,
        way=way,
        dt=dt,
    )
    goal = head_for(bearing, gaps, escapes, body=body, strength=law.attraction) * np.minimum(pace / 0.1, 1.0)
    away = avoid(gaps, body, law.avoidance, law.range, bearing) + _away_from_mates(view.mates, body, law.avoidance)
    v = np.where(escapes.active, law.speed, pace * np.maximum(np.cos(bearing), 0.0))
    commands = drive(v, np.where(pace > 0.0, goal + away, 0.0), way, escapes, body)
    commands[following.gives_way(view.mates, escapes.still > _BLOCKED, radius=body.radius, room=_ROOM)] = _RETREAT
    is_done = distance <= law.tolerance and bool((disorder <= law.order).all())
    return March(commands, disorder, distance, is_done), escapes


def _wanted(view: Perception, ways: Floats, leader: Floats, law: Marching, fastest: float) -> Floats:
    """Return the velocity each wants, in its own frame, shape (n, 2): the leader's and what brings it to its place."""
    disorder = np.hypot(ways[:, 0], ways[:, 1])
    leading = max(float(view.motion[0, 0]), 0.0)
    along = pairs(np.full(len(leader), leading), np.zeros(len(leader)))
    wanted = following.turned(along, leader) + law.gain * without_nan(ways)
    pace = np.hypot(wanted[:, 0], wanted[:, 1])
    # small errors at rest are not worth turning for
    rests = (disorder < _NEAR_ENOUGH) & (leading < escaping.STILL)
    wanted *= np.where(rests, 0.0, np.minimum(1.0, fastest / np.maximum(pace, 1e-9)))[:, np.newaxis]
    wanted[0] = _of_leader(view.goal, without_nan(disorder, np.inf), law)
    return wanted


def _unblocked(ways: Floats, to_follow: Floats, gaps: Floats, body: Body) -> Floats:
    """Return the ways to go: to the place of each, or where that is blocked, to the robot that it follows."""
    both = without_nan(np.array((ways, to_follow)))
    bearings = np.arctan2(both[..., 1], both[..., 0])
    placed, behind = attractors.openness(gaps, body.bearings, bearings, spread=body.spread, enough=OPEN)
    is_blocked = (placed < _BLOCKED_WAY) & (behind > placed + _CLEARLY) & (np.hypot(*to_follow.T) > 4.0 * body.radius)
    return np.where(is_blocked[:, np.newaxis], to_follow, ways)


def _free_way(gaps: Floats, mates: Floats, body: Body, margin: float) -> Floats:
    """Return how far each can go straight ahead, shape (n,) [m]; before teammates it brakes later."""
    others = speeds.way_to_mates(mates, radius=body.radius, margin=margin) * 0.6 / _MATE_BRAKING
    return np.minimum(speeds.free_way(gaps, body.bearings, radius=body.radius, margin=margin), others)


def _of_leader(goal: Floats, disorder: Floats, law: Marching) -> Floats:
    """Return the velocity of the leader: to the target, slower near it and while the formation is broken."""
    distance, angle = without_nan(goal)
    if distance <= 0.7 * law.tolerance:
        return np.zeros(2)
    worst = float(min(disorder.max(), 10.0 * law.spacing))
    patience = min(max(1.4 - worst / law.spacing, 0.3), 1.0)
    speed = law.speed * min(patience, (distance + 0.1) * _APPROACH / law.speed)
    towards: Floats = speed * np.array([np.cos(angle), np.sin(angle)])
    return towards


def _away_from_mates(mates: Floats, body: Body, strength: float) -> Floats:
    gaps = np.hypot(mates[..., 0], mates[..., 1]) - 2.0 * body.radius
    bearings = np.arctan2(mates[..., 1], mates[..., 0])
    return attractors.repel(
        without_nan(gaps, np.inf),
        without_nan(bearings),
        spread=body.spread,
        radius=body.radius,
        strength=strength,
        decay=_MATE_DECAY,
    )
