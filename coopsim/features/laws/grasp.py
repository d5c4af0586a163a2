"""`grasp`: a robot on the ground and a quadrotor take a bar at its ends, lift it and bring it away.

python -m coopsim.features.laws.grasp --robots ground air --thing bar --distance 2

Source: SwarmSimX, Fig. 3 (cooperative aerial grasping by a quadrotor and a ground robot).
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.client.team import Commands
from coopsim.errors import BadArgument
from coopsim.features.laws import options
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, need_modules
from coopsim.geometry import Floats, heading
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "A robot on the ground and a quadrotor take a bar at its ends, lift it and bring it away."
_CLIMB, _ABOVE = 0.1, 0.5  # m/s, m
_GAIN, _LATERAL, _TURNING = 1.2, 10.0, 2.0


@dataclass(frozen=True, slots=True)
class GraspParameters:
    """Parameters of the law `grasp`."""

    thing: str = setting("bar", "1", summary="the bar: a box whose length is along its x axis")
    lift: float = setting(0.25, "m", 0.0, 5.0, "by which the end in the air is lifted")
    load: float = setting(0.1, "kg", 0.0, 100.0, "that the robot in the air bears, and is told")
    distance: float = setting(2.0, "m", 0.0, 1e3, "to bring it, along the bar, to where the robot on the ground is")
    speed: float = setting(0.15, "m/s", 0.01, 2.0, "on the way")
    hand: float = setting(0.33, "m", 0.0, 5.0, "from the middle of the robot on the ground to its fingers")
    hang: float = setting(0.12, "m", 0.0, 5.0, "from the base of the robot in the air down to its fingers")
    overlap: float = setting(0.05, "m", 0.0, 5.0, "from the ends of the bar to where it is held")
    opening: float = setting(0.1, "m", 0.0, 5.0, "of open grippers")
    closed: float = setting(0.02, "m", 0.0, 5.0, "opening that closed grippers are told: less than the bar is wide")
    tolerance: float = setting(0.03, "m", 1e-3, 1.0, "a place is reached when it is so near")
    settle: float = setting(1.0, "s", 0.0, 60.0, "time at each place")


PARAMETERS = parameters_of(GraspParameters)


class Doing(IntEnum):
    """Present task of both robots, one after the other."""

    APPROACH = 0
    DESCEND = 1
    CLOSE = 2
    LIFT = 3
    CARRY = 4
    DONE = 5


@dataclass(frozen=True)
class Bar:
    """First position of the bar.

    Attributes:
        near: End that the robot on the ground takes, x y z [m].
        along: Unit vector from there to the other end, in the plane.
        length: Between the two places where it is held [m].
    """

    near: Floats
    along: Floats
    length: float

    @property
    def heading(self) -> float:
        """Of the bar, seen from the robot on the ground [rad]."""
        return math.atan2(self.along[1], self.along[0])


def bar_of(pose: Sequence[float], size: Sequence[float], ground: Sequence[float], overlap: float) -> Bar:
    """Return the bar as a robot on the ground sees it.

    Args:
        pose: Place and quaternion of the bar [m].
        size: Its length, width and height [m].
        ground: Where the robot is [m].
        overlap: From its ends to where it is held [m].
    """
    x, y, z, a, b, c, d = pose
    heading = math.atan2(2.0 * (a * d + b * c), 1.0 - 2.0 * (c * c + d * d))
    along = np.array([math.cos(heading), math.sin(heading), 0.0])
    if (np.array(ground[:3]) - (x, y, z)) @ along > 0.0:
        along = -along
    half = 0.5 * size[0] - overlap
    return Bar(np.array([x, y, z + 0.5 * size[2]]) - half * along, along, 2.0 * half)


class Progress:
    """Progress of both robots.

    Args:
        bar: What they take.
        law: How.
    """

    def __init__(self, bar: Bar, law: GraspParameters) -> None:
        self.doing = Doing.APPROACH
        self._bar, self._law = bar, law
        self._stood = self._brought = self._lifted = 0.0
        self._height = bar.near[2] + law.hang

    def advance(self, ground: Floats, air: Floats, dt: float) -> None:
        """Go on by the time that has passed; what is next begins when both have been at their places long enough.

        Args:
            ground: Where the robot on the ground is, x y z [m].
            air: Where the one in the air is [m].
            dt: Time since the last call [s].
        """
        if self.doing is Doing.LIFT:
            self._lifted = min(self._lifted + _CLIMB * dt, self._law.lift)
        if self.doing is Doing.CARRY:
            self._brought = min(self._brought + self._law.speed * dt, self._law.distance)
        is_moving = (self.doing is Doing.LIFT and self._lifted < self._law.lift) or (
            self.doing is Doing.CARRY and self._brought < self._law.distance
        )
        away = max(abs(self._missing(ground)), float(np.linalg.norm(air - self.aim)))
        # lifted, the bar leans, and what hangs on it need not be exact
        near = self._law.tolerance if self.doing < Doing.CLOSE else 3.0 * self._law.tolerance
        self._stood = self._stood + dt if away < near and not is_moving else 0.0
        if self._stood >= self._law.settle and self.doing is not Doing.DONE:
            self.doing, self._stood = Doing(self.doing + 1), 0.0

    @property
    def aim(self) -> Floats:
        """Goal of the robot in the air, x y z [m]."""
        above = _ABOVE if self.doing is Doing.APPROACH else self._lifted
        lean = math.sqrt(max(self._bar.length**2 - self._lifted**2, 0.0))
        place: Floats = self._bar.near + (lean - self._brought) * self._bar.along
        return np.array([place[0], place[1], self._height + above])

    @property
    def opening(self) -> float:
        """Opening that both grippers are told [m]."""
        return self._law.opening if self.doing < Doing.CLOSE else self._law.closed

    def wheels(self, ground: Floats, heading: float) -> tuple[float, float]:
        """Return speed and rate of turn of the robot on the ground, which keeps to the line of the bar [m/s, rad/s]."""
        along, off = self._bar.along, ground[:2] - self._bar.near[:2]
        aside = float(along[0] * off[1] - along[1] * off[0])
        turned = math.remainder(heading - self._bar.heading, 2.0 * math.pi)
        v = max(-2.0 * self._law.speed, min(2.0 * self._law.speed, _GAIN * self._missing(ground)))
        if self.doing is Doing.CARRY and self._brought < self._law.distance:
            v -= self._law.speed
        return v, -_LATERAL * v * aside - _TURNING * turned

    def _missing(self, ground: Floats) -> float:
        """Return how far the robot on the ground has to go along the bar [m]."""
        at = float((ground[:2] - self._bar.near[:2]) @ self._bar.along[:2])
        return -self._law.hand - self._brought - at


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive both robots; return the exit code: 0 = the bar is there, or the run has ended."""
    chosen = options.parser("grasp", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, GraspParameters, PARAMETERS)
    return drive("grasp", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, law))


