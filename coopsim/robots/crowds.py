"""Sections that stand for many robots: taken apart into robots, and put together again."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from coopsim.geometry import Vector3
from coopsim.robots.scattering import Room
from coopsim.scene import Problems, RobotPlacement

Spread = Callable[[Sequence[RobotPlacement]], "list[tuple[RobotPlacement, ...]]"]


def spread(
    placements: Sequence[RobotPlacement], room: Room | None, problems: Problems
) -> list[tuple[RobotPlacement, ...]]:
    """Return the robots, or teams, of each placement; scattered ones find their places when all others stand.

    Args:
        placements: As a file says them.
        room: Where there is room for them; None = scattered ones cannot be placed, which is noted.
        problems: Takes what does not fit.
    """
    groups = [() if placement.scatter is not None else _expanded(placement) for placement in placements]
    if any(placement.scatter is not None for placement in placements):
        for robot in (robot for robots in groups for robot in robots):
            if room is not None:
                room.occupy(robot)
        for place, each in enumerate(placements):
            if each.scatter is not None:
                groups[place] = _scattered(each, each.scatter, room, problems)
    return groups


def gather(
    robots: Sequence[RobotPlacement], before: Sequence[RobotPlacement], spread_again: Spread
) -> tuple[RobotPlacement, ...]:
    """Return the placements that stand for these robots: a counted one stays while all of its robots stand as it says.

    Args:
        robots: Teams put together, in their order.
        before: Placements as a file says them.
        spread_again: Returns the robots of each placement.
    """
    crowds = {crowd.name: crowd for crowd in before if crowd.count is not None}
    while crowds:
        groups = _folded(robots, crowds)
        again = spread_again(groups)
        if [robot for group in again for robot in group] == list(robots):
            return tuple(groups)
        by_name = {robot.name: robot for robot in robots}
        changed = {
            group.name
            for group, members in zip(groups, again, strict=True)
            if group.count is not None and any(by_name.get(robot.name) != robot for robot in members)
        }
        # where all stand as they should, but in another order, none can stay
        crowds = {name: crowd for name, crowd in crowds.items() if changed and name not in changed}
    return tuple(robots)


def _folded(robots: Sequence[RobotPlacement], crowds: dict[str, RobotPlacement]) -> list[RobotPlacement]:
    owner = {member: crowd for crowd in crowds.values() for member in crowd.members}
    placements_by_name: dict[str, RobotPlacement] = {}
    for robot in robots:
        placement = owner.get(robot.name, robot)
        placements_by_name.setdefault(placement.name, placement)
    return list(placements_by_name.values())


def _single(crowd: RobotPlacement, name: str, position: Vector3, heading: float) -> RobotPlacement:
    turn = (crowd.orientation[0], crowd.orientation[1], heading)
    return replace(crowd, name=name, position=position, orientation=turn, count=None, grid=None, scatter=None)


def _expanded(placement: RobotPlacement) -> tuple[RobotPlacement, ...]:
    if placement.grid is None:
        return (placement,)
    columns, rows, distance = placement.grid
    x, y, z = placement.position
    places = [
        (x + distance * (column - (columns - 1) / 2), y + distance * (row - (rows - 1) / 2), z)
        for row in range(rows)
        for column in range(columns)
    ]
    heading = placement.orientation[2]
    pairs = zip(placement.members, places, strict=False)
    return tuple(_single(placement, name, place, heading) for name, place in pairs)


def _scattered(
    crowd: RobotPlacement, area: tuple[float, ...], room: Room | None, problems: Problems
) -> tuple[RobotPlacement, ...]:
    if room is None:
        problems.add(crowd.span, "a message cannot scatter robots; say grid")
        return ()
    poses = room.strew(crowd, area)
    if len(poses) < len(crowd.members):
        where = room.shown(area)
        text = (
            f"only {len(poses)} of {len(crowd.members)} robots find room in {where}; make it larger, or count smaller"
        )
        problems.add(crowd.span, text)
    height = crowd.position[2]
    return tuple(
        _single(crowd, name, (x, y, height), math.radians(round(360.0 * turn, 1)))
        for name, (x, y, turn) in zip(crowd.members, poses, strict=False)
    )
