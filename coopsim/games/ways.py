"""From a goal of a squad to the sequences of its robots.

Source: swarm gaming, section 4.3 (Gather, steps 1 to 5).
"""

import math

import numpy as np

from coopsim.games.model import RobotState
from coopsim.games.orders import RobotCommand
from coopsim.games.squads import MatchView, SquadMind
from coopsim.geometry import Floats
from coopsim.interfaces import INTELLIGENCE, MOST_STEPS, STEP_WIDTH, command_numbers
from coopsim.planning import SquadRoute, offsets, plan_squad, turned_offsets

_COMMAND = command_numbers(INTELLIGENCE)
_MOST_POINTS = MOST_STEPS - 2


def send(mind: SquadMind, view: MatchView, goal: Floats, formation: str, takes: str = "") -> list[RobotCommand]:
    """Return the sequences that bring a squad to a goal in formation.

    Robots that are not in formation gather first. Where there is no way, they stay and the log says so.

    Args:
        mind: Of the squad; what is planned is noted in it.
        view: Of the match.
        goal: Where its middle ends up, x and y [m].
        formation: Its name.
        takes: Flag that the robot picks up that ends nearest to it, "" = none.
    """
    robots, squad = mind.squad.alive, mind.squad
    positions = view.model.positions[[it.index for it in robots]]
    grid = view.field.grid(swims=squad.swims)
    route = plan_squad(grid, positions, (float(goal[0]), float(goal[1])), formation, squad.spacing)
    mind.is_new, mind.planned_for = False, np.array(goal, np.float64)
    if route is None:
        view.model.note(squad.name, "no path", f"there is no way to {goal[0]:.1f} {goal[1]:.1f}")
        return []
    points = _with_gathering(positions, route, formation, squad.spacing)
    mind.is_part = points.shape[1] > _MOST_POINTS
    points = points[:, :_MOST_POINTS]
    mind.ways = {robot.name: way for robot, way in zip(robots, points, strict=True)}
    picker = -1
    if takes and not mind.is_part:
        picker = int(np.argmin(np.hypot(*(points[:, -1] - goal).T)))
    flags = list(view.model.flags)
    return [
        sequence(robot, way, goal if at == picker else None, flags.index(takes) if at == picker else -1)
        for at, (robot, way) in enumerate(zip(robots, points, strict=True))
    ]


def sequence(robot: RobotState, way: Floats, last: Floats | None = None, picks_up: int = -1) -> RobotCommand:
    """Return the sequence of a robot along its way; then to a last point, where it picks something up."""
    steps = [(float(_COMMAND.go_to), x, y) for x, y in way.tolist()]
    if last is not None:
        steps.append((float(_COMMAND.go_to), float(last[0]), float(last[1])))
        steps.append((float(_COMMAND.pick_up), float(picks_up), 0.0))
    values = [value for step in steps for value in step]
    return RobotCommand(
        robot.name, "intelligence", "sequence", (*values, *[0.0] * (STEP_WIDTH * MOST_STEPS - len(values)))
    )


def _with_gathering(positions: Floats, route: SquadRoute, formation: str, spacing: float) -> Floats:
    """Return the points of all robots, before them their places in the formation if they are not there."""
    middle = positions.mean(axis=0)
    x, y = (route.turns[0] - middle).tolist()
    places = middle + turned_offsets(offsets(formation, len(positions), spacing), math.atan2(y, x))[route.places]
    if math.hypot(x, y) <= spacing or float(np.hypot(*(places - positions).T).max()) <= 0.5 * spacing:
        return route.points
    return np.concatenate((places[:, np.newaxis], route.points), axis=1)
