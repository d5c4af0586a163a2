"""Options about the end of a run that somebody looks at: whether it stays, and how fast lockstep goes until then."""

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from coopsim.app.companions import WindowBeside

if TYPE_CHECKING:
    from coopsim.launch.report import Report

STAY_OPTIONS = ("stay", "close_at_end")
"""Names of those about the end."""


def stay_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options to a command."""
    options = (
        click.option(
            "--stay", is_flag=True, help="When the run is over, stay, with time standing still, until Ctrl-C."
        ),
        click.option(
            "--close-at-end", is_flag=True, help="When the run is over, close its window, and end; --json does so, too."
        ),
        click.option(
            "--paced",
            "is_paced",
            is_flag=True,
            help="Let lockstep go no faster than real time; a window does so where no --mode is given.",
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


def watched(window: WindowBeside, choices: dict[str, Any], *, as_json: bool) -> Callable[[], bool] | None:
    """Take the options out of what the command line says; return what says whether the run stays after its end.

    Args:
        window: On the run.
        choices: Of the command line; `stays` and `is_paced` are set.
        as_json: Whether a program reads what is printed.

    Raises:
        UsageError: The options do not fit together.
    """
    stay, closes = (choices.pop(name) for name in STAY_OPTIONS)
    if stay and closes:
        raise click.UsageError("--stay or --close-at-end, not both")
    has_window = window.is_open()
    choices["is_paced"] |= has_window and choices["mode"] is None
    choices["stays"] = stay or (has_window and not closes and not as_json)
    if stay:
        return lambda: True
    return window.is_open if choices["stays"] else None


def linger(window: WindowBeside, report: "Report", *, stays: bool) -> None:
    """Keep the window of a run that died open until it is closed: it says what happened, and offers to go on."""
    if stays and report.is_fault and report.summary is not None:
        with contextlib.suppress(KeyboardInterrupt):
            window.wait()
