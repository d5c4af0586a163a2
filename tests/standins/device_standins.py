"""Small stand-ins for an engine and for what sensors ask of the simulation."""

from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import numpy as np

from coopsim.devices import Device, DeviceContext
from coopsim.devices.noise import noise_key
from coopsim.engines import Contacts
from coopsim.robots import load_type
from coopsim.simulation import Simulation
from coopsim.simulation.warming import prepare


class FlatBodies:
    """Free bodies on a plane; `lag` 1 moves them before it accelerates them, as Chipmunk does."""

    def __init__(self, n: int = 1, lag: int = 1, mass: float = 20.0, inertia: float = 0.625) -> None:
        self.names = [f"robot{i + 1}" for i in range(n)]
        self.planar = np.zeros((n, 6))
        self.height = np.zeros(n)
        self.mass = np.full(n, mass)
        self.inertia = np.full(n, inertia)
        self.wrench = np.zeros((n, 6))
        self.position_lag = lag

    def step(self, dt: float) -> None:
        if self.position_lag:
            self.planar[:, :3] += self.planar[:, 3:] * dt
        self.planar[:, 3:5] += self.wrench[:, :2] / self.mass[:, None] * dt
        self.planar[:, 5] += self.wrench[:, 5] / self.inertia * dt
        if not self.position_lag:
            self.planar[:, :3] += self.planar[:, 3:] * dt
        self.wrench[:] = 0.0


class SmallWorld:
    """What devices may ask, answered from plain attributes that a test sets."""

    def __init__(self, bodies: FlatBodies | None = None, targets: Mapping[str, Sequence[float]] | None = None) -> None:
        self.bodies = bodies or FlatBodies()
        n = len(self.bodies.names)
        self.target_names = tuple(targets or {})
        self.target_positions = np.array(list((targets or {}).values()), float).reshape(-1, 3)
        self.robot_names = tuple(self.bodies.names)
        self.robot_bodies = np.arange(n)
        self.robot_radii = np.full(n, 0.25)
        self.areas: tuple[tuple[str, tuple[float, ...]], ...] = ()
        self.dt = 0.01
        self.casts: list[SimpleNamespace] = []
        self.echo = 1.0
        self.touching: list[tuple[int, int, float, float, float]] = []

    def cast_rays(self, rows, bearings, reach, out, ring=None) -> None:
        self.casts.append(SimpleNamespace(rows=rows.tolist(), bearings=bearings.copy(), reach=reach.tolist()))
        out[:] = np.minimum(self.echo, reach[:, None])

    def nearest_robots(self, rows, reach, out) -> None:
        for place, row in enumerate(rows):
            gaps = np.hypot(*(self.bodies.planar[:, :2] - self.bodies.planar[row, :2]).T)
            near = [i for i in np.argsort(gaps, kind="stable") if i != row and gaps[i] <= reach[place]]
            out[place] = (near + [-1] * out.shape[1])[: out.shape[1]]

    def contacts(self) -> Contacts:
        pairs = np.array([touch[:2] for touch in self.touching], np.int64).reshape(-1, 2)
        points = np.array([(x, y, 1.0, 0.0, impulse) for _, _, x, y, impulse in self.touching]).reshape(-1, 5)
        return Contacts(pairs, points)


def rig_for(kind: type[Device], n: int = 1, *, seed: int = 1, targets=(), siblings=None, **settings) -> DeviceContext:
    names = tuple(f"robot{i + 1}" for i in range(n))
    keys = np.array([noise_key(seed, name, kind.interface.kind) for name in names], np.uint64)
    values = {parameter.name: parameter.default for parameter in kind.interface.parameters} | settings
    return DeviceContext(names, np.arange(n), keys, values, 0.25, tuple(targets), siblings or {})


def prepare_kernels() -> None:
    """Have ready what robots with all sensors need, alone and together."""
    prepare(Simulation, "pymunk", [(load_type("scout"), count) for count in (1, 2)])


def readings_of(device: Device, n: int = 1) -> np.ndarray:
    """Return a block of readings as the simulation has it: part of a wider one."""
    width = sum(
        reading.count if isinstance(reading.count, int) else device.counts[reading.count]
        for reading in device.interface.readings
    )
    return np.full((n, width + 2), np.nan)[:, 1:-1]


def command(*slot: float, n: int = 1) -> np.ndarray:
    """Return equal slots of n robots: stamp, number, two values."""
    return np.tile([*slot, 0.0, 0.0, 0.0, 0.0][:4], (n, 1)).astype(float)
