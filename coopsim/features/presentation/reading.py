"""The net under commands that read recordings."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import click

_P = ParamSpec("_P")
_T = TypeVar("_T")


def reads_recordings(*names: str) -> Callable[[Callable[_P, _T]], Callable[_P, _T]]:
    """Return a decorator of commands: an unforeseen exception while reading is reported as damage.

    Args:
        names: Their arguments that name recordings.
    """

    def decorated(command: Callable[_P, _T]) -> Callable[_P, _T]:
        @functools.wraps(command)
        def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            from coopsim.replay.net import reading

            files = " or ".join(str(kwargs[name]) for name in names)
            with reading(files, click.ClickException, click.exceptions.Exit, click.Abort):
                return command(*args, **kwargs)

        return wrapped

    return decorated
