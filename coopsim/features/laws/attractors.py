"""Attractor dynamics of the heading direction: the rate of turn as a sum of what attracts and what repels.

The state is the heading phi. A wanted direction erects an attractor, each obstructed direction a repeller of limited
range, and dphi/dt is the sum of their forces: the robot turns to where nothing is in the way. Bearings are measured
from the heading, counter-clockwise, so a bearing b stands for the direction phi + b.

Source: CoopDynSim, section IV (formations and transport by attractor dynamics); the form of the forces follows
Bicho and Schoener, "The dynamic approach to autonomous robotics demonstrated on a low-level vehicle platform".
"""

import numpy as np

from coopsim.geometry import Floats


def attract(bearings: Floats, strength: float) -> Floats:
    """Return the turn towards the wanted direction, shape (n,) [rad/s].

    Args:
        bearings: Of what is wanted, shape (n,) [rad].
        strength: Largest force, at a right angle [rad/s].
    """
    turn: Floats = strength * np.sin(bearings)
    # straight behind is a fixed point too, an unstable one: leave it at full force
    return np.where(np.abs(bearings) > np.pi / 2, strength * np.where(bearings < 0.0, -1.0, 1.0), turn)


def repel(gaps: Floats, bearings: Floats, *, spread: float, radius: float, strength: float, decay: float) -> Floats:
    """Return the turn away from what is near, shape (n,) [rad/s].

    Each bearing contributes -g b exp(-b^2 / 2 s^2): g falls with the gap, s is the angle that the sector and the
    robot's own width take up together.

    Args:
        gaps: Free way from the hull in each bearing, shape (n, m); infinity = nothing there [m].
        bearings: Shape (m,) or (n, m) [rad].
        spread: Angle of one sector [rad].
        radius: Of the robot [m].
        strength: Factor of a repeller that touches the hull [1/s].
        decay: Gap at which the force has fallen to 1/e [m].
    """
    gains = strength * np.exp(-gaps / decay)
    widths = np.arctan(np.tan(spread / 2.0) + radius / (radius + np.maximum(gaps, 0.0)))
    forces = gains * bearings * np.exp(-(bearings**2) / (2.0 * widths**2))
    turn: Floats = -forces.sum(axis=-1)
    return turn


def decide(gaps: Floats, bearings: Floats, *, strength: float, decay: float, wanted: Floats) -> Floats:
    """Return a small turn that leaves the ridge when an obstacle is dead ahead, shape (n,) [rad/s].

    A repeller straight ahead pushes nowhere. Real robots are helped by noise; here the side with more room is taken,
    of two equal ones that of `wanted`, of two equal again the left, so that a run can be repeated.

    Args:
        gaps: As for `repel`, shape (n, m) [m].
        bearings: Shape (m,) [rad].
        strength: As for `repel` [1/s].
        decay: As for `repel` [m].
        wanted: Bearing of what is wanted, shape (n,) [rad].
    """
    ahead = np.abs(bearings) < np.pi / 4
    near = np.exp(-gaps / decay)
    room = near[:, bearings < 0.0].sum(axis=1) - near[:, bearings > 0.0].sum(axis=1) + 0.1 * np.sin(wanted)
    side = np.where(room < -1e-9, -1.0, 1.0)
    turn: Floats = 0.1 * strength * side * near[:, ahead].max(axis=1, initial=0.0)
    return turn


def openness(gaps: Floats, bearings: Floats, wanted: Floats, *, spread: float, enough: float) -> Floats:
    """Return how open wanted directions are, from 0 (blocked) to 1 (nothing nearer than `enough`), shape (..., n).

    An attractor behind an obstacle must fade, or its sum with the repellers erects one that points at the obstacle.

    Args:
        gaps: From the hull, shape (n, m) [m].
        bearings: Shape (m,) [rad].
        wanted: Bearing of what is wanted, shape (..., n) [rad].
        spread: Angle of one sector [rad].
        enough: Gap that is as good as none [m].
    """
    off = np.abs((bearings - wanted[..., np.newaxis] + np.pi) % (2.0 * np.pi) - np.pi)
    open_way = np.where(off < 1.2 * spread, gaps, np.inf).min(axis=-1, initial=np.inf)
    openness: Floats = np.minimum(np.maximum(open_way / enough, 0.0), 1.0)
    return openness
