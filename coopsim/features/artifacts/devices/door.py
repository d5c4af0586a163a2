"""An automatic door: the example of an artifact with a driver and a sensor.

Source: SwarmSimX, section 2 (a door that opens when something is near, and closes after a time without new input).
"""

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

import numpy as np

from coopsim.devices.artifacts.authored import ArtifactDriver, Sensor
from coopsim.devices.artifacts.running import Measure
from coopsim.devices.robot_view import DeviceParameters
from coopsim.features.artifacts.interfaces import AUTOMATIC_DOOR, PRESENCE
from coopsim.geometry import Floats, Ints
from coopsim.kernels import compiled, inlined
from coopsim.sensing.robot_cells import STALE, Cells, bodies_of_line, empty_cells, fill, square_around

_FEW = 16
"""Up to so many sensors look at all bodies: to sort these by cells takes as long as that."""
_SLACK = 1e-6
"""Cells are looked into a little farther than a sensor reaches, whatever is rounded [m]."""


class Presence(Sensor):
    """Distance of the nearest moving body."""

    __slots__ = ("descriptor", "others_from")  # each of ten thousand doors has one

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

    @classmethod
    def together(cls, sensors: Sequence[Self], parameters: Mapping[str, Floats]) -> Measure:
        """Return what measures for all."""
        environment, reach = sensors[0].environment, parameters["reach"]
        own = np.array([(sensor.artifact.body, sensor.others_from) for sensor in sensors], np.int64)
        count = len(environment.bodies.names) if len(sensors) > _FEW else 0
        cells = empty_cells(np.arange(count))

        def measure(rows: Ints, out: Floats) -> None:
            _measure(environment.bodies.planar, own, reach, cells, rows, out)

        return measure


@compiled
def _nearest(planar: Floats, body: int, others_from: int) -> float:
    """Return the square of the distance of the nearest body before `body`, or from `others_from` on [m2]."""
    nearest = math.inf
    for row in range(planar.shape[0]):
        nearest = _nearer(planar, row, (body, others_from), nearest)
    return nearest


@inlined
def _nearer(planar: Floats, row: int, own: tuple[int, int], nearest: float) -> float:
    """Return the square of the distance of a body, if it is not one of its own and nearer than another one [m2]."""
    body, others_from = own
    if body <= row < others_from:
        return nearest
    dx, dy = planar[row, 0] - planar[body, 0], planar[row, 1] - planar[body, 1]
    square: float = dx * dx + dy * dy
    return min(nearest, square)


@compiled
def _measure(planar: Floats, own: Ints, reach: Floats, cells: Cells, rows: Ints, out: Floats) -> None:
    """Write the distances of the nearest bodies.

    Args:
        planar: Of all bodies, shape (m, 6).
        own: Body of each sensor, and the first one after those of its robot, shape (n, 2).
        reach: Farthest distances, shape (n,) [m].
        cells: Room to sort the bodies by cells, for none where there are few sensors.
        rows: Sensors that measure, shape (k,).
        out: Shape (k, 1) [m].
    """
    is_sorted = own.shape[0] > _FEW
    if is_sorted:
        cells[1][STALE] = 1
        fill(planar, cells)
    for k in range(rows.size):
        body, others_from, far = own[rows[k], 0], own[rows[k], 1], reach[rows[k]]
        if is_sorted:
            nearest, square = math.inf, square_around(planar[body, 0], planar[body, 1], far + _SLACK, cells)
            for line in range(square[2], square[3] + 1):
                begin, end = bodies_of_line(line, square, cells)
                for at in range(begin, end):
                    nearest = _nearer(planar, cells[1][at], (body, others_from), nearest)
        else:
            nearest = _nearest(planar, body, others_from)
        out[k, 0] = min(far, math.sqrt(nearest))


class AutomaticDoor(ArtifactDriver):
    """Opens when something is near, closes after a time without new input."""

    __slots__ = ("descriptor",)

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
