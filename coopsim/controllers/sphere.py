"""`sphere`: quadrotors keep places on a sphere.

python -m coopsim.controllers.sphere --robots q1 q2 q3 --z 5 --radius 3.5
"""

import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Readings, Stepper
from coopsim.controllers import options
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, need_modules, one_type
from coopsim.controllers.surrounding import PARAMETERS, Surrounding, shared_out, spread, turned_places
from coopsim.controllers.tuned import Tuned
from coopsim.geometry import Floats

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "Quadrotors keep places on a sphere, which may turn; nobody comes near another one."


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive quadrotors until the run ends; return the exit code."""
    chosen = options.parser("sphere", _SUMMARY, PARAMETERS).parse_args(arguments)
    tuned = Tuned("sphere", options.chosen(chosen, Surrounding, PARAMETERS), PARAMETERS)
    return drive("sphere", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, tuned))


def _begin(sim: Client, stepper: Stepper, tuned: Tuned[Surrounding]) -> Law:
    need_modules(stepper, "potentials", "pose")
    kind = one_type(stepper, "quadrotors that surround the same sphere must be of one type")
    tuned.offer(sim, stepper.robots)
    takes, clock, law = stepper.layout.types[kind].takes, Clock(sim), tuned.at(0)
    begins = np.array([sim.world.get(robot).pose[:3] for robot in stepper.robots])
    points = spread(len(begins))
    points = points[shared_out(points, (begins - (law.x, law.y, law.z)) / law.radius)]
    seconds, were_there = 0.0, False

    def decide(seen: Readings) -> Floats:
        nonlocal seconds, were_there
        law = tuned.at(seen.tick)
        seconds += clock.elapsed(seen.tick)
        wanted = turned_places(points, law, seconds)
        away = np.linalg.norm(seen.pose.position - wanted, axis=1)
        if not were_there and (away <= law.tolerance).all():
            were_there = True
            sys.stdout.write(f"sphere: {len(away)} at their places, tick {seen.tick}\n")
        return takes.filled(len(wanted), potentials=dict(zip("xyz", wanted.T, strict=True)))

    return decide


if __name__ == "__main__":
    sys.exit(main())
