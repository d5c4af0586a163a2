"""Limits of what commands take: each value in the range of its field, each step of a sequence a command of its own."""

from collections.abc import Mapping, Sequence

from coopsim.errors import BadArgument
from coopsim.interfaces._interface import Command, Field, Interface, count, width

_NO_COUNTS: Mapping[str, int] = {}


def is_limited(command: Command) -> bool:
    """Return whether a command refuses some values."""
    return any(field.is_limited for field in command.takes)


def check_values(interface: Interface, command: Command, values: Sequence[float]) -> None:
    """Refuse values beyond the limits of a command, and steps that are no commands of the interface.

    Args:
        interface: That has the command.
        command: One whose fields have no counts by name.
        values: All that it takes in data, one behind the other.

    Raises:
        BadArgument: A value is out of range, or a step is no command that can be one.
    """
    begin = 0
    for field in command.takes:
        own = values[begin : begin + count(field, _NO_COUNTS)]
        begin += len(own)
        if field.steps:
            check_steps(interface, field, own)
        elif field.is_limited:
            for value in own:
                field.check(value)


def check_steps(interface: Interface, field: Field, values: Sequence[float]) -> None:
    """Refuse a step that is no command of a field, or whose values are out of range; behind a 0 nothing counts.

    Args:
        interface: That has the commands.
        field: Whose values are steps.
        values: All of them.

    Raises:
        BadArgument: A step is none.
    """
    commands = [command for command in interface.commands if command.number in field.steps]
    row = 1 + max((width(command.takes, _NO_COUNTS) for command in commands), default=0)
    for place in range(0, len(values), row):
        number, *given = values[place : place + row]
        if number == 0.0:
            return
        command = next((candidate for candidate in commands if candidate.number == number), None)
        step = f"step {place // row + 1} of {field.name}"
        if command is None:
            raise BadArgument(f"{step} must be {_listed(commands)}, got {number:g}").bring(field.name, number)
        try:
            check_values(interface, command, given[: width(command.takes, _NO_COUNTS)])
        except BadArgument as problem:
            raise BadArgument(f"{step}, {command.name}: {problem}").bring(field.name, number) from None


def _listed(commands: Sequence[Command]) -> str:
    return f"{', '.join(f'{command_row.number} {command_row.name}' for command_row in commands)} or 0 for the end"
