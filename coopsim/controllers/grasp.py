"""`grasp`: a robot on the ground and a quadrotor take a bar at its ends, lift it and bring it away.

python -m coopsim.controllers.grasp --robots ground air --thing bar --distance 2
"""

import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.client.team import Commands
from coopsim.controllers import options
from coopsim.controllers.grasping import PARAMETERS, Doing, Grasping, Progress, bar_of
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, need_modules
from coopsim.errors import BadArgument
from coopsim.geometry import heading

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "A robot on the ground and a quadrotor take a bar at its ends, lift it and bring it away."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive both robots; return the exit code: 0 = the bar is there, or the run has ended."""
    chosen = options.parser("grasp", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Grasping, PARAMETERS)
    return drive("grasp", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, law))


def _begin(sim: Client, stepper: Stepper, law: Grasping) -> Law:
    need_modules(stepper, "gripper", "pose")
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
    modules = {it: stepper.layout.types[stepper.layout.robots[it]].takes.modules for it in stepper.robots}
    drives = [robot for robot, has in modules.items() if "motors" in has]
    flies = [robot for robot, has in modules.items() if "autopilot" in has]
    if (len(drives), len(flies), len(modules)) != (1, 1, 2):
        raise BadArgument("name two robots: one with `motors`, one with an `autopilot`")
    return drives[0], flies[0]


if __name__ == "__main__":
    sys.exit(main())
