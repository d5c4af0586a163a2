"""`wander`: robots drive about without touching anything, each on its own.

python -m coopsim.controllers.wander --robots robot1 robot2
"""

import sys
from collections.abc import Sequence

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import escaping, options
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, body_of, need_modules, wheel_commands
from coopsim.controllers.wandering import PARAMETERS, Wandering, wander
from coopsim.geometry import Floats

__all__ = ["PARAMETERS", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots about until the run ends; return the exit code."""
    chosen = options.parser("wander", "Robots drive about without touching anything.", PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Wandering, PARAMETERS)
    return drive("wander", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, law))


def _begin(sim: Client, stepper: Stepper, law: Wandering) -> Law:
    need_modules(stepper, "motors", "sonars")
    clock = Clock(sim)
    makes = {kind: body_of(sim, stepper.readings.of(kind).robots[0]) for kind in stepper.readings.types}
    states = {kind: escaping.calm(len(stepper.readings.of(kind).robots)) for kind in makes}

    def decide(seen: Readings) -> dict[str, Floats]:
        dt = clock.elapsed(seen.tick)
        commands: dict[str, Floats] = {}
        for kind, body in makes.items():
            rows = seen.of(kind)
            given, states[kind] = wander(
                rows.sonars.ranges,
                rows.motors.v,
                time=clock.time,
                dt=dt,
                body=body,
                law=law,
                escapes=states[kind],
            )
            commands.update(zip(rows.robots, wheel_commands(stepper, kind, given), strict=True))
        return commands

    return decide


if __name__ == "__main__":
    sys.exit(main())
