"""Teams: a placement of type `team2` stands for robots and the load that they carry together.

Two carry a bar, three to six a round plate. Source: CoopDynSim, sections III-B and IV (a leader, who knows where to go,
and a helper); where its members stand, how they are called, and plates are not stated there.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coopsim.scene import TEAM, Joint, Object, RobotPlacement
from coopsim.scene.entities import OVERHANG

MEMBER_TYPE = "transport"
BAR, _PLATE = "bar", "plate"
_LOADS = (f"/{BAR}", f"/{_PLATE}")
_USUAL_CARRIERS = 2
# long enough that the robots under its ends can turn without touching each other
LENGTH, MASS = 1.5, 2.0
"""Usual length [m] and mass [kg] of a bar."""
_THICKNESS, _COLOR = 0.06, (0.72, 0.53, 0.3)  # m; a bar of wood, thinner than a robot's hull
# above the hull of the type `transport`, so that the bar touches its support and nothing else
_ON_TOP = (0.0, 0.0, 0.34)
"""Where a member carries the bar, in its own frame [m]."""
_TRAVEL = 0.06  # m; as far as the supports under a carried bar give way
_NEAR = 1e-9  # m; what rounding leaves of one place


def half_span(placement: RobotPlacement) -> float:
    """Return how far each member stands from the pose of its team [m]."""
    return (placement.length or LENGTH) / 2.0 - OVERHANG


def members(placement: RobotPlacement) -> tuple[RobotPlacement, ...]:
    """Return the robots of a placement, itself unless it is a team.

    The members of `team1` are `team1/leader`, to the left of the team's pose, and, counter-clockwise on a circle,
    `team1/helper`, `team1/helper2` and so on; a bar lies across. All look as the team does.
    """
    if placement.type != TEAM:
        return (placement,)
    roles = _roles(placement)
    return tuple(_member(placement, role, number / len(roles)) for number, role in enumerate(roles))


def _roles(placement: RobotPlacement) -> tuple[str, ...]:
    return ("leader", "helper", *(f"helper{n}" for n in range(2, placement.carriers or _USUAL_CARRIERS)))


def load_of(placement: RobotPlacement) -> Object:
    """Return the load of a team, which lies on its robots and touches nothing else: the floor does not brake it."""
    x, y, z = placement.position
    length, is_bar = placement.length or LENGTH, len(_roles(placement)) == _USUAL_CARRIERS
    return Object(
        name=f"{placement.name}/{BAR if is_bar else _PLATE}",
        shape="box" if is_bar else "cylinder",
        size=(_THICKNESS if is_bar else length, length, _THICKNESS),
        position=(x, y, z + _ON_TOP[2]),
        orientation=placement.orientation,
        mass=placement.mass or MASS,
        color=_COLOR,
        friction=0.0,
        span=placement.span,
    )


def joints_of(placement: RobotPlacement) -> tuple[Joint, ...]:
    """Return how the load lies on the robots of a team: `team1/leader/support`, `team1/helper/support`, ..."""
    team, load = placement.name, load_of(placement).name
    return tuple(
        Joint(f"{team}/{role}/support", "support", f"{team}/{role}", load, _ON_TOP, travel=_TRAVEL, span=placement.span)
        for role in _roles(placement)
    )


def fold(
    robots: Sequence[RobotPlacement],
    before: Sequence[RobotPlacement] = (),
    objects: Iterable[Object] = (),
    joints: Iterable[Joint] | None = None,
) -> tuple[RobotPlacement, ...]:
    """Return the placements that stand for these robots, the members of a team put together again.

    Members that were moved, coloured or removed by themselves, or whose load was, stay apart.

    Args:
        robots: As `members` returns them, in their order.
        objects: Loads, as `load_of` returns them, among others.
        before: Placements as a file says them; those that mean the same are returned as they are.
        joints: Supports of loads, as `joints_of` returns them, among others; None = they are as they were.
    """
    teams = {placement.name: placement for placement in before if placement.type == TEAM}
    loads = {entity.name.partition("/")[0]: entity for entity in objects if entity.name.endswith(_LOADS)}
    together: dict[str, list[RobotPlacement]] = {}
    for robot in robots:
        together.setdefault(robot.name.partition("/")[0], []).append(robot)
    joints_by_name = None if joints is None else {joint.name: joint for joint in joints}
    placements: list[RobotPlacement] = []
    for name, crew in together.items():
        team = None if crew[0].name == name else _team(name, crew, loads.get(name), teams.get(name))
        is_joined = joints_by_name is None or team is None or _is_joined(team, joints_by_name)
        placements += crew if team is None or not is_joined else [team]
    return tuple(placements)


def _is_joined(team: RobotPlacement, joints: Mapping[str, Joint]) -> bool:
    return all(joints.get(joint.name) == joint for joint in joints_of(team))


def _team(
    name: str, crew: Sequence[RobotPlacement], load: Object | None, before: RobotPlacement | None
) -> RobotPlacement | None:
    if before is not None and members(before) == tuple(crew) and load == load_of(before):
        return before
    if load is None:
        return None
    x, y, z = (sum(axis) / len(crew) for axis in zip(*(robot.position for robot in crew), strict=True))
    length = None if load.size[1] == LENGTH else load.size[1]
    mass, carriers = None if load.mass == MASS else load.mass, len(crew)
    place = (_even(x), _even(y), _even(z))
    team = replace(crew[0], name=name, type=TEAM, position=place, length=length, mass=mass)
    team = replace(team, carriers=None if carriers == _USUAL_CARRIERS else carriers)
    expected = members(team)
    alike = len(expected) == carriers and all(map(_is_like, expected, crew))
    return team if alike and _is_like(load_of(team), load) else None


def _is_like(one: RobotPlacement | Object, other: RobotPlacement | Object) -> bool:
    is_near = math.dist(one.position, other.position) < _NEAR
    return is_near and replace(one, position=other.position) == other


def _even(value: float) -> float:
    """Return a coordinate without the last digits that putting members apart and together leaves."""
    return round(value, 12)


def _member(placement: RobotPlacement, role: str, turn: float) -> RobotPlacement:
    """Return a member; `turn` is its way around the circle from the leader, 0 to 1."""
    (x, y, z), heading, reach = placement.position, placement.orientation[2], half_span(placement)
    # rounded: half a turn shall be exactly the opposite
    left, back = (reach * round(ratio(math.tau * turn), 15) for ratio in (math.cos, math.sin))
    cos, sin = math.cos(heading), math.sin(heading)
    position = (x - back * cos - left * sin, y - back * sin + left * cos, z)
    called = f"{placement.name}/{role}"
    return replace(placement, name=called, type=MEMBER_TYPE, position=position, length=None, mass=None, carriers=None)
