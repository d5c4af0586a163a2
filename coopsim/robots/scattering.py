"""Room on a floor: what stands where, and places by chance that are still free."""

import math
import zlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from coopsim.geometry import Floats
from coopsim.robots.blueprint import RobotBlueprint
from coopsim.robots.placed_solid import PlacedSolid
from coopsim.robots.teams import MEMBER_TYPE, half_span
from coopsim.scene import TEAM, Floor, Object, RobotPlacement

# engines push bodies apart that touch: scattered robots shall stand still until they are told
GAP = 0.05
"""Distance that scattered robots keep from everything at least [m]."""
_BATCH = 64  # places drawn at once; those of a seed depend on it, so it never changes
_DIGITS = 4  # a tenth of a millimetre: what a saved file can say again
# many, for floors that are nearly full; bounded, so that a full one becomes a mistake and no endless search
_TRIES = 400
"""Average number of places that are tried for each robot."""


class Room:
    """The floor of a scene, with what stands on it.

    Args:
        floor: Its size bounds all places.
        objects: Walls and objects.
        types: Blueprints of the robot types.
        seed: Of all chance.
    """

    def __init__(self, floor: Floor, objects: Sequence[Object], types: Mapping[str, RobotBlueprint], seed: int) -> None:
        self._floor, self._types, self._seed = floor, types, seed
        self._things = [solid for thing in objects for solid in PlacedSolid.all_of(thing, is_fixed=True)]
        self._robots: list[tuple[float, float, float]] = []

    def occupy(self, robot: RobotPlacement) -> None:
        """Let a robot, or a team, stand somewhere."""
        self._robots.append((robot.position[0], robot.position[1], self.radius(robot)))

    def strew(self, crowd: RobotPlacement, area: tuple[float, ...]) -> list[tuple[float, float, float]]:
        """Return free places of a crowd, x, y [m] and turn [1], and let it stand there; fewer where there is no room.

        Places depend on the seed, the name of the crowd and what stands there already.
        """
        # crc32, since `hash` of a text differs from process to process
        chance = np.random.default_rng([self._seed, zlib.crc32(crowd.name.encode())])
        radius, wanted = self.radius(crowd), len(crowd.members)
        low, high = self._bounds(area, radius)
        positions: list[tuple[float, float, float]] = []
        # an area smaller than one robot: drawing between crossed bounds would put it outside
        if (low > high).any():
            return positions
        walls = self._walls(crowd)
        for _ in range(math.ceil(wanted * _TRIES / _BATCH)):
            drawn = chance.random((_BATCH, 3))
            # few digits, so that a file can say where each of them stands
            places = np.round(low + drawn[:, :2] * (high - low), _DIGITS)
            free = walls.is_free(places, radius) & self._is_free_of_robots(places, radius)
            for (x, y), turn in zip(places[free].tolist(), drawn[free, 2].tolist(), strict=True):
                if len(positions) < wanted and all(
                    # those of this batch alone: all before were looked at as arrays
                    math.hypot(x - a, y - b) >= 2 * radius + GAP
                    for a, b, _ in positions[-_BATCH:]
                ):
                    positions.append((x, y, turn))
                    self._robots.append((x, y, radius))
            if len(positions) == wanted:
                break
        return positions

    def shown(self, area: tuple[float, ...]) -> str:
        """Return an area in words."""
        (x_low, y_low), (x_high, y_high) = (bound.tolist() for bound in self._bounds(area, 0.0))
        return f"x {x_low:g} to {x_high:g} m, y {y_low:g} to {y_high:g} m"

    def _bounds(self, area: tuple[float, ...], radius: float) -> tuple[Floats, Floats]:
        """Return the corners between which middles of robots lie."""
        half = np.array(self._floor.size[:2]) / 2
        corners = np.array(area).reshape(-1, 2) if area else np.array([-half, half])
        return np.maximum(corners.min(axis=0), -half) + radius, np.minimum(corners.max(axis=0), half) - radius

    def radius(self, placement: RobotPlacement) -> float:
        """Return that of the circle around a robot, or a team [m]."""
        kind = self._types[MEMBER_TYPE if placement.type == TEAM else placement.type]
        length, width, _ = kind.size
        hull = math.hypot(length, width) / 2 if kind.shape == "box" else length / 2
        return hull + (half_span(placement) if placement.type == TEAM else 0.0)

    def is_clear(self, robot: RobotPlacement, place: Floats) -> bool:
        """Return whether a robot stands in no wall or object at a place, shape (1, 2) [m]."""
        return bool(self._walls(robot).is_free(place, self.radius(robot) - GAP)[0])

    def _walls(self, crowd: RobotPlacement) -> "_Walls":
        """Return what stands as high as the robots do."""
        kind = self._types[MEMBER_TYPE if crowd.type == TEAM else crowd.type]
        # flat things on the floor stand in nobody's way above them
        low, high = crowd.position[2], crowd.position[2] + kind.size[2]
        near = [
            thing
            for thing in self._things
            if thing.middle[2] - thing.reach[2] < high and thing.middle[2] + thing.reach[2] > low
        ]
        return _Walls(near)

    def _is_free_of_robots(self, places: Floats, radius: float) -> NDArray[np.bool_]:
        robots_placed = np.array(self._robots).reshape(-1, 3)
        way = np.hypot(places[:, None, 0] - robots_placed[:, 0], places[:, None, 1] - robots_placed[:, 1])
        return np.asarray((way >= radius + robots_placed[:, 2] + GAP).all(axis=1))


class _Walls:
    """Solids seen from above: round ones, and boxes along their own axes; one that leans is the box around it."""

    def __init__(self, solids: Sequence[PlacedSolid]) -> None:
        self._middle = np.array([solid.middle[:2] for solid in solids]).reshape(-1, 2)
        upright = [abs(solid.turn[2, 2]) > 1.0 - 1e-9 for solid in solids]
        self._half = np.array(
            [
                solid.half[:2] if is_upright else solid.reach[:2]
                for solid, is_upright in zip(solids, upright, strict=True)
            ]
        ).reshape(-1, 2)
        axes = [
            solid.turn[:2, 0] if is_upright else (1.0, 0.0) for solid, is_upright in zip(solids, upright, strict=True)
        ]
        self._axis = np.array(axes).reshape(-1, 2)
        self._is_round = np.array(
            [solid.shape != "box" and is_upright for solid, is_upright in zip(solids, upright, strict=True)], np.bool_
        )

    def is_free(self, places: Floats, radius: float) -> NDArray[np.bool_]:
        """Return whether a circle fits at each place."""
        away = places[:, None] - self._middle
        along = np.abs(away[..., 0] * self._axis[:, 0] + away[..., 1] * self._axis[:, 1])
        across = np.abs(away[..., 1] * self._axis[:, 0] - away[..., 0] * self._axis[:, 1])
        beside = np.hypot(np.maximum(along - self._half[:, 0], 0.0), np.maximum(across - self._half[:, 1], 0.0))
        gap = np.where(self._is_round, np.hypot(along, across) - self._half[:, 0], beside)
        return np.asarray((gap >= radius + GAP).all(axis=1))
