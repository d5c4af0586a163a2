"""The place of a world on the Earth: metres east, north and up of a point as latitude, longitude and height.

Source: NIMA TR8350.2, "World Geodetic System 1984"; Bowring, "Transformation from spatial to geographical coordinates",
1976.
"""

import math
from typing import Final, NamedTuple

_RADIUS: Final = 6378137.0
"""Of the equator [m]."""
_FLATTENING: Final = 1.0 / 298.257223563
_EXCENTRICITY: Final = _FLATTENING * (2.0 - _FLATTENING)
"""Square of the first eccentricity."""
_POLAR: Final = _RADIUS * (1.0 - _FLATTENING)


class Georeference(NamedTuple):
    """Position of a world's origin on the Earth; its x axis points east, its y axis north.

    Attributes:
        latitude: [degrees].
        longitude: [degrees].
        altitude: Above the ellipsoid [m].
    """

    latitude: float = 0.0
    longitude: float = 0.0
    altitude: float = 0.0

    def geodetic(self, x: float, y: float, z: float) -> "Georeference":
        """Return a position in the world as latitude and longitude [degrees] and altitude [m]."""
        phi, lam = math.radians(self.latitude), math.radians(self.longitude)
        sin_phi, cos_phi, sin_lam, cos_lam = math.sin(phi), math.cos(phi), math.sin(lam), math.cos(lam)
        normal = _RADIUS / math.sqrt(1.0 - _EXCENTRICITY * sin_phi**2)
        radial = (normal + self.altitude) * cos_phi - y * sin_phi + z * cos_phi
        earth_x, earth_y = radial * cos_lam - x * sin_lam, radial * sin_lam + x * cos_lam
        earth_z = (normal * (1.0 - _EXCENTRICITY) + self.altitude) * sin_phi + y * cos_phi + z * sin_phi
        return _from_earth(earth_x, earth_y, earth_z)


ORIGIN_OF_MAPS: Final = Georeference()
"""Where a world is that says nothing: latitude, longitude and altitude 0."""


def _from_earth(x: float, y: float, z: float) -> Georeference:
    """Return a position in the frame of the Earth as a geodetic one; within 1 mm below 10 km."""
    distance = math.hypot(x, y)
    angle = math.atan2(z * _RADIUS, distance * _POLAR)
    second = _EXCENTRICITY / (1.0 - _EXCENTRICITY)
    phi = math.atan2(
        z + second * _POLAR * math.sin(angle) ** 3, distance - _EXCENTRICITY * _RADIUS * math.cos(angle) ** 3
    )
    sine, cosine = math.sin(phi), math.cos(phi)
    # this form of the height stays exact at the poles, where the distance from the axis is 0
    height = distance * cosine + z * sine - _RADIUS * math.sqrt(1.0 - _EXCENTRICITY * sine**2)
    return Georeference(math.degrees(phi), math.degrees(math.atan2(y, x)), height)
