"""Meshes of the shapes, drawn into a unit box: 1 long, wide and high, the middle of its base at the origin."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats
from coopsim.scene.polygons import triangles

VERTEX = np.dtype([("position", "f4", 3), ("normal", "f4", 3), ("place", "f4", 2)])
"""`place` is where in the picture on it a vertex lies, 0 to 1."""
SIDES = (64, 32, 16, 6)
"""Of what is round, by level of detail; the last level has no lower side.

Where software halves the detail, corners stay within 0.7 pixels of the circle, and 1.1 in the last level.
"""
LEVELS = len(SIDES)
PRISM = "prism"
"""Polygon with sides, as objects have them; areas are flat."""
_SHAFT = 0.62
"""Of the length of an arrow; the rest is its head."""
_THICK = 0.4
"""Of the width of an arrow."""


@dataclass(frozen=True)
class MeshData:
    """Triangles.

    Attributes:
        vertices: Rows of `VERTEX`.
        triangles: Indices of vertices, counter-clockwise seen from outside, shape (n, 3).
    """

    vertices: NDArray[np.void]
    triangles: NDArray[np.uint32]


@cache
def shape_mesh(shape: str, level: int) -> MeshData:
    """Return the mesh of a shape; a capsule is none, it is put together of others.

    Args:
        shape: "box", "cylinder", "sphere", "cone" or "arrow".
        level: 0 = the finest.
    """
    sides, is_tiny = SIDES[level], level == LEVELS - 1
    match shape:
        case "box":
            return _box()
        case "sphere":
            return _sphere(sides)
        case "cone":
            return _turned([(0.0, 0.0), (0.5, 0.0), (0.0, 1.0)][is_tiny:], sides)
        case "arrow" if is_tiny:
            return _lying(_turned([(0.5, 0.0), (0.0, 1.0)], 4))
        case "arrow":
            thick = _THICK / 2.0
            outline = [(0.0, 0.0), (thick, 0.0), (thick, _SHAFT), (0.5, _SHAFT), (0.0, 1.0)]
            return _lying(_turned(outline, max(8, sides // 2)))
        case _:
            return _turned([(0.0, 0.0), (0.5, 0.0), (0.5, 1.0), (0.0, 1.0)][is_tiny:], sides)


def outline_mesh(mesh: MeshData) -> MeshData:
    """Return a mesh without what only light needs: vertices at the same place are one."""
    places, of_vertex = np.unique(mesh.vertices["position"].round(6), axis=0, return_inverse=True)
    vertices = np.zeros(len(places), VERTEX)
    vertices["position"] = places
    corners = of_vertex.reshape(-1)[mesh.triangles]
    is_flat = (corners == np.roll(corners, 1, axis=1)).any(axis=1)  # at the tips of what is round
    return MeshData(vertices, corners[~is_flat].astype(np.uint32))


def polygon_mesh(shares: Sequence[float]) -> MeshData:
    """Return the upper side of a polygon, seen from above.

    Args:
        shares: Numbers x and y of each corner, as shares of its box.
    """
    corners = np.array(shares, float).reshape(-1, 2)
    positions = np.column_stack([corners, np.ones(len(corners))])
    normals = np.tile([0.0, 0.0, 1.0], (len(corners), 1))
    positions_2d = triangles([(float(x), float(y)) for x, y in corners])
    return mesh_of(positions, normals, corners + 0.5, positions_2d)


def prism_mesh(shares: Sequence[float]) -> MeshData:
    """Return the upper side and the sides of a polygon that stands as high as its box; arguments as `polygon_mesh`."""
    top, corners = polygon_mesh(shares), np.array(shares, float).reshape(-1, 2)
    positions, normals = [top.vertices["position"]], [top.vertices["normal"]]
    places, faces = [top.vertices["place"]], [top.triangles]
    ends = np.roll(corners, -1, axis=0)
    is_clockwise = float(np.sum(corners[:, 0] * ends[:, 1] - corners[:, 1] * ends[:, 0])) < 0.0
    for begin, end in zip(corners, ends, strict=True):
        a, b = (end, begin) if is_clockwise else (begin, end)
        first = sum(map(len, positions))
        positions.append(np.array([(*a, 0.0), (*b, 0.0), (*b, 1.0), (*a, 1.0)]))
        normals.append(np.tile([b[1] - a[1], a[0] - b[0], 0.0] / np.hypot(*(b - a)), (4, 1)))
        places.append(np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]))
        faces.append(np.array([(first, first + 1, first + 2), (first, first + 2, first + 3)]))
    vertices = np.concatenate(positions), np.concatenate(normals), np.concatenate(places)
    return mesh_of(*vertices, np.concatenate(faces).tolist())


def mesh_of(positions: Floats, normals: Floats, places: Floats, triangles: Iterable[Sequence[int]]) -> MeshData:
    """Return a mesh of its arrays."""
    vertices = np.zeros(len(positions), VERTEX)
    vertices["position"], vertices["normal"], vertices["place"] = positions, normals, places
    return MeshData(vertices, np.array(list(triangles), np.uint32).reshape(-1, 3))


def _box() -> MeshData:
    positions: list[Floats] = []
    normals: list[Floats] = []
    places: list[tuple[float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    corners = ((-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0))
    for axis in range(3):
        for sign in (-1.0, 1.0):
            normal = sign * np.eye(3)[axis]
            # pictures stand upright on the sides
            up = np.array([0.0, 0.0, 1.0]) if axis < 2 else np.array([0.0, 1.0, 0.0])
            across = np.cross(up, normal)
            first = len(positions)
            for a, b in corners:
                positions.append((normal + a * across + b * up) / 2.0 + (0.0, 0.0, 0.5))
                normals.append(normal)
                places.append(((a + 1.0) / 2.0, (b + 1.0) / 2.0))
            triangles += [(first, first + 1, first + 2), (first, first + 2, first + 3)]
    return mesh_of(np.array(positions), np.array(normals), np.array(places), triangles)


def _turned(outline: Sequence[tuple[float, float]], sides: int) -> MeshData:
    """Return what an outline of radii and heights covers that is turned about z; each of its parts is flat."""
    angles = np.linspace(0.0, 2.0 * np.pi, sides + 1)
    cos, sin = np.cos(angles), np.sin(angles)
    rings, triangles, first = [], [], 0
    for (r0, z0), (r1, z1) in pairwise(outline):
        slope = np.hypot(z1 - z0, r1 - r0)
        out, rise = (z1 - z0) / slope, (r0 - r1) / slope
        normal = np.stack([out * cos, out * sin, np.full_like(cos, rise)], axis=1)
        flat = z0 == z1
        for radius, height in ((r0, z0), (r1, z1)):
            position = np.stack([radius * cos, radius * sin, np.full_like(cos, height)], axis=1)
            around = np.stack([angles / (2.0 * np.pi), np.full_like(angles, height)], axis=1)
            rings.append((position, normal, position[:, :2] + 0.5 if flat else around))
        for i in range(first, first + sides):
            above = i + sides + 1
            triangles += [(i, i + 1, above + 1)] * (r0 > 0.0) + [(i, above + 1, above)] * (r1 > 0.0)
        first += 2 * (sides + 1)
    positions, normals, places = (np.concatenate(arrays) for arrays in zip(*rings, strict=True))
    return mesh_of(positions, normals, places, triangles)


def _lying(mesh: MeshData) -> MeshData:
    """Return a mesh along x instead of z."""
    vertices = mesh.vertices.copy()
    for name in ("position", "normal"):
        vertices[name] = vertices[name][:, [2, 0, 1]]
    return MeshData(vertices, mesh.triangles)


def _sphere(sides: int) -> MeshData:
    rows = max(5, sides // 2)
    around, down = np.meshgrid(np.linspace(0.0, 1.0, sides + 1), np.linspace(0.0, 1.0, rows + 1))
    a, b = 2.0 * np.pi * around.ravel(), np.pi * down.ravel()
    normals = np.stack([np.sin(b) * np.cos(a), np.sin(b) * np.sin(a), np.cos(b)], axis=1)
    places = np.stack([around.ravel(), 1.0 - down.ravel()], axis=1)
    triangles = []
    for row in range(rows):
        for i in range(row * (sides + 1), row * (sides + 1) + sides):
            below = i + sides + 1
            triangles += [(i, below, i + 1), (i + 1, below, below + 1)]
    return mesh_of(0.5 * normals + (0.0, 0.0, 0.5), normals, places, triangles)
