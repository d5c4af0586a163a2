"""The battlefield: what is in the way of whom, and where robots must not be.

Source: swarm gaming, section 3 (the game logic manages the battlefield map), figure 6.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from coopsim.client.scene import SceneView
from coopsim.features.games.polygons import inside_any, packed
from coopsim.features.laws.planning import DiscLayer, PlanningGrid, rectangle
from coopsim.geometry import Bools, Floats, heading, in_polygon
from coopsim.state import EntityRow

MARGIN = 0.1
"""What paths keep clear of everything besides half a robot [m]."""
_CELL = 0.1  # m; half a robot: doors stay open, and a field of 50 m is 250 000 cells
_KEPT = 4
"""Maps with circles that are kept; the oldest one goes."""
_LARGEST = 25.0
"""Half the side of the map where there is no border [m]."""


@dataclass(frozen=True)
class FieldArea:
    """A part of the floor: its kind and corners, shape (n, 2) [m]."""

    kind: str
    corners: Floats

    @property
    def middle(self) -> tuple[float, float]:
        """Mean of its corners [m]."""
        x, y = self.corners.mean(axis=0).tolist()
        return x, y


class Battlefield:
    """A map of each kind of robot: those that swim and those that do not.

    Immovable objects are in the way as upright boxes around them, whatever their shape.

    Args:
        scene: What there is.
        clearance: How far the middle of a robot keeps from everything [m].
        posts: Devices that are in the way: x, y and radius of each [m].

    Attributes:
        walls: Both ends of each edge of the immovable objects, shape (m, 4) [m].
    """

    def __init__(self, scene: SceneView, clearance: float, posts: Sequence[tuple[float, float, float]] = ()) -> None:
        self.areas = {entity.name: area_of(entity) for entity in scene.entities if entity.kind == "area"}
        self.targets = {
            entity.name: (entity.pose[0], entity.pose[1]) for entity in scene.entities if entity.kind == "target"
        }
        kinds = {area.kind for area in self.areas.values()}
        self._packed = {kind: packed([area.corners for area in self._of(kind)]) for kind in kinds}
        self._clearance, self._posts = clearance, posts
        self._boxes = [_box(entity) for entity in scene.entities if entity.kind == "object" and entity.mass == 0.0]
        edges = [np.hstack((box, np.roll(box, -1, axis=0))) for box in self._boxes]
        self.walls: Floats = np.vstack(edges) if edges else np.empty((0, 4))
        self._around: dict[tuple[bool, bytes], PlanningGrid] = {}
        self._grids = {swims: self._grid(clearance, swims=swims) for swims in (False, True)}
        self._layers = {swims: DiscLayer(grid) for swims, grid in self._grids.items()}

    def grid(self, *, swims: bool) -> PlanningGrid:
        """Return the map of robots that swim, or do not."""
        return self._grids[swims]

    def grid_around(self, circles: Floats, *, swims: bool) -> PlanningGrid:
        """Return the map with circles in the way, too: x, y and radius, shape (k, 3) [m]."""
        if not len(circles):
            return self._grids[swims]
        key = swims, np.round(circles, 1).tobytes()
        if key in self._around:
            return self._around[key]
        grid = self._layers[swims].map_with((x, y, radius + self._clearance) for x, y, radius in circles.tolist())
        if len(self._around) >= _KEPT:
            del self._around[next(iter(self._around))]
        self._around[key] = grid
        return grid

    def middle_of(self, name: str) -> tuple[float, float] | None:
        """Return where an area is, None if there is none of this name."""
        area = self.areas.get(name)
        return None if area is None else area.middle

    def inside(self, name: str, points: Floats) -> Bools:
        """Return which points, shape (n, 2), lie in an area."""
        return in_polygon(points, self.areas[name].corners)

    def in_water(self, points: Floats) -> Bools:
        """Return which points, shape (n, 2), lie in water."""
        return self._within("water", points)

    def outside(self, points: Floats) -> Bools:
        """Return which points, shape (n, 2), lie outside of every border, none where there is no border."""
        if "border" not in self._packed:
            return np.zeros(len(points), np.bool_)
        return ~self._within("border", points)

    def _within(self, kind: str, points: Floats) -> Bools:
        is_blocked = np.zeros(len(points), np.bool_)
        if kind in self._packed:
            inside_any(points, self._packed[kind], is_blocked)
        return is_blocked

    def _of(self, kind: str) -> Iterable[FieldArea]:
        return (area for area in self.areas.values() if area.kind == kind)

    def _grid(self, clearance: float, *, swims: bool) -> PlanningGrid:
        borders = [area.corners for area in self._of("border")]
        corners = np.vstack(borders) if borders else np.array([(-_LARGEST, -_LARGEST), (_LARGEST, _LARGEST)])
        (left, low), (right, high) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
        grid = PlanningGrid.covering((left, low), (right, high), _CELL)
        if borders:
            grid.block_outside_all(borders, clearance)
        for box in self._boxes:
            grid.block_polygon(box, clearance)
        for x, y, radius in self._posts:
            grid.block_disc(x, y, radius + clearance)
        for area in () if swims else self._of("water"):
            grid.block_polygon(area.corners, clearance)
        return grid


def _box(entity: EntityRow) -> Floats:
    """Return the corners of a polygon, of any other object those of the upright box around it, shape (n, 2) [m]."""
    x, y, _, *turned = entity.pose
    if entity.visuals and entity.visuals[0].points:
        angle, corners = heading(*turned), np.array(entity.visuals[0].points).reshape(-1, 2)
        cosine, sine = math.cos(angle), math.sin(angle)
        return np.asarray(corners @ np.array([(cosine, sine), (-sine, cosine)]) + (x, y))
    length, width, _ = entity.size
    return rectangle(x, y, heading(*turned), length, width)


def area_of(entity: EntityRow) -> FieldArea:
    """Return an area of a scene."""
    points = np.asarray(entity.visuals[0].points, np.float64).reshape(-1, 2)
    return FieldArea(entity.type, points + np.asarray(entity.pose[:2]))
