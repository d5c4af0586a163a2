"""Compiles the law of `formation` for runs in this process: a study asks it millions of times."""

import numpy as np

from coopsim.controllers import marching, marching_rules
from coopsim.controllers.compiling import make_compilable
from coopsim.controllers.marching_rows import MarchKnowledge, MarchPlan
from coopsim.controllers.steering_rules import Rows
from coopsim.kernels import compiled

make_compilable(marching_rules)


@compiled
def _decide(known: MarchKnowledge, plan: MarchPlan, dt: float) -> None:
    marching_rules.decide(known, plan, dt)


@compiled
def _find_mates(sightings: Rows, occupants: Rows, members: list[int], mates: list[Rows]) -> None:
    marching_rules.find_mates(sightings, occupants, members, mates)


RULES = marching.Rules(_decide, _find_mates, np.ascontiguousarray, np.zeros)
"""For `marching.use`."""
