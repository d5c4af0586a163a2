"""Names as languages write them: conventions, and words that a language keeps for itself."""

import re
from collections.abc import Iterator

from coopsim.errors import BadArgument
from coopsim.interfaces import Interface

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
# names come from any server: refusals quote the beginning
_SHOWN = 40


def snake(name: str) -> str:
    """Return `set_wheel_speeds`, also of SetWheelSpeeds."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def pascal(name: str) -> str:
    """Return `SetWheelSpeeds`."""
    return "".join(word[:1].upper() + word[1:] for word in name.split("_"))


def camel(name: str) -> str:
    """Return `setWheelSpeeds`."""
    words = pascal(name)
    return words[:1].lower() + words[1:]


def constant(name: str) -> str:
    """Return `SET_WHEEL_SPEEDS`."""
    return snake(name).upper()


def check_names(interface: Interface) -> None:
    """Check that all names can be words of a program: a module of a stranger says what it likes.

    Raises:
        BadArgument: One cannot.
    """
    for what, name in _names(interface):
        if not _NAME.fullmatch(name):
            raise BadArgument(
                f"{interface.kind[:_SHOWN]}: the {what} {name[:_SHOWN]!r} can be no name in a program:"
                f" a letter, then letters, digits and _, at most 64"
            ).bring(name[:_SHOWN])


def _names(interface: Interface) -> Iterator[tuple[str, str]]:
    yield "kind", interface.kind
    for command in interface.commands:
        yield "command", command.name
        for field in (*command.takes, *command.gives):
            yield f"value of {command.name[:_SHOWN]}", field.name
    for parameter in interface.parameters:
        yield "parameter", parameter.name
