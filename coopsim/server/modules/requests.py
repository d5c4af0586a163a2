"""Checking what a request brings against what a command takes."""

from collections.abc import Mapping, Sequence

from coopsim.errors import BadArgument
from coopsim.interfaces import Command, Field, count
from coopsim.message import Message, Param

MOST_WHOLE = 1 << 53
"""Whole numbers up to here are whole as floats too, which some languages send."""
_SHOWN = 80  # letters of a wrong value; a stranger may send a megabyte
_NO_COUNTS: Mapping[str, int] = {}


def params_of(command: Command, request: Message) -> tuple[Param, ...]:
    """Return the request's params, defaults filled in.

    Raises:
        BadArgument: There are too few or too many, or one has the wrong type.
    """
    fields = [field for field in command.takes if field.place == "params"]
    given = request.params
    if fields and count(fields[-1], _NO_COUNTS) == 0:  # the last one takes any number
        if len(given) < len(fields) - 1:
            raise BadArgument(f"{_usage(command)}; got {len(given)} params")
        return given
    if len(given) > len(fields):
        raise BadArgument(f"{_usage(command)}; got {len(given)} params")
    values = [field.check(value) for field, value in zip(fields, given, strict=False)]
    for field in fields[len(given) :]:
        if field.default is None:
            raise BadArgument(f"{_usage(command)}; {field.name} is missing")
        values.append(field.default)
    return tuple(values)


def data_of(command: Command, request: Message, counts: Mapping[str, int] = _NO_COUNTS) -> list[float]:
    """Return the request's data, defaults filled in at the end.

    Raises:
        BadArgument: There are too few or too many values.
    """
    fields = [field for field in command.takes if field.place == "data"]
    values = [float(value) for value in request.data]
    widths = [count(field, counts) for field in fields]
    wanted = sum(widths)
    start = 0
    for field, width in zip(fields, widths, strict=True):
        start += width
        if len(values) < start and field.default is not None:
            values += [float(field.default)] * (start - len(values))
    if len(values) != wanted:
        raise BadArgument(f"{_usage(command)}; got {len(request.data)} data values")
    if any(field.is_limited for field in fields):
        _check(fields, widths, values)
    return values


def _check(fields: Sequence[Field], widths: Sequence[int], values: Sequence[float]) -> None:
    """Refuse values beyond the limits of their fields.

    Raises:
        BadArgument: One is.
    """
    owners = (field for field, width in zip(fields, widths, strict=True) for _ in range(width))
    for field, value in zip(owners, values, strict=True):
        field.check(value)


def text(value: Param, name: str) -> str:
    """Return `value`, which must be text.

    Raises:
        BadArgument: It is not.
    """
    if not isinstance(value, str):
        raise BadArgument(f"{name} must be text, got {shown(value)}").bring(name)
    return value


def texts(values: tuple[Param, ...], name: str) -> tuple[str, ...]:
    """Return `values`, all of which must be text.

    Raises:
        BadArgument: One is not.
    """
    for value in values:
        if type(value) is not str:
            raise BadArgument(f"{name} must be names, got {shown(value)}").bring(name)
    return values  # type: ignore[return-value]  # each was looked at


def whole(value: Param, name: str, low: int = 0, high: int = MOST_WHOLE) -> int:
    """Return `value`, which must be a whole number from `low` to `high`.

    Raises:
        BadArgument: It is not.
    """
    if isinstance(value, str) or not low <= value <= high or value != int(value):
        text = f"{name} must be a whole number from {low} to {high}, got {shown(value)}"
        raise BadArgument(text).bring(name, low, high)
    return int(value)


def shown(value: Param) -> str:
    """Return a value as a text of an error shows it, long texts cut."""
    return repr(value[:_SHOWN] + "..." if isinstance(value, str) and len(value) > _SHOWN else value)


def _usage(command: Command) -> str:
    return f"{command.name} takes params ({_list(command, 'params')}) and data ({_list(command, 'data')})"


def _list(command: Command, place: str) -> str:
    return ", ".join(map(_describe, (field for field in command.takes if field.place == place)))


def _describe(field: Field) -> str:
    unit = f" {field.unit}" if field.unit else ""
    return f"{field.name}{unit}" + ("…" if field.count == 0 else "")
