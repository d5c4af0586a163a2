"""A ring of distance sensors."""

import math

import numpy as np

from coopsim.devices._interval import due
from coopsim.devices._tabled import Tabled
from coopsim.devices.contract import Rig, Surroundings
from coopsim.devices.noise import add_noise
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import SONARS
from coopsim.interfaces.sonars import POST

_SLACK = 1e-9


class Sonars(Tabled):
    """Distance to the nearest obstacle in each sector around a robot, from right to left.

    Each sector has several rays, the nearest hit of which counts: between them no post slips through.

    Source: CoopDynSim, section III-A (eleven distance sensors, ray tracing with one set of rays for each).

    Attributes:
        bearings: Middle of each sector in the frame of the robot, shape (count,) [rad].
        memory: `held`: the tick of the next reading, then the last one, shape (n, 1 + count).
    """

    interface = SONARS
    numbers = ("reach", "noise", "interval", "height")

    def __init__(self, rig: Rig) -> None:
        super().__init__(rig)
        count = int(rig.settings["count"])
        self._sector, self._rays = math.radians(float(rig.settings["sector"])), int(rig.settings["rays"])
        self.bearings: Floats = _fan(count, self._sector, 1)
        self.counts = {"count": count}
        self.memory = {"held": np.zeros((len(rig.robots), 1 + count))}
        self._reach, self._noise, self._interval, self._ring = (self.column(name) for name in self.numbers)
        self._ceiling, self._hull = self._reach[:, np.newaxis], rig.radius
        self._is_noisy = self._has_intervals = False
        self._fans: list[tuple[Ints, Floats]] = []

    def sense(self, world: Surroundings, tick: int, out: Floats) -> None:
        """Write the distances from the hull, shape (n, count) [m], each within 0 and `reach`."""
        if self.is_stale:
            self._refresh()
        if self._has_intervals:
            self._sense_some(world, tick, out)
            return
        self._cast(world, out)
        if self._is_noisy:
            # a real ring jitters before it clips, so noise comes first
            add_noise(out, self.keys, tick, self._noise)
            np.maximum(out, 0.0, out=out)
            np.minimum(out, self._ceiling, out=out)

    def _cast(self, world: Surroundings, out: Floats) -> None:
        """Write what all robots see; those that need more rays than others are looked after by themselves."""
        if len(self._fans) == 1:
            world.cast_rays(self.rows, self._fans[0][1], self._reach, out, self._ring)
            return
        for some, fan in self._fans:
            self._cast_some(world, some, fan, out)

    def _cast_some(self, world: Surroundings, some: Ints, fan: Floats, out: Floats) -> None:
        found = np.empty((some.size, self.bearings.size))
        world.cast_rays(self.rows[some], fan, self._reach[some], found, self._ring[some])
        out[some] = found

    def _sense_some(self, world: Surroundings, tick: int, out: Floats) -> None:
        held = self.memory["held"]
        rows = due(held[:, 0], self._interval, tick)
        if rows.size:
            fresh, reach = np.empty((held.shape[0], self.bearings.size)), self._reach[rows]
            for some, fan in self._fans:
                looking = rows if len(self._fans) == 1 else np.intersect1d(some, rows, assume_unique=True)
                if looking.size:
                    self._cast_some(world, looking, fan, fresh)
            fresh = fresh[rows]
            add_noise(fresh, self.keys[rows], tick, self._noise[rows])
            held[rows, 1:] = np.clip(fresh, 0.0, reach[:, np.newaxis])
        np.minimum(held[:, 1:], self._ceiling, out=out)

    def _refresh(self) -> None:
        self.is_stale = False
        self._is_noisy = bool(self._noise.any())
        self._has_intervals = bool((self._interval > 1).any())
        if not self._has_intervals:
            self.memory["held"][:] = 0.0
        count = self.bearings.size
        needed = _rays_needed(self._hull + self._reach, _width(count, self._sector))
        if self._rays or count == 1:
            needed[:] = max(self._rays, 1)
        kinds: list[int] = np.unique(needed).tolist()
        self._fans = [(np.flatnonzero(needed == rays), _fan(count, self._sector, rays)) for rays in kinds]


def _width(count: int, sector: float) -> float:
    """Return the angle of one of `count` sectors whose middles lie over `sector` [rad]; a single one is all of it."""
    return sector / (count - 1) if count > 1 else sector


def _fan(count: int, sector: float, rays: int) -> Floats:
    """Return the directions of the rays of `count` sectors, from right to left, shape (count * rays,) [rad]."""
    half = 0.5 * (sector if count > 1 else 0.0)
    within = (np.arange(rays) - 0.5 * (rays - 1)) * (_width(count, sector) / rays)
    directions: Floats = (np.linspace(-half, half, count)[:, np.newaxis] + within).ravel()
    return directions


def _rays_needed(distance: Floats, width: float) -> Ints:
    """Return how many rays a sector needs, an odd number, so that each post up to a distance is hit.

    Args:
        distance: Of its far side from the middle of the robot, shape (n,) [m].
        width: Of the sector [rad].
    """
    seen = 2.0 * np.arcsin(np.minimum(0.5 * POST / np.maximum(distance - 0.5 * POST, 0.5 * POST), 1.0))
    return 2 * np.ceil(0.5 * (width / seen - 1.0 - _SLACK)).astype(np.int64).clip(0) + 1
