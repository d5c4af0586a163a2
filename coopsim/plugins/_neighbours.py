"""Modules that lie beside a loose plugin: found by code of that folder, and by nobody else."""

import os
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType

_MACHINERY = ("<frozen importlib", "importlib/__init__.py")


class NeighbourFinder:
    """Finds neighbours of plugins behind all that is installed; one for each process.

    A folder on `sys.path` would serve everybody: packages try to import what they can do without, and a plugin
    `coverage.py` would be taken for the package of that name.
    """

    def __init__(self) -> None:
        self._folders: list[str] = []

    def add(self, folder: Path) -> None:
        """Let the modules of a folder import each other."""
        if str(folder) not in self._folders:
            self._folders.append(str(folder))
        if self not in sys.meta_path:
            sys.meta_path.append(self)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return where a module lies beside the code that imports it; None = not there."""
        if path is not None:  # of a package, which is found where that lies
            return None
        file = _importing_file()
        folders = [folder for folder in self._folders if file.startswith(folder + os.sep)]
        return PathFinder.find_spec(name, folders, target) if folders else None


def _importing_file() -> str:
    """Return the file of the code that imports a module just now."""
    frame = sys._getframe(2)  # noqa: SLF001 - the machinery of imports does not say who asks
    while frame.f_back is not None and _is_machinery(frame.f_code.co_filename):
        frame = frame.f_back
    return frame.f_code.co_filename


def _is_machinery(file: str) -> bool:
    return file.startswith(_MACHINERY[0]) or file.endswith(_MACHINERY[1])


NEIGHBOURS = NeighbourFinder()
