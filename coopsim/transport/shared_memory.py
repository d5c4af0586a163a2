"""Files in shared memory: made with room for all of their bytes, and removed after those who died.

The name of a file carries the id of the process that it belongs to.
"""

import contextlib
import errno
import mmap
import os
import re
import tempfile
from pathlib import Path

from coopsim.errors import InternalError

_NAME = re.compile(r"coopsim-(\d+)-[0-9a-f]{8}\.ring$")


def _folders() -> list[Path]:
    """Return where shared memory may live, best first."""
    shared = Path("/dev/shm")  # noqa: S108 - the place for shared memory on Linux
    usable = shared.is_dir() and os.access(shared, os.W_OK)
    return [shared, Path(tempfile.gettempdir())] if usable else [Path(tempfile.gettempdir())]


def reserve(name: str, size: int) -> tuple[Path, mmap.mmap]:
    """Make a file of `size` bytes in the first folder that has room for all of them, and keep that room.

    Without reserved blocks a write would end the process (SIGBUS) when others have filled the folder.
    """
    reasons = {}
    for folder in _folders():
        try:
            return _reserve_in(folder / name, size)
        except OSError as problem:
            reasons[folder] = problem.strerror
    listed = "; ".join(f"{folder}: {reason}" for folder, reason in reasons.items())
    raise InternalError(
        f"there is too little room for {-(-size >> 20)} MiB of shared memory ({listed}); free some there"
    )


def free_bytes() -> int:
    """Return how many bytes are free in the folder that has most room."""
    volumes = [os.statvfs(folder) for folder in _folders()]
    return max(volume.f_bavail * volume.f_frsize for volume in volumes)


def _reserve_in(path: Path, size: int) -> tuple[Path, mmap.mmap]:
    free = os.statvfs(path.parent)
    if free.f_bavail * free.f_frsize < size:  # trying would fill the folder for a moment, and harm others
        raise OSError(errno.ENOSPC, "no space left")
    with open(path, "x+b", opener=_open_private) as file:
        try:
            os.posix_fallocate(file.fileno(), 0, size)
            return path, mmap.mmap(file.fileno(), size)
        except BaseException:
            path.unlink()
            raise


def remove_abandoned_rings() -> list[str]:
    """Remove the rings of launchers that no longer live; return their names."""
    removed: list[str] = []
    if not Path("/proc/self").exists():  # no way to tell who lives
        return removed
    for path in sorted(path for folder in _folders() for path in folder.glob("coopsim-*.ring")):
        match = _NAME.fullmatch(path.name)
        if match and not Path(f"/proc/{match[1]}").exists():
            with contextlib.suppress(OSError):
                path.unlink()
                removed.append(path.name)
    return removed


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
