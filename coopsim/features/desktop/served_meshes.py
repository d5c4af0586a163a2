"""Meshes that the server of a run hands out, for a viewer that has not their files, or has others by the same names."""

import hashlib
import itertools
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Final

from coopsim.errors import BadFile, CoopsimError, MessageTooLarge, NoReply, NoSuchCommand
from coopsim.features.desktop.mesh_files import in_unit_box
from coopsim.features.desktop.mesh_source import LocalMeshes, given
from coopsim.features.desktop.shapes import MeshData
from coopsim.scene.meshes import read_triangles
from coopsim.scene.stl import stl_of

if TYPE_CHECKING:
    from coopsim.client import Client
    from coopsim.client.meshes import ServedMesh
    from coopsim.client.scene import SceneView

_AT_ONCE = 0.02
"""So long states wait for meshes [s]."""
# a foreign world may name any number of meshes
_MOST_BYTES = 256 * 1024 * 1024
"""Of triangles that are fetched for one world."""
_versions: Final = itertools.count(1)


class ServedMeshes:
    """The meshes of the scene that is shown, fetched part by part; what came is kept by its hash.

    `follow` and `advance` belong to the thread that has the client, `find` to the one that draws.

    Attributes:
        version: Grows when a mesh came; no two of these have the same one.
    """

    def __init__(self) -> None:
        self.version = next(_versions)
        self._found: dict[str, MeshData | CoopsimError] = {}
        self._kept: dict[str, MeshData] = {}
        self._told: dict[str, ServedMesh] | None = None
        self._wanted: deque[str] = deque()
        self._coming, self._coming_of = bytearray(), ""
        self._bytes, self._local = 0, LocalMeshes()

    def find(self, file: str) -> MeshData | None:
        """Return the mesh of a file, None = it did not come yet.

        Raises:
            CoopsimError: There is none.
        """
        mesh = self._found.get(file)
        return None if mesh is None else given(mesh)

    @property
    def is_busy(self) -> bool:
        """Whether meshes are missing still."""
        return bool(self._wanted)

    def follow(self, scene: "SceneView") -> None:
        """Have what a scene is drawn with asked for."""
        files = dict.fromkeys(visual.mesh for row in scene.entities for visual in row.visuals if visual.mesh)
        self._wanted, self._told, self._bytes = deque(files), None, 0

    def advance(self, simulation: "Client") -> None:
        """Fetch some of what is missing.

        Raises:
            NoReply: The server is gone.
        """
        if not self._wanted:
            return
        end = time.monotonic() + _AT_ONCE
        if self._told is None:
            self._told = _listed(simulation)
            self._forget_others(self._told)
        is_due = True
        while self._wanted and is_due:
            file = self._wanted[0]
            mesh = self._tried(simulation, file, self._told.get(file))
            if mesh is not None:
                self._wanted.popleft()
                self._store(file, mesh)
            is_due = time.monotonic() < end

    def _tried(self, simulation: "Client", file: str, served: "ServedMesh | None") -> MeshData | CoopsimError | None:
        """Return a mesh, or why there is none; None where parts of it are missing still."""
        try:
            return self._next(simulation, file, served)
        except NoReply:
            raise
        except CoopsimError as problem:
            return problem
        except Exception as problem:  # a mesh of a server may be anything; the others are drawn all the same
            self._coming, self._coming_of = bytearray(), ""
            return BadFile(f"{file}: cannot be drawn: {type(problem).__name__}: {str(problem)[:200]}")

    def _next(self, simulation: "Client", file: str, served: "ServedMesh | None") -> MeshData | None:
        """Return a mesh, None where parts of it are missing still."""
        if served is None or not served.hash:
            return self._local.find(file)
        if served.hash in self._kept:
            return self._kept[served.hash]
        content: bytes | bytearray = b"" if self._coming_of == served.hash else _of_this_machine(file, served.hash)
        if not content:
            content = self._fetched(simulation, served)
        return None if len(content) < served.size else self._made(served, content)

    def _fetched(self, simulation: "Client", served: "ServedMesh") -> bytearray:
        """Return what came so far, with one more part."""
        from coopsim.client.meshes import READING, part_of  # here, for a window opens without a client

        if self._coming_of != served.hash:
            self._coming, self._coming_of = bytearray(), served.hash
            self._bytes += served.size
        if self._bytes > _MOST_BYTES:
            raise MessageTooLarge(f"{served.file}: the meshes of this world have more than {_MOST_BYTES // 2**20} MiB")
        reply = simulation.module("/sim/world").mesh(served.hash, len(self._coming), timeout=READING)
        self._coming += part_of(served, len(self._coming), reply.content)
        return self._coming

    def _made(self, served: "ServedMesh", content: bytes | bytearray) -> MeshData:
        from coopsim.client.meshes import check, triangles_of  # as above

        self._coming, self._coming_of = bytearray(), ""
        check(served, content)
        mesh = self._kept[served.hash] = in_unit_box(triangles_of(served, bytes(content)))
        return mesh

    def _store(self, file: str, content: MeshData | CoopsimError) -> None:
        mesh = self._found.get(file)
        is_same = mesh is content or (isinstance(content, CoopsimError) and str(mesh) == str(content))
        if not is_same:
            self._found[file] = content
            self.version = next(_versions)

    def _forget_others(self, served: "dict[str, ServedMesh]") -> None:
        """Forget what other worlds are drawn with, once it is much."""
        if sum(mesh.vertices.nbytes for mesh in self._kept.values()) > _MOST_BYTES:
            needed = {mesh.hash for mesh in served.values()}
            self._kept = {key: mesh for key, mesh in self._kept.items() if key in needed}


def fetched_meshes(simulation: "Client", scene: "SceneView") -> ServedMeshes:
    """Return all meshes of a scene, fetched now.

    Raises:
        NoReply: The server is gone.
    """
    meshes = ServedMeshes()
    meshes.follow(scene)
    while meshes.is_busy:
        meshes.advance(simulation)
    return meshes


def _listed(simulation: "Client") -> "dict[str, ServedMesh]":
    """Return what the server hands out; nothing where it is of an older version."""
    try:
        return {mesh.file: mesh for mesh in simulation.meshes()}
    except NoSuchCommand:
        return {}


def _of_this_machine(file: str, wanted: str) -> bytes:
    """Return the triangles of a file if they are those that are wanted, else nothing."""
    try:
        content = stl_of(read_triangles(Path(file)))
    except CoopsimError:
        return b""
    return content if hashlib.sha256(content).hexdigest() == wanted else b""
