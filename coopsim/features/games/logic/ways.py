"""From a goal of a squad to the sequences of its robots.

Source: swarm gaming, section 4.3 (Gather, steps 1 to 5).
"""

import math
from itertools import pairwise

import numpy as np

from coopsim.features.games.interfaces.games import INTELLIGENCE, MOST_STEPS, STEP_WIDTH
from coopsim.features.games.logic.model import RobotState
from coopsim.features.games.logic.orders import RobotCommand
from coopsim.features.games.logic.squads import MatchView, SquadIntelligence
from coopsim.features.laws.planning import (
    PlanningGrid,
    SquadRoute,
    find_path,
    is_clear,
    offsets,
    plan_squad,
    sees_all,
    turn_points,
    turned_offsets,
)
from coopsim.geometry import Floats
from coopsim.interfaces import command_numbers

_COMMAND = command_numbers(INTELLIGENCE)
MOST_POINTS = MOST_STEPS - 2
"""Of the way of a robot; two more steps are left for what it does at the end."""


ACTION_RADIUS = 1.0
"""A target that moved no farther is where it was, and only so much of the way to one that did is planned anew [m]."""
# twice ACTION_RADIUS: what drifts is followed with the old way, what jumps is planned anew
_ELSEWHERE = 2.0
"""A goal that is so far from the last one is another one [m]."""
# below PICK_UP_REACH by what a robot may miss the end of its way
_PICK_UP_FROM = 0.52
"""How far from a flag a robot picks it up where somebody stands on it: within what the rules allow [m]."""
_SAMPLES = 12
"""Points of each leg that are looked at."""
_SHY = 0.5
"""How far out of the range of enemies those keep who carry something [m]."""


def send(
    intelligence: SquadIntelligence, view: MatchView, goal: Floats, formation: str, takes: str = ""
) -> list[RobotCommand]:
    """Return the sequences that bring a squad to a goal in formation.

    Robots that are not in formation gather first, but only for a new order: a way that is planned anew goes on. Where
    there is no way, they stay and the log says so. Squads that carry something keep out of the range of enemies where
    they can.

    Args:
        intelligence: Of the squad; what is planned is noted in it.
        view: Of the match.
        goal: Where its middle ends up, x and y [m].
        formation: Its name.
        takes: Flag that the robot picks up that ends nearest to it, "" = none.
    """
    robots, squad, gathers = intelligence.squad.obeying, intelligence.squad, intelligence.is_new
    positions = view.model.positions[[robot.index for robot in robots]]
    end = float(goal[0]), float(goal[1])
    before = None if gathers else _before(intelligence, goal)
    for grid in _maps(intelligence, view, goal):
        route = plan_squad(grid, positions, end, formation, squad.spacing, intelligence.turned, before)
        if route is not None:
            break
    intelligence.path = None if route is None else route.path
    intelligence.is_new, intelligence.planned_for, intelligence.planned_at = (
        False,
        np.array(goal, np.float64),
        view.model.time,
    )
    if route is None:
        view.model.note(squad.name, "no path", f"there is no way to {goal[0]:.1f} {goal[1]:.1f}")
        intelligence.is_lost = True
        return []
    points = _with_gathering(grid, positions, route, formation, squad.spacing) if gathers else route.points
    ways = [clear_way(grid, position, way) for position, way in zip(positions, points, strict=True)]
    intelligence.is_part = any(len(way) > MOST_POINTS for way in ways)
    intelligence.ways = {robot.name: way[:MOST_POINTS] for robot, way in zip(robots, ways, strict=True)}
    intelligence.tasks = {}
    if takes and not intelligence.is_part:
        gaps = np.hypot(*(points[:, -1] - goal).T)
        picker = robots[int(np.argmin(np.where(["pick_up" in robot.abilities for robot in robots], gaps, np.inf)))]
        place = _pick_up_place(view, goal, intelligence.ways[picker.name][-1])
        intelligence.tasks[picker.name] = place, list(view.model.flags).index(takes)
    return [sequence(robot, intelligence.ways[robot.name], intelligence.tasks.get(robot.name)) for robot in robots]


def _before(intelligence: SquadIntelligence, goal: Floats) -> tuple[Floats, float] | None:
    """Return the path that is kept but for its end: the goal has moved, and not to somewhere else altogether."""
    if intelligence.path is None or intelligence.planned_for is None:
        return None
    moved = float(np.hypot(*(goal - intelligence.planned_for)))
    return (intelligence.path, ACTION_RADIUS) if ACTION_RADIUS < moved <= _ELSEWHERE else None


def _maps(intelligence: SquadIntelligence, view: MatchView, goal: Floats) -> list[PlanningGrid]:
    """Return the maps to plan with, the best one first; in the last one nobody stands who might be pushed away."""
    squad = intelligence.squad
    usual = [view.grid(squad), view.field.grid(swims=squad.swims)]
    if not any(robot.holding for robot in squad.alive):
        return usual
    own = view.model.positions[[robot.index for robot in squad.alive]]
    shunned, keep_off = _shunned(np.vstack((own, goal)), squad.player, view)
    return [view.grid(squad, shunned, keep_off), *usual] if shunned else usual


