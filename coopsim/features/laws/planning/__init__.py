"""Planning: grids of what is in the way, paths, formations, who takes which place. Pure functions on arrays.

Needs the extra `games`: the assignment is of scipy.  Source: swarm gaming, section 4.
"""

from coopsim.features.laws.planning.assignment import assign
from coopsim.features.laws.planning.formations import FORMATIONS, offsets, printed_offsets, turned_offsets
from coopsim.features.laws.planning.grid import DiscLayer, PlanningGrid, rectangle
from coopsim.features.laws.planning.paths import find_path, is_clear, replanned, sees_all, turn_points
from coopsim.features.laws.planning.squads import SquadRoute, plan_squad

__all__ = [
    "FORMATIONS",
    "DiscLayer",
    "PlanningGrid",
    "SquadRoute",
    "assign",
    "find_path",
    "is_clear",
    "offsets",
    "plan_squad",
    "printed_offsets",
    "rectangle",
    "replanned",
    "sees_all",
    "turn_points",
    "turned_offsets",
]
