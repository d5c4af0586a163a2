"""Arguments of a command, checked and laid out as params and data."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from coopsim.errors import BadArgument
from coopsim.geometry import all_finite
from coopsim.interfaces import Command, Field
from coopsim.message import Param
from coopsim.suggest import did_you_mean


def pack(
    command: Command, positional: Sequence[Any], named: Mapping[str, Any]
) -> tuple[tuple[Param, ...], Sequence[float]]:
    """Return the params and the data of a request.

    Args:
        command: What is asked for.
        positional: Values in the order of `command.takes`.
        named: Values by the names of the fields.

    Raises:
        BadArgument: Too many values, an unknown name, one missing, or a value that the field cannot hold.
    """
    params: list[Param] = []
    data: list[float] = []
    for field, value in zip(command.takes, _values(command, positional, named), strict=True):
        if field.place == "data":
            data.extend(_numbers(command, field, value))
        else:
            params.extend(_params(command, field, value))
    return tuple(params), data


def usage(command: Command) -> str:
    """Return what a command takes, for people: `set_velocity takes v [m/s], w [rad/s]`."""
    return f"{command.name} takes {', '.join(_shown(field) for field in command.takes) or 'no values'}"


def _shown(field: Field) -> str:
    unit = f" [{field.unit}]" if field.unit not in {"", "1"} else ""
    return f"{field.name}{unit}" if field.count == 1 else f"{field.name}{unit} (a sequence)"


def _values(command: Command, positional: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
    if len(positional) > len(command.takes):
        count = len(positional) + len(named)
        raise BadArgument(f"{usage(command)}; got {count} value{'s' * (count != 1)}")
    given = dict(zip((field.name for field in command.takes), positional, strict=False))
    for name, value in named.items():
        if name in given:
            raise BadArgument(f"{command.name} got {name} twice")
        if all(field.name != name for field in command.takes):
            raise BadArgument(f"{command.name} has no {name!r}{did_you_mean(name, _names(command))}; {usage(command)}")
        given[name] = value
    return [given[field.name] if field.name in given else _default(command, field) for field in command.takes]


def _names(command: Command) -> list[str]:
    return [field.name for field in command.takes]


def _default(command: Command, field: Field) -> Any:
    if field.default is not None:
        return [field.default] * field.count if isinstance(field.count, int) and field.count > 1 else field.default
    if field.count == 0:
        return ()
    raise BadArgument(f"{command.name} needs {field.name}; {usage(command)}")


def _numbers(command: Command, field: Field, value: Any) -> list[float]:
    if field.count == 1:
        return [_number(command, field, value)]
    try:
        values = np.asarray(value, np.float64).ravel()
    except (TypeError, ValueError):
        raise BadArgument(f"{command.name}: {_shown(field)} must hold numbers, got {value!r}") from None
    if field.count not in {0, len(values)}:
        raise BadArgument(f"{command.name}: {field.name} has {field.count} values, got {len(values)}")
    if not all_finite(values):
        raise BadArgument(f"{command.name}: {field.name} must be finite, got {value!r}")
    numbers: list[float] = values.tolist()
    return numbers


def _number(command: Command, field: Field, value: Any) -> float:
    if isinstance(value, bool | str | bytes) or not hasattr(value, "__float__"):
        cure = "; say 1 for yes, 0 for no" if isinstance(value, bool) else ""
        raise BadArgument(f"{command.name}: {_shown(field)} must be a number, got {value!r}{cure}")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        raise BadArgument(f"{command.name}: {_shown(field)} must be one number, got {value!r}") from None
    if not math.isfinite(number):
        raise BadArgument(f"{command.name}: {_shown(field)} must be finite, got {value!r}")
    return number


def _params(command: Command, field: Field, value: Any) -> list[Param]:
    if field.count == 1:
        return [_param(command, field, value)]
    many = [value] if isinstance(value, str) or not hasattr(value, "__iter__") else list(value)
    if field.count not in {0, len(many)}:
        raise BadArgument(f"{command.name}: {field.name} has {field.count} values, got {len(many)}")
    return [_param(command, field, value) for value in many]


def _param(command: Command, field: Field, value: Any) -> Param:
    plain = value.item() if isinstance(value, np.generic) else value
    if isinstance(plain, bool):
        raise BadArgument(
            f"{command.name}: {field.name} must be text or a number, got {plain}; say 1 for yes, 0 for no"
        )
    if isinstance(plain, float) and not math.isfinite(plain):
        raise BadArgument(f"{command.name}: {field.name} must be finite, got {plain}")
    if not isinstance(plain, int | float | str):
        raise BadArgument(f"{command.name}: {field.name} must be text or a number, got {value!r}")
    return plain
