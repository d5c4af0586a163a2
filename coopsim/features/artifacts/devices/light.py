"""Sensors of light: how much of what lamps shine falls on a robot.

A lamp is a point that shines alike in all directions: E = I / d^2 of what nothing hides, d between both bodies.
"""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from coopsim.devices.artifacts.authored import Sensor
from coopsim.devices.robot_view import DeviceParameters
from coopsim.features.artifacts.interfaces import LIGHT
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled

_NEAREST = 0.05
"""Least distance that counts: a point would be infinitely bright [m]."""


class Light(Sensor):
    """Illuminance of a robot by all lamps of a scene."""

    interface: ClassVar = LIGHT

    def configure(self, descriptor: DeviceParameters) -> None:
        """Note where the lamps are, and what they read: artifacts do not change while an object lives."""
        self.descriptor = descriptor
        environment, module = self.environment, descriptor["lamp"]
        readings = {name: environment.reading(name, module) for name in environment.artifacts}
        self._lights = [reading for reading in readings.values() if reading is not None]
        names = [name for name, reading in readings.items() if reading is not None]
        self._lamps: Ints = np.array([environment.body(name) for name in names], np.int64)
        self._row: Ints = np.array([self.artifact.body], np.int64)
        self._seen: NDArray[np.bool_] = np.ones((1, self._lamps.size), bool)

    def run(self) -> list[float]:
        """Return the illuminance of all colours together, and of each [lx]."""
        bodies, out = self.environment.bodies, np.zeros(4)
        out[0] = self.descriptor["ambient"]
        if self._lamps.size:
            self._seen[:] = True
            if self.descriptor["occlusion"]:
                places = bodies.planar[self._lamps, :2][np.newaxis]
                self.environment.world.sight_lines(self._row, places, self._lamps[np.newaxis], self._seen)
            lights = np.array(self._lights)
            _fall(bodies.poses, self._row[0], self._lamps, (lights, self._seen[0], self.descriptor["intensity"]), out)
        values: list[float] = out.tolist()
        return values


@compiled
def _fall(poses: Floats, row: int, lamps: Ints, shining: tuple[Floats, NDArray[np.bool_], float], out: Floats) -> None:
    """Add the light of lamps.

    Args:
        poses: Of all bodies, shape (m, 7).
        row: Of the body on which it falls.
        lamps: Rows of the lamps, shape (k,).
        shining: Brightness, red, green and blue of each, shape (k, 4); which are seen, shape (k,); intensity [cd].
        out: All colours, red, green, blue, shape (4,) [lx].
    """
    lights, seen, intensity = shining
    for k in range(lamps.size):
        if not seen[k] or lamps[k] == row:
            continue
        square = 0.0
        for axis in range(3):
            square += (poses[lamps[k], axis] - poses[row, axis]) ** 2
        bright = intensity * lights[k, 0] / max(square, _NEAREST * _NEAREST)
        for color in range(1, 4):
            out[color] += bright * lights[k, color]
            out[0] += bright * lights[k, color] / 3.0
