"""Settings as a dataclass whose fields are declared parameters: type, unit and range stand once."""

import math
from collections.abc import Mapping
from dataclasses import field, fields
from typing import Any, TypeVar, get_type_hints

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
    made: _T = field(default=default, metadata=declared)
    return made


def parameters_of(settings: type[Any]) -> tuple[Parameter, ...]:
    """Return the parameters that a settings dataclass declares, in the order of its fields."""
    kinds: Mapping[str, Any] = get_type_hints(settings)
    defaults: Mapping[str, Any] = {it.name: it.default for it in fields(settings)}
    return tuple(Parameter(it.name, kinds[it.name], defaults[it.name], **it.metadata) for it in fields(settings))