def _make_law(sim: Client, stepper: Stepper, law: GraspParameters) -> Law:
    need_modules(stepper, *NEEDS["grasp"].modules)
    ground, air = _pair(stepper)
    takes = {robot: stepper.layout.types[stepper.layout.robots[robot]].takes for robot in (ground, air)}
    thing = sim.world.get(law.thing)
    bar = bar_of(thing.pose, thing.size, sim.world.get(ground).pose, law.overlap)
    progress, clock, autopilot = Progress(bar, law), Clock(sim), sim.module(f"/{air}/autopilot")

    def decide(seen: Readings) -> Commands | None:
        below, above = seen[ground].pose, seen[air].pose
        at = np.ravel(below.position)
        before = progress.doing
        progress.advance(at, np.ravel(above.position), clock.elapsed(seen.tick))
        if before is Doing.CLOSE and progress.doing is Doing.LIFT:
            autopilot.set_parameter("mass", float(autopilot.parameters["mass"]) + law.load)
        if progress.doing is Doing.DONE:
            sys.stdout.write(f"grasp: {law.thing} brought over {law.distance:g} m, tick {seen.tick}\n")
            return None
        v, w = progress.wheels(at, heading(*np.ravel(below.orientation).tolist()))
        x, y, z = progress.aim.tolist()
        gripper = {"opening": progress.opening}
        flies = {"x": x, "y": y, "z": z, "yaw": bar.heading}
        return {
            ground: takes[ground].filled(1, motors={"v": v, "w": w}, gripper=gripper),
            air: takes[air].filled(1, autopilot=flies, gripper=gripper),
        }

    return decide


def _pair(stepper: Stepper) -> tuple[str, str]:
    """Return the robot that drives and the one that flies.

    Raises:
        BadArgument: There are not one of each.
    """
    modules = {robot: stepper.layout.types[stepper.layout.robots[robot]].takes.modules for robot in stepper.robots}
    drives = [robot for robot, has in modules.items() if "motors" in has]
    flies = [robot for robot, has in modules.items() if "autopilot" in has]
    if (len(drives), len(flies), len(modules)) != (1, 1, 2):
        raise BadArgument("name two robots: one with `motors`, one with an `autopilot`")
    return drives[0], flies[0]


if __name__ == "__main__":
    sys.exit(main())
