"""Types of values: a description tells unit, limits and default, and a language wants a type."""

import math
from typing import Final

from coopsim.interfaces import Field

FLOAT, INT, TEXT, VALUE = "float", "int", "text", "value"
"""`value` is an integer, a float or a text, where nothing says which."""
MANY: Final = {FLOAT: "floats", INT: "ints", TEXT: "texts", VALUE: "values"}
_WHOLE: Final = frozenset(
    {
        ("camera", "image", "width"),
        ("camera", "image", "height"),
        ("camera", "depth", "width"),
        ("camera", "depth", "height"),
        ("camera", "png", "width"),
        ("camera", "png", "height"),
        ("camera", "labels", "width"),
        ("camera", "labels", "height"),
        ("events", "subscribe", "next"),
        ("playback", "marks", "next"),
        ("step", "step", "generation"),
        ("world", "list", "total"),
        ("world", "mesh", "size"),
        ("world", "meshes", "total"),
    }
)
"""Counts of built-in interfaces that have neither limits nor a default."""
_MIXED: Final = frozenset({("module", "get_parameter", "value"), ("events", "publish_all", "events")})
_OURS: Final = frozenset(
    {"module", "camera", "clock", "controllers", "events", "info", "names", "playback", "recorder", "renderer", "step"}
) | {
    "world",
    "target",
}
"""Kinds whose params without any other sign are texts."""


def type_of(kind: str, command: str, field: Field) -> str:
    """Return the type of a value, or of each of a run of them as the type of a run."""
    single = _single(kind, command, field)
    return single if field.count == 1 else MANY[single]


def _single(kind: str, command: str, field: Field) -> str:
    if field.place == "data":
        return FLOAT
    key = (kind, command, field.name)
    if key in _WHOLE:
        return INT
    if key in _MIXED:
        return VALUE
    return _shown(field) or (TEXT if kind in _OURS or field.encoding else VALUE)


def _shown(field: Field) -> str:
    """Return the type that default, choices or limits show, "" = none does."""
    examples = [*field.choices, *([] if field.default is None else [field.default])]
    if examples:
        if any(isinstance(example, str) for example in examples):
            return TEXT
        return INT if all(isinstance(example, int) for example in examples) else FLOAT
    limits = [limit for limit in (field.low, field.high) if math.isfinite(limit)]
    if not limits:
        return ""
    return INT if all(float(limit).is_integer() for limit in limits) else FLOAT
