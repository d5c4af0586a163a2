"""The law of `shadow`: a real robot avoids obstacles that stand in the simulation alone.

A simulated robot drives as the real one is told to, and is put where that is when it has drifted off; what its sonars
read goes to the controller of the real one.

Source: SwarmSimX, section 3 (simulated obstacle sensors feed the controllers of real robots).
"""

import math
from dataclasses import dataclass
from typing import Protocol

from coopsim.client import Robot
from coopsim.controllers.potentials import Potential
from coopsim.geometry import Vector3, wrap
from coopsim.interfaces import parameters_of, setting

_LAG, _SLIP = 0.15, 0.03  # s, share of the speed that is lost


@dataclass(frozen=True, slots=True)
class Shadowing(Potential):
    """Which robot is real, and where it goes."""

    real: str = setting("", "1", summary="name of the real robot, with `motors` and `odometry`; nothing = a stand-in")
    drift: float = setting(0.03, "m", 0.0, 1.0, "the shadow is put where the robot is when it is farther off")


PARAMETERS = parameters_of(Shadowing)


class RealRobot(Protocol):
    """What the law needs of a robot that is not simulated."""

    def pose(self) -> Vector3:
        """Return x, y [m] and heading [rad]."""
        ...

    def drive(self, v: float, w: float, dt: float, /) -> None:
        """Command a speed [m/s] and a rate of turn [rad/s]; `dt` is the time since the last command [s]."""
        ...


class NamedRobot:
    """A robot that registered its modules beside the simulated ones.

    Args:
        robot: Its modules.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot

    def pose(self) -> Vector3:
        """Return where its odometry says that it is."""
        found = self._robot.odometry.pose()
        return float(found.x), float(found.y), float(found.heading)

    def drive(self, v: float, w: float, _dt: float, /) -> None:
        """Command its motors."""
        self._robot.motors.set_velocity(v, w)


class StandIn:
    """Takes the place of a real robot: wheels that answer late and slip, without any simulator.

    Args:
        pose: Where it begins: x, y [m] and heading [rad].
    """

    def __init__(self, pose: Vector3) -> None:
        self._pose, self._v, self._w = pose, 0.0, 0.0

    def pose(self) -> Vector3:
        """Return where it is."""
        return self._pose

    def drive(self, v: float, w: float, dt: float, /) -> None:
        """Go on for `dt` with wheels that follow the command."""
        share = 1.0 - math.exp(-dt / _LAG)
        self._v += share * ((1.0 - _SLIP) * v - self._v)
        self._w += share * ((1.0 - _SLIP) * w - self._w)
        x, y, heading = self._pose
        middle = heading + 0.5 * self._w * dt
        x, y = x + self._v * dt * math.cos(middle), y + self._v * dt * math.sin(middle)
        self._pose = x, y, wrap(heading + self._w * dt)
