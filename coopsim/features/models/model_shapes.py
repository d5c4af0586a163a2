"""Shapes that the bodies of a model collide with: each of its geoms in the frame of its link, meshes by their hulls."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from coopsim.features.models.frames import angles, quaternion_matrix, three
from coopsim.geometry import Floats
from coopsim.scene import ObjectPart, Problems, Span
from coopsim.scene.object_part import MOST_PARTS

_PLANE, _FIELD, _SPHERE, _CAPSULE, _ELLIPSOID, _CYLINDER, _BOX, _MESH = range(8)
_THIN = 1e-4  # m; of a side that has no length
_SMALL = 0.01  # m; of a body that collides with nothing
_DIRECTIONS = 162
"""Of hulls: the corners that reach farthest in each are kept."""
_DIGITS = 9  # of a corner [m]
_UNSAID = 1.0  # friction of a geom of which a model says nothing


class ModelShapes:
    """Shapes of a model that MuJoCo compiled.

    Args:
        model: MuJoCo's.
        start: The first line of the model.
        problems: Takes a warning for each body of which a shape is left out.
    """

    def __init__(self, model: Any, start: Span, problems: Problems) -> None:
        self._model, self._start, self._problems = model, start, problems
        self._directions = _fibonacci(_DIRECTIONS)

    def of(self, body: int, name: str) -> tuple[ObjectPart, ...]:
        """Return the shapes of a body, the largest first; of one without any a small box where its mass is."""
        model = self._model
        geoms = range(model.body_geomadr[body], model.body_geomadr[body] + model.body_geomnum[body])
        touching = [geom for geom in geoms if model.geom_contype[geom] or model.geom_conaffinity[geom]]
        solid = [geom for geom in touching if int(model.geom_type[geom]) in range(_SPHERE, _MESH + 1)]
        if len(solid) < len(touching):
            self._problems.warn(self._start, f"the body {name!r} collides with no plane nor height field of its own")
        solid.sort(key=lambda geom: -float(np.prod(model.geom_aabb[geom][3:])))
        parts = [part for geom in solid for part in self._parts(geom)]
        if len(parts) > MOST_PARTS:
            text = f"the body {name!r} has {len(parts)} shapes; the {MOST_PARTS} largest count"
            self._problems.warn(self._start, text)
        if not parts:
            middle = model.body_ipos[body] - np.array([0.0, 0.0, 0.5 * _SMALL])
            return (ObjectPart("box", (_SMALL, _SMALL, _SMALL), three(middle)),)
        return tuple(parts[:MOST_PARTS])

    def _parts(self, geom: int) -> Iterator[ObjectPart]:
        """Yield what one geom is; a capsule is a cylinder between two balls."""
        model, kind = self._model, int(self._model.geom_type[geom])
        radius, half, _ = model.geom_size[geom]
        if kind == _CAPSULE:
            yield self._part(geom, "cylinder", (radius, radius, half))
            for side in (-half, half):
                yield self._part(geom, "sphere", (radius, radius, radius), side)
        elif kind == _SPHERE:
            yield self._part(geom, "sphere", (radius, radius, radius))
        elif kind == _CYLINDER:
            yield self._part(geom, "cylinder", (radius, radius, half))
        elif kind == _BOX:
            yield self._part(geom, "box", tuple(model.geom_size[geom]))
        elif kind == _ELLIPSOID:
            yield self._hull(geom, self._directions * model.geom_size[geom])
        else:
            yield self._hull(geom, self._corners(geom))

    def _part(self, geom: int, shape: str, halves: tuple[float, ...], along: float = 0.0) -> ObjectPart:
        """Return a shape that is given by half of its sides and by how far along z of the geom its middle is."""
        turn = quaternion_matrix(self._model.geom_quat[geom])
        base = self._model.geom_pos[geom] + turn @ np.array([0.0, 0.0, along - halves[2]])
        size = three(np.maximum(2.0 * np.array(halves), _THIN))
        return ObjectPart(shape, size, three(base), friction=self._friction(geom), orientation=angles(turn))

    def _hull(self, geom: int, corners: Floats) -> ObjectPart:
        """Return the convex hull of corners in the frame of a geom."""
        turn = quaternion_matrix(self._model.geom_quat[geom])
        chosen = corners[np.unique(np.argmax(corners @ self._directions.T, axis=0))]
        low, high = chosen.min(axis=0), chosen.max(axis=0)
        middle = np.array([*(0.5 * (low + high))[:2], low[2]])
        points = tuple((chosen - middle).round(_DIGITS).ravel().tolist())
        base = self._model.geom_pos[geom] + turn @ middle
        size = three(np.maximum(high - low, _THIN))
        friction = self._friction(geom)
        return ObjectPart("box", size, three(base), friction=friction, orientation=angles(turn), points=points)

    def _corners(self, geom: int) -> Floats:
        model, mesh = self._model, int(self._model.geom_dataid[geom])
        begin, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        corners: Floats = model.mesh_vert[begin : begin + count].astype(np.float64)
        return corners

    def _friction(self, geom: int) -> float | None:
        said = float(self._model.geom_friction[geom][0])
        return None if said == _UNSAID else said


def _fibonacci(count: int) -> Floats:
    """Return directions that are spread evenly, and those of the axes, so that the box around a hull stays."""
    heights = 1.0 - 2.0 * (np.arange(count) + 0.5) / count
    turns = np.pi * (1.0 + np.sqrt(5.0)) * np.arange(count)
    around = np.sqrt(1.0 - heights**2)
    spread = np.column_stack([around * np.cos(turns), around * np.sin(turns), heights])
    return np.vstack([np.eye(3), -np.eye(3), spread])
