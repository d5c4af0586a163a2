"""`shadow`: a real robot goes to its place around obstacles that only its shadow in the simulation meets.

python -m coopsim.controllers.shadow --robots robot1 --real real2 --goals "2 0"
"""

import math
import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import going, options
from coopsim.controllers.going import are_there, commands, situation
from coopsim.controllers.potentials import potential
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, body_of, map_poses, need_modules, one_type, wheel_commands
from coopsim.controllers.shadowing import PARAMETERS, NamedRobot, RealRobot, Shadowing, StandIn
from coopsim.controllers.speeds import within_wheels
from coopsim.errors import BadArgument
from coopsim.geometry import Floats

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "A real robot goes to its place around obstacles that stand in the simulation alone."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive a real robot; return the exit code: 0 = it is there, or the run has ended."""
    chosen = options.parser("shadow", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Shadowing, PARAMETERS)
    return drive("shadow", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, law))


def _begin(sim: Client, stepper: Stepper, law: Shadowing) -> Law:
    need_modules(stepper, "motors", "sonars", "odometry")
    if len(stepper.robots) != 1:
        raise BadArgument(f"a real robot has one shadow, got {len(stepper.robots)}: name one robot")
    shadow, kind = stepper.robots[0], one_type(stepper, "one robot")
    body, clock = body_of(sim, stepper.robots[0]), Clock(sim)
    x, y, heading = map_poses(sim, [shadow])[0].tolist()
    real: RealRobot = NamedRobot(sim.robot(law.real)) if law.real else StandIn((x, y, heading))
    goals, motion = going.places(law.goals, np.array([[x, y]])), np.zeros((1, 2))

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
