"""Whose mistake it was: what foreign code raised, as an error with its file and line."""

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coopsim.errors import CoopsimError, PluginFailed

_OURS = str(Path(__file__).parent.parent) + os.sep
_LONGEST = 400


def place_of(problem: BaseException) -> str:
    """Return "file:line" of the mistake, "" where no foreign line took part.

    It is the innermost line of the first file on the way down that is neither ours nor Python's import machinery:
    what a plugin calls is seldom to blame.
    """
    if isinstance(problem, SyntaxError) and problem.filename:
        return f"{shown(problem.filename)}:{problem.lineno or 1}"
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if _is_foreign(frame.filename)]
    inside = [frame for frame in frames if frame.filename == frames[0].filename]
    return f"{shown(inside[-1].filename)}:{inside[-1].lineno}" if inside else ""


def blame(what: str, problem: BaseException) -> PluginFailed:
    """Return the error to raise in place of `problem`.

    Args:
        what: Who failed, "device lamp".
        problem: What was raised; a `PluginFailed` says everything already.
    """
    if isinstance(problem, PluginFailed):
        return problem
    place = place_of(problem)
    text = " ".join(str(problem.msg if isinstance(problem, SyntaxError) else problem).split())
    said = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
    return PluginFailed(f"{place or what}: {f'{what}: ' if place else ''}{said[:_LONGEST]}")


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Turn whatever foreign code raises in this block into an error that names its file and line.

    Raises:
        PluginFailed: It raised something that is no error of ours.
    """
    try:
        yield
    except CoopsimError:
        raise
    except (Exception, SystemExit) as problem:  # foreign code may raise anything, and must not end our process
        raise blame(what, problem) from problem


def shown(path: str | Path) -> str:
    """Return a path as people gave it: relative where it lies in the current folder."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):  # on another drive, or in a folder that is gone
        return str(path)
    return str(path) if relative.startswith("..") else relative


def _is_foreign(file: str) -> bool:
    return not file.startswith((_OURS, "<frozen")) and f"{os.sep}importlib{os.sep}" not in file
