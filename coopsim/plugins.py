"""Engines, devices and control laws by name: built-in and foreign ones register through the same entry points."""

import importlib
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
    point = points[name]
    try:
        module = importlib.import_module(point.module)
        return getattr(module, point.attr) if point.attr else module
    except Exception as problem:
        raise PluginFailed(f"{point.value}: {type(problem).__name__}: {problem}") from problem
