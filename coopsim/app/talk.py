"""Output of every command: requested data to stdout, everything else to stderr.

Every command prints through this module. A program that reads stdout finds data there and nothing else; with `--json`
that is one line. People see both, and `--quiet` leaves out the talk.
"""

import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any, Final

import click

from coopsim.app.table import fitted
from coopsim.suggest import printable

QUIET: Final = -1  # levels are ordered: what is said at one is said at all above it
USUAL: Final = 0
VERBOSE: Final = 1

_level = USUAL


def level() -> int:
    """Return the level of output: QUIET, USUAL or VERBOSE."""
    return _level


def set_level(wanted: int) -> None:
    """Set the level of output."""
    global _level  # noqa: PLW0603 - one program has one voice
    _level = wanted


def data(text: str) -> None:
    """Print what was asked for."""
    click.echo(printable(text))


def answer(text: str, plain: Any = None) -> None:
    """Print what was asked for: as `text`, broken into lines of the terminal, or as JSON when that is asked for.

    Args:
        text: For people; beside JSON it is talk.
        plain: What `--json` prints; None = no JSON is wanted.
    """
    if plain is None:
        data(fitted(text))
        return
    note(text)
    data(json.dumps(plain))


def note(text: str) -> None:
    """Print a line, unless `--quiet` was given."""
    if _level > QUIET:
        click.echo(printable(text), err=True)


def detail(text: str) -> None:
    """Print a line that only `--verbose` shows."""
    if _level >= VERBOSE:
        click.echo(printable(text), err=True)


def complain(text: str, cure: str = "") -> None:
    """Print an error and, in a second line, its cure."""
    try:
        sys.stdout.flush()  # what came before it stands before it
    except BrokenPipeError:
        raise
    except OSError:  # that it cannot be written may be the complaint
        pass
    click.echo(f"coopsim: {printable(text)}" + (f"\n  {cure}" if cure else ""), err=True)


def write_no_more() -> None:
    """Discard unwritten output: its reader is gone, or does not read."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(null, stream.fileno())
    os.close(null)


@contextlib.contextmanager
def giving_up_after(seconds: float | None) -> Iterator[None]:
    """Limit the time for writing; the rest is discarded, as after a signal."""
    if seconds is None:
        yield
        return
    before = signal.signal(signal.SIGALRM, lambda *_: write_no_more())  # the write that waits begins anew
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)


def voiced(command: click.Command) -> click.Command:
    """Give a command, and the commands of a group, the options `--quiet` and `--verbose`."""
    if isinstance(command, click.Group):
        for subcommand in command.commands.values():
            voiced(subcommand)
    if not any(option.name == "quiet" for option in command.params):
        command.params += [_flag("-q", "--quiet", QUIET, "Print only data and errors."), _verbose()]
    return command


def _verbose() -> click.Option:
    return _flag("-v", "--verbose", VERBOSE, "Say more about what happens meanwhile.")


def _flag(short: str, name: str, wanted: int, about: str) -> click.Option:
    def choose(_context: click.Context, _option: click.Parameter, is_given: bool) -> None:
        if is_given:
            set_level(wanted)

    return click.Option([short, name], is_flag=True, expose_value=False, is_eager=True, callback=choose, help=about)
