"""`cruise`: robots drive on at a constant speed and rate of turn, whatever is in their way.

python -m coopsim.features.laws.cruise --robots robot1 --v 0.3 --seconds 6
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.features.laws import options
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, need_modules, one_type, wheel_commands
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Robots drive on at a constant speed and rate of turn, whatever is in their way."


@dataclass(frozen=True, slots=True)
class Cruising:
    """Parameters of cruising."""

    v: float = setting(0.3, "m/s", -10.0, 10.0, "speed")
    w: float = setting(0.0, "rad/s", -10.0, 10.0, "rate of turn")
    seconds: float = setting(0.0, "s", 0.0, 1e6, "how long, 0 = until the run ends")


PARAMETERS = parameters_of(Cruising)


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots on; return the exit code: 0 = the time is over, or the run has ended."""
    chosen = options.parser("cruise", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Cruising, PARAMETERS)
    return drive("cruise", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, law))


def _make_law(sim: Client, stepper: Stepper, law: Cruising) -> Law:
    need_modules(stepper, *NEEDS["cruise"].modules)
    kind = one_type(stepper, "to cruise, robots must be of one type; give the others a controller of their own")
    clock, driven = Clock(sim), 0.0
    commands = wheel_commands(stepper, kind, np.tile((law.v, law.w), (len(stepper.robots), 1)))

    def decide(seen: Readings) -> Floats | None:
        nonlocal driven
        driven += clock.elapsed(seen.tick)
        return None if 0.0 < law.seconds <= driven else commands

    return decide


if __name__ == "__main__":
    sys.exit(main())
