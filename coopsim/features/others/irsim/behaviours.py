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


def dash(kinematics: str, state: Floats, goal: Floats, fastest: Floats, threshold: float) -> Floats:
    """Return the velocity that leads straight to a goal.

    Args:
        kinematics: `diff`, `omni`, `omni_angular` or `acker`.
        state: x, y, heading and so on.
        goal: x, y and the angle.
        fastest: Largest velocities of a command.
        threshold: A goal that is nearer is reached.
    """
    way = goal[:2] - state[:2]
    distance = float(np.hypot(*way))
    is_there, turn = distance < threshold, wrapped(float(np.arctan2(way[1], way[0])) - state[2])
    if kinematics == "omni_angular":
        aim = turn if not is_there else wrapped((goal[2] if goal.size > 2 else state[2]) - state[2])
        rate = 0.0 if abs(aim) <= _ANGLE_TOLERANCE else np.sign(aim) * fastest[2]
        return np.array([*(np.zeros(2) if is_there else fastest[:2] * [np.cos(turn), np.sin(turn)]), rate])
    if is_there:
        return np.zeros(2)
    if kinematics == "omni":
        return np.array([fastest[0] * np.cos(turn), fastest[1] * np.sin(turn)])
    if kinematics == "acker":
        steering = 0.0 if abs(turn) < _ANGLE_TOLERANCE else float(np.clip(turn, -fastest[1], fastest[1]))
        return np.array([fastest[0], steering])
    return np.array([fastest[0] * np.cos(turn), 0.0 if abs(turn) < _ANGLE_TOLERANCE else np.sign(turn) * fastest[1]])


def wrapped(angle: float) -> float:
    """Return an angle within -pi and pi."""
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)


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
