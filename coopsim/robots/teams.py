"""Teams: a placement of type `team2` stands for two robots that will carry a bar together.

Source: CoopDynSim, sections III-B and IV (a leader, who knows where to go, and a helper); where its members stand and
how they are called is not stated there.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from coopsim.errors import CannotSave
from coopsim.scene import RobotPlacement

TEAM = "team2"
MEMBERS = (("leader", 1.0), ("helper", -1.0))
MEMBER_TYPE = "single"
HALF_SPAN = 0.6
"""Distance of each member from the pose of the team [m]."""
_NEAR = 1e-9


def members(placement: RobotPlacement) -> tuple[RobotPlacement, ...]:
    """Return the robots of a placement, itself unless it is a team.

    The members of `team1` are `team1/leader`, to the left of the team's pose, and `team1/helper`, to the right of it;
    the bar between them lies across. Both look as the team does.
    """
    if placement.type != TEAM:
        return (placement,)
    return tuple(_member(placement, name, side * HALF_SPAN) for name, side in MEMBERS)


def fold(robots: Sequence[RobotPlacement], known: Sequence[RobotPlacement] = ()) -> tuple[RobotPlacement, ...]:
    """Return the placements that stand for these robots, the members of a team put together again.

    Args:
        robots: As `members` returns them, in their order.
        known: Placements as a file says them; those that mean the same are returned as they are.

    Raises:
        CannotSave: A member was moved, coloured or removed by itself: a file places a team as a whole.
    """
    teams = {placement.name: placement for placement in known if placement.type == TEAM}
    together: dict[str, list[RobotPlacement]] = {}
    for robot in robots:
        together.setdefault(robot.name.partition("/")[0], []).append(robot)
    return tuple(
        _team(name, crew, teams.get(name)) if crew[0].name != name else crew[0] for name, crew in together.items()
    )


def _team(name: str, crew: Sequence[RobotPlacement], known: RobotPlacement | None) -> RobotPlacement:
    if known is not None and members(known) == tuple(crew):
        return known
    text = (
        f"the members of {name} no longer stand, and look, as a team of type {TEAM} does; a file places it as a whole"
    )
    if [each.name for each in crew] != [f"{name}/{member}" for member, _ in MEMBERS]:
        raise CannotSave(text)
    x, y, z = (sum(axis) / len(crew) for axis in zip(*(each.position for each in crew), strict=True))
    found = replace(crew[0], name=name, type=TEAM, position=(_even(x), _even(y), _even(z)))
    if any(not _is_like(one, other) for one, other in zip(members(found), crew, strict=True)):
        raise CannotSave(text)
    return found


def _is_like(one: RobotPlacement, other: RobotPlacement) -> bool:
    is_near = math.dist(one.position, other.position) < _NEAR
    return is_near and replace(one, position=other.position) == other


def _even(value: float) -> float:
    """Return a coordinate without the last digits that putting members apart and together leaves."""
    return round(value, 12)


def _member(placement: RobotPlacement, name: str, left: float) -> RobotPlacement:
    x, y, z = placement.position
    heading = placement.orientation[2]
    position = (x - left * math.sin(heading), y + left * math.cos(heading), z)
    return replace(placement, name=f"{placement.name}/{name}", type=MEMBER_TYPE, position=position)
