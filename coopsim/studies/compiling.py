"""Compiles the law of `formation` for runs in this process: a study asks it millions of times."""

import numba
import numpy as np

from coopsim.controllers import marching, marching_rules
from coopsim.controllers.marching_rows import MarchKnowledge, MarchPlan, Rows
from coopsim.kernels import compiled

for _each in list(vars(marching_rules).values()):
    if getattr(_each, "__module__", "") == marching_rules.__name__ and hasattr(_each, "__code__"):
        numba.extending.register_jitable(error_model="numpy")(_each)


@compiled
def _decide(known: MarchKnowledge, plan: MarchPlan, dt: float) -> None:
    marching_rules.decide(known, plan, dt)


@compiled
def _find_mates(sightings: Rows, occupants: Rows, members: list[int], mates: list[Rows]) -> None:
    marching_rules.find_mates(sightings, occupants, members, mates)


RULES = marching.Rules(_decide, _find_mates, np.ascontiguousarray)
"""For `marching.use`."""