def _shunned(places: Floats, player: str, view: MatchView) -> tuple[list[RobotState], float]:
    """Return the enemies that are so far from all these places that one can keep out of their range, and that [m]."""
    enemies = [robot for robot in view.model.robots.values() if robot.player != player and robot.is_alive]
    keep_off = max((enemy.range for enemy in enemies), default=0.0) + _SHY
    gaps = [float(np.hypot(*(places - view.model.position(enemy)).T).min()) for enemy in enemies]
    return [enemy for enemy, gap in zip(enemies, gaps, strict=True) if gap > keep_off + 1.0], keep_off


def leads_to_enemies(intelligence: SquadIntelligence, view: MatchView) -> bool:
    """Return whether what is left of the ways of those who carry something comes near enemies that are far yet."""
    carriers = [robot for robot in intelligence.squad.obeying if robot.holding and robot.name in intelligence.ways]
    if not carriers or intelligence.planned_for is None:
        return False
    own = view.model.positions[[robot.index for robot in intelligence.squad.alive]]
    shunned, keep_off = _shunned(np.vstack((own, intelligence.planned_for)), intelligence.squad.player, view)
    if not shunned:
        return False
    places = view.model.positions[[robot.index for robot in shunned]]
    for robot in carriers:
        way = np.vstack((view.model.position(robot), intelligence.ways[robot.name][int(view.steps[robot.index]) :]))
        legs = np.linspace(way[:-1], way[1:], _SAMPLES).reshape(-1, 2)
        if len(legs) and float(np.hypot(*(legs[:, np.newaxis] - places).transpose(2, 0, 1)).min()) < keep_off:
            return True
    return False


def _pick_up_place(view: MatchView, goal: Floats, before: Floats) -> Floats:
    """Return from where a robot picks a flag up: from beside it where one that is out stands on it."""
    place = np.asarray(goal, np.float64)
    fallen = [robot for robot in view.model.robots.values() if not robot.is_alive]
    is_free = all(float(np.hypot(*(view.model.position(robot) - place))) > _PICK_UP_FROM for robot in fallen)
    away = before - place
    gap = float(np.hypot(*away))
    return place if is_free or gap == 0.0 else place + away * (_PICK_UP_FROM / gap)


def joined(grid: PlanningGrid, position: Floats, way: Floats) -> Floats:
    """Return a way from where a robot is: a path of its own to the first point where that cannot be seen."""
    return np.vstack((_leg(grid, position, way[0]), way[1:]))


def clear_way(grid: PlanningGrid, position: Floats, way: Floats) -> Floats:
    """Return a way from where a robot is, with a path of its own to each point that is not seen from the one before."""
    points = np.vstack((position, way))
    if sees_all(grid, points):
        return way
    return np.vstack([_leg(grid, begin, end) for begin, end in pairwise(points)])


def _leg(grid: PlanningGrid, begin: Floats, end: Floats) -> Floats:
    """Return the points on the way to another one; only that one where it is seen, or where there is no path at all."""
    if not is_clear(grid, begin, end):
        path = find_path(grid, (float(begin[0]), float(begin[1])), (float(end[0]), float(end[1])))
        if path is not None:
            turns = turn_points(grid, path)
            return np.vstack((path[:1], turns)) if grid.is_blocked(begin) else turns
    return end[np.newaxis]


def sequence(robot: RobotState, way: Floats, task: tuple[Floats, int] | None = None) -> RobotCommand:
    """Return the sequence of a robot along its way; then to a last point, where it picks a flag up."""
    steps = [(float(_COMMAND.go_to), x, y) for x, y in way.tolist()]
    if task is not None:
        (x, y), flag = task
        if steps[-1:] != (last := [(float(_COMMAND.go_to), float(x), float(y))]):
            steps += last
        steps.append((float(_COMMAND.pick_up), float(flag), 0.0))
    values = [value for step in steps for value in step]
    return RobotCommand(
        robot.name, "intelligence", "sequence", (*values, *[0.0] * (STEP_WIDTH * MOST_STEPS - len(values)))
    )


def _with_gathering(grid: PlanningGrid, positions: Floats, route: SquadRoute, formation: str, spacing: float) -> Floats:
    """Return the points of all robots, before them their places in the formation if they are free and far."""
    middle = positions.mean(axis=0)
    x, y = (route.turns[0] - middle).tolist()
    shape = turned_offsets(offsets(formation, len(positions), spacing), math.atan2(y, x))[route.places]
    places = middle + shape - shape.mean(axis=0)  # or each new order would draw a half circle back by its radius
    if grid.is_blocked(places).any() or math.hypot(x, y) <= spacing:
        return route.points
    if float(np.hypot(*(places - positions).T).max()) <= 0.5 * spacing:
        return route.points
    return np.concatenate((places[:, np.newaxis], route.points), axis=1)
