"""A ring of distance sensors."""

import math
from typing import Any

import numpy as np

from coopsim.devices.calls import CallableWorld, DeviceCalls
from coopsim.devices.contract import DeviceContext, SensingWorld
from coopsim.devices.noise import MANY, Keys, add_noise
from coopsim.devices.sampled import Sampled
from coopsim.geometry import Floats, Ints
from coopsim.interfaces import SONARS
from coopsim.interfaces.sonars import POST
from coopsim.kernels import compiled
from coopsim.kernels.parts import in_parts
from coopsim.kernels.sequence import TICK
from coopsim.kernels.threads import THREADS

_SLACK = 1e-9  # a sector that is exactly as wide as a ray's share needs no ray more


class Sonars(Sampled):
    """Distance to the nearest obstacle in each sector around a robot, from right to left.

    Each sector has several rays, the nearest hit of which counts: between them no post slips through.

    Source: CoopDynSim, section III-A (eleven distance sensors, ray tracing with one set of rays for each).

    Attributes:
        bearings: Middle of each sector in the frame of the robot, shape (count,) [rad].
        memory: See `Sampled`.
    """

    interface = SONARS
    held_at = 1

    def __init__(self, context: DeviceContext) -> None:
        count = int(context.settings["count"])
        super().__init__(context, width=count)
        self._sector, self._rays = math.radians(float(context.settings["sector"])), int(context.settings["rays"])
        self.bearings: Floats = _fan(count, self._sector, 1)
        self._elevations: Floats = np.radians(SONARS.parameter("elevation").spread(context.settings))
        self._is_raised = bool(self._elevations.any())
        self.counts, self.signals = {"count": count}, {"bearings": self.bearings}
        self._reach, self._noise, self._ring = (self.column(name) for name in ("reach", "noise", "height"))
        self._ceiling, self._hull = self._reach[:, np.newaxis], context.radius
        self._is_noisy = False
        self._fans: list[tuple[Ints, Floats]] = []

    def hold(self, world: SensingWorld, tick: int, out: Floats) -> None:
        """Write the last distances; where the reach is less than it was, they end there."""
        super().hold(world, tick, out)
        np.minimum(out, self._ceiling, out=out)

    def measure(self, world: SensingWorld, tick: int, rows: Ints | None, out: Floats) -> None:
        """Write the distances from the hull, shape (k, count) [m], each within 0 and `reach`."""
        if rows is None:
            self._cast(world, out)
            if not self._is_noisy:
                return
            keys, noise, ceiling = self.keys, self._noise, self._ceiling
        else:
            self._cast_some(world, rows, out)
            keys, noise, ceiling = self.keys[rows], self._noise[rows], self._ceiling[rows]
        # a real ring jitters before it clips, so noise comes first
        add_noise(out, keys, tick, noise)
        np.maximum(out, 0.0, out=out)
        np.minimum(out, ceiling, out=out)

    def measure_calls(self, world: CallableWorld, out: Floats) -> DeviceCalls | None:
        """Return what `measure` of all rows comes to, if all need the same rays in the plane of the ring."""
        if self._is_raised or len(self._fans) != 1:
            return None
        calls = world.ray_calls(self.rows, self._fans[0][1], self._reach, out, self._ring)
        if calls is None or not self._is_noisy:
            return calls and calls.followed_by(source=self)

        def part(first: int, last: int) -> tuple[Any, ...]:
            rows = slice(first, last)
            return out[rows], self.keys[rows], TICK, self._noise[rows], self._reach[rows]

        threads = THREADS.sharing(out.size, MANY)
        return calls.followed_by(*in_parts(_jitter, self.rows.size, threads, part), source=self)

    def _cast(self, world: SensingWorld, out: Floats) -> None:
        """Write what all robots see."""
        if len(self._fans) == 1:
            self._measure_distances(world, self.rows, self._fans[0][1], (self._reach, self._ring), out)
        else:
            self._cast_some(world, self.every, out)

    def _cast_some(self, world: SensingWorld, rows: Ints, out: Floats) -> None:
        """Write what some robots see; those that need more rays than others are looked after by themselves."""
        for some, fan in self._fans:
            places = np.flatnonzero(np.isin(rows, some)) if len(self._fans) > 1 else np.arange(rows.size)
            looking = rows[places]
            if looking.size:
                ranges = np.empty((looking.size, self.width))
                limits = self._reach[looking], self._ring[looking]
                self._measure_distances(world, self.rows[looking], fan, limits, ranges)
                out[places] = ranges

    def _measure_distances(
        self, world: SensingWorld, bodies: Ints, fan: Floats, limits: tuple[Floats, Floats], out: Floats
    ) -> None:
        """Write what bodies see: `reach` far, from rings at a height."""
        reach, ring = limits
        if self._is_raised:
            angles = np.stack([fan, np.repeat(self._elevations, fan.size // self.width)])
            world.cast_raised_rays(bodies, angles, reach, out, ring)
        else:
            world.cast_rays(bodies, fan, reach, out, ring)

    def refresh(self, world: SensingWorld) -> None:
        """Renew what follows from parameters: who has noise, and how many rays each needs."""
        super().refresh(world)
        self._is_noisy = bool(self._noise.any())
        needed = _rays_needed(self._hull + self._reach, _width(self.width, self._sector))
        if self._rays or self.width == 1:
            needed[:] = max(self._rays, 1)
        kinds: list[int] = np.unique(needed).tolist()
        self._fans = [(np.flatnonzero(needed == rays), _fan(self.width, self._sector, rays)) for rays in kinds]


@compiled
def _jitter(out: Floats, keys: Keys, tick: int, sigma: Floats, ceiling: Floats) -> None:
    add_noise(out, keys, tick, sigma)
    for i in range(out.shape[0]):
        for k in range(out.shape[1]):
            out[i, k] = min(max(out[i, k], 0.0), ceiling[i])


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
