"""`shadow`: a real robot goes to its place around obstacles that only its shadow in the simulation meets.

python -m coopsim.features.laws.shadow --robots robot1 --real real2 --goals "2 0"

A simulated robot drives as the real one is told to, and is put where that is when it has drifted off; what its sonars
read goes to the controller of the real one.

Source: SwarmSimX, section 3 (simulated obstacle sensors feed the controllers of real robots).
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from coopsim.client import Client, Law, Readings, Robot, Stepper
from coopsim.errors import BadArgument
from coopsim.features.laws import going, options
from coopsim.features.laws.going import are_there, commands, situation
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.potential import PotentialParameters, potential
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, body_of, map_poses, need_modules, one_type, wheel_commands
from coopsim.features.laws.speeds import within_wheels
from coopsim.geometry import Floats, Vector3, wrap
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "A real robot goes to its place around obstacles that stand in the simulation alone."
_LAG, _SLIP = 0.15, 0.03  # s, share of the speed that is lost


@dataclass(frozen=True, slots=True)
class ShadowParameters(PotentialParameters):
    """Parameters of the law `shadow`."""

    real: str = setting("", "1", summary="name of the real robot, with `motors` and `odometry`; nothing = a stand-in")
    drift: float = setting(0.03, "m", 0.0, 1.0, "the shadow is put where the robot is when it is farther off")


PARAMETERS = parameters_of(ShadowParameters)


class RealRobot(Protocol):
    """Interface that the law needs of a robot that is not simulated."""

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
        odometry = self._robot.odometry.pose()
        return float(odometry.x), float(odometry.y), float(odometry.heading)

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive a real robot; return the exit code: 0 = it is there, or the run has ended."""
    chosen = options.parser("shadow", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, ShadowParameters, PARAMETERS)
    return drive("shadow", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, law))


def _make_law(sim: Client, stepper: Stepper, law: ShadowParameters) -> Law:
    need_modules(stepper, *NEEDS["shadow"].modules)
    if len(stepper.robots) != 1:
        raise BadArgument(f"a real robot has one shadow, got {len(stepper.robots)}: name one robot")
    shadow, kind = stepper.robots[0], one_type(stepper, "one robot")
    body, clock = body_of(sim, stepper.robots[0]), Clock(sim)
    x, y, heading = map_poses(sim, [shadow])[0].tolist()
    real: RealRobot = NamedRobot(sim.robot(law.real)) if law.real else StandIn((x, y, heading))
    goals, motion = going.goal_positions(law.goals, np.array([[x, y]])), np.zeros((1, 2))

    def decide(seen: Readings) -> Floats | None:
        nonlocal motion
        pose = real.pose()
        now = situation(np.array([pose]), motion, seen.sonars.ranges, goals, body, law)
        if are_there(now, goals, law.tolerance).all():
            real.drive(0.0, 0.0, 0.0)
            sys.stdout.write(f"shadow: {law.real or 'the stand-in'} is there, tick {seen.tick}\n")
            return None
        v, w = commands(potential(now, law), np.array([pose]), law).T
        motion = within_wheels(v, w, half_track=body.half_track, fastest=body.fastest)
        speed, turn = motion[0].tolist()
        real.drive(speed, turn, clock.elapsed(seen.tick))
        odometry = seen.odometry
        if math.hypot(pose[0] - odometry.x[0], pose[1] - odometry.y[0]) > law.drift:
            _put(sim, shadow, pose)
        return wheel_commands(stepper, kind, motion)

    return decide


def _put(sim: Client, shadow: str, pose: Sequence[float]) -> None:
    """Put a simulated robot where the real one is."""
    x, y, heading = pose
    sim.world.update(shadow, f"position {x:.5f} {y:.5f} 0\norientation 0 0 {math.degrees(heading):.4f}")
    sim.module(f"/{shadow}/odometry").reset(x, y, heading)


if __name__ == "__main__":
    sys.exit(main())
