"""Writing what a command made."""

from pathlib import Path

import click


def save(path: Path, text: str) -> None:
    """Write a text to a file; an older one is overwritten.

    Raises:
        FileError: It cannot be written.
    """
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as problem:
        raise click.FileError(str(path), problem.strerror) from None
