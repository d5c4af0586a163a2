"""Meshes of a model: each file once, under a name of its own, as MuJoCo reads it."""

from pathlib import Path

import numpy as np

from coopsim.errors import BadFile
from coopsim.features.models.model_paths import find_model_file, searched_in
from coopsim.geometry import Floats
from coopsim.scene import Problems
from coopsim.scene.meshes import mesh_suffixes, read_triangles
from coopsim.scene.source import why_not_shown
from coopsim.scene.spans import Span
from coopsim.scene.stl import stl_of

_OF_MUJOCO = (".stl", ".obj", ".msh")
_MOST_FACES = 200_000
"""MuJoCo reads no STL with more of them."""
_KEPT_FACES = 50_000
_FARTHEST = 1e8
"""Largest coordinate, whatever its unit; MuJoCo reads none beyond 1e9."""
_THINNEST = 1e-4
"""Of the size of a mesh: what is thinner counts as flat."""
_DIRECTIONS = np.vstack([np.eye(3), [(1, 1, 1), (1, 1, -1), (1, -1, 1), (-1, 1, 1)]])


class ModelMeshes:
    """Collects the meshes that a model names.

    Args:
        model: The file of the model.
        problems: Takes the mistakes.

    Attributes:
        contents: What MuJoCo reads, by the name that the model has it under.
        paths: The files, by the same names.
    """

    def __init__(self, model: Path, problems: Problems) -> None:
        self.contents: dict[str, bytes] = {}
        self.paths: dict[str, Path] = {}
        self._model, self._problems = model, problems
        self._names: dict[tuple[Path, str], str] = {}

    def add(self, name: str, span: Span, variant: str = "", *, is_seen_only: bool = False) -> str:
        """Return the name of a mesh among `contents`, "" where it cannot be read, which is noted.

        Args:
            name: What the model calls it.
            span: Where it does.
            variant: What tells it from other uses of the same file, as its scale.
            is_seen_only: Whether it may be left out where it cannot be read, which is warned of.
        """
        path = find_model_file(name, self._model)
        if path is None:
            text = f"no file {name!r}; looked for beside this model and in {searched_in()}"
            if is_seen_only:
                self._problems.warn(span, f"the mesh {name!r} is left out, since it is only seen: {text}")
            else:
                self._problems.add(span, f"{text}: put the mesh there, or correct its name")
            return ""
        key = path.resolve(), variant
        if key in self._names:
            return self._names[key]
        suffix = path.suffix.lower()
        if suffix not in (*_OF_MUJOCO, *mesh_suffixes()):
            self._problems.warn(span, f"the mesh {name!r} is left out: files that can be read are STL, OBJ and DAE")
            return ""
        content = self._content(path, name, span, is_seen_only=is_seen_only)
        if content is None:
            return ""
        # MuJoCo tells files apart by their names alone
        raw, form = content
        unique = f"{path.stem}_{len(self._names)}{form}"
        self._names[key] = unique
        self.contents[unique], self.paths[unique] = raw, path
        return unique

    def _content(self, path: Path, name: str, span: Span, *, is_seen_only: bool) -> tuple[bytes, str] | None:
        """Return a mesh as MuJoCo reads it and its suffix, None where it cannot be, which is noted."""
        reason = why_not_shown(path)
        if reason is not None and is_seen_only:
            self._problems.warn(span, f"the mesh {name!r} is left out: {reason}")
            return None
        if reason is None:
            try:
                return _converted(path)
            except BadFile as bad:
                reason = str(bad)
        self._problems.add(span, f"the mesh {name!r} is not read: {reason}")
        return None


def _converted(path: Path) -> tuple[bytes, str]:
    """Return a mesh as MuJoCo reads it, and its suffix; what is flat gets a thickness, since it has no convex hull."""
    if path.suffix.lower() not in mesh_suffixes():
        return path.read_bytes(), path.suffix.lower()
    triangles = read_triangles(path)
    if not np.all(np.abs(triangles) < _FARTHEST):
        raise BadFile(f"{path}: a corner is more than {_FARTHEST:g} from the origin")
    solid = _thickened(triangles)
    if path.suffix.lower() == ".obj" and solid is triangles:
        return path.read_bytes(), ".obj"
    # whatever its own form, as binary STL each is read
    return stl_of(_thinned(solid)), ".stl"


def _thickened(triangles: Floats) -> Floats:
    points = triangles.reshape(-1, 3)
    _, spreads, axes = np.linalg.svd(np.cov(points.T), hermitian=True)
    size = float(np.ptp(points, axis=0).max())
    if spreads[2] > (_THINNEST * size) ** 2:
        return triangles
    offset = _THINNEST * size * axes[2]
    return np.vstack([triangles - offset, triangles + offset])


def _thinned(triangles: Floats) -> Floats:
    """Return triangles, shape (n, 3, 3), few enough for MuJoCo; the box around them stays what it is."""
    if len(triangles) <= _MOST_FACES:
        return triangles
    points = triangles.reshape(-1, 3) @ _DIRECTIONS.T
    extremes = {int(at) // 3 for at in (*points.argmin(axis=0), *points.argmax(axis=0))}
    kept = sorted(extremes | set(range(0, len(triangles), -(-len(triangles) // _KEPT_FACES))))
    return triangles[kept]
