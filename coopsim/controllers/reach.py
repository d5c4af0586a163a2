"""`reach`: arms bring their tools to one place after the other, and open or close their grippers there.

python -m coopsim.controllers.reach --robots arm --points "0.4,0,0.3,open;0.4,0,0.05,open;0.4,0,0.05,close"
"""

import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import options
from coopsim.controllers.arm_kinematics import ArmKinematics
from coopsim.controllers.process import drive
from coopsim.controllers.reaching import PARAMETERS, Reaching, Way, postures
from coopsim.controllers.senses import Clock, need_modules, one_type
from coopsim.geometry import Floats
from coopsim.interfaces.chain_text import Chain

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Arms bring their tools to one place after the other, and open or close their grippers there."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive arms; return the exit code: 0 = they are at the last place, or the run has ended."""
    chosen = options.parser("reach", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Reaching, PARAMETERS)
    return drive("reach", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, law))


def _begin(sim: Client, stepper: Stepper, law: Reaching) -> Law:
    need_modules(stepper, "joints", "gripper", "pose")
    kind = one_type(stepper, "arms that go the same way must be of one type")
    chain = Chain.from_text(str(sim.module(f"/{stepper.robots[0]}/pose").parameters["chain"]))
    way = postures(ArmKinematics(chain), law, np.zeros(len(chain.joints)))
    clock, takes = Clock(sim), stepper.layout.types[kind].takes
    progress = Way(way, len(stepper.robots), law)

    def decide(seen: Readings) -> Floats | None:
        progress.advance(seen.joints.positions, clock.elapsed(seen.tick))
        if progress.is_done:
            sys.stdout.write(f"reach: {len(stepper.robots)} at the last of {len(way)} places, tick {seen.tick}\n")
            return None
        positions, openings = progress.commands()
        joints = {f"q{k + 1}": column for k, column in enumerate(positions.T)}
        return takes.filled(len(openings), joints=joints, gripper={"opening": openings})

    return decide


if __name__ == "__main__":
    sys.exit(main())
