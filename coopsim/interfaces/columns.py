"""Indices that compiled code uses, out of the interface that declares what they stand for."""

from collections import namedtuple
from keyword import iskeyword
from typing import Any

from coopsim.interfaces._interface import Interface


def number_names(interface: Interface) -> tuple[str, ...]:
    """Return the names of all parameters that are numbers, in the order of the interface."""
    return tuple(parameter.name for parameter in interface.parameters if parameter.kind is not str)


def columns(interface: Interface) -> Any:
    """Return the row of each number parameter in the table of a device: `columns(MOTORS).grip`.

    A named tuple of whole numbers, which a compiled function takes as a constant.
    """
    names = number_names(interface)
    return namedtuple("Columns", names)(*range(len(names)))


def reading_columns(interface: Interface) -> Any:
    """Return the column of each reading among those of its module: `reading_columns(ODOMETRY).heading`.

    A named tuple as that of `columns`, for interfaces whose readings are single numbers.
    """
    names = [field.name for field in interface.readings]
    return namedtuple("ReadingColumns", names)(*range(len(names)))


def command_numbers(interface: Interface) -> Any:
    """Return the number of each command: `command_numbers(MOTORS).stop`; a named tuple as that of `columns`.

    A keyword of Python gets the underscore that it has in the client: `command_numbers(CLOCK).continue_`.
    """
    numbers = {f"{command.name}{'_' * iskeyword(command.name)}": int(command.number) for command in interface.commands}
    return namedtuple("CommandNumbers", numbers)(**numbers)
