"""An automatic door: the example of an artifact with a driver and a sensor.

Source: SwarmSimX, section 2 (a door that opens when something is near, and closes after a time without new input).
"""

import math
from typing import ClassVar

from coopsim.devices.artifacts.authored import ArtifactDriver, Sensor
from coopsim.devices.robot_view import DeviceParameters
from coopsim.features.artifacts.interfaces import AUTOMATIC_DOOR, PRESENCE
from coopsim.geometry import Floats
from coopsim.kernels import compiled


class Presence(Sensor):
    """Distance of the nearest moving body."""

    interface = PRESENCE

    def configure(self, descriptor: DeviceParameters) -> None:
        """Note which bodies are its own: its links follow its body."""
        self.descriptor = descriptor
        names, own, links = self.environment.bodies.names, self.artifact.body, f"{self.artifact.name}."
        self.others_from = next(
            (row for row in range(own + 1, len(names)) if not names[row].startswith(links)), len(names)
        )

    def run(self) -> float:
        """Return the distance of the nearest one [m]."""
        square = _nearest(self.environment.bodies.planar, self.artifact.body, self.others_from)
        reach: float = self.descriptor["reach"]
        return min(reach, math.sqrt(square))


@compiled
def _nearest(planar: Floats, body: int, others_from: int) -> float:
    """Return the square of the distance of the nearest body before `body`, or from `others_from` on [m2]."""
    nearest, x, y = math.inf, planar[body, 0], planar[body, 1]
    for row in range(planar.shape[0]):
        if body <= row < others_from:
            continue
        dx, dy = planar[row, 0] - x, planar[row, 1] - y
        nearest = min(nearest, dx * dx + dy * dy)
    return nearest


class AutomaticDoor(ArtifactDriver):
    """Opens when something is near, closes after a time without new input."""

    interface = AUTOMATIC_DOOR
    remembers: ClassVar = {"open_until": -1.0}

    def configure(self, descriptor: DeviceParameters) -> None:
        """Register at the sensors."""
        self.descriptor = descriptor
        for name in descriptor["at"].split() or [self.artifact.name]:
            self.artifact.listen(name, descriptor["sensor"], self.see)

    def see(self, readings: Floats) -> None:
        """Stay open from now on, if something is near."""
        if readings[0] < self.descriptor["range"]:
            self.artifact.memory["open_until"] = self.environment.time + self.descriptor["stay"]

    def run(self) -> float:
        """Command the leaf; return whether it is to be open."""
        is_open = self.environment.time < self.artifact.memory["open_until"]
        self.artifact.command(self.descriptor["leaf"], "set_position", self.descriptor["opening"] if is_open else 0.0)
        return float(is_open)
