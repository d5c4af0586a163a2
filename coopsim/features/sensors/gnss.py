"""A receiver of satellites: where on the Earth a robot is, and how fast it moves there."""

import math

import numpy as np

from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.sampled import Sampled
from coopsim.features.sensors.geodesy import Datum
from coopsim.features.sensors.gnss_interface import GNSS
from coopsim.features.sensors.wandering import black_out, pass_time, wander
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import columns

_COLUMN = columns(GNSS)
_NOISE = [_COLUMN.noise, _COLUMN.noise, _COLUMN.noise_height]
_DRIFT = [_COLUMN.drift, _COLUMN.drift, _COLUMN.drift_height]
_WIDTH = 8


class Gnss(Sampled):
    """Fixes on the Earth with noise, an error that wanders, and times without satellites.

    Attributes:
        memory: Besides that of `Sampled`, `clock` [ns], and `wander`: errors east, north and up of variance 1.
    """

    interface = GNSS

    def __init__(self, context: DeviceContext) -> None:
        super().__init__(context, width=_WIDTH)
        n, settings = len(context.robots), context.settings
        latitude, longitude, heading = (
            math.radians(float(settings[name])) for name in ("latitude", "longitude", "heading")
        )
        self._datum = Datum(latitude, longitude, float(settings["altitude"]), heading)
        self._elapsed: Floats = np.zeros(n)
        self._is_noisy = False
        self.memory |= {"clock": np.zeros((n, 1)), "wander": np.zeros((n, 3))}

    def refresh(self, world: SensingWorld) -> None:
        """Note whether any fix has noise."""
        super().refresh(world)
        self._is_noisy = bool(self.table[[_COLUMN.noise, _COLUMN.noise_height, _COLUMN.noise_velocity]].any())

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write the fixes of some robots, shape (k, 8)."""
        rows = self.every if rows is None else rows
        bodies, deviates = self.rows[rows], self.deviates(rows, tick, is_noisy=self._is_noisy)
        noise, drift = (self.table[axes][:, rows].T for axes in (_NOISE, _DRIFT))
        pass_time(rows, self.memory["fix"], world.dt, self.memory["clock"], self._elapsed)
        wander(rows, self.keys, tick, self._elapsed, self.column("correlation"), self.memory["wander"])
        errors = drift * self.memory["wander"][rows] + noise * deviates[:, :3]
        out[:, :3] = self._datum.geodetic(self._datum.level(world.bodies.poses[bodies, :3]) + errors)
        velocities = self._datum.level(world.bodies.twists[bodies, :3])
        out[:, 3:6] = velocities + self.table[_COLUMN.noise_velocity, rows][:, np.newaxis] * deviates[:, 3:6]
        out[:, 6:] = np.hypot(noise, drift)[:, 1:]

    def _chances(self, rows: Ints, tick: int) -> Floats:
        """Return what decides whether fixes are lost: none comes through while satellites are out of sight."""
        chances = super()._chances(rows, tick)
        times = self.memory["fix"][rows, 0] * 1e-9
        black_out(rows, self.keys, times, self.column("outage"), self.column("outage_share"), chances)
        return chances
