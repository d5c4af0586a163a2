"""A parameter of a template as text: `double Kv = 0.05 in 0 .. 2 unit "1" "gain of the speed";`."""

import math
from typing import Final

from coopsim.errors import BadArgument
from coopsim.features.amsa.components.cursor import Cursor
from coopsim.features.amsa.components.model import INITIAL, DataValue, TypedParameter
from coopsim.interfaces import Parameter
from coopsim.scene import Span

_PYTHON: Final = {"int": int, "double": float, "bool": int, "text": str}


def read_parameter(at: Cursor) -> TypedParameter:
    """Read a parameter; a default that its own range refuses is noted.

    Raises:
        Unexpected: It cannot be read.
    """
    type_name = at.one_of(INITIAL, "a type").text
    span, name = at.here, at.name("the name of a parameter").text
    default = at.value() if at.comes("=") else None
    low, high = _range(at, type_name)
    unit = str(at.value()) if at.comes("unit") else "1"
    summary = str(at.value()) if at.next.kind == "text" else ""
    at.expect(";")
    parameter = declared(name, type_name, default, (low, high), unit, summary)
    return TypedParameter(_checked(at, parameter, span), type_name, span)


def declared(
    name: str, type_name: str, default: DataValue | None, limits: tuple[float, float], unit: str, summary: str
) -> Parameter:
    """Return the declaration; without a default it is 0, or what of the range is nearest to it."""
    low, high = limits
    if default is None:
        default = "" if type_name == "text" else min(max(0, low), high)
    if isinstance(default, bool):
        default = int(default)
    if type_name in ("int", "bool") and isinstance(default, float) and default == int(default):
        default = int(default)
    if type_name == "double" and isinstance(default, int):
        default = float(default)
    return Parameter(name, _PYTHON[type_name], default, unit, low, high, summary)


def _range(at: Cursor, type_name: str) -> tuple[float, float]:
    low, high = (0.0, 1.0) if type_name == "bool" else (-math.inf, math.inf)
    if at.comes("in"):
        span = at.here
        low = float(at.number("the least value"))
        at.expect("..")
        high = float(at.number("the largest value"))
        if low > high:
            at.note(f"the least value {low:g} is above the largest {high:g}", span)
            return high, low
    return low, high


def _checked(at: Cursor, parameter: Parameter, span: Span) -> Parameter:
    try:
        parameter.check(parameter.default)
    except BadArgument as problem:
        at.note(f"default of {problem}", span)
    return parameter
