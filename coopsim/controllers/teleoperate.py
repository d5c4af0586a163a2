"""`teleoperate`: a person leads quadrotors by a joystick, and is told the force that it should give back.

python -m coopsim.controllers.teleoperate --robots q1 q2 q3 --joystick /operator/joystick
"""

import sys
from collections.abc import Sequence

import numpy as np

from coopsim.client import Client, Law, Module, Readings, Stepper
from coopsim.controllers import options
from coopsim.controllers.process import drive
from coopsim.controllers.senses import Clock, need_modules, one_type
from coopsim.controllers.teleoperating import PARAMETERS, Group, Teleoperating
from coopsim.errors import CoopsimError, SimulationEnded
from coopsim.geometry import Floats

__all__ = ["PARAMETERS", "main"]

_SUMMARY = "A person leads quadrotors by a joystick, and is told the force that it should give back."
_ASK_AGAIN = 25


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive quadrotors until the run ends; return the exit code."""
    chosen = options.parser("teleoperate", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, Teleoperating, PARAMETERS)
    return drive("teleoperate", chosen.robots, chosen.endpoint, lambda sim, stepper: _begin(sim, stepper, law))


class Stick:
    """A joystick's module; as long as nobody offers it, or nobody writes, the stick counts as let go.

    Args:
        sim: Where it is.
        law: How it is called, and how long it may be silent.
    """

    def __init__(self, sim: Client, law: Teleoperating) -> None:
        self._sim, self._law = sim, law
        self._module: Module | None = None
        self._waits = 0

    def read(self) -> Floats:
        """Return x, y, z."""
        if self._waits > 0:
            self._waits -= 1
            return np.zeros(3)
        try:
            self._module = self._module or self._sim.module(self._law.joystick)
            said = self._module.read()
        except SimulationEnded:
            raise
        except CoopsimError:  # nobody offers it now
            self._module, self._waits = None, _ASK_AGAIN
            return np.zeros(3)
        is_held = said.count > 0.0 and said.age <= self._law.patience
        return np.array([said.x, said.y, said.z]) if is_held else np.zeros(3)


def _begin(sim: Client, stepper: Stepper, law: Teleoperating) -> Law:
    need_modules(stepper, "potentials", "pose")
    takes = stepper.layout.types[one_type(stepper, "quadrotors of one group must be of one type")].takes
    positions = np.array([sim.world.get(robot).pose[:3] for robot in stepper.robots])
    group, clock, stick = Group(positions, law), Clock(sim), Stick(sim, law)
    told = sim.offer(law.force, dict.fromkeys("xyz", "N"), summary="force that the joystick should give")

    def decide(seen: Readings) -> Floats:
        elapsed = clock.elapsed(seen.tick)
        places, force = group.advance(stick.read(), seen.pose.position, seen.pose.velocity, elapsed)
        told.write(*force.tolist())
        return takes.filled(len(places), potentials=dict(zip("xyz", places.T, strict=True)))

    return decide


if __name__ == "__main__":
    sys.exit(main())
