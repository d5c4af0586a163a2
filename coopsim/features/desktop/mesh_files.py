"""Meshes out of files, scaled to a unit box."""

from pathlib import Path

import numpy as np

from coopsim.features.desktop.shapes import MeshData, mesh_of
from coopsim.geometry import Floats
from coopsim.scene.meshes import read_triangles

_SOFT = 0.7
"""Neighbours whose normals differ by less are one round surface (cosine)."""


def load_mesh(path: Path) -> MeshData:
    """Return the mesh in a file.

    Raises:
        BadFile: It cannot be read; the place is in the text.
    """
    return in_unit_box(read_triangles(path))


def in_unit_box(corners: Floats) -> MeshData:
    """Return a mesh of triangles, scaled to a unit box.

    Args:
        corners: Of the triangles, shape (n, 3, 3).
    """
    low, high = corners.min(axis=(0, 1)), corners.max(axis=(0, 1))
    extent = np.where(high > low, high - low, 1.0)
    middle = np.array([(low[0] + high[0]) / 2.0, (low[1] + high[1]) / 2.0, low[2]])
    flat = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    positions = ((corners - middle) / extent).reshape(-1, 3)
    places = positions[:, :2] + 0.5
    # the shader divides normals by the size of the box, as it does with those of the shapes
    normals = _smooth(corners, flat) * extent
    count = len(positions)
    return mesh_of(positions, normals, places, np.arange(count).reshape(-1, 3).tolist())


def _smooth(corners: Floats, flat: Floats) -> Floats:
    """Return a normal for each corner: the mean of the triangles that meet there on one round surface."""
    facing = flat / np.maximum(np.linalg.norm(flat, axis=1, keepdims=True), 1e-30)
    _, point = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    point = point.ravel()
    total = np.zeros((int(point.max()) + 1, 3))
    own = np.repeat(flat, 3, axis=0)
    np.add.at(total, point, own)
    mean = total[point]
    mean /= np.maximum(np.linalg.norm(mean, axis=1, keepdims=True), 1e-30)
    own_facing = np.repeat(facing, 3, axis=0)
    is_round = np.einsum("ij,ij->i", mean, own_facing) > _SOFT
    return np.where(is_round[:, np.newaxis], mean, own_facing)
