"""Behaviors of the leader and follower challenge (`scenarios/amsa/challenge.amsa`).

The paper leaves open how power becomes speed, how fast the leader drives and how large a rover is: the constants below.
Distances are in the unit of the reference distance; decimetres make rovers of usual size and speed of them.
"""

import math
from typing import Any, Final

from coopsim.features.amsa.components.behavior import Behavior

# as in the paper, whose model has no units of length
REFERENCE: Final = 15.0
"""Distance that the follower shall keep."""
FULL_SPEED: Final = 15.0
"""Speed of a wheel at 100 % of its power [1/s]."""
TRACK: Final = 6.0
"""Distance of the wheels."""
LEADER_SPEED: Final = 4.35
"""Speed of the leader [1/s]."""
POWER: Final = 300.0
"""Power that the control law asks for a speed of 1 in its own measure [%]."""
_DIAGONAL: Final = math.radians(30.0)
_CIRCLE: Final = 0.1  # rad/s; a lap takes a minute
_WANDERING: Final = 0.1  # rad per root of a second: a random walk whose spread does not depend on the rate


class FreeRobot(Behavior):
    """The leader: drives at constant speed; `behavior` says where to.

    1 straight along x, 2 in a circle, 3 straight at 30 degrees to x, 4 by chance: its heading is a random walk.
    """

    def initialize(self) -> None:
        """Stand at the reference distance ahead of the follower."""
        self._x, self._y, self._turned, self._moves = REFERENCE, 0.0, 0.0, False

    def do_step(self, _: Any, parameters: Any) -> tuple[float, ...]:
        """Return the place of the leader; the first one is that of the start."""
        if self._moves:
            self._turn(parameters.behavior)
            heading = self._turned + (_DIAGONAL if parameters.behavior == 3 else 0.0)
            self._x += LEADER_SPEED * self.period * math.cos(heading)
            self._y += LEADER_SPEED * self.period * math.sin(heading)
        self._moves = True
        return self._x, self._y

    def _turn(self, behavior: int) -> None:
        if behavior == 2:
            self._turned += _CIRCLE * self.period
        elif behavior == 4:
            self._turned += self.random.gauss(0.0, _WANDERING) * math.sqrt(self.period)


class DrivenRobot(FreeRobot):
    """The leader, which also says how fast its wheels turn."""

    def initialize(self) -> None:
        """Stand at the reference distance ahead of the follower, and look along x."""
        super().initialize()
        self._heading = 0.0

    def do_step(self, inputs: Any, parameters: Any) -> tuple[float, ...]:
        """Return the place of the leader, and the speeds of its wheels that lead to the next one."""
        x, y = super().do_step(inputs, parameters)
        wanted = self._turned + (_DIAGONAL if parameters.behavior == 3 else 0.0)
        most = 2.0 * (FULL_SPEED - LEADER_SPEED) / TRACK
        turning = min(max((wanted - self._heading) / self.period, -most), most)
        self._heading += turning * self.period
        difference = turning * TRACK / 2.0
        return x, y, LEADER_SPEED - difference, LEADER_SPEED + difference


class ControlledRobot(Behavior):
    """The follower: two wheels whose speeds are in proportion to their powers."""

    def initialize(self) -> None:
        """Stand at the origin, looking along x."""
        self._x = self._y = self._heading = 0.0
        self._moves = False

    def do_step(self, inputs: Any, _: Any) -> tuple[float, float, float]:
        """Return place and heading [rad] after a period at these powers."""
        if self._moves:
            left, right = inputs.powerL * FULL_SPEED / 100.0, inputs.powerR * FULL_SPEED / 100.0
            turn = (right - left) / TRACK * self.period
            way = (left + right) / 2.0 * self.period
            self._x += way * math.cos(self._heading + turn / 2.0)
            self._y += way * math.sin(self._heading + turn / 2.0)
            self._heading += turn
        self._moves = True
        return self._x, self._y, self._heading


class RoverGps(Behavior):
    """Gives the place of a rover; of `lostDataGPS` percent of the samples nothing arrives, and the last one stays."""

    def initialize(self) -> None:
        """Know no place yet."""
        self._last = (0.0, 0.0)

    def do_step(self, inputs: Any, parameters: Any) -> tuple[float, float]:
        """Return the newest place that arrived."""
        if not parameters.lostDataGPS or self.random.random() * 100.0 >= parameters.lostDataGPS:
            self._last = (inputs.posX, inputs.posY)
        return self._last


def compass(inputs: Any, _: Any) -> float:
    """Return the heading of a rover [rad]."""
    heading: float = inputs.heading
    return heading


def monitor_distance(inputs: Any, _: Any) -> float:
    """Return the real distance of two rovers."""
    return math.hypot(inputs.xLeader - inputs.xFollower, inputs.yLeader - inputs.yFollower)


def normalize_power(inputs: Any, parameters: Any) -> tuple[float, float]:
    """Return powers within the limits, of which worn motors apply `motorCoef` percent."""
    low, high, share = parameters.powerMin, parameters.powerMax, parameters.motorCoef / 100.0
    return min(max(inputs.powerL, low), high) * share, min(max(inputs.powerR, low), high) * share


def follow(inputs: Any, parameters: Any) -> tuple[float, float]:
    """Return the powers of the wheels: proportional control of the two components of the position error.

    The angle between the axis of the rovers and the heading of the follower splits the error into what is missing
    along the heading (corrected by the speed, gain Kv) and what is missing across it (by turning, gain Kw). Places are
    those of the GPS, the distance is that of the monitor.

    Source: AMSA, section 3.2.
    """
    axis = math.atan2(inputs.yLeader - inputs.yFollower, inputs.xLeader - inputs.xFollower)
    angle = axis - inputs.headingFollower
    distance = inputs.distanceLeaderFollower
    speed = parameters.Kv * (distance * math.cos(angle) - REFERENCE)
    turning = parameters.Kw * distance * math.sin(angle)
    return POWER * (speed - turning), POWER * (speed + turning)
