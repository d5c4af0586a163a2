"""A team in batches, each within the limits of a message."""

from dataclasses import dataclass

from coopsim.client.team import Team
from coopsim.message import MAX_DATA, Param

MOST_ROBOTS = 3000
"""Number of names that fit one message, with room for their length."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The robots whose commands, and readings, fit one message.

    Attributes:
        params: The generation and the names.
        commands: Their commands in the team's flat vector.
    """

    params: tuple[Param, ...]
    commands: slice


def batches(team: Team) -> tuple[Batch, ...]:
    """Return the batches of a step; the readings they bring, one after the other, are those of the team."""
    groups: list[list[str]] = [[]]
    takes = gives = 0
    for robot in team.robots:
        rows = team.rows[robot][0].type
        takes, gives = takes + rows.takes.width, gives + rows.gives.width
        if groups[-1] and (max(takes, gives) > MAX_DATA or len(groups[-1]) == MOST_ROBOTS):
            groups.append([])
            takes, gives = rows.takes.width, rows.gives.width
        groups[-1].append(robot)
    return tuple(_batch(team, group) for group in groups)


def _batch(team: Team, robots: list[str]) -> Batch:
    commands = slice(team.command_span(robots[0]).start, team.command_span(robots[-1]).stop)
    return Batch((team.generation, *robots), commands)
