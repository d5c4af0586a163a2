"""The message of coopsim as a bottle, and commands as people type them into `yarp rpc`.

A request and its answer are `ErrorCode "Text" Command M p1..pM N d1..dN`, the fields of the first paper's message in
their order, or nested: `ErrorCode "Text" Command (p1..) (d1..)`. A person types `set_velocity 0.2 0.1` and is answered
`[ok] ...` or `[fail] "why"`.

Source: CoopDynSim, section III (error code, command, parameters and data of a message).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from coopsim.errors import BadArgument
from coopsim.features.gateways.yarp.bottle import Value, Vocab
from coopsim.interfaces import COMMON, Interface

HELP, PARTING = "help", ("quit", "exit", "bye")
_FLAT = 5
"""Fewest items of the generic form: code, text, command, M and N."""


class Request(NamedTuple):
    """A request that came as a bottle.

    Attributes:
        command: Number or name.
        values: Of its arguments.
        is_typed: Whether a person typed it, who is answered in words.
    """

    command: int | str
    values: list[Value]
    is_typed: bool


def request_in(items: Sequence[Value]) -> Request:
    """Return the request that a bottle is.

    Raises:
        BadArgument: It is none.
    """
    if items and isinstance(items[0], str):
        return Request(str(items[0]), list(items[1:]), is_typed=True)
    if len(items) < _FLAT or not isinstance(items[1], str) or not _is_whole(items[2]):
        raise BadArgument(
            f"expected ErrorCode Text Command M p1..pM N d1..dN, or a command's name; got {len(items)} items"
        )
    command = items[2]
    assert isinstance(command, int)  # noqa: S101 - as asked above
    if isinstance(items[3], list) and isinstance(items[4], list):
        return Request(command, [*items[3], *items[4]], is_typed=False)
    params, rest = _counted(items[3:], "M")
    data, rest = _counted(rest, "N")
    if rest:
        raise BadArgument(f"{len(rest)} items stand behind the data")
    return Request(command, [*params, *data], is_typed=False)


def answer_to(request: Request, values: Sequence[Any]) -> list[Value]:
    """Return the answer to a request: texts as params, numbers as data, arrays as their items."""
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]
    if request.is_typed:
        return [Vocab("ok"), *flat]
    params = [item for item in flat if isinstance(item, str)]
    data = [float(item) for item in flat if not isinstance(item, str)]
    return [0, "", request.command, len(params), *params, len(data), *data]


def refused(request: Request | None, code: int, text: str) -> list[Value]:
    """Return the answer to a request that was refused."""
    if request is None or request.is_typed:
        return [Vocab("fail"), text]
    return [code, text, request.command, 0, 0]


def help_of(interface: Interface, name: str = "") -> list[Value]:
    """Return what a module understands, or one of its commands: `[many]` lines, one printed below the other."""
    commands = {command.name: command for command in (*interface.commands, *COMMON)}
    if not name:
        return [Vocab("many"), ["*** Available commands:", *commands, HELP]]
    if name not in commands:
        return [Vocab("fail"), f"there is no command {name!r}; there are {', '.join(commands)}"]
    command = commands[name]
    takes = " ".join(f"{field.name}[{field.unit}]" for field in command.takes)
    return [Vocab("many"), f"{command.number} {command.name} {takes}".rstrip(), command.summary]


def _is_whole(value: Value) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _counted(items: Sequence[Value], letter: str) -> tuple[Sequence[Value], Sequence[Value]]:
    count = items[0] if items else None
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count < len(items):
        raise BadArgument(
            f"{letter}: expected how many follow, got {count!r:.40} before {max(0, len(items) - 1)} items"
        )
    return items[1 : 1 + count], items[1 + count :]
