"""Cloths and soft bodies as one sees them: a skin over their nodes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.shapes import VERTEX, MeshData
from coopsim.geometry import Floats, Ints
from coopsim.scene.lattices import Element, surfaces
from coopsim.state import EntityRow

_FLAT = 2  # numbers of a cell's place in a cloth; a soft body's has three


@dataclass(frozen=True, eq=False)
class Skin:
    """The skin of a cloth or a soft body.

    Attributes:
        entities: Numbers of its nodes, shape (n,).
        triangles: Of vertices: those of a cloth are there twice, above and below; shape (t, 3).
        sides: For each vertex its node, and 1 or -1: on which side of it, two arrays of shape (v,).
        faces: Triangles between nodes, shape (f, 3).
        half: Radius of a node [m].
        color: Red, green, blue, opacity, 0 to 255.
    """

    entities: Ints
    triangles: NDArray[np.uint32]
    sides: tuple[Ints, Floats]
    faces: Ints
    half: float
    color: tuple[int, int, int, int]

    def mesh(self, poses: Floats) -> MeshData:
        """Return it in the world, as far from its nodes as they touch.

        Args:
            poses: Of all entities, shape (m, 7).
        """
        middles = poses[self.entities, :3] + np.array([0.0, 0.0, self.half])
        normals = _normals(middles, self.faces)
        nodes, side = self.sides
        vertices = np.zeros(nodes.size, VERTEX)
        vertices["normal"] = side[:, np.newaxis] * normals[nodes]
        vertices["position"] = middles[nodes] + self.half * vertices["normal"]
        return MeshData(vertices, self.triangles)


def skins(entities: Sequence[EntityRow]) -> tuple[Skin, ...]:
    """Return the skins of all cloths and soft bodies among entities."""
    nodes = [number for number, row in enumerate(entities) if row.whole]
    if not nodes:
        return ()
    surfaces_found = surfaces([(entities[number].whole, entities[number].cell) for number in nodes])
    return tuple(_skin(entities, nodes, faces) for faces in surfaces_found.values() if faces)


def _skin(entities: Sequence[EntityRow], nodes: Sequence[int], faces: Sequence[Element]) -> Skin:
    used = sorted({place for face in faces for place in face})
    order = {place: number for number, place in enumerate(used)}
    own = [tuple(order[place] for place in face) for face in faces]
    first, count = entities[nodes[used[0]]], len(used)
    triangles, sides = own, [1.0] * count
    if len(first.cell) == _FLAT:
        triangles, sides = _shell(own, count), [1.0] * count + [-1.0] * count
    red, green, blue = (round(255.0 * part) for part in first.color)
    return Skin(
        np.array([nodes[place] for place in used], np.int64),
        np.array(triangles, np.uint32),
        (np.tile(np.arange(count), len(sides) // count), np.array(sides)),
        np.array(own, np.int64),
        0.5 * first.size[2],
        (red, green, blue, 255),
    )


def _shell(faces: Sequence[Element], count: int) -> list[Element]:
    """Return both sides of a cloth, and what closes its edges."""
    below = [(c + count, b + count, a + count) for a, b, c in faces]
    ways = [(face[k], face[k - 2]) for face in faces for k in range(3)]
    seen = Counter(frozenset(way) for way in ways)
    edges = [(a, b) for a, b in ways if seen[frozenset((a, b))] == 1]
    rims = [side for a, b in edges for side in ((b, a, a + count), (b, a + count, b + count))]
    return [*faces, *below, *rims]


def _normals(places: Floats, faces: Ints) -> Floats:
    """Return unit vectors that are upright on a skin at its nodes."""
    first, two, three = (places[faces[:, corner]] for corner in range(3))
    across = np.cross(two - first, three - first)
    normals = np.zeros_like(places)
    for corner in range(3):
        np.add.at(normals, faces[:, corner], across)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    upright: Floats = normals / np.maximum(lengths, 1e-12)
    return upright
