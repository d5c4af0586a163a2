"""The law of `teleoperate`: a person leads a group of flying robots by a stick, and feels what holds them up.

The stick commands a velocity of the whole group. The force back is that of a spring and a damper between where the
group should be and where it is: next to nothing in free flight, and large where obstacles keep the robots from it.

Source: SwarmSimX, section 4 (bilateral teleoperation of groups of aerial robots); the method follows Franchi, Secchi,
Son, Buelthoff, Robuffo Giordano, "Bilateral teleoperation of groups of mobile robots with time-varying topology"
(2012).
"""

import math
from dataclasses import dataclass

import numpy as np

from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting


@dataclass(frozen=True, slots=True)
class Teleoperating:
    """What the stick means, and what it is told."""

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


PARAMETERS = parameters_of(Teleoperating)


class Group:
    """Robots that keep their places around a middle, which a stick moves.

    Args:
        positions: Where they are, shape (n, 3) [m].
        law: How.
    """

    def __init__(self, positions: Floats, law: Teleoperating) -> None:
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
        there = (positions - self._offsets).mean(axis=0)
        ahead = _lengthened(self._middle - there, wanted * dt, law.leash)
        self._middle = there + ahead
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
