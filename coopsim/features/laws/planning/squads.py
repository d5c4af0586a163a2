"""The way of a whole squad: one path for its middle, a place in the formation for each robot, and their points.

Source: swarm gaming, section 4.3. The paper plans one path to the central point, and also speaks of a path of each
robot; here the squad's middle has the path, and each robot follows it at its place, nearer to it where it is narrow.
"""

import math
from dataclasses import dataclass

import numpy as np

from coopsim.features.laws.planning.assignment import assign
from coopsim.features.laws.planning.formations import offsets, turned_offsets
from coopsim.features.laws.planning.grid import PlanningGrid
from coopsim.features.laws.planning.paths import Point, find_path, is_clear, replanned, turn_points
from coopsim.features.laws.planning.spacing import are_apart, move_apart
from coopsim.geometry import Floats, Ints

_NEAREST = 0.7
"""Share of the spacing that robots keep at the end where there is no room for the formation."""
_SQUEEZES = (1.0, 0.5, 0.25, 0.0)
"""How much of its place a robot keeps where the full one is blocked."""


@dataclass(frozen=True)
class SquadRoute:
    """Route of a squad to its goal.

    Attributes:
        path: Of the squad's middle, cell by cell, shape (m, 2) [m].
        turns: Points of the squad's middle, shape (k, 2) [m].
        places: Place in the formation of each robot, shape (n,).
        points: Points of each robot, shape (n, k, 2) [m].
    """

    path: Floats
    turns: Floats
    places: Ints
    points: Floats

    @property
    def length(self) -> float:
        """Way of the squad's middle from its first turn on [m]."""
        return float(np.hypot(*np.diff(self.turns, axis=0).T).sum())


def plan_squad(
    grid: PlanningGrid,
    robots: Floats,
    goal: Point,
    formation: str,
    spacing: float,
    heading: float | None = None,
    before: tuple[Floats, float] | None = None,
) -> SquadRoute | None:
    """Return the way of a squad to a goal in formation; None where there is none.

    Args:
        grid: The map, blocked parts larger by what robots keep clear.
        robots: Their positions, shape (n, 2) [m].
        goal: Where the middle of the formation ends up.
        formation: One of `FORMATIONS`.
        spacing: Distance of neighbours [m].
        heading: Of the formation at the goal [rad]; None = as the last leg.
        before: Path to where the goal was before it moved, and how far from the goal a path is planned anew [m]; what
            is left of it is kept where nothing stands on it.
    """
    middle = robots.mean(axis=0)
    path = None if before is None else _continued(grid, middle, goal, *before)
    if path is None:
        path = find_path(grid, (float(middle[0]), float(middle[1])), goal)
    if path is None:
        return None
    turns = turn_points(grid, path)
    headings = _headings(path[0], turns)
    if heading is not None:
        headings[-1] = heading
    shape = offsets(formation, len(robots), spacing)
    places = assign(robots, path[0] + turned_offsets(shape, headings[0]))
    points = _spread(grid, turns, np.stack([turned_offsets(shape, at) for at in headings]))
    if not are_apart(points[-1], _NEAREST * spacing):  # a new map numbers its parts only where that is needed
        move_apart(grid.parts, np.array((*grid.low, grid.cell)), points[-1], _NEAREST * spacing)
    return SquadRoute(path, turns, places, points[:, places].transpose(1, 0, 2))


def _continued(grid: PlanningGrid, middle: Floats, goal: Point, path: Floats, radius: float) -> Floats | None:
    """Return what is left of a path, with a new end; None where that is no way."""
    ahead = path[int(np.argmin(np.hypot(*(path - middle).T))) :]
    if grid.is_blocked(ahead).any() or not is_clear(grid, middle, ahead[0]):
        return None
    return replanned(grid, np.vstack((middle, ahead)), goal, radius)


def _headings(start: Floats, turns: Floats) -> list[float]:
    legs = np.diff(np.vstack((start, turns)), axis=0)
    return [math.atan2(y, x) for x, y in legs.tolist()]


def _spread(grid: PlanningGrid, turns: Floats, places: Floats) -> Floats:
    """Return the points of all robots at each turn, drawn in towards the middle where the way to them is blocked.

    Args:
        grid: The map.
        turns: Points of the middle, shape (k, 2) [m].
        places: Places around each of them, shape (k, n, 2) [m].
    """
    farthest = float(np.hypot(*places.transpose(2, 0, 1)).max())
    along = np.linspace(0.0, 1.0, 2 + int(2.0 * farthest / grid.cell))
    lines = turns[:, np.newaxis, np.newaxis] + along[:, np.newaxis] * places[:, :, np.newaxis]
    hidden = np.logical_or.accumulate(grid.is_blocked(lines), axis=2)
    seen = np.where(hidden, -1.0, along).max(axis=2)
    shares = np.asarray(_SQUEEZES)
    kept = np.where(shares <= seen[..., np.newaxis], shares, 0.0).max(axis=2)
    points: Floats = turns[:, np.newaxis] + kept[..., np.newaxis] * places
    return points
