"""Writing what a command made."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import click


def check_suffix(path: Path, option: str, *suffixes: str) -> None:
    """Check that the name of a file does not promise something else than is written.

    Args:
        path: The file; a name without a suffix promises nothing.
        option: What it is called on the command line.
        suffixes: Those that fit, the usual one first.

    Raises:
        UsageError: It has another.
    """
    if path.suffix and path.suffix.lower() not in suffixes:
        usual = path.with_suffix(suffixes[0]).name
        raise click.UsageError(f"{option} {path}: what is written is no {path.suffix} file; call it {usual}")


def check_place(path: Path, option: str) -> None:
    """Check that a file can be made, before a long run is begun for it.

    Args:
        path: The file.
        option: What it is called on the command line.

    Raises:
        UsageError: There is no such folder, or nothing may be written there.
    """
    folder = path.resolve().parent
    above = folder if folder.is_dir() else folder.parent
    if not above.is_dir():
        raise click.UsageError(f"{option} {path}: there is no folder {above}")
    if not os.access(path if path.exists() else above, os.W_OK):
        raise click.UsageError(f"{option} {path}: it may not be written")


def spare(path: Path, option: str, source: str | Path | None) -> None:
    """Refuse to overwrite what must stay.

    Args:
        path: The file that is to be made; an older one is overwritten, unless it is a recording, or `source`.
        option: What it is called on the command line.
        source: What it is made from.

    Raises:
        UsageError: What is there must stay.
    """
    from coopsim.replay.places import is_recording

    if source is not None and _is_same(path, Path(source)):
        raise click.UsageError(f"{option} {path}: that is what it is made from; give another name")
    if is_recording(path):
        raise click.UsageError(f"{option} {path}: that is a recording, which is not overwritten; give another name")


def save(path: Path, text: str) -> None:
    """Write a text to a file; an older one is overwritten.

    Raises:
        ClickException: It cannot be written.
    """
    with writing(path):
        path.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report a file that cannot be written, and remove an incomplete new one.

    Raises:
        ClickException: On leaving: it cannot be written.
    """
    is_new = not path.exists()
    try:
        path.parent.mkdir(exist_ok=True)  # the last folder of a path is made, as for a recording
        yield
    except OSError as problem:
        if is_new:
            with contextlib.suppress(OSError):
                path.unlink()
        raise cannot_write(path, problem) from None


def cannot_write(path: Path | str, problem: OSError) -> click.ClickException:
    """Return what to say when a file cannot be written."""
    return click.ClickException(f"{path} cannot be written: {problem.strerror}")


def _is_same(path: Path, source: Path) -> bool:
    try:
        return path.samefile(source)
    except OSError:
        return False
