"""Measurements of sensors, as ribbons over the picture."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from coopsim.features.desktop.layers import Layers
from coopsim.features.desktop.model import SceneModel
from coopsim.features.desktop.poses import turned
from coopsim.features.desktop.ribbons import RIBBON, joined
from coopsim.features.pictures.drawing_model import (
    ARC,
    CLOSE,
    FREE,
    MIDDLE,
    MOST_SENSED,
    NEAR,
    NOTHING,
    RAY_FADE,
    SEEN,
    SIGHT_FADE,
    TOUCH_RADIUS,
    TOUCHED,
    hulls,
    ray_begins,
)
from coopsim.features.pictures.drawn_sensors import HALVES, DrawnSensors, RangeRing
from coopsim.geometry import Floats

if TYPE_CHECKING:
    from coopsim.client import Readings

Measured: TypeAlias = Callable[[str, str, str], tuple[Sequence[str], Floats]]
"""Returns, by robot type, module and field, the names of the robots and a row of readings for each."""

_RAY_WIDTH, _TOUCH_WIDTH, _SIGHT_WIDTH = 1.6, 6.0, 2.0  # pixels; touch is wide since it lasts a few images only


def read_from(readings: "Readings") -> Measured:
    """Return what looks readings up in those of a state."""

    def measured(kind: str, module: str, field: str) -> tuple[Sequence[str], Floats]:
        rows = readings.of(kind)
        return rows.robots, np.asarray(getattr(getattr(rows, module), field), float)

    return measured


def sensor_ribbons(
    model: SceneModel, layers: Layers, sensors: Mapping[str, DrawnSensors], measured: Measured
) -> NDArray[np.void]:
    """Return rows of `RIBBON` for the layers that are on.

    Args:
        model: Where robots are.
        layers: What is wanted.
        sensors: What can be drawn, by robot type.
        measured: What they read.
    """
    ribbon_parts = [
        ribbons for kind, sensor in sensors.items() for ribbons in _of_type(model, layers, kind, sensor, measured)
    ]
    return joined(ribbon_parts)


def _of_type(
    model: SceneModel, layers: Layers, kind: str, sensors: DrawnSensors, measured: Measured
) -> Iterator[NDArray[np.void]]:
    are_few = model.robot_counts[kind] <= MOST_SENSED
    if layers.rays and are_few:
        for ring in sensors.rings:
            names, ranges = measured(kind, ring.module, ring.field)
            yield _rays(model, names, ring, ranges.reshape(len(names), -1))
    if layers.sightings and are_few:
        for sighting in sensors.sightings:
            names, table = measured(kind, sighting.module, sighting.field)
            yield _sightings(model, names, table.reshape(len(names), -1, sighting.columns))
    if layers.contacts:
        for module in sensors.bumpers:
            for field, turn in HALVES.items():
                names, touched = measured(kind, module, field)
                hit = [names[number] for number in np.flatnonzero(touched.ravel() > 0.5).tolist()]
                if hit:
                    yield _touches(model, hit, turn)


def _rays(model: SceneModel, names: Sequence[str], ring: RangeRing, ranges: Floats) -> NDArray[np.void]:
    rows = _Robots(model, names)
    ranges = np.nan_to_num(ranges[rows.places, : len(ring.bearings)])
    begins = ray_begins(ring, rows.sizes)
    radii, low = (np.broadcast_to(column[:, np.newaxis], ranges.shape) for column in begins)
    ends = radii + ranges * np.cos(ring.elevations), low + ranges * np.sin(ring.elevations)
    rays = rows.ribbons(np.broadcast_to(ring.bearings, ranges.shape), (radii, low), ends, ring.mount or (0.0, 0.0))
    shares = (ranges / ring.reach).ravel()
    kinds = np.select([shares < CLOSE, shares < FREE], [0, 1], 2)
    rays["r_color"] = np.array([NEAR, MIDDLE, NOTHING], np.uint8)[kinds]
    rays["r_fade"], rays["r_width"] = RAY_FADE, _RAY_WIDTH
    return rays


def _sightings(model: SceneModel, names: Sequence[str], table: Floats) -> NDArray[np.void]:
    rows = _Robots(model, names)
    distances, angles, *raised, seen = np.moveaxis(table[rows.places], -1, 0)
    radii = np.minimum(rows.radii[:, np.newaxis], distances)
    heights = np.broadcast_to(rows.middles[:, np.newaxis], distances.shape)
    ribbons_of_robots = rows.ribbons(angles, (radii, heights), (distances, sum(raised, heights)))
    ribbons_of_robots["r_color"], ribbons_of_robots["r_fade"], ribbons_of_robots["r_width"] = (
        SEEN,
        SIGHT_FADE,
        _SIGHT_WIDTH,
    )
    shown: NDArray[np.void] = ribbons_of_robots[seen.ravel() > 0.5]
    return shown


def _touches(model: SceneModel, names: Sequence[str], turn: float) -> NDArray[np.void]:
    """Return arcs around the touched halves of hulls."""
    rows = _Robots(model, names)
    angles = np.broadcast_to(ARC + turn, (len(rows.places), len(ARC)))
    radii = np.broadcast_to(TOUCH_RADIUS * rows.radii[:, np.newaxis], angles.shape)
    points = rows.points(angles, radii, np.broadcast_to(rows.middles[:, np.newaxis], angles.shape))
    touches = np.zeros(len(rows.places) * (len(ARC) - 1), RIBBON)
    touches["r_begin"], touches["r_end"] = points[:, :-1].reshape(-1, 3), points[:, 1:].reshape(-1, 3)
    touches["r_color"], touches["r_fade"], touches["r_width"] = TOUCHED, 1.0, _TOUCH_WIDTH
    return touches


class _Robots:
    """Robots that are there: where they are and how large.

    Args:
        model: What there is.
        names: Whose readings came.

    Attributes:
        places: Of those that are there, among the names.
        sizes: Length, width and height of each, shape (n, 3) [m].
        radii: Of their hulls [m].
        middles: Half of their heights [m].
    """

    def __init__(self, model: SceneModel, names: Sequence[str]) -> None:
        self.places = [place for place, name in enumerate(names) if name in model.numbers]
        numbers = [model.numbers[names[place]] for place in self.places]
        self._poses = model.entity_poses[numbers].reshape(-1, 7)
        self.sizes = np.array([model.entities[number].size for number in numbers], float).reshape(-1, 3)
        self.radii, self.middles = hulls(self.sizes)

    def points(
        self, angles: Floats, distances: Floats, heights: Floats, start: tuple[float, float] = (0.0, 0.0)
    ) -> Floats:
        """Return points around each robot, in the world, shape (n, m, 3) [m].

        Args:
            angles: In the frames of the robots, shape (n, m) [rad].
            distances: From their axes, shape (n, m) [m].
            heights: Above their bases, shape (n, m) [m].
            start: What is taken for their axes, forward and to the left [m].
        """
        x, y = start[0] + distances * np.cos(angles), start[1] + distances * np.sin(angles)
        local = np.stack([x, y, heights], axis=-1)
        poses = np.repeat(self._poses, angles.shape[1], axis=0)
        return (poses[:, :3] + turned(poses[:, 3:], local.reshape(-1, 3))).reshape(*angles.shape, 3)

    def ribbons(
        self,
        angles: Floats,
        begin: tuple[Floats, Floats],
        end: tuple[Floats, Floats],
        start: tuple[float, float] = (0.0, 0.0),
    ) -> NDArray[np.void]:
        """Return ribbons that lead away from each robot, without colours.

        Args:
            angles: In the frames of the robots, shape (n, m) [rad].
            begin: Distances from their axes, and heights, both of shape (n, m) [m].
            end: The same of their ends.
            start: See `points`.
        """
        rays = np.zeros(angles.size, RIBBON)
        rays["r_begin"] = self.points(angles, *begin, start).reshape(-1, 3)
        rays["r_end"] = self.points(angles, *end, start).reshape(-1, 3)
        return rays
