"""Readings of a team asked from its modules one by one, for the time before the first step."""

import numpy as np

from coopsim.client.describing import describing
from coopsim.client.flows import Ask, Flow
from coopsim.client.readings import Readings
from coopsim.client.team import Team
from coopsim.errors import MalformedMessage
from coopsim.geometry import Floats
from coopsim.interfaces import Effect
from coopsim.message import Message

_Reads = list[tuple[str, int]]


def asking_each(team: Team) -> Flow[Readings]:
    """Ask for the readings of all robots now.

    Raises:
        MalformedMessage: A robot has another number of readings than the layout says.
    """
    flat, tick = np.zeros(team.reading_size), 0
    for block in team.blocks:
        reads = yield from _reads(block.robots[0], tuple(block.type.gives.modules))
        for robot in block.robots:
            row, tick = yield from _row(robot, reads)
            if row.size != block.type.gives.width:
                raise MalformedMessage(f"/{robot} has {row.size} readings, the layout says {block.type.gives.width}")
            flat[team.reading_span(robot)] = row
    return Readings(team, flat, tick)


def _reads(robot: str, modules: tuple[str, ...]) -> Flow[_Reads]:
    """Return the commands that together give a row of readings, as (module, number)."""
    reads: _Reads = []
    for module in modules:
        interface = yield from describing(f"/{robot}/{module}")
        reads += [
            (module, command.number)
            for command in interface.commands
            if command.effect is Effect.READ and any(field.place == "data" for field in command.gives)
        ]
    return reads


def _row(robot: str, reads: _Reads) -> Flow[tuple[Floats, int]]:
    replies = []
    for module, number in reads:
        replies.append((yield Ask(Message(f"/{robot}/{module}", number, binary=True))))
    row = np.concatenate([np.asarray(reply.data, np.float64) for reply in replies]) if replies else np.zeros(0)
    return row, replies[-1].tick if replies else 0
