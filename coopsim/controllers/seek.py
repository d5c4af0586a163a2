"""`seek`: robots wander until they see a coloured target, drive to it, and wait there for the others.

python -m coopsim.controllers.seek --robots robot1 robot2 --target red
"""

import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import escaping, options
from coopsim.controllers.process import drive
from coopsim.controllers.seeking import PARAMETERS, Seeking, seek
from coopsim.controllers.senses import Clock, body_of, need_modules, one_type, target_slot, wheel_commands
from coopsim.geometry import Floats

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Robots wander until they see a coloured target, drive to it, and wait there for the others."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their target; return the exit code: 0 = they are there, or the run has ended."""
    chosen = options.parser("seek", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Seeking, PARAMETERS)
    return drive("seek", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, law))


def _begin(sim: Client, stepper: Stepper, law: Seeking) -> Law:
    need_modules(stepper, "motors", "sonars", "target")
    kind = one_type(stepper, "a search needs robots of one type")
    clock, body, count = Clock(sim), body_of(sim, stepper.robots[0]), len(stepper.robots)
    generation, slot = stepper.layout.generation, target_slot(sim, stepper.robots[0], law.target)
    escapes, wanted = escaping.calm(count), min(law.finders or count, count)
    before = np.zeros(count, np.bool_)

    def decide(seen: Readings) -> Floats | None:
        nonlocal escapes, before, generation, slot
        if stepper.layout.generation != generation:
            generation, slot = stepper.layout.generation, target_slot(sim, stepper.robots[0], law.target)
        dt, goals = clock.elapsed(seen.tick), seen.target.table("targets")[:, slot]
        ranges, speeds, time = seen.sonars.ranges, seen.motors.v, clock.time
        search, escapes = seek(ranges, speeds, goals, time=time, dt=dt, body=body, law=law, escapes=escapes)
        for robot in np.flatnonzero(search.is_there & ~before):
            sys.stdout.write(f"{stepper.robots[robot]} is at {law.target}, tick {seen.tick}\n")
        before = before | search.is_there
        if search.is_there.sum() >= wanted:
            return None
        return wheel_commands(stepper, kind, search.commands)

    return decide


if __name__ == "__main__":
    sys.exit(main())
