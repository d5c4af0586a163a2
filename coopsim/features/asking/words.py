"""Values of commands between the words of a command line and the wire."""

from collections.abc import Mapping, Sequence
from typing import Any

from coopsim.client.module import Module
from coopsim.errors import BadArgument
from coopsim.interfaces import COMMON, Command, Field


def parse(command: Command, words: Sequence[str]) -> dict[str, Any]:
    """Return the values for the fields that `command` takes: in their order, or as `name=value`.

    A field that takes any number of values leaves to the others what they need.

    Raises:
        BadArgument: Too many words, or one that is no number where one is due.
    """
    fields = {field.name: field for field in command.takes}
    named = dict(word.split("=", 1) for word in words if word.partition("=")[0] in fields and "=" in word)
    values: dict[str, Any] = {name: _value(fields[name], word) for name, word in named.items()}
    rest = [word for word in words if not ("=" in word and word.partition("=")[0] in fields)]
    open_fields = [field for field in command.takes if field.name not in named]
    for place, field in enumerate(open_fields):
        count = _count(field, len(rest), open_fields[place + 1 :])
        taken, rest = rest[:count], rest[count:]
        if taken:
            values[field.name] = _value(field, *taken) if field.count == 1 else [_value(field, word) for word in taken]
    if rest:
        takes = ", ".join(_shown(field) for field in command.takes) or "no values"
        raise BadArgument(f"{command.name} takes {takes}; remove {' '.join(rest)}")
    return values


def command_of(module: Module, name_or_number: str) -> Command:
    """Return a module's command, those that every module answers included.

    Raises:
        NoSuchCommand: There is none.
    """
    key = int(name_or_number) if name_or_number.isdecimal() else name_or_number
    common = next(
        (common_command for common_command in COMMON if key in {common_command.name, common_command.number}), None
    )
    return common or module.interface.command(key)


def taken_by_default(command: Command, values: Mapping[str, Any]) -> list[Field]:
    """Return the physical values that `command` takes and that were left out."""
    return [
        field
        for field in command.takes
        if field.place == "data" and field.default is not None and field.name not in values
    ]


def shown(field: Field, value: Any) -> str:
    """Return a value that came, with its unit."""
    many = not isinstance(value, str) and hasattr(value, "__len__")
    words = " ".join(map(_word, value)) if many else _word(value)
    unit = f" {field.unit}" if field.unit not in {"", "1"} else ""
    return f"{words}{unit}"


def _word(value: Any) -> str:
    # numbers on the wire are binary fractions: print 0.3, not 0.30000000000000004
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _value(field: Field, word: str) -> float | int | str:
    for kind in (int, float):
        try:
            number = kind(word)
        except ValueError:
            continue
        return float(number) if field.place == "data" else number
    if field.place == "data":
        raise BadArgument(f"{_shown(field)} must be a number, got {word!r}")
    return word


def _count(field: Field, left: int, later: Sequence[Field]) -> int:
    if field.count:
        return int(field.count)
    return max(0, left - sum(int(field.count) for field in later if field.default is None))


def _shown(field: Field) -> str:
    unit = f" [{field.unit}]" if field.unit not in {"", "1"} else ""
    return f"{field.name}{unit}"
