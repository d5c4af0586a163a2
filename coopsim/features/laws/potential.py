"""`potential`: robots go down an artificial potential to places of their own.

python -m coopsim.features.laws.potential --robots robot1 robot2 --goals across

The goal attracts with a bounded force, everything nearer than `influence` repels with one that grows without limit.
Robots may rest where both are equal: a local minimum is a property of the method, not a fault of a run.

Source: Khatib, "Real-time obstacle avoidance for manipulators and mobile robots", International Journal of Robotics
Research 5(1), 1986 (the function of the distance, FIRAS).
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.features.laws.going import GoalParameters, Situation, limited, others, run
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Robots go down an artificial potential to places of their own."
_NEAREST = 0.02
"""What is nearer to the hull, or touches it, repels as from here [m]."""


@dataclass(frozen=True, slots=True)
class PotentialParameters(GoalParameters):
    """Parameters of the law `potential`."""

    influence: float = setting(0.6, "m", 0.05, 20.0, "distance of the hulls from which on others repel")
    repulsion: float = setting(0.01, "m3/s", 0.0, 100.0, "strength of what repels")


PARAMETERS = parameters_of(PotentialParameters)


def potential(at: Situation, law: PotentialParameters) -> Floats:
    """Return the velocities of n robots, shape (n, 2) [m/s].

    Args:
        at: What they know.
        law: The parameters.
    """
    near = others(at, law.influence)
    distance = np.linalg.norm(near.ways, axis=-1)
    # hulls that touch would repel without limit
    gap = np.maximum(distance - near.reach, _NEAREST)
    away = -near.ways / np.maximum(distance, 1e-9)[:, np.newaxis]
    # FIRAS: the gradient of 1/2 k (1/gap - 1/influence)^2
    push = np.where(gap < law.influence, law.repulsion * (1.0 / gap - 1.0 / law.influence) / gap**2, 0.0)
    return limited(at.wanted + near.sums(push[:, np.newaxis] * away), at.fastest)


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended."""
    return run("potential", _SUMMARY, PotentialParameters, PARAMETERS, potential, arguments)


if __name__ == "__main__":
    sys.exit(main())
