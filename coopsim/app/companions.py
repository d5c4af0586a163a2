"""Companions of commands that features bring: pictures of runs and recordings, a window or a page beside a run.

Entry points name them (`coopsim.pictures`, `coopsim.companions`), so a command works without the feature, and says what
it lacks.
"""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from coopsim import plugins

if TYPE_CHECKING:
    from coopsim.launch.watching import RunKeeper
    from coopsim.robots import RunSpec

_PICTURES, _COMPANIONS, _OPTIONS = "pictures", "companions", "options"


def picture(name: str) -> Callable[..., Any]:
    """Return what draws a picture: `top_view_of_run`, `top_view_of_recording`, `page`, `flat_page` or `images`.

    Raises:
        ClickException: No installed package draws it.
        PluginFailed: It cannot be imported.
    """
    if name not in plugins.registered(_PICTURES):
        drawn = ", ".join(plugins.registered(_PICTURES)) or "none"
        raise click.ClickException(f"this installation draws no {name!r}; its pictures: {drawn}; install coopsim anew")
    draw: Callable[..., Any] = plugins.load(_PICTURES, name)
    return draw


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class WindowBeside:
    """A window on a run, or none.

    Attributes:
        ready: File that the run is to tell where it answers, None = nobody wants to know.
        is_open: Returns whether somebody looks through it.
        wait: Waits until it is closed.
    """

    ready: Path | None
    is_open: Callable[[], bool] = _never
    wait: Callable[[], object] = _never


def feature_options(command_name: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what adds the options that packages bring (`coopsim.options`, `COMMAND/OPTION`) to a command."""
    names = [name for name in plugins.registered(_OPTIONS) if name.startswith(f"{command_name}/")]
    return lambda command: reduce(lambda built, name: plugins.load(_OPTIONS, name)(built), names, command)


def with_gateways(spec: "RunSpec", choices: dict[str, Any]) -> "RunSpec":
    """Take the gateways out of what the command line says; return the run with them.

    Raises:
        UsageError: There is no such gateway.
    """
    wanted = list(choices.pop("gateways", ()))
    if choices.setdefault("foxglove", False) and choices["record"] is None:
        wanted, choices["foxglove"] = [*wanted, "foxglove"], False
    return plugins.load(_COMPANIONS, "gateways")(spec, wanted) if wanted else spec


def keeper() -> "RunKeeper | None":
    """Return what keeps the newest records of a run that somebody looks at, None = no package does."""
    return plugins.load(_COMPANIONS, "keeper")() if "keeper" in plugins.registered(_COMPANIONS) else None


@contextlib.contextmanager
def beside(ready: Path | None, *, window: bool, page: bool = False) -> Iterator[WindowBeside]:
    """Show a run as soon as it answers, and no longer than it lasts.

    Args:
        ready: File that the run writes where it answers, None = nobody asked for one.
        window: Whether a window is wanted; it opens where there is a display.
        page: Whether a page for browsers is wanted.

    Yields:
        The window; its `ready` is the file that the run is to write.

    Raises:
        ClickException: No installed package serves a page.
    """
    registered = plugins.registered(_COMPANIONS)
    if page and "page" not in registered:
        raise click.ClickException("this installation serves no page for browsers; install coopsim anew")
    with contextlib.ExitStack() as stack:
        shown = WindowBeside(ready)
        if window and "window" in registered:
            shown = WindowBeside(*stack.enter_context(plugins.load(_COMPANIONS, "window")(ready)))
        if page:
            shown = replace(shown, ready=stack.enter_context(plugins.load(_COMPANIONS, "page")(shown.ready)))
        yield shown
