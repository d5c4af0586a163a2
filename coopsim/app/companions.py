"""Companions of commands that features bring: pictures of runs and recordings, and a window beside a run.

Entry points name them (`coopsim.pictures`, `coopsim.companions`), so a command works without the feature, and says what
it lacks.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click

from coopsim import plugins

_PICTURES, _COMPANIONS = "pictures", "companions"


def picture(name: str) -> Callable[..., Any]:
    """Return what draws a picture: `top_view_of_run`, `top_view_of_recording`, `page` or `images`.

    Raises:
        ClickException: No installed package draws it.
        PluginFailed: It cannot be imported.
    """
    if name not in plugins.registered(_PICTURES):
        drawn = ", ".join(plugins.registered(_PICTURES)) or "none"
        raise click.ClickException(f"this installation draws no {name!r}; its pictures: {drawn}; install coopsim anew")
    draw: Callable[..., Any] = plugins.load(_PICTURES, name)
    return draw


@contextlib.contextmanager
def window_beside(ready: Path | None, *, wanted: bool) -> Iterator[Path | None]:
    """Open a window on a run as soon as that answers, where there is a display; close it with the run.

    Args:
        ready: File that the run tells where it answers, None = nobody asked for one.
        wanted: Whether a window is wanted at all.

    Yields:
        The file that the run is to tell where it answers.
    """
    if not wanted or "window" not in plugins.registered(_COMPANIONS):
        yield ready
        return
    with plugins.load(_COMPANIONS, "window")(ready) as place:
        yield place
