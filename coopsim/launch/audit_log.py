"""The audit: printed, and appended to a file of bounded size."""

import itertools
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from coopsim.errors import BadArgument

LARGEST_FILE = 64 << 20
"""Size at which the file becomes `FILE.1` and a new one is begun [bytes]: some 600 000 lines."""
OLDER_FILES = 9
"""Number of older files, `FILE.1` the newest; the oldest is removed."""


class AuditLog:
    """Takes lines of the host.

    Args:
        say: Prints a line, with the time.
        file: All lines are appended to it; None = to no file.
        largest: Size at which a new file is begun [bytes].
    """

    def __init__(self, say: Callable[[str], object], file: Path | None = None, largest: int = LARGEST_FILE) -> None:
        self._say, self._file, self._largest = say, file, largest

    def write(self, lines: Iterable[tuple[float, str]], kept: Iterable[tuple[float, str]]) -> None:
        """Print lines, and append those for the file with date and time."""
        for _, text in lines:
            self._say(text)
        dated = "".join(f"{_dated(at)} {text}\n" for at, text in kept)
        if self._file is not None and dated:
            self._append(self._file, dated)

    def _append(self, path: Path, text: str) -> None:
        try:
            with path.open("a", encoding="utf-8") as file:
                file.write(text)
                is_full = file.tell() >= self._largest
            if is_full:
                _rotate(path)
        except OSError as problem:
            self._say(f"--audit {path}: {problem.strerror}; nothing more is written to it")
            self._file = None


def check_audit_file(file: Path) -> None:
    """Make sure that lines can be appended to `file`.

    Raises:
        BadArgument: They cannot.
    """
    try:
        with file.open("a", encoding="utf-8"):
            pass
    except OSError as problem:
        raise BadArgument(f"--audit {file}: {problem.strerror}") from None


def _dated(at: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(at))


def _rotate(path: Path) -> None:
    """Rename a full file to `FILE.1`, that to `FILE.2`, and so on; the oldest is removed."""
    names = [path, *(path.with_name(f"{path.name}.{number}") for number in range(1, OLDER_FILES + 1))]
    for newer, older in reversed(list(itertools.pairwise(names))):
        if newer.exists():
            newer.replace(older)
