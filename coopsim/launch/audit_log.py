"""The audit: printed, and appended to a file."""

import time
from collections.abc import Callable, Iterable
from pathlib import Path

from coopsim.errors import BadArgument


class AuditLog:
    """Takes lines of the host.

    Args:
        say: Prints a line, with the time.
        file: Also appended to it; None = to no file.
    """

    def __init__(self, say: Callable[[str], object], file: Path | None = None) -> None:
        self._say, self._file = say, file

    def take(self, lines: Iterable[tuple[float, str]]) -> None:
        """Print lines, and append them with date and time."""
        for at, text in lines:
            self._say(text)
            self._append(f"{time.strftime('%Y-%m-%dT%H:%M:%S%z', time.localtime(at))} {text}\n")

    def _append(self, line: str) -> None:
        if self._file is None:
            return
        try:
            with self._file.open("a", encoding="utf-8") as file:
                file.write(line)
        except OSError as problem:
            self._say(f"--audit {self._file}: {problem.strerror}; nothing more is written to it")
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
