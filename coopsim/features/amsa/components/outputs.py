"""Results of a behavior, as values in the order of the template's outputs."""

from collections.abc import Callable, Mapping
from math import isfinite
from typing import Any, Final

from coopsim import plugins
from coopsim.errors import PluginFailed
from coopsim.features.amsa.components.model import DataValue, Leaf

_SHOWN = 60  # letters; more would push the reason out of the line


def outputs_of(leaf: Leaf, returned: Any, step: object = None) -> list[DataValue]:
    """Return the values of the outputs of a leaf.

    Args:
        leaf: Of which.
        returned: By its step.
        step: The function that returned it, of which mistakes name the place.

    Raises:
        PluginFailed: They are not as many as there are outputs, or one is no value of its type; NaN is none.
    """
    ports = leaf.template.outputs
    values = _in_order(leaf, returned, step)
    outputs = []
    for port, value in zip(ports, values, strict=True):
        try:
            outputs.append(_CONVERT[port.type](value))
        except (TypeError, ValueError, OverflowError):
            wanted = "a finite number" if port.type == "double" else port.type
            raise _mistake(leaf, step, f"output {port.name} must be {wanted}, got {_shown(value)}") from None
    return outputs


def _in_order(leaf: Leaf, returned: Any, step: object) -> tuple[Any, ...]:
    names = [port.name for port in leaf.template.outputs]
    if isinstance(returned, Mapping) and set(returned) == set(names):
        return tuple(returned[name] for name in names)
    if returned is None and not names:
        return ()
    if len(names) == 1 and not isinstance(returned, Mapping | tuple | list):
        return (returned,)
    if isinstance(returned, list | tuple) and len(returned) == len(names):
        return tuple(returned)
    wanted = ", ".join(names) or "nothing"
    raise _mistake(leaf, step, f"do_step must return {wanted}, got {_shown(returned)}")


def _mistake(leaf: Leaf, step: object, text: str) -> PluginFailed:
    place = plugins.defined_at(step)
    return PluginFailed(f"{place}{': ' if place else ''}component {leaf.name}: {text}")


def _double(value: Any) -> float:
    if isinstance(value, str) or not isfinite(value):
        raise ValueError
    return float(value)


def _whole(value: Any) -> int:
    number = int(value)
    if isinstance(value, str) or number != value:
        raise ValueError
    return number


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


_CONVERT: Final[Mapping[str, Callable[[Any], DataValue]]] = {
    "double": _double,
    "int": _whole,
    "bool": bool,
    "text": _text,
}


def _shown(thing: Any) -> str:
    try:
        text = repr(thing)
    except Exception as problem:
        text = f"(cannot be shown: {type(problem).__name__})"
    text = plugins.words(text)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
