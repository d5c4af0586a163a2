"""Behaviours by which robots of IR-SIM drive themselves: `dash` as it is there, others by control laws of coopsim.

Source: formulas of `dash` in IR-SIM 2.12 (github.com/hanruihua/ir-sim), `irsim/lib/behavior/behavior_methods.py`.
"""

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from coopsim.client import Client
from coopsim.features.laws.body import Body
from coopsim.features.laws.going import GoalParameters, steer
from coopsim.features.laws.orca import OrcaParameters, orca
from coopsim.features.laws.senses import body_of
from coopsim.features.laws.social_force import SocialForceParameters, social_force
from coopsim.geometry import Floats

DASH: Final = "dash"
_SEEN_AHEAD = 1.5  # m; of the way within which robots of `orca` may not meet
_ANGLE_TOLERANCE = 0.1  # rad; a robot that looks so nearly at its goal does not turn
_LAWS: Final[dict[str, tuple[type[GoalParameters], Callable[[Any, Any], Floats]]]] = {
    "rvo": (OrcaParameters, orca),
    "orca": (OrcaParameters, orca),
    "sfm": (SocialForceParameters, social_force),
}
BEHAVIOURS: Final = (DASH, *_LAWS)


def dash(kinematics: str, states: Floats, goals: Floats, fastest: Floats, thresholds: Floats) -> Floats:
    """Return velocities that lead straight to goals, shape (n, 3).

    Args:
        kinematics: `diff`, `omni`, `omni_angular` or `acker`.
        states: x, y, heading and so on, shape (n, 3 or more).
        goals: x, y and the angle, NaN = any; shape (n, 3).
        fastest: Largest velocities of a command, shape (n, 3).
        thresholds: A goal that is nearer is reached, shape (n,).
    """
    ways = goals[:, :2] - states[:, :2]
    is_there = np.hypot(ways[:, 0], ways[:, 1]) < thresholds
    turns = wrapped(np.arctan2(ways[:, 1], ways[:, 0]) - states[:, 2])
    straight, out = np.abs(turns) <= _ANGLE_TOLERANCE, np.zeros((len(states), 3))
    out[:, 0] = fastest[:, 0] * np.cos(turns)
    if kinematics.startswith("omni"):
        out[:, 1] = fastest[:, 1] * np.sin(turns)
    elif kinematics == "acker":
        out[:, 0] = fastest[:, 0]
        out[:, 1] = np.where(straight, 0.0, np.clip(turns, -fastest[:, 1], fastest[:, 1]))
    else:
        out[:, 1] = np.where(straight, 0.0, np.sign(turns) * fastest[:, 1])
    out[is_there] = 0.0
    if kinematics == "omni_angular":
        asked = np.where(np.isnan(goals[:, 2]), 0.0, wrapped(goals[:, 2] - states[:, 2]))
        aims = np.where(is_there, asked, turns)
        out[:, 2] = np.where(np.abs(aims) <= _ANGLE_TOLERANCE, 0.0, np.sign(aims) * fastest[:, 2])
    return out


def wrapped(angles: Floats) -> Floats:
    """Return angles within -pi and pi."""
    return (angles + np.pi) % (2.0 * np.pi) - np.pi


class LawBehaviour:
    """A control law of coopsim that drives robots of one type, which know each other as teammates.

    Args:
        sim: Asked for the make of the robots.
        robots: Their names.
        behaviour: Its name in IR-SIM.
        speed: Largest speed [m/s].
        threshold: A goal that is nearer is reached [m].
    """

    NAMES: Final = frozenset(_LAWS)

    def __init__(self, sim: Client, robots: list[str], behaviour: str, speed: float, threshold: float) -> None:
        kind, self._choose = _LAWS[behaviour]
        more: dict[str, Any] = {"horizon": min(5.0, _SEEN_AHEAD / speed)} if kind is OrcaParameters else {}
        self._law = kind(speed=speed, tolerance=threshold, **more)
        self._body: Body = body_of(sim, robots[0])

    def velocities(self, poses: Floats, motion: Floats, ranges: Floats, goals: Floats) -> Floats:
        """Return what the motors are asked for: ahead, turn and, where they slide, to the left, shape (n, 2 or 3)."""
        steered, _ = steer(poses, motion, ranges, goals, self._body, self._law, self._choose)
        return steered
