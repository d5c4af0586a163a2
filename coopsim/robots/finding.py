"""Places of files: paths as given, built-in files by bare name."""

from collections.abc import Sequence
from pathlib import Path

from coopsim.errors import NoSuchFile
from coopsim.scene import choices, hint, why_unreadable

_PACKAGE = Path(__file__).parent.parent
WORLDS = _PACKAGE / "worlds"
SCENARIOS = _PACKAGE / "scenarios"
TYPES = _PACKAGE / "robots" / "types"

FOLDERS = {".scenario": SCENARIOS, ".world": WORLDS, ".robot": TYPES}
"""Built-in files by suffix, in the order in which a bare name is looked for."""


def find_file(name: str | Path, suffixes: Sequence[str] = tuple(FOLDERS)) -> Path:
    """Return the path of a file.

    Args:
        name: A path, or the bare name of a built-in file with or without its suffix (`formation`, `arena.world`).
        suffixes: Sorts of built-in files to look for, in this order.

    Raises:
        NoSuchFile: There is no such file, or it cannot be read.
    """
    path = Path(name)
    reason = why_unreadable(path)
    if reason is None:
        return path
    if path.name != str(name):
        raise NoSuchFile(f"{name}: {reason}")
    # a folder that happens to be called `formation` does not hide the scenario
    for candidate in _built_in(path, suffixes):
        if why_unreadable(candidate) is None:
            return candidate
    raise NoSuchFile(f"{name}: {reason}{_known(path, suffixes)}")


def built_in_names(suffix: str) -> list[str]:
    """Return the bare names of the built-in files with this suffix, sorted."""
    return sorted(path.stem for path in FOLDERS[suffix].glob("*" + suffix))


def _built_in(path: Path, suffixes: Sequence[str]) -> list[Path]:
    if path.suffix in suffixes:
        return [FOLDERS[path.suffix] / path.name]
    return [FOLDERS[suffix] / (path.name + suffix) for suffix in suffixes]


def _known(path: Path, suffixes: Sequence[str]) -> str:
    sorts = [path.suffix] if path.suffix in suffixes else suffixes
    names = sorted({name for suffix in sorts for name in built_in_names(suffix)})
    return f"{hint(path.stem, names)}; built-in: {choices(names)}"
