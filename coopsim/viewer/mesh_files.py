"""Meshes out of files: STL, in text or binary, and OBJ. They are scaled to a unit box."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from coopsim.errors import BadFile
from coopsim.geometry import Floats
from coopsim.scene import Problem, Span
from coopsim.scene.source import why_not_shown
from coopsim.viewer.shapes import MeshData, mesh_of

_HEADER = 84
_FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_SOFT = 0.7
"""Neighbours whose normals differ by less are one round surface (cosine)."""


def load_mesh(path: Path) -> MeshData:
    """Return the mesh in a file.

    Raises:
        BadFile: It cannot be read; the place is in the text.
    """
    if reason := why_not_shown(path):
        raise _bad(path, 1, reason)
    raw = path.read_bytes()
    try:
        corners = _obj(path, raw) if path.suffix.lower() == ".obj" else _stl(path, raw)
    except ValueError as problem:
        raise _bad(path, 1, f"no mesh: {problem}") from None
    if not len(corners) or not np.isfinite(corners).all():
        raise _bad(path, 1, "no mesh: expected triangles with finite corners")
    return _in_unit_box(corners)


def _stl(path: Path, raw: bytes) -> Floats:
    """Return the corners of all triangles, shape (n, 3, 3)."""
    if len(raw) >= _HEADER:
        count = int.from_bytes(raw[_HEADER - 4 : _HEADER], "little")
        if len(raw) == _HEADER + count * _FACET.itemsize:
            return np.frombuffer(raw, _FACET, count, _HEADER)["corners"].astype(float)
    if not raw.lstrip().startswith(b"solid"):
        raise _bad(path, 1, "expected an STL or OBJ file")
    lines = [line.split() for line in raw.decode(errors="replace").splitlines()]
    found = [_numbers(path, number, words[1:4]) for number, words in enumerate(lines, 1) if words[:1] == ["vertex"]]
    return np.array(found, float).reshape(-1, 3, 3)


def _obj(path: Path, raw: bytes) -> Floats:
    """Return the corners of all triangles; faces with more corners are cut into triangles."""
    points: list[list[float]] = []
    found: list[int] = []
    for number, line in enumerate(raw.decode(errors="replace").splitlines(), 1):
        words = line.split()
        if words[:1] == ["v"]:
            points.append(_numbers(path, number, words[1:4]))
        elif words[:1] == ["f"]:
            face = [_index(path, number, word, len(points)) for word in words[1:]]
            for a, b in pairwise(face[1:]):
                found += (face[0], a, b)
    return np.array(points, float).reshape(-1, 3)[found].reshape(-1, 3, 3)


def _numbers(path: Path, line: int, words: list[str]) -> list[float]:
    try:
        x, y, z = map(float, words)
    except ValueError:
        raise _bad(path, line, f"expected three numbers, found {' '.join(words)!r}") from None
    return [x, y, z]


def _index(path: Path, line: int, word: str, points: int) -> int:
    try:
        number = int(word.partition("/")[0])
    except ValueError:
        number = 0
    index = number - 1 if number > 0 else points + number
    if number == 0 or not 0 <= index < points:
        raise _bad(path, line, f"expected one of the {points} points above, found {word!r}")
    return index


def _in_unit_box(corners: Floats) -> MeshData:
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


def _bad(path: Path, line: int, text: str) -> BadFile:
    problem = Problem(Span(str(path), line, 1), text)
    return BadFile(str(problem), (problem,))
