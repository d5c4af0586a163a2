"""`transport_helper`: helpers of teams carry their end of a load after their leaders, by what the support tells them.

python -m coopsim.controllers.transport_helper --robots team1/helper
"""

import sys
from collections.abc import Sequence
from functools import partial

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import escaping, options
from coopsim.controllers.carrying import CarryingEyes
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, body_of, need_modules, one_type, wheel_commands
from coopsim.controllers.transporting import HELPING, Helping, help_carry, rules_for, tunable
from coopsim.controllers.tuned import Tuned
from coopsim.geometry import Floats

PARAMETERS = HELPING
__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Helpers of teams carry their end of a load after their leaders."


def main(arguments: Sequence[str] | None = None) -> int:
    """Help to carry; return the exit code: 0 = all have come to rest, or the run has ended."""
    chosen = options.parser("transport_helper", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Helping, PARAMETERS)
    tuned = Tuned("transport_helper", law, tunable(PARAMETERS), every=100)
    name, begin = "transport_helper", partial(_begin, tuned=tuned)
    return drive(name, chosen.robots, chosen.endpoint, begin, law.rate)


def _begin(sim: Client, stepper: Stepper, tuned: Tuned[Helping]) -> Law:
    need_modules(stepper, "motors", "sonars", "target", "support")
    kind = one_type(stepper, "helpers must be of one type; give the others a controller of their own")
    tuned.offer(sim, stepper.robots)
    clock, body, eyes = Clock(sim), body_of(sim, stepper.robots[0]), CarryingEyes(sim, stepper)
    rules = rules_for(len(stepper.robots))
    u, still, has_moved = np.zeros(len(stepper.robots)), 0.0, False

    def decide(seen: Readings) -> Floats | None:
        nonlocal u, still, has_moved
        dt, view, law = clock.elapsed(seen.tick), eyes.view(seen), tuned.at(seen.tick)
        commands, u = help_carry(view, u, body=body, law=law, dt=dt, rules=rules)
        moves = bool((np.abs(view.motion[:, 0]) > escaping.STILL).any())
        has_moved, still = has_moved or moves, 0.0 if moves else still + dt
        return None if has_moved and still > law.rest else wheel_commands(stepper, kind, commands)

    return decide


if __name__ == "__main__":
    sys.exit(main())
