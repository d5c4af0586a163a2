"""Compiled functions of the law `formation`, for runs in one process: a study calls them millions of times."""

from typing import Any

import numpy as np

from coopsim.features.laws import formation_law, formation_rules
from coopsim.features.laws.compiling import make_compilable
from coopsim.features.laws.formation_rules import FormationInputs, FormationNumbers, FormationPlan
from coopsim.features.laws.steering_rules import Row, Rows
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled
from coopsim.kernels.sequence import prepared

make_compilable(formation_rules)


class CompiledPlanner:
    """Decides as `formation_law.PlainPlanner` does, bit by bit, by compiled functions.

    Args:
        fixed: What stays the same.
    """

    def __init__(self, fixed: formation_law.FormationConstants) -> None:
        robots, sonars = len(fixed.parents), len(fixed.rays)
        self.escapes: Any = np.array(fixed.escapes, np.float64, order="C")
        self._ranges, self._mates = np.zeros((robots, sonars)), np.zeros((robots, robots, 2))
        self._speeds, self._goal = np.zeros(robots), np.zeros(2)
        self._numbers = np.array([*fixed.numbers, 0.0])
        shapes = ((robots, sonars), (robots,), (robots, 2), (robots,), (robots, 2), (robots, 2))
        self._plan = FormationPlan._make([*map(np.zeros, shapes), self.escapes])
        steady = [np.ascontiguousarray(array) for array in fixed[:3]]
        sensed = self._ranges, self._mates, self._speeds, self._goal
        self._decide = prepared(_decide, (tuple(steady), self._numbers, sensed, tuple(self._plan)))

    def __call__(self, view: formation_law.FormationPerception, dt: float, /) -> FormationPlan:
        """Return what the robots do next."""
        self._ranges[:], self._mates[:] = view.ranges, view.mates
        self._speeds[:], self._goal[:] = view.motion[:, 0], view.goal
        self._numbers[-1] = dt
        self._decide()
        return self._plan


class CompiledMateFinder:
    """Finds teammates as `formation_rules.find_mates` does, bit by bit, by a compiled function."""

    def __init__(self) -> None:
        self._sightings = self._occupants = np.zeros((0, 0))
        self._members = np.zeros(0, np.int64)
        self._seen = np.zeros((0, 0, 2))

    def __call__(self, sightings: Floats, occupants: Floats, members: Ints) -> Floats:
        """Return where each robot sees the others; it counts until the next call."""
        if (sightings.shape, members.shape) != (self._sightings.shape, self._members.shape):
            self._sightings, self._occupants = np.zeros(sightings.shape), np.zeros(occupants.shape)
            self._members, self._seen = np.zeros_like(members), np.zeros((len(sightings), len(sightings), 2))
            self._find = prepared(_find_mates, (self._sightings, self._occupants, self._members, self._seen))
        self._sightings[:], self._occupants[:], self._members[:] = sightings, occupants, members
        self._find()
        return self._seen


@compiled
def _decide(steady: Any, numbers: Row, sensed: Any, plan: Any) -> None:
    n = numbers
    law = FormationNumbers(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12])
    inputs = FormationInputs(steady[0], steady[1], steady[2], law, sensed[0], sensed[1], sensed[2], sensed[3])
    decided = FormationPlan(plan[0], plan[1], plan[2], plan[3], plan[4], plan[5], plan[6])
    formation_rules.decide(inputs, decided, n[13])


@compiled
def _find_mates(sightings: Rows, occupants: Rows, members: list[int], seen: list[Rows]) -> None:
    formation_rules.find_mates(sightings, occupants, members, seen)


RULES = formation_law.FormationRules(CompiledPlanner, CompiledMateFinder)
"""For `FormationLaw` and `FormationObserver`."""
