"""Teams: a placement of type `team2` stands for two robots that will carry a bar together.

Source: CoopDynSim, sections III-B and IV (a leader, who knows where to go, and a helper); where its members stand and
how they are called is not stated there.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

from coopsim.scene import Controller, RobotPlacement

TEAM = "team2"
MEMBERS = (("leader", 1.0), ("helper", -1.0))
MEMBER_TYPE = "single"
HALF_SPAN = 0.6
"""Distance of each member from the pose of the team [m]."""


def members(placement: RobotPlacement) -> tuple[RobotPlacement, ...]:
    """Return the robots of a placement, itself unless it is a team.

    The members of `team1` are `team1/leader`, to the left of the team's pose, and `team1/helper`, to the right of it;
    the bar between them lies across. Both look as the team does.
    """
    if placement.type != TEAM:
        return (placement,)
    return tuple(_member(placement, name, side * HALF_SPAN) for name, side in MEMBERS)


def expand(controller: Controller, robots: Sequence[RobotPlacement]) -> Controller:
    """Return `controller` with the members of a team in place of its name."""
    teams = {placement.name: members(placement) for placement in robots if placement.type == TEAM}
    names = [
        each for name in controller.robots for each in ([one.name for one in teams[name]] if name in teams else [name])
    ]
    return replace(controller, robots=tuple(names))


def _member(placement: RobotPlacement, name: str, left: float) -> RobotPlacement:
    x, y, z = placement.position
    heading = placement.orientation[2]
    position = (x - left * math.sin(heading), y + left * math.cos(heading), z)
    return replace(placement, name=f"{placement.name}/{name}", type=MEMBER_TYPE, position=position)
