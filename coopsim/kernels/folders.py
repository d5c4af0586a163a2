"""Folders of the machine code of compiled kernels; every process of an installation finds the same answer.

Beside the sources where this user may write. Else in a folder of the user, which begins with a copy of what lies beside
the sources: so an installation that an administrator has warmed up is compiled once for all its users.
"""

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from numba.core.caching import _CacheLocator

PACKAGE = Path(__file__).resolve().parents[1]  # the folder `coopsim`, whose subfolders the cache mirrors
_STAMP = "copied"  # empty file that says when the machine code of the wheel was copied beside it
KINDS = (".nbi", ".nbc")  # index, then machine code: a reader opens them in this order


@dataclass(frozen=True, slots=True)
class KernelCache:
    """Folder of machine code, and why it was chosen.

    Attributes:
        folder: For numba's `CACHE_DIR`; "" = beside the sources.
        is_kept: Whether machine code is kept at all.
    """

    folder: str
    is_kept: bool = True


def kernel_cache(package: Path, environment: Mapping[str, str]) -> KernelCache:
    """Return where kernels of `package` are kept, ready to be used.

    Args:
        package: Folder of the sources.
        environment: Variables: the folders that `NUMBA_CACHE_DIR`, then `CACHE_DIRECTORY` (systemd), `XDG_CACHE_HOME`
            and `HOME` name are looked at, and the temporary folder last.
    """
    wanted = environment.get("NUMBA_CACHE_DIR", "")
    if wanted and _may_write(Path(wanted)):
        return KernelCache(wanted)
    if _may_write_beside(package):
        return KernelCache("")
    for folder in _candidates(environment):
        if _is_ours(folder):
            _copy_once(package, folder)
            return KernelCache(str(folder))
    return KernelCache("", is_kept=False)


def _may_write(folder: Path) -> bool:
    """Make a folder; return whether this user may write to it."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError:
        return False
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)


def _may_write_beside(package: Path) -> bool:
    """Return whether this user may write everywhere that kernels lie."""
    folders = [package, *(folder for folder in package.glob("**/__pycache__"))]
    return all(os.access(folder, os.W_OK | os.X_OK) for folder in folders)


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    for name in ("CACHE_DIRECTORY", "XDG_CACHE_HOME"):
        if base := environment.get(name, "").partition(":")[0]:
            yield Path(base) / "coopsim"
    if home := environment.get("HOME"):
        yield Path(home) / ".cache" / "coopsim"
    yield Path(tempfile.gettempdir()) / f"coopsim-{os.getuid() if hasattr(os, 'getuid') else 'kernels'}"


def _is_ours(folder: Path) -> bool:
    """Make a folder; return whether only this user may write to it: what lies there is executed."""
    if not _may_write(folder):
        return False
    # not `stat`: a link that somebody laid in the temporary folder must not lead elsewhere
    status = folder.lstat()
    is_private = not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    return stat.S_ISDIR(status.st_mode) and is_private and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def _copy_once(package: Path, folder: Path) -> None:
    """Take over what lies beside the sources unless that was done; numba looks at each file whether it still fits."""
    kept = sorted(package.glob("**/__pycache__"))
    listing = "\n".join(f"{file} {file.stat().st_mtime_ns}" for file in kept)
    note = folder / f"{_STAMP}-{_name(package)}"
    try:
        if note.is_file() and note.read_text(encoding="utf-8") == listing:
            return
        for each in kept:
            _copy(each, folder / _name(each.parent))
        _replace(note, listing.encode())
    except OSError:
        return  # a full disk, a reader's mistake: the kernels are compiled instead


def _name(sources: Path) -> str:
    """Return what numba calls the place of all kernels whose sources lie in one folder."""
    return str(_CacheLocator.get_suitable_cache_subpath(str(sources / "any.py")))  # type: ignore[no-untyped-call]


def _copy(source: Path, target: Path) -> None:
    files = [path for path in source.iterdir() if path.suffix in KINDS]
    if files:
        target.mkdir(exist_ok=True, mode=0o700)
    # machine code before the indexes that name it: another process may be reading
    for each in sorted(files, key=lambda file: KINDS.index(file.suffix), reverse=True):
        _replace(target / each.name, each.read_bytes())


def _replace(path: Path, content: bytes) -> None:
    number, name = tempfile.mkstemp(dir=path.parent)
    try:
        with os.fdopen(number, "wb") as file:
            file.write(content)
        # in one step, since others may read it at this moment
        shutil.move(name, path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
