"""Sources of the meshes of a picture: files of this machine, or the server of the run."""

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from coopsim.errors import CoopsimError
from coopsim.features.desktop.mesh_files import load_mesh
from coopsim.features.desktop.shapes import MeshData


class MeshSource(Protocol):
    """Gives meshes by their files, as visuals name them."""

    @property
    def version(self) -> int:
        """Another number means that other meshes may be found than before."""
        ...

    def find(self, file: str) -> MeshData | None:
        """Return a mesh, each time the same object as long as it is the same one; None = it did not come yet.

        Raises:
            CoopsimError: There is none; the text says why.
        """
        ...


class LocalMeshes:
    """Meshes of files on this machine, each read once."""

    version = 0

    def __init__(self) -> None:
        self._found: dict[str, MeshData | CoopsimError] = {}

    def find(self, file: str) -> MeshData:
        """Return the mesh in a file.

        Raises:
            BadFile: It cannot be read; the place is in the text.
        """
        if file not in self._found:
            try:
                self._found[file] = load_mesh(Path(file))
            except CoopsimError as problem:
                self._found[file] = problem
        return given(self._found[file])


class MeshesOf:
    """Meshes of a source that may become another one, as when another run is shown.

    Args:
        source: Returns it.
    """

    def __init__(self, source: Callable[[], MeshSource]) -> None:
        self._source = source

    @property
    def version(self) -> int:
        """The number of the present source: no two have the same one."""
        return self._source().version

    def find(self, file: str) -> MeshData | None:
        """Return a mesh of the present source; see `MeshSource`."""
        return self._source().find(file)


def given(mesh: MeshData | CoopsimError) -> MeshData:
    """Return a mesh, or raise why there is none."""
    if isinstance(mesh, CoopsimError):
        raise mesh
    return mesh
