"""A robot as the author of a device for single robots sees it."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from coopsim.devices.contract import Bodies, DeviceContext, SensingWorld
from coopsim.devices.noise import normal
from coopsim.geometry import Floats, wrap
from coopsim.interfaces import Value

_FEW = 8  # room for the noise of a small team; it doubles when that is not enough
_NONE: Floats = np.empty((1, 0))
_DRIVING = np.uint64(0x9E3779B97F4A7C15)


class Memory:
    """Memory of a device for one robot, from tick to tick: numbers by name."""

    __slots__ = ("_arrays", "_row")

    def __init__(self, arrays: Mapping[str, Any], row: int) -> None:
        self._arrays, self._row = arrays, row

    def __getitem__(self, name: str) -> float:
        return float(self._arrays[name].item(self._row))

    def __setitem__(self, name: str, value: float) -> None:
        self._arrays[name][self._row] = value


class DeviceParameters:
    """Values of the parameters of one robot's device, those fixed by the `.robot` file too."""

    __slots__ = ("_columns", "_row", "_settings")

    def __init__(self, context: DeviceContext, columns: Mapping[str, Any], row: int) -> None:
        self._settings, self._columns, self._row = context.settings, columns, row

    def __getitem__(self, name: str) -> Any:
        value: Value = self._settings[name]
        column = self._columns.get(name)
        if column is None:
            return value
        setting = column.item(self._row)
        return setting if type(setting) is type(value) else type(value)(setting)


class Moment:
    """Time and surroundings at which the robots of a device are asked; one for all of them.

    Attributes:
        tick: Number of the tick.
        dt: Length of the tick; 0 when the device looks again without a step in between [s].
        count: How many moments there were.
        drives: Whether noise is that of `drive`: what it draws must not hang on how much `read` has drawn before.
    """

    __slots__ = ("bodies", "count", "drives", "dt", "tick", "world")

    def __init__(self) -> None:
        self.tick, self.dt, self.count, self.drives = 0, 0.0, 0, False
        self.bodies: Bodies | None = None
        self.world: SensingWorld | None = None

    def act(self, bodies: Bodies, dt: float) -> None:
        """Prepare for `act`."""
        self.bodies, self.world, self.dt, self.drives = bodies, None, dt, True
        self.count += 1

    def sense(self, world: SensingWorld, tick: int) -> None:
        """Prepare for `sense`."""
        self.bodies, self.world, self.dt, self.tick, self.drives = world.bodies, world, world.dt, tick, False
        self.count += 1

    def drive(self, world: SensingWorld, tick: int, dt: float) -> None:
        """Prepare for a driver, which runs before the step and may look around as of the last one."""
        self.bodies, self.world, self.dt, self.tick, self.drives = world.bodies, world, dt, tick, True
        self.count += 1


class RobotView:
    """The robot that carries a device, at one tick.

    Attributes:
        name: Its name, `robot1`.
        parameters: By name.
        memory: What the device remembers of it, by name; all else is forgotten in snapshots.
    """

    # there are as many of them as devices of robots
    __slots__ = (
        *("_begun", "_body", "_deviates", "_keys", "_moment", "_row", "_stream", "_used"),
        *("memory", "name", "parameters"),
    )

    def __init__(self, context: DeviceContext, row: int, parameters: DeviceParameters, memory: Memory) -> None:
        self.name, self.parameters, self.memory = context.robots[row], parameters, memory
        self._keys, self._row, self._body = context.keys, row, int(context.rows[row])
        self._moment, self._begun = Moment(), -1

    def share(self, moment: Moment) -> None:
        """Be asked at the moments of a device from now on."""
        self._moment = moment

    @property
    def tick(self) -> int:
        """Number of the tick."""
        return self._moment.tick

    @property
    def dt(self) -> float:
        """Length of the tick; 0 when the device looks again without a step in between [s]."""
        return self._moment.dt

    @property
    def body(self) -> int:
        """Its row among the bodies."""
        return self._body

    @property
    def x(self) -> float:
        """Position along x, world frame [m]."""
        return self._planar(0)

    @property
    def y(self) -> float:
        """Position along y, world frame [m]."""
        return self._planar(1)

    @property
    def heading(self) -> float:
        """Direction of its front, within [-pi, pi) [rad]."""
        return wrap(self._planar(2))

    @property
    def v(self) -> float:
        """Its forward speed [m/s]."""
        angle = self._planar(2)
        return self._planar(3) * math.cos(angle) + self._planar(4) * math.sin(angle)

    @property
    def w(self) -> float:
        """Rate of its turn to the left [rad/s]."""
        return self._planar(5)

    def noise(self) -> float:
        """Return the next normal deviate of mean 0 and variance 1: the same ones in each repetition of the run."""
        moment = self._moment
        if self._begun != moment.count:
            self._begun, self._deviates, self._used = moment.count, _NONE, 0
            key = self._keys[self._row : self._row + 1]
            self._stream = key ^ _DRIVING if moment.drives else key
        if self._used >= self._deviates.shape[1]:
            self._deviates = np.empty((1, max(_FEW, 2 * self._deviates.shape[1])))
            normal(self._stream, moment.tick, self._deviates)
        self._used += 1
        return float(self._deviates[0, self._used - 1])

    def ray(self, bearing: float, reach: float) -> float:
        """Return the distance from the hull to the next thing in a direction, `reach` if there is none.

        Args:
            bearing: Direction, 0 = ahead, to the left positive [rad].
            reach: Farthest distance [m].
        """
        out = np.empty((1, 1))
        row, angle = np.array([self._body], np.int64), np.array([bearing], np.float64)
        self._sight().cast_rays(row, angle, np.array([reach], np.float64), out)
        return float(out[0, 0])

    def targets(self) -> dict[str, tuple[float, float]]:
        """Return where the coloured targets are, by name, world frame [m]."""
        world = self._sight()
        return {name: (float(at[0]), float(at[1])) for name, at in _pairs(world.target_names, world.target_positions)}

    def others(self) -> dict[str, tuple[float, float]]:
        """Return where the other robots are, by name, world frame [m]."""
        world = self._sight()
        places = world.bodies.planar[world.robot_bodies, :2]
        return {
            name: (float(at[0]), float(at[1])) for name, at in _pairs(world.robot_names, places) if name != self.name
        }

    def polar(self, x: float, y: float) -> tuple[float, float]:
        """Return distance and angle at which the robot sees a place [m, rad]."""
        dx, dy = x - self.x, y - self.y
        return math.hypot(dx, dy), wrap(math.atan2(dy, dx) - self._planar(2))

    def _planar(self, column: int) -> float:
        bodies = self._moment.bodies
        if bodies is None:
            raise RuntimeError("a robot has no position before the first tick; read it in `read` or `drive`")
        return float(bodies.planar[self._body, column])

    def _sight(self) -> SensingWorld:
        world = self._moment.world
        if world is None:
            raise RuntimeError("`drive` comes before the step: only `read` can look around; keep in memory what it saw")
        return world


def _pairs(names: tuple[str, ...], places: Floats) -> "zip[tuple[str, Floats]]":
    return zip(names, places, strict=True)
