"""Rows of a study as files have them: a file may come from anywhere, and was perhaps edited."""

from collections.abc import Callable, Mapping
from typing import Any

KEYS = frozenset({"number", "values", "seed", "success", "goals", "metrics"})


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float)


def _is_number(value: Any) -> bool:
    return value is None or isinstance(value, int | float)


def _is_map(of: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(of, value.values()))


def _is_goal(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and all(isinstance(value.get(name), str) for name in ("name", "kind", "of"))
        and value.get("met") in {None, True, False}
    )


_EXPECTED: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "number": ("a whole number from 0", lambda value: _is_whole(value) and value >= 0),
    "values": ("words and numbers by name", _is_map(_is_plain)),
    "seed": ("a whole number", _is_whole),
    "success": ("true or false", lambda value: isinstance(value, bool)),
    "goals": (
        "goals with name, kind, of, met",
        lambda value: isinstance(value, list) and all(map(_is_goal, value)),
    ),
    "metrics": ("numbers by name", _is_map(_is_number)),
    "error": ("a text", lambda value: isinstance(value, str)),
}


def flaw_of(row: Mapping[str, Any]) -> str:
    """Return what is wrong with a row that has all keys: what was expected and what is there; "" = nothing."""
    for name, (expected, holds) in _EXPECTED.items():
        if name in row and not holds(row[name]):
            return f"{name}: expected {expected}, found {row[name]!r:.60}"
    return ""
