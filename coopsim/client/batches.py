"""A team in batches, each within the limits of a message."""

from dataclasses import dataclass, replace

import numpy as np

from coopsim.client.layout import STEP_MODULE
from coopsim.client.team import Team
from coopsim.geometry import Floats
from coopsim.interfaces import STEP
from coopsim.message import MAX_DATA, Message, encode

_STEP = STEP.command("step").number
MOST_ROBOTS = 3000
"""Number of names that fit one message, with room for their length."""


@dataclass(frozen=True, slots=True)
class Batch:
    """The robots whose commands, and readings, fit one message.

    Attributes:
        request: A step with the generation and the names, without commands.
        commands: Their commands in the team's flat vector.
    """

    request: Message
    commands: slice

    def message(self, commands: Floats, tick: int) -> Message:
        """Return a step with the commands of the team, for a tick."""
        like = self.request
        return Message(like.target, like.command, like.params, commands[self.commands], tick, binary=True)


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
    data = np.zeros(commands.stop - commands.start)
    request = Message(STEP_MODULE, _STEP, (team.generation, *robots), data, binary=True)
    encode(request)  # says what is over a limit
    return Batch(replace(request, data=()), commands)
