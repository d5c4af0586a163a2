"""`transport_leader`: leaders of teams drive their end of a load to a coloured target, past obstacles.

python -m coopsim.controllers.transport_leader --robots team1/leader --target magenta
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
from coopsim.controllers.transporting import LEADING, Leading, lead, rules_for, tunable
from coopsim.controllers.tuned import Tuned
from coopsim.geometry import Floats

PARAMETERS = LEADING
__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Leaders of teams drive their end of a load to a coloured target."
_AT_REST = 0.02


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive leaders to their target; return the exit code: 0 = they are there, or the run has ended."""
    chosen = options.parser("transport_leader", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Leading, PARAMETERS)
    tuned = Tuned("transport_leader", law, tunable(PARAMETERS), every=100)
    name, begin = "transport_leader", partial(_begin, tuned=tuned)
    return drive(name, chosen.robots, chosen.endpoint, begin, law.rate)


def _begin(sim: Client, stepper: Stepper, tuned: Tuned[Leading]) -> Law:
    need_modules(stepper, "motors", "sonars", "target", "support")
    kind = one_type(stepper, "leaders must be of one type; give the others a controller of their own")
    tuned.offer(sim, stepper.robots)
    clock, body, eyes = Clock(sim), body_of(sim, stepper.robots[0]), CarryingEyes(sim, stepper, tuned.at(0).target)
    rules = rules_for(len(stepper.robots))
    v, escapes, waited = np.zeros(len(stepper.robots)), escaping.calm(len(stepper.robots)), 0.0

    def decide(seen: Readings) -> Floats | None:
        nonlocal v, escapes, waited
        dt, view, law = clock.elapsed(seen.tick), eyes.view(seen), tuned.at(seen.tick)
        waited += dt
        if waited < law.wait:
            return wheel_commands(stepper, kind, np.zeros((len(v), 2)))
        commands, v, escapes = lead(view, v, body=body, law=law, escapes=escapes, dt=dt, rules=rules)
        is_there = view.goal[:, 0] <= law.tolerance
        if is_there.all() and (np.abs(view.motion[:, 0]) < _AT_REST).all():
            names, farthest = ", ".join(stepper.robots), view.goal[:, 0].max()
            sys.stdout.write(f"{names} at {law.target}: {farthest:.2f} m from it, tick {seen.tick}\n")
            return None
        return wheel_commands(stepper, kind, commands)

    return decide


if __name__ == "__main__":
    sys.exit(main())
