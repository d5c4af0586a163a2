"""Who marches where in a formation: who leads, who has left, who has come."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from coopsim.controllers.marching import Marching
from coopsim.controllers.shapes import CUSTOM, Shape, remaining, shape
from coopsim.geometry import Floats

CLOSE, KEEP = "close", "keep"
GAPS = (CLOSE, KEEP)


class Formed(NamedTuple):
    """Robots in their order of march.

    Attributes:
        robots: Their names; the first leads.
        shape: Their places, in the same order.
    """

    robots: tuple[str, ...]
    shape: Shape


def formed(law: Marching, team: Sequence[str], robots: Sequence[str]) -> Formed:
    """Return the formation of those robots of a team that are there.

    Args:
        law: The parameters.
        team: All that there ever were, in their order.
        robots: Those that are there.
    """
    order = [team[place] for place in marching_order(len(team), law.leader)]
    there = [place for place, robot in enumerate(order) if robot in robots]
    marching = tuple(order[place] for place in there)
    if law.gaps == CLOSE and law.shape != CUSTOM:
        return Formed(marching, shape(law.shape, len(marching), law.spacing))
    return Formed(marching, remaining(shape(law.shape, len(team), law.spacing, law.offsets), there))


def marching_order(robots: int, leader: int) -> list[int]:
    """Return the places of robots in their own order as they march: that of the leader, then the others.

    Args:
        robots: How many there are.
        leader: Which of them leads, 1 = the first; if there are not so many, the first one does.
    """
    first = leader - 1 if leader <= robots else 0
    return [first, *(place for place in range(robots) if place != first)]


def places(robots: int, settings: Mapping[str, str]) -> Floats:
    """Return the places that the law's robots keep, in any common frame, shape (n, 2) [m]; studies measure by them.

    Args:
        robots: How many there are.
        settings: Keys of its `[CONTROLLER_n]` section.
    """
    law = Marching()
    name, offsets = settings.get("shape", law.shape), settings.get("offsets", law.offsets)
    kept = shape(name, robots, float(settings.get("spacing", law.spacing)), offsets).places
    leader = int(float(settings.get("leader", law.leader)))
    found: Floats = kept[np.argsort(marching_order(robots, leader))]
    return found
