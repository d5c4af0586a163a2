"""Readings of a team asked from its modules one by one, for the time before the first step."""

import numpy as np

from coopsim.client.module import Module
from coopsim.client.readings import Readings
from coopsim.client.switchboard import Switchboard
from coopsim.client.team import Team
from coopsim.errors import MalformedMessage
from coopsim.geometry import Floats
from coopsim.interfaces import Effect

_Reads = list[tuple[str, int]]


def ask_each(switchboard: Switchboard, team: Team) -> Readings:
    """Return the readings of all robots now.

    Raises:
        MalformedMessage: A robot has another number of readings than the layout says.
    """
    flat, tick = np.zeros(team.reading_size), 0
    for block in team.blocks:
        reads = _reads(switchboard, block.robots[0], tuple(block.type.gives.modules))
        for robot in block.robots:
            row, tick = _row(switchboard, robot, reads)
            if row.size != block.type.gives.width:
                raise MalformedMessage(f"/{robot} has {row.size} readings, the layout says {block.type.gives.width}")
            flat[team.reading_span(robot)] = row
    return Readings(team, flat, tick)


def _reads(switchboard: Switchboard, robot: str, modules: tuple[str, ...]) -> _Reads:
    """Return the commands that together give a row of readings, as (module, number)."""
    return [
        (module, command.number)
        for module in modules
        for command in Module(switchboard, f"/{robot}/{module}").interface.commands
        if command.effect is Effect.READ and any(field.place == "data" for field in command.gives)
    ]


def _row(switchboard: Switchboard, robot: str, reads: _Reads) -> tuple[Floats, int]:
    replies = [switchboard.ask(f"/{robot}/{module}", number, binary=True) for module, number in reads]
    row = np.concatenate([np.asarray(reply.data, np.float64) for reply in replies]) if replies else np.zeros(0)
    return row, replies[-1].tick if replies else 0
