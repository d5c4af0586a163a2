"""Speeds: free way straight ahead, braking before obstacles, and what two wheels can do."""

import numpy as np

from coopsim.geometry import Floats, pairs

_BESIDE = 0.4  # of the margin; what is farther aside is passed


def free_way(gaps: Floats, bearings: Floats, *, radius: float, margin: float) -> Floats:
    """Return how far a disc can go straight ahead before it touches what was seen, shape (n,) [m].

    Args:
        gaps: From the hull to what is seen in each bearing, shape (n, m); infinity = nothing [m].
        bearings: Shape (m,) or (n, m) [rad].
        radius: Of the robot [m].
        margin: Distance to keep [m].
    """
    seen = np.isfinite(gaps)
    distances = np.where(seen, gaps, 0.0) + radius
    return _way(np.where(seen, distances * np.cos(bearings), -1.0), distances * np.sin(bearings), radius, margin)


def _way(forward: Floats, sideways: Floats, reach: float, margin: float) -> Floats:
    # along a wall the distance to it may be less than what is kept ahead, or a robot beside one could never leave
    in_the_way = (np.abs(sideways) < reach + _BESIDE * margin) & (forward > 0.0)
    stop = forward - np.sqrt(np.maximum((reach + margin) ** 2 - sideways**2, 0.0))
    ways = np.where(in_the_way, np.maximum(stop, 0.0), np.inf)
    way: Floats = ways.min(axis=-1, initial=np.inf)
    return way


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
