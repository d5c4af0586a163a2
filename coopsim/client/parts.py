"""A team cut into messages within the limits of the protocol."""

from dataclasses import dataclass

from coopsim.client.team import Team
from coopsim.message import MAX_DATA, Param

MOST_ROBOTS = 3000
"""So many names fit one message, with room for their length."""


@dataclass(frozen=True, slots=True)
class Part:
    """The robots whose commands, and readings, fit one message.

    Attributes:
        params: The generation and the names.
        commands: Their commands in the team's flat vector.
    """

    params: tuple[Param, ...]
    commands: slice


def cut(team: Team) -> tuple[Part, ...]:
    """Return the messages of a step; the readings they bring, one after the other, are those of the team."""
    groups: list[list[str]] = [[]]
    takes = gives = 0
    for robot in team.robots:
        rows = team.rows[robot][0].type
        takes, gives = takes + rows.takes.width, gives + rows.gives.width
        if groups[-1] and (max(takes, gives) > MAX_DATA or len(groups[-1]) == MOST_ROBOTS):
            groups.append([])
            takes, gives = rows.takes.width, rows.gives.width
        groups[-1].append(robot)
    return tuple(_part(team, group) for group in groups)


def _part(team: Team, robots: list[str]) -> Part:
    commands = slice(team.command_span(robots[0]).start, team.command_span(robots[-1]).stop)
    return Part((team.generation, *robots), commands)
