"""Engines, devices and control laws by name: built-in and foreign ones register through the same entry points."""

import traceback
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from coopsim.errors import NoSuchPlugin, PluginFailed


@cache
def registered(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of `group` ("devices", "engines", "controllers") by name, sorted."""
    found = {point.name: point for point in entry_points(group=f"coopsim.{group}")}
    return dict(sorted(found.items()))


@cache
def load(group: str, name: str) -> Any:
    """Return what is registered under `name`.

    Raises:
        NoSuchPlugin: Nothing of this name is registered in `group`.
        PluginFailed: It cannot be imported.
    """
    points = registered(group)
    if name not in points:
        raise NoSuchPlugin(f"{group} has no {name!r}; registered: {', '.join(points) or 'none'}")
    try:
        return points[name].load()
    except Exception as problem:  # foreign code may raise anything; whatever it is, the user learns where
        raise PluginFailed(f"{points[name].value}: {_where(problem)}{type(problem).__name__}: {problem}") from problem


def _where(problem: Exception) -> str:
    """Return "file:line: " of the innermost line outside of Python's import machinery, "" if there is none."""
    if isinstance(problem, SyntaxError):
        return f"{problem.filename}:{problem.lineno}: "
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if "importlib" not in frame.filename]
    return f"{frames[-1].filename}:{frames[-1].lineno}: " if frames[1:] else ""
