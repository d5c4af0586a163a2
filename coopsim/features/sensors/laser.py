"""A laser scanner."""

import math

import numpy as np

from coopsim.devices.calls import AnsweringWorld, CallableWorld, DeviceCalls, perform
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import Keys
from coopsim.devices.sampled import Sampled
from coopsim.errors import BadFile
from coopsim.features.sensors.laser_echoes import reflect, spoil
from coopsim.features.sensors.laser_interface import LASER, MOST_RAYS
from coopsim.geometry import Floats, Ints
from coopsim.kernels.sequence import TICK, KernelCall


class Laser(Sampled):
    """Distances from a scanner on a robot to what is around, in one layer of rays or several.

    Attributes:
        rays: Number of rays of all layers.
    """

    interface = LASER

    def __init__(self, context: DeviceContext) -> None:
        count, layers = int(context.settings["count"]), int(context.settings["layers"])
        self.rays, has_echoes = count * layers, bool(context.settings["echoes"])
        if self.rays > MOST_RAYS:
            raise BadFile(f"laser: count {count} in {layers} layers are {self.rays} rays; {MOST_RAYS} at most")
        super().__init__(context, width=self.rays * (1 + has_echoes))
        self.counts = {"all": self.rays, "strengths": self.rays if has_echoes else 0}
        half = 0.5 * math.radians(float(context.settings["sector"])) if count > 1 else 0.0
        bearings = np.linspace(-half, half, count) + math.radians(float(context.settings["yaw"]))
        elevations = np.radians(LASER.parameter("elevation").spread(context.settings))
        self._angles: Floats = np.stack([np.tile(bearings, layers), np.repeat(elevations, count)])
        self._mount, self._layers = (float(context.settings["x"]), float(context.settings["y"])), layers

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write the distances of some robots, then the intensities if there are any, shape (k, width)."""
        if rows is None or rows.size == self.rows.size:
            perform(self.measure_calls(AnsweringWorld(world), out), tick)
        else:
            some = np.ascontiguousarray(self.table[:, rows])
            perform(self._scan_calls(AnsweringWorld(world), (self.rows[rows], some, self.keys[rows]), out), tick)

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `measure` of all robots comes to."""
        return self._scan_calls(world, (self.rows, self.table, self.keys), out)

    def _scan_calls(self, world: CallableWorld, robots: tuple[Ints, Floats, Keys], out: Floats) -> DeviceCalls | None:
        """Return what scans from some robots: their bodies, parameters and keys."""
        bodies, table, keys = robots
        reach, ring = table[self.numbers.index("reach")], table[self.numbers.index("height")]
        calls = world.scan_calls(bodies, self._angles, (reach, ring, self._mount), out[:, : self.rays])
        if calls is None:
            return None
        if out.shape[1] > self.rays:
            calls = calls.followed_by(KernelCall(reflect, (self._angles, self._layers, table, out)), source=None)
        return calls.followed_by(KernelCall(spoil, (self.rays, table, keys, TICK, out)), source=self)
