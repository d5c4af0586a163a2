"""Teams: a placement of type `team2` stands for two robots and the bar that they carry together.

Source: CoopDynSim, sections III-B and IV (a leader, who knows where to go, and a helper); where its members stand and
how they are called is not stated there.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coopsim.scene import TEAM, Joint, Object, RobotPlacement

MEMBERS = (("leader", 1.0), ("helper", -1.0))  # which side of the load each is on
MEMBER_TYPE = "transport"
BAR = "bar"
# long enough that the robots under its ends can turn without touching each other
LENGTH, MASS = 1.5, 2.0
"""Usual length [m] and mass [kg] of a bar."""
# the ends must not slip off while the robots turn on the spot under them
_OVERHANG = 0.15
"""How far each end of the bar reaches beyond the middle of the robot under it [m]."""
_THICKNESS, _COLOR = 0.06, (0.72, 0.53, 0.3)  # m; a bar of wood, thinner than a robot's hull
# above the hull of the type `transport`, so that the bar touches its support and nothing else
_ON_TOP = (0.0, 0.0, 0.34)
"""Where a member carries the bar, in its own frame [m]."""
_TRAVEL = 0.06  # m; as far as the supports under a carried bar give way
_NEAR = 1e-9  # m; what rounding leaves of one place


def half_span(placement: RobotPlacement) -> float:
    """Return how far each member stands from the pose of its team [m]."""
    return (placement.length or LENGTH) / 2.0 - _OVERHANG


def members(placement: RobotPlacement) -> tuple[RobotPlacement, ...]:
    """Return the robots of a placement, itself unless it is a team.

    The members of `team1` are `team1/leader`, to the left of the team's pose, and `team1/helper`, to the right of it;
    the bar between them lies across. Both look as the team does.
    """
    if placement.type != TEAM:
        return (placement,)
    return tuple(_member(placement, name, side * half_span(placement)) for name, side in MEMBERS)


def bar_of(placement: RobotPlacement) -> Object:
    """Return the bar of a team, which lies on its robots and touches nothing else: the floor does not brake it."""
    x, y, z = placement.position
    return Object(
        name=f"{placement.name}/{BAR}",
        shape="box",
        size=(_THICKNESS, placement.length or LENGTH, _THICKNESS),
        position=(x, y, z + _ON_TOP[2]),
        orientation=placement.orientation,
        mass=placement.mass or MASS,
        color=_COLOR,
        friction=0.0,
        span=placement.span,
    )


def joints_of(placement: RobotPlacement) -> tuple[Joint, ...]:
    """Return how the bar lies on the robots of a team: `team1/leader/support`, `team1/helper/support`."""
    team = placement.name
    return tuple(
        Joint(
            name=f"{team}/{member}/support",
            kind="support",
            a=f"{team}/{member}",
            b=f"{team}/{BAR}",
            anchor=_ON_TOP,
            travel=_TRAVEL,
            span=placement.span,
        )
        for member, _ in MEMBERS
    )


def fold(
    robots: Sequence[RobotPlacement],
    before: Sequence[RobotPlacement] = (),
    objects: Iterable[Object] = (),
    joints: Iterable[Joint] | None = None,
) -> tuple[RobotPlacement, ...]:
    """Return the placements that stand for these robots, the members of a team put together again.

    Members that were moved, coloured or removed by themselves, or whose bar was, stay apart.

    Args:
        robots: As `members` returns them, in their order.
        objects: Bars, as `bar_of` returns them, among others.
        before: Placements as a file says them; those that mean the same are returned as they are.
        joints: Supports of bars, as `joints_of` returns them, among others; None = they are as they were.
    """
    teams = {placement.name: placement for placement in before if placement.type == TEAM}
    bars = {entity.name.partition("/")[0]: entity for entity in objects if entity.name.endswith(f"/{BAR}")}
    together: dict[str, list[RobotPlacement]] = {}
    for robot in robots:
        together.setdefault(robot.name.partition("/")[0], []).append(robot)
    joints_by_name = None if joints is None else {joint.name: joint for joint in joints}
    placements: list[RobotPlacement] = []
    for name, crew in together.items():
        team = None if crew[0].name == name else _team(name, crew, bars.get(name), teams.get(name))
        is_joined = joints_by_name is None or team is None or _is_joined(team, joints_by_name)
        placements += crew if team is None or not is_joined else [team]
    return tuple(placements)


def _is_joined(team: RobotPlacement, joints: Mapping[str, Joint]) -> bool:
    return all(joints.get(joint.name) == joint for joint in joints_of(team))


def _team(
    name: str, crew: Sequence[RobotPlacement], bar: Object | None, before: RobotPlacement | None
) -> RobotPlacement | None:
    if before is not None and members(before) == tuple(crew) and bar == bar_of(before):
        return before
    if bar is None or [robot.name for robot in crew] != [f"{name}/{member}" for member, _ in MEMBERS]:
        return None
    x, y, z = (sum(axis) / len(crew) for axis in zip(*(robot.position for robot in crew), strict=True))
    length = None if bar.size[1] == LENGTH else bar.size[1]
    mass = None if bar.mass == MASS else bar.mass
    place = (_even(x), _even(y), _even(z))
    team = replace(crew[0], name=name, type=TEAM, position=place, length=length, mass=mass)
    alike = [_is_like(expected, actual) for expected, actual in zip(members(team), crew, strict=True)]
    return team if all(alike) and _is_like(bar_of(team), bar) else None


def _is_like(one: RobotPlacement | Object, other: RobotPlacement | Object) -> bool:
    is_near = math.dist(one.position, other.position) < _NEAR
    return is_near and replace(one, position=other.position) == other


def _even(value: float) -> float:
    """Return a coordinate without the last digits that putting members apart and together leaves."""
    return round(value, 12)


def _member(placement: RobotPlacement, name: str, left: float) -> RobotPlacement:
    x, y, z = placement.position
    heading = placement.orientation[2]
    position = (x - left * math.sin(heading), y + left * math.cos(heading), z)
    called = f"{placement.name}/{name}"
    return replace(placement, name=called, type=MEMBER_TYPE, position=position, length=None, mass=None)
