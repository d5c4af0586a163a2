"""The Earth as the ellipsoid WGS 84: metres east, north and up of a point as latitude, longitude and altitude.

Source: NIMA TR8350.2, "World Geodetic System 1984"; Bowring, "Transformation from spatial to geographical coordinates",
1976, once more from its own result: exact to 1e-6 m below 1000 km.
"""

import math
from typing import Final

import numpy as np

from coopsim.geometry import Floats

_RADIUS: Final = 6378137.0
"""Of the equator [m]."""
_FLATTENING: Final = 1.0 / 298.257223563
_EXCENTRICITY: Final = _FLATTENING * (2.0 - _FLATTENING)
"""Square of the first eccentricity."""
_REDUCED: Final = 1.0 - _FLATTENING
_ROUNDS = 2  # one is within 1 mm below 10 km, two are beyond what doubles resolve


class Datum:
    """Origin of a world on the Earth.

    Args:
        latitude: Of the origin [rad].
        longitude: Of the origin [rad].
        altitude: Above the ellipsoid [m].
        heading: Of the x axis, from east to north [rad].
    """

    def __init__(self, latitude: float, longitude: float, altitude: float, heading: float = 0.0) -> None:
        sine, cosine = math.sin(latitude), math.cos(latitude)
        along, across = math.sin(longitude), math.cos(longitude)
        normal = _RADIUS / math.sqrt(1.0 - _EXCENTRICITY * sine**2)
        level = (normal + altitude) * cosine
        self._origin = np.array([level * across, level * along, (normal * (1.0 - _EXCENTRICITY) + altitude) * sine])
        axes = [[-along, across, 0.0], [-sine * across, -sine * along, cosine], [cosine * across, cosine * along, sine]]
        self._axes: Floats = np.array(axes)
        turn_cosine, turn_sine = math.cos(heading), math.sin(heading)
        self._turn: Floats = np.array([[turn_cosine, turn_sine, 0.0], [-turn_sine, turn_cosine, 0.0], [0.0, 0.0, 1.0]])

    def level(self, vectors: Floats) -> Floats:
        """Return vectors of the world, shape (k, 3), as east, north and up."""
        turned: Floats = vectors @ self._turn
        return turned

    def geodetic(self, offsets: Floats) -> Floats:
        """Return latitudes, longitudes [rad] and altitudes [m] of places, shape (k, 3).

        Args:
            offsets: East, north and up of the origin, shape (k, 3) [m].
        """
        x, y, z = (self._origin + offsets @ self._axes).T
        distance = np.hypot(x, y)
        reduced = np.arctan2(z, _REDUCED * distance)
        second = _EXCENTRICITY / (1.0 - _EXCENTRICITY) * _RADIUS * _REDUCED
        for _ in range(_ROUNDS):
            latitude = np.arctan2(
                z + second * np.sin(reduced) ** 3, distance - _EXCENTRICITY * _RADIUS * np.cos(reduced) ** 3
            )
            reduced = np.arctan2(_REDUCED * np.sin(latitude), np.cos(latitude))
        sine, cosine = np.sin(latitude), np.cos(latitude)
        # this form of the height stays exact at the poles, where the distance from the axis is 0
        height = distance * cosine + z * sine - _RADIUS * np.sqrt(1.0 - _EXCENTRICITY * sine**2)
        return np.column_stack([latitude, np.arctan2(y, x), height])
