"""Looks of URDF, MJCF and SDF models: shapes and meshes of their links, as visuals of ours."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from coopsim.features.models.collada import collada_color
from coopsim.features.models.frames import angles, quaternion_matrix, three
from coopsim.geometry import Floats, Vector3
from coopsim.scene import Problems, Span, VisualSection
from coopsim.scene.meshes import mesh_suffixes
from coopsim.state.visuals import MOST_VISUALS

_PLANE, _FIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)
_NAMES = {_SPHERE: "sphere", _CAPSULE: "capsule", _ELLIPSOID: "box", _CYLINDER: "cylinder", _BOX: "box", _MESH: "mesh"}
_GREY = np.array([0.5, 0.5, 0.5])
"""Colour of what has none."""
_THIN = 1e-4  # m
Frame = tuple[Floats, Floats]
"""Place and orientation."""


class ModelLooks:
    """Looks of the bodies of a model.

    Args:
        model: MuJoCo's, with all that is only seen.
        files: Mesh files by MuJoCo's number of a mesh.
        start: The model.
        problems: Takes a warning for each thing that is not shown.
    """

    def __init__(self, model: Any, files: Mapping[int, Path], start: Span, problems: Problems) -> None:
        self._model, self._files, self._start, self._problems = model, files, start, problems
        self._left = MOST_VISUALS - int(model.nbody)
        self._colors: dict[str, Vector3 | None] = {}

    def of(self, body: int, name: str) -> Iterator[VisualSection]:
        """Yield what a body is drawn with.

        Args:
            body: MuJoCo's number of it.
            name: Ours.
        """
        geoms = self._shown(body)
        if len(geoms) > self._left:
            text = f"the body {name!r} is drawn as it collides: a robot has at most {MOST_VISUALS} visuals and links"
            self._problems.warn(self._start, text)
            return
        self._left -= len(geoms)
        for geom in geoms:
            kind = int(self._model.geom_type[geom])
            file = self._file(geom, kind)
            size, (base, turn) = self._box(geom, kind)
            shape = _NAMES[kind] if kind != _MESH or file else "box"
            yield VisualSection(
                shape,
                f"{name}_{geom}",
                three(np.maximum(size, _THIN)),
                three(base),
                angles(turn),
                self._color(geom, file),
                mesh=file,
                body=name,
                span=self._start,
                type_span=self._start,
            )

    def _shown(self, body: int) -> list[int]:
        """Return what is only seen; where nothing is, what collides."""
        model = self._model
        begin = int(model.body_geomadr[body])
        geoms = [
            geom for geom in range(begin, begin + int(model.body_geomnum[body])) if int(model.geom_type[geom]) in _NAMES
        ]
        seen = [geom for geom in geoms if not model.geom_contype[geom] and not model.geom_conaffinity[geom]]
        return seen or geoms

    def _file(self, geom: int, kind: int) -> str:
        """Return the file of a mesh, "" where it is none, or cannot be shown, which is said."""
        if kind != _MESH:
            return ""
        path = self._files.get(int(self._model.geom_dataid[geom]))
        if path is not None and path.suffix.lower() in mesh_suffixes():
            return str(path)
        what = f"the mesh {path.name!r}" if path is not None else "a mesh that stands in the model itself"
        suffix_words = ", ".join(mesh_suffix[1:].upper() for mesh_suffix in mesh_suffixes())
        self._problems.warn(self._start, f"{what} is not shown, its box is: files that can be are {suffix_words}")
        return ""

    def _box(self, geom: int, kind: int) -> tuple[Floats, Frame]:
        """Return the box that a shape is drawn into, and the middle of its base in the frame of its body."""
        model = self._model
        turn, size = quaternion_matrix(model.geom_quat[geom]), model.geom_size[geom]
        low = np.zeros(3)
        if kind == _MESH:
            return self._mesh_box(geom, turn)
        if kind in (_SPHERE, _CYLINDER, _CAPSULE):
            radius = float(size[0])
            half = {_SPHERE: radius, _CYLINDER: float(size[1]), _CAPSULE: float(size[1]) + radius}[kind]
            whole = 2.0 * np.array([radius, radius, half])
        else:
            whole = 2.0 * size
        low[2] = -0.5 * whole[2]
        return whole, (model.geom_pos[geom] + turn @ low, turn)

    def _mesh_box(self, geom: int, turn: Floats) -> tuple[Floats, Frame]:
        """Return the box along the axes of the mesh's file: MuJoCo turns meshes along those of their inertia."""
        model, mesh = self._model, int(self._model.geom_dataid[geom])
        begin, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        back = quaternion_matrix(model.mesh_quat[mesh])
        points = model.mesh_pos[mesh] + model.mesh_vert[begin : begin + count] @ back.T
        low, high = points.min(axis=0), points.max(axis=0)
        own = turn @ back.T
        base = np.array([0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), low[2]])
        return high - low, (model.geom_pos[geom] + own @ (base - model.mesh_pos[mesh]), own)

    def _color(self, geom: int, file: str) -> Vector3 | None:
        """Return the colour of a shape, or else of its mesh, None where it has that of the robot."""
        model, material = self._model, int(self._model.geom_matid[geom])
        paint = (model.mat_rgba[material] if material >= 0 else model.geom_rgba[geom])[:3]
        if material < 0 and np.allclose(paint, _GREY, atol=1e-6):
            return self._color_of_file(file) if file.lower().endswith(".dae") else None
        return three(np.clip(paint.astype(float), 0.0, 1.0).round(6))

    def _color_of_file(self, file: str) -> Vector3 | None:
        if file not in self._colors:
            self._colors[file] = collada_color(Path(file))
        return self._colors[file]
