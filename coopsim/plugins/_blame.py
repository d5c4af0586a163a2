"""Exceptions of foreign code as errors with file and line."""

import os
import signal
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, MethodType

from coopsim.errors import CoopsimError, PluginFailed
from coopsim.suggest import printable

_OURS = str(Path(__file__).parent.parent) + os.sep
_LONGEST = 400  # letters; an exception may carry a whole file


def blamed_location(problem: BaseException) -> str:
    """Return "file:line" of the mistake, "" where no foreign line took part.

    It is the innermost line of the first file on the way down that is neither ours nor Python's import machinery:
    what a plugin calls is seldom to blame.
    """
    if isinstance(problem, SyntaxError) and problem.filename:
        return f"{shown(problem.filename)}:{problem.lineno or 1}"
    frames = [frame for frame in traceback.extract_tb(problem.__traceback__) if _is_foreign(frame.filename)]
    inside = [frame for frame in frames if frame.filename == frames[0].filename]
    return f"{shown(inside[-1].filename)}:{inside[-1].lineno}" if inside else ""


def defined_at(function: object) -> str:
    """Return "file:line" of where foreign code begins a function or method, "" for what is no function of a file."""
    if not isinstance(function, FunctionType | MethodType):
        return ""
    code = function.__code__
    is_of_file = _is_foreign(code.co_filename) and not code.co_filename.startswith("<")
    return f"{shown(code.co_filename)}:{code.co_firstlineno}" if is_of_file else ""


def blame(what: str, problem: BaseException) -> PluginFailed:
    """Return the error to raise in place of `problem`.

    Args:
        what: Who failed, "device lamp".
        problem: What was raised; a `PluginFailed` says everything already.
    """
    if isinstance(problem, PluginFailed):
        return problem if _is_plain(problem) else PluginFailed(words(problem))
    place = blamed_location(problem)
    text = " ".join(words(problem.msg if isinstance(problem, SyntaxError) else problem).split())
    message = f"{type(problem).__name__}: {text}" if text else type(problem).__name__
    return PluginFailed(printable(f"{place or what}: {f'{what}: ' if place else ''}{message[:_LONGEST]}"))


@contextmanager
def blamed(what: str) -> Iterator[None]:
    """Turn whatever foreign code raises in this block into an error that names its file and line.

    Raises:
        PluginFailed: It raised something that is no error of ours.
    """
    try:
        yield
    except CoopsimError as problem:
        if _is_plain(problem):
            raise
        raise PluginFailed(words(problem)) from problem
    except BaseException as problem:  # foreign code may raise anything, and must not end our process
        if is_interrupt(problem):
            raise
        raise blame(what, problem) from problem


def words(thing: object) -> str:
    """Return what foreign code says as text that can be sent, and shown by a terminal, whatever it says."""
    try:
        text = str(thing)
    except BaseException as problem:
        if is_interrupt(problem):
            raise
        return f"(its text cannot be shown: {type(problem).__name__})"
    return printable(text.encode("utf-8", "backslashreplace").decode())


def _is_plain(problem: BaseException) -> bool:
    try:
        return words(problem) == str(problem)
    except Exception:
        return False


def is_interrupt(problem: BaseException) -> bool:
    """Return whether Ctrl-C ended the call, in a process that ends by it: no fault of foreign code."""
    return isinstance(problem, KeyboardInterrupt) and signal.getsignal(signal.SIGINT) is signal.default_int_handler


def shown(path: str | Path) -> str:
    """Return a path as people gave it: relative where it lies in the current folder."""
    try:
        relative = os.path.relpath(path)
    except (ValueError, OSError):  # on another drive, or in a folder that is gone
        return str(path)
    return str(path) if relative.startswith("..") else relative


def _is_foreign(file: str) -> bool:
    return not file.startswith((_OURS, "<frozen")) and f"{os.sep}importlib{os.sep}" not in file
