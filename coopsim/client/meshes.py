"""Meshes of a running world, for programs that have not their files: MESHES and MESH of `/sim/world`."""

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from coopsim.client.flows import Ask, Flow
from coopsim.errors import MalformedMessage, NoSuchName
from coopsim.interfaces import WORLD
from coopsim.message import Message, Param, base64

if TYPE_CHECKING:
    from coopsim.geometry import Floats

_LIST, _PART = WORLD.command("meshes").number, WORLD.command("mesh").number
LARGEST = 64 * 1024 * 1024
"""Larger ones are not fetched [B]."""
# what the server says is not trusted: a list without end would be read without end
MOST_MESHES = 10_000
"""More of them in one world are not asked for."""
READING = 30.0
"""So long replies may take: the server reads files when they are asked for first [s]."""


class ServedMesh(NamedTuple):
    """A mesh that a world is drawn with.

    Attributes:
        file: Where it is on the machine of the server, as visuals name it.
        hash: SHA-256 of its triangles, "" = they are not handed out.
        size: Of its triangles [B].
    """

    file: str
    hash: str
    size: int


def listing() -> Flow[tuple[ServedMesh, ...]]:
    """Ask for the meshes of the world, page by page.

    Raises:
        MalformedMessage: The answer is no list of meshes.
    """
    meshes: list[ServedMesh] = []
    while True:
        reply = yield Ask(Message("/sim/world", _LIST, (len(meshes),)), READING)
        try:
            total, words = int(reply.params[0]), reply.params[1:]
            page = [
                ServedMesh(str(file), str(content), int(size))
                for file, content, size in zip(words[::2], words[1::2], reply.data, strict=True)
            ]
        except (ValueError, LookupError, OverflowError) as problem:
            raise MalformedMessage(f"/sim/world: no meshes came: {problem}") from None
        meshes += page
        if not page or len(meshes) >= min(total, MOST_MESHES):
            return tuple(meshes)


def fetching(mesh: ServedMesh) -> Flow[bytes]:
    """Ask for the triangles of a mesh, part by part; return them as a binary STL file.

    Raises:
        NoSuchName: The server hands it out no more, or never did.
        MalformedMessage: Something else came than what has this hash.
    """
    if not mesh.hash:
        raise NoSuchName(f"the server does not offer the mesh {mesh.file[:200]!r}: its scene has no hash of it").bring(
            mesh.file
        )
    content = bytearray()
    while len(content) < mesh.size:
        reply = yield Ask(Message("/sim/world", _PART, (mesh.hash, len(content))), READING)
        content += part_of(mesh, len(content), reply.params[-1] if reply.params else "")
    check(mesh, content)
    return bytes(content)


def part_of(mesh: ServedMesh, first: int, content: Param) -> bytes:
    """Return the bytes of a part that came.

    Args:
        mesh: That they belong to.
        first: Byte that the part begins with.
        content: As MESH gives it.

    Raises:
        MalformedMessage: It is no part of it.
    """
    try:
        part = bytes(base64.decoded([str(content)]))
    except ValueError as problem:
        raise MalformedMessage(f"/sim/world: expected a part of a mesh in base64: {problem}") from None
    if mesh.size > LARGEST or not 0 < len(part) <= mesh.size - first:
        raise MalformedMessage(
            f"/sim/world: {len(part)} bytes came for {mesh.file[:200]!r}, more than its {mesh.size} bytes leave"
        )
    return part


def check(mesh: ServedMesh, content: bytes | bytearray) -> None:
    """Check that what came is what was asked for.

    Raises:
        MalformedMessage: It is not.
    """
    if hashlib.sha256(content).hexdigest() != mesh.hash:
        raise MalformedMessage(
            f"/sim/world: the mesh {mesh.file[:200]!r} has another hash than announced; ask for the scene again"
        )


def fetching_triangles(mesh: ServedMesh) -> "Flow[Floats]":
    """Ask for a mesh; return the corners of its triangles, shape (n, 3, 3).

    Raises:
        NoSuchName: The server does not hand it out.
        MalformedMessage: Something else came.
    """
    return triangles_of(mesh, (yield from fetching(mesh)))


def triangles_of(mesh: ServedMesh, content: bytes) -> "Floats":
    """Return the corners of the triangles in a mesh that came, shape (n, 3, 3).

    Raises:
        MalformedMessage: It is no STL file, or has a corner that is no place.
    """
    from coopsim.scene.stl import stl_corners  # a client that asks for no mesh needs nothing of the simulator

    triangles = stl_corners(content)
    if triangles is None or not len(triangles) or not np.isfinite(triangles).all():
        raise MalformedMessage(f"/sim/world: expected {mesh.file[:200]!r} as STL with finite triangles")
    return triangles
