"""Meshes of the running world for viewers that lack their files: triangles alone, by the hash of their content."""

import binascii
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeAlias

from coopsim.errors import BadArgument, BadFile, ForbiddenFile, NoSuchName
from coopsim.scene.meshes import mesh_suffixes, read_triangles
from coopsim.scene.stl import stl_of
from coopsim.server.background import BackgroundWorker
from coopsim.server.edits import DeferredReply
from coopsim.state import Layout, Record

LARGEST_MESH = 32 * 1024 * 1024
"""Larger ones are not handed out [B]; each triangle has 50."""
# base64 makes 240 000 letters of it, within the 256 KiB of a text
PART = 180_000
"""Bytes in one reply: base64 of them is one text of a message."""
MOST_LISTED = 100
"""Meshes in one reply."""
_MOST_KEPT = 64 * 1024 * 1024  # bytes; a file is read again after that
_Stamp: TypeAlias = tuple[int, int]


class _Known(NamedTuple):
    """A file as it was read: `hash` and `size` of its triangles, "" and 0 where it is not handed out."""

    stamp: _Stamp
    hash: str
    size: int


class MeshStore:
    """Reads the meshes that the running world names, and no other file.

    What goes out are triangles, whatever else stood in the file. Requests are answered by the background worker.

    Args:
        worker: Does the work.
        may_read: Whether the file of a mesh may be handed out at all.
    """

    def __init__(self, worker: BackgroundWorker, may_read: Callable[[str], bool]) -> None:
        self._worker, self._may_read = worker, may_read
        self._known: dict[str, _Known] = {}
        self._kept: dict[str, bytes] = {}

    def list(self, now: tuple[Layout, Record], first: int, count: int, later: DeferredReply) -> None:
        """Answer with a page of the meshes of a world: file, hash and size of each."""
        files, tick = _files_of(now[0]), now[1].tick
        page = files[first : first + min(count, MOST_LISTED)]

        def reply(meshes: list[_Known]) -> None:
            words = [word for file, mesh in zip(page, meshes, strict=True) for word in (file, mesh.hash)]
            sizes = [float(mesh.size) for mesh in meshes]
            later.reply(later.request.reply((len(files), *words), sizes, tick=tick))

        self._worker.do(lambda: [self._hash_and_size(file) for file in page], reply, later.refuse)

    def part(self, now: tuple[Layout, Record], wanted: str, first: int, later: DeferredReply) -> None:
        """Answer with a part of the mesh that has a hash."""
        files, tick = _files_of(now[0]), now[1].tick

        def reply(meshes: tuple[int, str]) -> None:
            later.reply(later.request.reply(meshes, tick=tick))

        self._worker.do(lambda: self._part(files, wanted, first), reply, later.refuse)

    # in the thread of the worker

    def _part(self, files: tuple[str, ...], wanted: str, first: int) -> tuple[int, str]:
        likely = [file for file in files if file in self._known and self._known[file].hash == wanted]
        for file in [*likely, *files]:
            if wanted and self._hash_and_size(file).hash == wanted:
                content = self._content(file, wanted)
                if first >= len(content):
                    raise BadArgument(f"this mesh has {len(content)} bytes, got first {first}")
                piece = binascii.b2a_base64(content[first : first + PART], newline=False)
                return len(content), piece.decode("ascii")
        raise NoSuchName(f"no mesh of the running world has the hash {wanted[:80]!r}; `meshes` lists them")

    def _hash_and_size(self, file: str) -> _Known:
        """Return hash and size of a mesh; a file that did not change is not read again."""
        try:
            status = Path(file).stat()
            stamp = status.st_mtime_ns, status.st_size
        except (OSError, ValueError):
            return _Known((0, 0), "", 0)
        mesh = self._known.get(file)
        if mesh is None or mesh.stamp != stamp:
            mesh = self._known[file] = self._read(file, stamp)
        return mesh

    def _read(self, file: str, stamp: _Stamp) -> _Known:
        try:
            if Path(file).suffix.lower() not in mesh_suffixes() or not self._may_read(file):
                return _Known(stamp, "", 0)
            content = stl_of(read_triangles(Path(file)))
        except (BadFile, ForbiddenFile):
            return _Known(stamp, "", 0)
        if len(content) > LARGEST_MESH:
            return _Known(stamp, "", 0)
        digest = hashlib.sha256(content).hexdigest()
        self._keep(digest, content)
        return _Known(stamp, digest, len(content))

    def _content(self, file: str, wanted: str) -> bytes:
        """Return the triangles of a file, read again where they were not kept."""
        content = self._kept.get(wanted)
        if content is None:
            content = stl_of(read_triangles(Path(file)))
            if hashlib.sha256(content).hexdigest() != wanted:
                raise NoSuchName(f"the mesh {Path(file).name} changed just now; `meshes` lists it anew")
        self._keep(wanted, content)
        return content

    def _keep(self, digest: str, content: bytes) -> None:
        """Keep the newest contents, as many as may be."""
        self._kept.pop(digest, None)
        self._kept[digest] = content
        while sum(map(len, self._kept.values())) > _MOST_KEPT:
            self._kept.pop(next(iter(self._kept)))


def _files_of(layout: Layout) -> tuple[str, ...]:
    """Return the meshes that a world is drawn with, each once."""
    return tuple(dict.fromkeys(visual.mesh for row in layout.entities for visual in row.visuals if visual.mesh))
