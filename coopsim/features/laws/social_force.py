"""`social_force`: robots go to places of their own, pushed by forces of others and of walls.

python -m coopsim.features.laws.social_force --robots robot1 robot2 --goals across

Each is pulled towards the velocity it wants, within a relaxation time, and pushed by everybody else with a force
that falls exponentially with the distance of the hulls; what lies behind counts less.

Source: Helbing, Molnar, "Social force model for pedestrian dynamics", Physical Review E 51, 1995; the form of the
forces follows Helbing, Farkas, Vicsek, "Simulating dynamical features of escape panic", Nature 407, 2000.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.features.laws.going import GoalParameters, Situation, limited, others, run
from coopsim.geometry import Floats
from coopsim.interfaces import parameters_of, setting

_SUMMARY = "Robots go to places of their own, pushed by forces of others and of walls."
_FELT = 30.0
"""Decays beyond that of a touch at which a push of many is no longer felt: it has fallen to 1e-13."""
_LARGEST = 20.0
"""No force per mass is larger [m/s2]."""


@dataclass(frozen=True, slots=True)
class SocialForceParameters(GoalParameters):
    """Parameters of the law `social_force`."""

    relaxation: float = setting(0.5, "s", 0.01, 10.0, "time in which the wanted velocity is taken up")
    repulsion: float = setting(1.0, "m/s2", 0.0, 100.0, "push of one that touches, per mass")
    decay: float = setting(0.1, "m", 0.01, 10.0, "distance at which a push has fallen to 1/e")
    behind: float = setting(1.0, "1", 0.0, 1.0, "weight of what lies straight behind, 1 = as much as ahead")


PARAMETERS = parameters_of(SocialForceParameters)


def social_force(at: Situation, law: SocialForceParameters) -> Floats:
    """Return the velocities of n robots after one relaxation time under the forces of now, shape (n, 2) [m/s]."""
    near = others(at, _FELT * law.decay)
    distance = np.linalg.norm(near.ways, axis=-1)
    away = -near.ways / np.maximum(distance, 1e-9)[:, np.newaxis]
    heading = at.wanted / np.maximum(np.linalg.norm(at.wanted, axis=1, keepdims=True), 1e-9)
    ahead = -(away * heading[near.whose]).sum(axis=-1)
    weight = law.behind + (1.0 - law.behind) * 0.5 * (1.0 + ahead)
    push = np.minimum(law.repulsion * np.exp((near.reach - distance) / law.decay), _LARGEST) * weight
    force = near.sums(push[:, np.newaxis] * away)
    return limited(at.wanted + law.relaxation * force, at.fastest)


def main(arguments: Sequence[str] | None = None) -> int:
    """Drive robots to their places; return the exit code: 0 = they are there, or the run has ended."""
    return run("social_force", _SUMMARY, SocialForceParameters, PARAMETERS, social_force, arguments)


if __name__ == "__main__":
    sys.exit(main())
