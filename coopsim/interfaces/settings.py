"""Settings as a dataclass whose fields are declared parameters: type, unit and range stand once."""

import inspect
import math
from collections.abc import Callable, Mapping
from dataclasses import field, fields
from typing import Any, TypeVar, get_type_hints

from coopsim.errors import BadArgument
from coopsim.interfaces._interface import Parameter, Value

_T = TypeVar("_T", float, int, str)


def setting(
    default: _T,
    unit: str = "1",
    low: float = -math.inf,
    high: float = math.inf,
    summary: str = "",
    choices: tuple[Value, ...] = (),
) -> _T:
    """Return the default of a field of a settings dataclass, together with what a `Parameter` says of it.

    ```python
    @dataclass(frozen=True, slots=True)
    class Cruising:
        v: float = setting(0.3, "m/s", -10.0, 10.0, "speed")

    PARAMETERS = parameters_of(Cruising)
    ```
    """
    declared: Mapping[str, Any] = {"unit": unit, "low": low, "high": high, "summary": summary, "choices": choices}
    declared_field: _T = field(default=default, metadata=declared)
    return declared_field


def parameters_of(settings: type[Any]) -> tuple[Parameter, ...]:
    """Return the parameters that a settings dataclass declares, in the order of its fields."""
    kinds: Mapping[str, Any] = get_type_hints(settings)
    defaults: Mapping[str, Any] = {field.name: field.default for field in fields(settings)}
    return tuple(
        Parameter(field.name, kinds[field.name], defaults[field.name], **field.metadata) for field in fields(settings)
    )


def parameters_of_function(function: Callable[..., Any]) -> tuple[Parameter, ...]:
    """Return what a function, or the constructor of a class, takes besides its first argument, as parameters.

    Raises:
        BadArgument: One of them has no default, or one that is no number and no text.
    """
    is_class = isinstance(function, type)
    try:
        taken = list(inspect.signature(function).parameters.values())[0 if is_class else 1 :]
    except (TypeError, ValueError):
        taken = []
    named = [argument for argument in taken if argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)]
    for parameter in named:
        if type(parameter.default) not in (float, int, str):
            what = "no default" if parameter.default is parameter.empty else f"the default {parameter.default!r}"
            raise BadArgument(
                f"{function.__name__}: parameter {parameter.name} has {what}; "
                f"a law takes numbers and texts with defaults, as {parameter.name}=0.3"
            )
    return tuple(Parameter(argument.name, type(argument.default), argument.default) for argument in named)
