"""Paths of new recordings."""

import itertools
from datetime import datetime
from pathlib import Path

from coopsim.errors import CannotRecord, ForbiddenFile

FOLDER = "recordings"
"""Inside the current folder; what is asked for by message stays in here."""
SUFFIX = ".mcap"
"""End of the names of recordings that are asked for by message: no program may take them for something else."""
_MAGIC = b"\x89MCAP0\r\n"
"""What such files begin with; the package that reads them is not loaded to start a run."""
_LONGEST = 200  # letters; file systems allow 255 bytes


def allowed(name: str, folder: Path) -> Path:
    """Return where a recording that was asked for by message goes; its folder is made.

    Args:
        name: Of a file inside `folder`.
        folder: Where such files may be.

    Raises:
        ForbiddenFile: The name leads out of the folder, is none, or is none of a recording.
        CannotRecord: The folder cannot be made.
    """
    path = Path(name)
    is_plain = bool(path.name) and len(name) <= _LONGEST and name.isprintable()
    if not is_plain or path.is_absolute() or ".." in path.parts:
        raise ForbiddenFile(f"{name[:_LONGEST]!r}: recordings are files inside the folder {FOLDER}; give a name in it")
    if path.suffix != SUFFIX:
        raise ForbiddenFile(f"{name!r}: recordings end in {SUFFIX}; give a name like {path.stem or 'run'}{SUFFIX}")
    place = folder / path
    if not place.resolve().is_relative_to(folder.resolve()):
        raise ForbiddenFile(f"{name!r} leads out of the folder {FOLDER}")
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise CannotRecord(f"{place.parent}: {problem.strerror}") from None
    return place


def usual_name(scenario: str, now: datetime) -> str:
    """Return the default name of a recording.

    Args:
        scenario: File of the scenario; "" if it has none.
        now: The time of day.
    """
    return f"{Path(scenario).stem or 'run'}-{now:%Y%m%d-%H%M%S}.mcap"


def new_file(path: Path, scenario: str, now: datetime) -> Path:
    """Return where a recording goes: `path` itself, or, where that is a folder, a file in it that is not there yet.

    Args:
        path: A file or a folder.
        scenario: File of the scenario; "" if it has none.
        now: The time of day.
    """
    if not path.is_dir():
        return path
    first = path / usual_name(scenario, now)
    later = (first.with_stem(f"{first.stem}-{number}") for number in itertools.count(2))
    return next(file for file in itertools.chain([first], later) if not file.exists())


def foxglove_file(recording: Path) -> Path:
    """Return where the file for Foxglove lies: beside its recording, `a.foxglove.mcap` beside `a.mcap`."""
    return recording.with_name(f"{recording.name.removesuffix('.mcap')}.foxglove.mcap")


def check_way(path: Path, *, overwrite: bool) -> None:
    """Check that a new file can take the place of what is there.

    Raises:
        CannotRecord: Something is there that is no recording, or that must not be overwritten, cannot be read, or is
            being written.
    """
    try:
        if not path.exists():
            return
        if not overwrite:
            raise CannotRecord(f"{path}: the file exists already; give another name")
        if not path.is_file() or not _is_replaceable(path):
            raise CannotRecord(f"{path}: this is no recording, so it is not overwritten; give another name")
        if is_growing(path):
            text = "a run is recording to this file just now, so it is not overwritten; give another name"
            raise CannotRecord(f"{path}: {text}")
    except OSError as problem:
        raise CannotRecord(f"{path}: {problem.strerror}") from None


def is_growing(path: Path) -> bool:
    """Return whether a process is recording to this file just now.

    Raises:
        OSError: It cannot be read.
    """
    from coopsim.recording.container import is_being_written  # takes a while, and few overwrite

    return is_being_written(path)


def make_way(path: Path) -> None:
    """Remove an older recording so that a new one can take its place.

    Raises:
        CannotRecord: What is there is no recording, or cannot be removed.
    """
    check_way(path, overwrite=True)
    try:
        path.unlink(missing_ok=True)
    except OSError as problem:
        raise CannotRecord(f"{path}: {problem.strerror}") from None


def is_recording(path: Path) -> bool:
    """Return whether a file begins as recordings do."""
    try:
        with path.open("rb") as file:
            return path.is_file() and file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _is_replaceable(path: Path) -> bool:
    """Return whether a file is empty or begins as recordings do."""
    with path.open("rb") as file:
        return _MAGIC.startswith(file.read(len(_MAGIC)))
