"""`teleoperate`: a person leads quadrotors by a joystick, and is told the force that it should give back.

python -m coopsim.features.laws.teleoperate --robots q1 q2 q3 --joystick /operator/joystick

The stick commands a velocity of the whole group. The force back is that of a spring and a damper between where the
group should be and where it is: next to nothing in free flight, and large where obstacles keep the robots from it.

Source: SwarmSimX, section 4 (bilateral teleoperation of groups of aerial robots); the method follows Franchi, Secchi,
Son, Buelthoff, Robuffo Giordano, "Bilateral teleoperation of groups of mobile robots with time-varying topology"
(2012).
"""

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.client import Client, Law, Module, Readings, Stepper
from coopsim.errors import CoopsimError, SimulationEnded
from coopsim.features.laws import options
from coopsim.features.laws.needs import NEEDS
from coopsim.features.laws.process import drive
from coopsim.features.laws.senses import Clock, need_modules, one_type
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "A person leads quadrotors by a joystick, and is told the force that it should give back."
_ASK_AGAIN = 25  # calls; a stick may be plugged in while the law runs


@dataclass(frozen=True, slots=True)
class TeleoperateParameters:
    """Parameters of the law `teleoperate`."""

    joystick: str = setting("/operator/joystick", "1", summary="module with `x`, `y`, `z` of the stick, -1 to 1")
    force: str = setting("/operator/force", "1", summary="name of the module that tells `x`, `y`, `z` of the force [N]")
    speed: float = setting(0.8, "m/s", 0.01, 10.0, "of the group where the stick is at its end")
    height: float = setting(1.5, "m", 0.1, 1e3, "to which a group on the floor climbs first")
    lead: float = setting(1.6, "s", 0.0, 20.0, "time by which places run ahead, so that robots keep up")
    leash: float = setting(1.0, "m", 0.05, 10.0, "farther than this the group's place does not run away from it")
    stiffness: float = setting(6.0, "N/m", 0.0, 1e3, "force per distance between group and place")
    damping: float = setting(1.0, "N s/m", 0.0, 1e3, "force per difference of commanded and true velocity")
    max_force: float = setting(8.0, "N", 0.0, 1e3, "largest force of the stick")
    patience: float = setting(0.5, "s", 0.01, 60.0, "a stick that was silent for so long counts as let go")


PARAMETERS = parameters_of(TeleoperateParameters)


class Group:
    """Robots that keep their places around a middle, which a stick moves.

    Args:
        positions: Where they are, shape (n, 3) [m].
        law: How.
    """

    def __init__(self, positions: Floats, law: TeleoperateParameters) -> None:
        self._law = law
        self._middle: Floats = positions.mean(axis=0)
        self._offsets = positions - self._middle
        self._middle[2] = max(self._middle[2], law.height)

    def advance(self, stick: Floats, positions: Floats, velocities: Floats, dt: float) -> tuple[Floats, Floats]:
        """Return the places of the robots [m], shape (n, 3), and the force that the stick is told [N], shape (3,).

        Args:
            stick: x, y, z, each -1 to 1; what is no number counts as let go.
            positions: Where the robots are, shape (n, 3) [m].
            velocities: How fast they move, shape (n, 3) [m/s].
            dt: Time since the last call [s].
        """
        law = self._law
        wanted = law.speed * _limited(np.nan_to_num(stick, nan=0.0, posinf=0.0, neginf=0.0), 1.0)
        center = (positions - self._offsets).mean(axis=0)
        ahead = _lengthened(self._middle - center, wanted * dt, law.leash)
        self._middle = center + ahead
        force = -law.stiffness * ahead - law.damping * (wanted - velocities.mean(axis=0))
        return self._middle + law.lead * wanted + self._offsets, _limited(force, law.max_force)


def _lengthened(vector: Floats, more: Floats, most: float) -> Floats:
    """Return `vector` and as much of `more` as keeps it within a length, or from growing where it is longer already."""
    longest = max(most, float(np.linalg.norm(vector)))
    a, b, c = float(more @ more), float(vector @ more), float(vector @ vector) - longest**2
    if a == 0.0 or a + 2.0 * b + c <= 0.0:
        return vector + more
    share = (-b + math.sqrt(max(b * b - a * c, 0.0))) / a
    lengthened: Floats = vector + share * more
    return lengthened


def _limited(vector: Floats, most: float) -> Floats:
    """Return a vector, a longer one as long as may be."""
    size = float(np.linalg.norm(vector))
    limited: Floats = vector * (most / size) if size > most else vector
    return limited


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive quadrotors until the run ends; return the exit code."""
    chosen = options.parser("teleoperate", _SUMMARY, PARAMETERS).parse_args(arguments)
    law = options.chosen(chosen, TeleoperateParameters, PARAMETERS)
    return drive("teleoperate", chosen.robots, chosen.endpoint, lambda sim, stepper: _make_law(sim, stepper, law))


class Stick:
    """A joystick's module; as long as nobody offers it, or nobody writes, the stick counts as let go.

    Args:
        sim: Where it is.
        law: How it is called, and how long it may be silent.
    """

    def __init__(self, sim: Client, law: TeleoperateParameters) -> None:
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


def _make_law(sim: Client, stepper: Stepper, law: TeleoperateParameters) -> Law:
    need_modules(stepper, *NEEDS["teleoperate"].modules)
    takes = stepper.layout.types[one_type(stepper, "quadrotors of one group must be of one type")].takes
    positions = np.array([sim.world.get(robot).pose[:3] for robot in stepper.robots])
    group, clock, stick = Group(positions, law), Clock(sim), Stick(sim, law)
    force_module = sim.offer(law.force, dict.fromkeys("xyz", "N"), summary="force that the joystick should give")

    def decide(seen: Readings) -> Floats:
        elapsed = clock.elapsed(seen.tick)
        places, force = group.advance(stick.read(), seen.pose.position, seen.pose.velocity, elapsed)
        force_module.write(*force.tolist())
        return takes.filled(len(places), potentials=dict(zip("xyz", places.T, strict=True)))

    return decide


if __name__ == "__main__":
    sys.exit(main())
