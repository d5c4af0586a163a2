"""Speeds: free way straight ahead, braking before obstacles, and what two wheels can do."""

import numpy as np

from coopsim.features.laws.body import Body
from coopsim.geometry import Floats, pairs

_CREEPING = 0.4  # of the largest speed
_SLOW = 0.1  # of the largest speed; a car that brakes before a wall is never at rest
_AT_REST = 1e-3  # rad/s; less is no turn
_KEPT = 0.1  # m
_BESIDE = 0.4  # of the margin; what is farther aside is passed


def free_way(gaps: Floats, bearings: Floats, *, radius: float, margin: float, hulls: Floats | None = None) -> Floats:
    """Return how far a disc can go straight ahead before it touches what was seen, shape (n,) [m].

    Args:
        gaps: From the hull to what is seen in each bearing, shape (n, m); infinity = nothing [m].
        bearings: Shape (m,) or (n, m) [rad].
        radius: Of the robot [m].
        margin: Distance to keep [m].
        hulls: How far its hull extends in each bearing, shape (m,) [m]; None = as far as the disc.
    """
    seen = np.isfinite(gaps)
    distances = np.where(seen, gaps, 0.0) + (radius if hulls is None else hulls)
    return _way(np.where(seen, distances * np.cos(bearings), -1.0), distances * np.sin(bearings), radius, margin)


def _way(forward: Floats, sideways: Floats, reach: float, margin: float) -> Floats:
    # along a wall the distance to it may be less than what is kept ahead, or a robot beside one could never leave
    in_the_way = (np.abs(sideways) < reach + _BESIDE * margin) & (forward > 0.0)
    stop = forward - np.sqrt(np.maximum((reach + margin) ** 2 - sideways**2, 0.0))
    ways = np.where(in_the_way, np.maximum(stop, 0.0), np.inf)
    way: Floats = ways.min(axis=-1, initial=np.inf)
    return way


def drivable(commands: Floats, gaps: Floats, body: Body, margin: float = _KEPT) -> Floats:
    """Return commands (v, w) of which a robot can follow the curves, shape (n, 2).

    A car that should turn where it stands, or more sharply than it can, creeps: backward as long as there is room, then
    forward. Turning that way it gets about as others do on the spot.

    Args:
        commands: Speeds and rates of turn, shape (n, 2).
        gaps: From the hull to what is seen, infinity = nothing, shape (n, m) [m].
        body: The robots.
        margin: Distance to keep [m].
    """
    if not np.isfinite(body.sharpest):
        return commands
    v, w = commands[:, 0], commands[:, 1]
    creeping = _CREEPING * body.fastest
    ahead = free_way(gaps, body.bearings, radius=body.radius, margin=margin, hulls=body.hulls)
    behind = free_way(gaps, body.bearings + np.pi, radius=body.radius, margin=margin, hulls=body.hulls)
    # with less room ahead than its narrowest circle has, a car would only rock before a wall
    is_slow = (np.abs(v) < _SLOW * body.fastest) | ((v > 0.0) & (ahead < 1.0 / body.sharpest))
    turns_in_place = is_slow & (np.abs(w) > np.abs(v) * body.sharpest + _AT_REST)
    creep = np.where(behind > margin, -creeping, np.where(ahead > margin, creeping, 0.0))
    v = np.where(turns_in_place, creep, v)
    most = np.abs(v) * body.sharpest
    return pairs(v, np.minimum(np.maximum(w, -most), most))


def brake(speeds: Floats, way: Floats, *, time: float) -> Floats:
    """Return speeds at which `way` would last for `time`, at most `speeds`, shape (n,) [m/s]."""
    slowed: Floats = np.minimum(speeds, way / time)
    return slowed


def within_wheels(v: Floats, w: Floats, *, half_track: float, fastest: float) -> Floats:
    """Return commands (v, w) that both wheels can follow, shape (n, 2): turning goes before driving.

    Args:
        v: Wanted speeds, shape (n,) [m/s].
        w: Wanted rates of turn, shape (n,) [rad/s].
        half_track: Half the distance between the wheels [m].
        fastest: Largest speed of a wheel [m/s].
    """
    most = fastest / half_track
    turn = np.minimum(np.maximum(w, -most), most)
    left = fastest - np.abs(turn) * half_track
    return pairs(np.minimum(np.maximum(v, -left), left), turn)
