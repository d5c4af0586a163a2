"""Replies to a page as JSON holds them: answers of commands, parameters with their values."""

import math
from typing import Any

import numpy as np

from coopsim.interfaces import Parameter, Value


def words_of(answer: Any) -> Any:
    """Return the answer of a command as JSON holds it: its fields by name."""
    if hasattr(answer, "_asdict"):
        return {name: plain(value) for name, value in answer._asdict().items()}
    return plain(answer)


def plain(value: Any) -> Any:
    """Return a value as JSON holds it: no infinity, no array."""
    if isinstance(value, np.ndarray | np.generic):
        return np.nan_to_num(value, nan=0.0, posinf=1e9, neginf=-1e9).tolist()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value if isinstance(value, str | int | float | bool | list | dict | None) else str(value)


def parameter_facts(parameter: Parameter, value: Value | None) -> dict[str, Any]:
    """Return what a page must know to offer a parameter.

    Args:
        parameter: Of a module or of a control law.
        value: That is in force, None = it is not known.
    """
    return {
        "name": parameter.name,
        "kind": parameter.kind.__name__,
        "unit": parameter.unit,
        "low": plain(parameter.low),
        "high": plain(parameter.high),
        "choices": list(parameter.choices),
        "fixed": parameter.fixed,
        "summary": parameter.summary,
        "value": plain(value),
    }
