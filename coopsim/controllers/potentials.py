"""The law of `potential`: down the slope of a potential that is low at the goal and high at whatever is near.

The goal attracts with a bounded force, everything nearer than `influence` repels with one that grows without limit.
Robots may rest where both are equal: a local minimum is a property of the method, not a fault of a run.

Source: Khatib, "Real-time obstacle avoidance for manipulators and mobile robots", International Journal of Robotics
Research 5(1), 1986 (the function of the distance, FIRAS).
"""

from dataclasses import dataclass

import numpy as np

from coopsim.controllers.going import Going, Situation, limited, others
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_NEAREST = 0.02
"""What is nearer to the hull, or touches it, repels as from here [m]."""


@dataclass(frozen=True, slots=True)
class Potential(Going):
    """How steep the potential is."""

    influence: float = setting(0.6, "m", 0.05, 20.0, "distance of the hulls from which on others repel")
    repulsion: float = setting(0.01, "m3/s", 0.0, 100.0, "strength of what repels")


PARAMETERS = parameters_of(Potential)


def potential(at: Situation, law: Potential) -> Floats:
    """Return the velocities of n robots, shape (n, 2) [m/s]."""
    ways, reach = others(at)
    distance = np.linalg.norm(ways, axis=-1)
    gap = np.maximum(distance - reach, _NEAREST)
    is_near = gap < law.influence
    away = (
        np.where(is_near[..., np.newaxis], -ways, 0.0)
        / np.where(is_near, np.maximum(distance, 1e-9), 1.0)[..., np.newaxis]
    )
    push = np.where(is_near, law.repulsion * (1.0 / gap - 1.0 / law.influence) / gap**2, 0.0)
    return limited(at.wanted + (push[..., np.newaxis] * away).sum(axis=1), at.fastest)
