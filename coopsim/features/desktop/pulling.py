"""A body that the mouse pulls by a force, as by a rubber rope."""

import time

import numpy as np
from numpy.typing import NDArray

from coopsim.errors import CoopsimError
from coopsim.features.desktop.poses import inverse, turned
from coopsim.features.desktop.ribbons import RIBBON
from coopsim.features.desktop.session import ViewerSession
from coopsim.geometry import Floats

WORLD = "/sim/world"
_STIFFNESS = 20.0
"""Force for each metre and kilogram [N/(m kg)]: at 0.3 m as much as usual friction holds."""
# six times gravity: a body follows the mouse, and does not pass through walls
_MAX_ACCELERATION = 60.0
"""Greatest force for each kilogram [N/kg]."""
_EVERY, _LASTS = 0.05, 0.5
"""Interval of its repeated command [s, real time], and when it ends without one [s, simulated time]."""
_COLOR, _WIDTH = (236, 168, 32, 235), 4.0  # amber, as nothing else in a scene


class Pull:
    """A force from a point of a body towards the mouse, until it is let go.

    Args:
        session: Whose run it is.
        name: Of the body.
        point: Where it was grabbed, world frame [m].

    Attributes:
        name: Of the body.
        grabbed: Where the body was when it was grabbed.
        end: Where the mouse is, at the height where the body was grabbed [m].
    """

    def __init__(self, session: ViewerSession, name: str, point: Floats) -> None:
        self._session, self.name, self.end = session, name, point
        self.grabbed = session.pose(name)
        self._from_base = _local(session, name, point)
        self._due, self._is_waiting = 0.0, False

    @property
    def begin(self) -> Floats | None:
        """The grabbed point as it is drawn now [m], None = the body is gone."""
        pose = self._session.pose(self.name)
        return None if pose is None else np.array(pose[:3]) + _turned(np.array(pose[3:]), self._from_base)

    @property
    def force(self) -> Floats:
        """Force of the pull [N]."""
        begin, row = self.begin, self._session.entity(self.name)
        if begin is None or row is None:
            return np.zeros(3)
        force = _STIFFNESS * row.mass * (self.end - begin)
        strength = float(np.linalg.norm(force))
        return force * min(1.0, _MAX_ACCELERATION * row.mass / strength) if strength else force

    def advance(self, now: float | None = None) -> None:
        """Say again how strong it is; called with each picture."""
        now = time.monotonic() if now is None else now
        if now >= self._due and not self._is_waiting:
            self._due, self._is_waiting = now + _EVERY, True
            self._send(self.force, _LASTS)

    def let_go(self) -> None:
        """End it."""
        self._send(np.zeros(3), 0.0)

    def ribbons(self) -> NDArray[np.void]:
        """Return the rope as rows of `RIBBON`."""
        begin = self.begin
        ribbon = np.zeros(0 if begin is None else 1, RIBBON)
        if begin is not None:
            ribbon["r_begin"], ribbon["r_end"] = begin, self.end
            ribbon["r_color"], ribbon["r_fade"], ribbon["r_width"] = _COLOR, 1.0, _WIDTH
        return ribbon

    def _send(self, force: Floats, seconds: float) -> None:
        row = self._session.entity(self.name)
        middle = np.array([0.0, 0.0, row.size[2] / 2.0 if row is not None else 0.0])
        values = force.tolist(), seconds, (self._from_base - middle).tolist()
        self._session.link.call(WORLD, "push", self.name, *values, then=self._answered)

    def _answered(self, problem: CoopsimError | None) -> None:
        self._is_waiting = False
        if problem is not None:
            self._due = np.inf  # what was refused once is refused again
            self._session.note(str(problem).partition("\n")[0])


def _local(session: ViewerSession, name: str, point: Floats) -> Floats:
    pose = session.pose(name)
    if pose is None:
        return np.zeros(3)
    return _turned(inverse(np.array([pose[3:]]))[0], point - np.array(pose[:3]))


def _turned(rotation: Floats, vector: Floats) -> Floats:
    arm: Floats = turned(rotation[np.newaxis], vector[np.newaxis])[0]
    return arm
